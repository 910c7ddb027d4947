#include "solution.hpp"

#include "arrays.hpp"
#include "problem.hpp"
#include "solver.hpp"

#include <deque>
#include <vector>

namespace ivp::python {

namespace {

PyTypeObject* solution_type;

struct solution_object {
    PyObject_HEAD ivp_solution* handle;
    int n;
};

solution_object* as_solution(PyObject* o) { return reinterpret_cast<solution_object*>(o); }

void solution_dealloc(PyObject* o)
{
    if (as_solution(o)->handle != nullptr) ivp_solution_close(as_solution(o)->handle);
    plain_dealloc(o);
}

PyObject* solution_record(PyObject* o, PyObject* /*none*/) { return text_or_raise(ivp_solution_record(as_solution(o)->handle)); }

PyObject* solution_points(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_solution(o);
    const std::int64_t size = ivp_solution_size(self->handle);
    if (size < 0) return raise_last();
    reference t = new_vector(size);
    reference y = new_matrix(self->n, size);
    if (!t || !y) return nullptr;
    if (ivp_solution_points(self->handle, t.data(), y.data(), size) != IVP_OK) return raise_last();
    return Py_BuildValue("(OO)", t.get(), y.get());
}

PyObject* solution_at(PyObject* o, PyObject* times)
{
    auto* const self = as_solution(o);
    const reference t = any_vector(times, "t");
    if (!t) return nullptr;
    const npy_intp count = PyArray_DIM(t.array(), 0);
    reference y = new_matrix(self->n, count);
    if (!y) return nullptr;
    if (without_lock(true, [&] { return ivp_solution_at(self->handle, t.data(), count, y.data()); }) != IVP_OK) return raise_last();
    return y.release();
}

PyObject* solution_store(PyObject* o, PyObject* db)
{
    const char* const path = PyUnicode_AsUTF8(db);
    if (path == nullptr) return nullptr;
    if (without_lock(true, [&] { return ivp_solution_store(as_solution(o)->handle, path); }) != IVP_OK) return raise_last();
    Py_RETURN_NONE;
}

struct given_settings {
    reference atol;
    ivp_settings settings{};

    bool read(const problem_object* p, double rtol, PyObject* atol_object, const char* others)
    {
        settings.version = IVP_PLUGIN_VERSION;
        settings.size = sizeof settings;
        settings.rtol = rtol;
        settings.others = others;
        if (atol_object == Py_None) return true;
        atol = vector_of(atol_object, p->n, "atol");
        if (atol) settings.atol = atol.data();
        return static_cast<bool>(atol);
    }
};

PyMethodDef solution_methods[] = {
    {"record", solution_record, METH_NOARGS, nullptr},
    {"points", solution_points, METH_NOARGS, nullptr},
    {"at", solution_at, METH_O, nullptr},
    {"store", solution_store, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

PyObject* solve(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    PyObject* solver = nullptr;
    PyObject* atol = nullptr;
    double rtol = 0;
    const char* others = nullptr;
    int keep = 0;
    if (PyArg_ParseTuple(arguments, "O!O!dOzi", problem_type, &problem, solver_type, &solver, &rtol, &atol, &others, &keep) == 0) return nullptr;
    auto* const p = as_problem(problem);
    auto* const s = as_solver(solver);
    given_settings given;
    if (!is_open(p) || !given.read(p, rtol, atol, others)) return nullptr;
    const pending_exceptions::caller runs(raised_by(s));
    ivp_solution* const handle = long_call_of(p, [&] { return ivp_solve(p->handle, s->handle, &given.settings, keep); });
    // Also where the run has a record, which calls the exception a breach of the contract.
    if (function_raised(s) || function_raised(p)) {
        ivp_solution_close(handle);
        return nullptr;
    }
    if (handle == nullptr) return raise_last();
    PyObject* const o = PyType_GenericAlloc(solution_type, 0);
    if (o == nullptr) {
        ivp_solution_close(handle);
        return nullptr;
    }
    as_solution(o)->handle = handle;
    as_solution(o)->n = p->n;
    return o;
}

PyObject* measure_all(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    PyObject* solvers = nullptr;
    PyObject* rtol_object = nullptr;
    PyObject* atol = nullptr;
    const char* others = nullptr;
    const char* db = nullptr;
    if (PyArg_ParseTuple(arguments, "O!OOOzz", problem_type, &problem, &solvers, &rtol_object, &atol, &others, &db) == 0) return nullptr;
    auto* const p = as_problem(problem);
    given_settings given;
    if (!is_open(p) || !given.read(p, 1e-4, atol, others)) return nullptr;
    reference rtol;
    if (rtol_object != Py_None) {
        rtol = any_vector(rtol_object, "rtol");
        if (!rtol) return nullptr;
    }
    const reference list(PySequence_List(solvers));
    if (!list) return nullptr;
    std::vector<const ivp_solver*> handles;
    std::deque<pending_exceptions::caller> runs;
    for (Py_ssize_t k = 0; k < PyList_Size(list.get()); ++k) {
        PyObject* const s = PyList_GetItem(list.get(), k);
        if (PyObject_TypeCheck(s, solver_type) == 0) {
            PyErr_SetString(PyExc_TypeError, "allowed: a list of solvers");
            return nullptr;
        }
        handles.push_back(as_solver(s)->handle);
        runs.emplace_back(raised_by(as_solver(s)));
    }
    const char* const lines = long_call_of(p, [&] {
        return ivp_measure_all(p->handle, handles.data(), static_cast<std::int32_t>(handles.size()), rtol ? rtol.data() : nullptr,
                               rtol ? static_cast<std::int32_t>(PyArray_DIM(rtol.array(), 0)) : 0, &given.settings, db);
    });
    const reference text(lines == nullptr ? nullptr : text_or_raise(lines));
    for (Py_ssize_t k = 0; k < PyList_Size(list.get()); ++k)
        if (function_raised(as_solver(PyList_GetItem(list.get(), k)))) return nullptr;
    if (function_raised(p)) return nullptr;
    return text ? Py_NewRef(text.get()) : raise_last();
}

PyTypeObject* make_solution_type(PyObject* module)
{
    solution_type = made_type(module, "Solution", sizeof(solution_object), solution_methods, solution_dealloc, nullptr);
    return solution_type;
}

} // namespace ivp::python
