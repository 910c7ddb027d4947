#include "arrays.hpp"
#include "solver.hpp"

#include <vector>

namespace ivp::python {

PyTypeObject* task_type;

namespace {

const ivp_task* running(PyObject* o)
{
    const ivp_task* const task = as_task(o)->task;
    if (task == nullptr) PyErr_SetString(wrong_use, "the task is over: its solver has returned");
    return task;
}

using f_callback = int (*)(void*, double, const double*, double*);

PyObject* task_evaluate(PyObject* o, PyObject* const* arguments, Py_ssize_t count, f_callback ivp_callbacks::*which, const char* what)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted(what, count, 2) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(task->n);
    if (!out) return nullptr;
    const int status = (task->callbacks->*which)(task->host, t, y.data(), out.data());
    return status == IVP_OK ? out.release() : not_evaluated_at(status, what, t);
}
PyObject* task_f(PyObject* o, PyObject* const* a, Py_ssize_t n) { return task_evaluate(o, a, n, &ivp_callbacks::f, "f"); }
PyObject* task_f_difference(PyObject* o, PyObject* const* a, Py_ssize_t n)
{
    return task_evaluate(o, a, n, &ivp_callbacks::f_difference, "f_difference");
}
PyObject* task_time_derivative(PyObject* o, PyObject* const* a, Py_ssize_t n)
{
    return task_evaluate(o, a, n, &ivp_callbacks::time_derivative, "time_derivative");
}

PyObject* task_g(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted("g", count, 3) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    const reference yp = y ? vector_of(arguments[2], task->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = new_vector(task->n);
    if (!out) return nullptr;
    const int status = task->callbacks->g(task->host, t, y.data(), yp.data(), out.data());
    return status == IVP_OK ? out.release() : not_evaluated_at(status, "G", t);
}

PyObject* task_jacobian(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted("jacobian", count, 2) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    if (!y) return nullptr;
    const bool sparse = task->jacobian_kind == IVP_SPARSE;
    const int rows = task->jacobian_kind == IVP_BAND ? task->jacobian_lower + task->jacobian_upper + 1 : task->n;
    reference out = sparse ? new_vector(task->jacobian_column_start[task->n]) : new_matrix(rows, task->n);
    if (!out) return nullptr;
    const ivp_callbacks& call = *task->callbacks;
    const int status = sparse                            ? call.jacobian_sparse(task->host, t, y.data(), out.data())
                       : task->jacobian_kind == IVP_BAND ? call.jacobian_band(task->host, t, y.data(), out.data(), rows)
                                                         : call.jacobian(task->host, t, y.data(), out.data(), rows);
    return status == IVP_OK ? out.release() : not_evaluated_at(status, "df/dy", t);
}

PyObject* task_accepted_step(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t_old = 0;
    double t = 0;
    if (task == nullptr || !counted("accepted_step", count, 3) || !number(arguments[0], t_old, "t_old") || !number(arguments[1], t, "t"))
        return nullptr;
    const reference y = vector_of(arguments[2], task->n, "y");
    if (!y) return nullptr;
    ivp_step step{};
    step.version = IVP_PLUGIN_VERSION;
    step.size = sizeof step;
    step.t_old = t_old;
    step.t = t;
    step.h = t - t_old;
    step.y = y.data();
    step.error_bound = 1;
    return PyBool_FromLong(task->callbacks->accepted_step(task->host, &step) == IVP_OK ? 1 : 0);
}

PyObject* task_count(PyObject* o, PyObject* arguments)
{
    const ivp_task* const task = running(o);
    int factorisations = 0;
    int solves = 0;
    int difference_jacobians = 0;
    if (task == nullptr || PyArg_ParseTuple(arguments, "iii", &factorisations, &solves, &difference_jacobians) == 0) return nullptr;
    for (int k = 0; k < factorisations; ++k) task->callbacks->factorised(task->host, 1, 0);
    if (solves > 0) task->callbacks->solved(task->host, solves);
    for (int k = 0; k < difference_jacobians; ++k) task->callbacks->jacobian_by_differences(task->host);
    Py_RETURN_NONE;
}

PyObject* task_facts(PyObject* o, PyObject* /*none*/)
{
    const ivp_task* const task = running(o);
    if (task == nullptr) return nullptr;
    const bool sparse = task->jacobian_kind == IVP_SPARSE;
    reference y = copy_of(task->y, task->n);
    reference yp(task->yp == nullptr ? Py_NewRef(Py_None) : copy_of(task->yp, task->n).release());
    reference rtol = copy_of(task->rtol, task->n);
    reference atol = copy_of(task->atol, task->n);
    reference options = copy_of(task->options, task->option_count);
    reference index(integers(task->index, task->n));
    reference column_start(integers(task->jacobian_column_start, sparse ? task->n + 1 : 0));
    reference row(integers(task->jacobian_row, sparse ? task->jacobian_column_start[task->n] : 0));
    reference mass(Py_NewRef(Py_None));
    if (task->mass_kind != IVP_MASS_IDENTITY) {
        mass = new_matrix(task->n, task->n);
        if (!mass) return nullptr;
        std::vector<double> unit(static_cast<std::size_t>(task->n), 0.0);
        for (int j = 0; j < task->n; ++j) {
            unit[static_cast<std::size_t>(j)] = 1;
            if (task->callbacks->mass_multiply(task->host, unit.data(), mass.data() + static_cast<npy_intp>(j) * task->n) != IVP_OK)
                return not_evaluated_at(IVP_STOP, "M", task->t0);
            unit[static_cast<std::size_t>(j)] = 0;
        }
    }
    if (!y || !yp || !rtol || !atol || !options || !index || !column_start || !row) return nullptr;
    return Py_BuildValue("{s:i,s:i,s:d,s:d,s:O,s:O,s:O,s:O,s:d,s:d,s:K,s:O,s:i,s:i,s:i,s:i,s:i,s:O,s:O,s:O,s:O}", "n", task->n, "form", task->form,
                         "t0", task->t0, "tend", task->tend, "y", y.get(), "yp", yp.get(), "rtol", rtol.get(), "atol", atol.get(), "h0", task->h0,
                         "hmax", task->hmax, "max_steps", static_cast<unsigned long long>(task->max_steps), "options", options.get(),
                         "exact_jacobian", task->exact_jacobian, "jacobian_kind", task->jacobian_kind, "lower", task->jacobian_lower, "upper",
                         task->jacobian_upper, "continues", task->continues, "index", index.get(), "column_start", column_start.get(), "row",
                         row.get(), "mass", mass.get());
}

PyMethodDef task_methods[] = {
    {"f", as_function(task_f), METH_FASTCALL, nullptr},
    {"g", as_function(task_g), METH_FASTCALL, nullptr},
    {"f_difference", as_function(task_f_difference), METH_FASTCALL, nullptr},
    {"time_derivative", as_function(task_time_derivative), METH_FASTCALL, nullptr},
    {"jacobian", as_function(task_jacobian), METH_FASTCALL, nullptr},
    {"accepted_step", as_function(task_accepted_step), METH_FASTCALL, nullptr},
    {"count", task_count, METH_VARARGS, nullptr},
    {"facts", task_facts, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

PyTypeObject* make_task_type(PyObject* module)
{
    task_type = made_type(module, "Task", sizeof(task_object), task_methods, plain_dealloc, nullptr);
    return task_type;
}

} // namespace ivp::python
