#include "solver.hpp"

#include "arrays.hpp"
#include "problem.hpp"

#include <cstring>

namespace ivp::python {

PyTypeObject* solver_type;

namespace {

/// The answer of a solver: outcome, t, y, steps, accepted, nfev, njac, nlu, message.
bool take_answer(PyObject* answer, const ivp_task* task, ivp_result* result)
{
    int outcome = 0;
    double t = 0;
    PyObject* y_object = nullptr;
    long long steps = -1;
    long long accepted = -1;
    long long nfev = -1;
    long long njac = -1;
    long long nlu = -1;
    const char* message = nullptr;
    if (PyArg_ParseTuple(answer, "idOLLLLLz", &outcome, &t, &y_object, &steps, &accepted, &nfev, &njac, &nlu, &message) == 0) return false;
    const reference y = vector_of(y_object, task->n, "y of the solver");
    if (!y) return false;
    std::memcpy(task->y, y.data(), static_cast<std::size_t>(task->n) * sizeof(double));
    result->outcome = outcome;
    result->t = t;
    result->steps = steps;
    result->accepted = accepted;
    result->nfev = nfev;
    result->njac = njac;
    result->nlu = nlu;
    if (message != nullptr) std::strncpy(result->message, message, IVP_MESSAGE_SIZE - 1);
    return true;
}

void call_solver(void* data, const ivp_task* task, ivp_result* result)
{
    const with_lock lock;
    auto& s = *static_cast<python_solver*>(data);
    reference seen(PyType_GenericAlloc(task_type, 0));
    if (seen) {
        as_task(seen.get())->task = task;
        const reference answer(PyObject_CallFunctionObjArgs(s.function.get(), seen.get(), nullptr));
        as_task(seen.get())->task = nullptr;
        if (answer && PyTuple_Check(answer.get()) != 0 && take_answer(answer.get(), task, result)) return;
        if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "a solver answers a tuple");
    }
    s.raised.keep(); // without an outcome the run is a breach of contract, which ends it
}

void release_solver(void* data)
{
    if (Py_IsInitialized() == 0) return;
    const with_lock lock;
    auto* const s = static_cast<python_solver*>(data);
    s->owned_by_c = false;
    python_solver::left(s);
}

/// Solver(name), or Solver(name, function, forms, flags, orders..., version, reference, options).
int solver_init(PyObject* o, PyObject* arguments, PyObject* /*keywords*/)
{
    auto* const self = as_solver(o);
    if (self->handle != nullptr) {
        PyErr_SetString(PyExc_TypeError, "a solver is opened once");
        return -1;
    }
    const char* name = nullptr;
    PyObject* function = nullptr;
    unsigned forms = IVP_ODE;
    unsigned flags = 0;
    int highest_index = 0;
    int lowest = 1;
    int highest = 1;
    const char* version = nullptr;
    const char* publication = nullptr;
    const char* title = nullptr;
    if (PyArg_ParseTuple(arguments, "s|OIIiiizzz", &name, &function, &forms, &flags, &highest_index, &lowest, &highest, &version, &publication,
                         &title) == 0)
        return -1;
    if (function == nullptr) {
        self->handle = without_lock(true, [&] { return ivp_solver_open(name); });
    } else {
        if (PyCallable_Check(function) == 0) {
            PyErr_SetString(PyExc_TypeError, "a solver is a function");
            return -1;
        }
        self->own = new python_solver;
        self->own->function = reference(Py_NewRef(function));
        self->own->owned_by_c = true;
        ivp_solver_description d{};
        d.version = IVP_PLUGIN_VERSION;
        d.size = sizeof d;
        d.name = name;
        d.title = title;
        d.solver_version = version;
        d.language = "Python";
        d.reference = publication;
        d.forms = forms;
        d.flags = flags;
        d.highest_index = highest_index;
        d.lowest_order = lowest;
        d.highest_order = highest;
        self->handle = ivp_solver_make(&d, call_solver, self->own, release_solver);
    }
    if (self->handle == nullptr) {
        raise_last();
        return -1;
    }
    return 0;
}

int solver_traverse(PyObject* o, visitproc visit, void* arg)
{
    Py_VISIT(Py_TYPE(o));
    if (as_solver(o)->own != nullptr) Py_VISIT(as_solver(o)->own->function.get());
    return 0;
}

int solver_clear(PyObject* o)
{
    if (as_solver(o)->own != nullptr) as_solver(o)->own->function = reference();
    return 0;
}

void solver_dealloc(PyObject* o)
{
    PyObject_GC_UnTrack(o);
    auto* const self = as_solver(o);
    if (self->handle != nullptr) ivp_solver_close(self->handle);
    if (self->own != nullptr) {
        self->own->owned_by_object = false;
        python_solver::left(self->own);
    }
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyObject* solver_facts(PyObject* o, PyObject* /*none*/)
{
    return text_or_raise(without_lock(true, [&] { return ivp_solver_facts(as_solver(o)->handle); }));
}

PyObject* solver_refusal(PyObject* o, PyObject* problem)
{
    if (PyObject_TypeCheck(problem, problem_type) == 0) {
        PyErr_SetString(PyExc_TypeError, "allowed: a problem");
        return nullptr;
    }
    return text_or_raise(without_lock(true, [&] { return ivp_solver_refusal(as_solver(o)->handle, as_problem(problem)->handle); }));
}

PyMethodDef solver_methods[] = {
    {"_facts", solver_facts, METH_NOARGS, nullptr},
    {"_refusal", solver_refusal, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

PyTypeObject* make_solver_type(PyObject* module)
{
    solver_type = made_type(module, "Solver", sizeof(solver_object), solver_methods, solver_dealloc, solver_init, solver_traverse, solver_clear);
    return solver_type;
}

} // namespace ivp::python
