// ivp._core: the C interface of ivp as Python objects over NumPy arrays. What is written in Python is in the package ivp; here is what must be fast
// or must hold the interpreter's lock.
#define IVP_PYTHON_MODULE
#include "objects.hpp"
#include "problem.hpp"
#include "solution.hpp"
#include "solver.hpp"
#include "store.hpp"

#include <ivp/ivp.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace ivp::python {

namespace {

PyObject* names(int (*size)(), const char* (*name)(std::int32_t))
{
    reference all(PyList_New(0));
    for (int k = 0; all && k < size(); ++k) {
        const reference text(PyUnicode_FromString(name(k)));
        if (!text || PyList_Append(all.get(), text.get()) != 0) return nullptr;
    }
    return all.release();
}
PyObject* problems(PyObject* /*module*/, PyObject* /*none*/) { return names(ivp_catalog_size, ivp_catalog_id); }
PyObject* solvers(PyObject* /*module*/, PyObject* /*none*/) { return names(ivp_catalog_solver_count, ivp_catalog_solver); }
PyObject* settings(PyObject* /*module*/, PyObject* /*none*/) { return text_or_raise(ivp_catalog_settings()); }
PyObject* version(PyObject* /*module*/, PyObject* /*none*/) { return text_or_raise(ivp_version()); }

/// Seconds for one call of ivp_test_f from C, the least of several rounds: what a call from Python is compared with.
PyObject* time_f(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    long calls = 0;
    if (PyArg_ParseTuple(arguments, "O!l", problem_type, &problem, &calls) == 0) return nullptr;
    auto* const p = as_problem(problem);
    if (!is_open(p)) return nullptr;
    std::vector<double> y(static_cast<std::size_t>(p->n));
    std::vector<double> out(y.size());
    ivp_test_initial(p->handle, y.data(), nullptr);
    double best = HUGE_VAL;
    for (int round = 0; round < 7; ++round) {
        const clock_t begin = clock();
        for (long k = 0; k < calls; ++k) ivp_test_f(p->handle, 0, y.data(), out.data());
        best = std::min(best, static_cast<double>(clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(calls));
    }
    return PyFloat_FromDouble(best);
}

PyMethodDef functions[] = {
    {"problems", problems, METH_NOARGS, nullptr},
    {"solvers", solvers, METH_NOARGS, nullptr},
    {"settings", settings, METH_NOARGS, nullptr},
    {"version", version, METH_NOARGS, nullptr},
    {"solve", solve, METH_VARARGS, nullptr},
    {"measure_all", measure_all, METH_VARARGS, nullptr},
    {"store_add", store_add, METH_VARARGS, nullptr},
    {"store_records", store_records, METH_VARARGS, nullptr},
    {"store_query", store_query, METH_VARARGS, nullptr},
    {"time_f", time_f, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition{PyModuleDef_HEAD_INIT, "ivp._core", "The C interface of ivp.", -1, functions, nullptr, nullptr, nullptr, nullptr};

} // namespace
} // namespace ivp::python

PyMODINIT_FUNC PyInit__core()
{
    using namespace ivp::python;
    import_array();
    reference module(PyModule_Create(&definition));
    if (!module) return nullptr;
    wrong_use = PyErr_NewExceptionWithDoc("ivp.Error", "What was asked cannot be done; the message names what was given and what is allowed.",
                                          PyExc_ValueError, nullptr);
    not_evaluated = PyErr_NewExceptionWithDoc(
        "ivp.EvaluationError", "A formula is not defined or not finite here. A function of a problem may raise it.", PyExc_ArithmeticError, nullptr);
    run_must_end = PyErr_NewExceptionWithDoc("ivp.Stopped", "The run must end now: a time limit. Solvers let it pass.", PyExc_Exception, nullptr);
    if (wrong_use == nullptr || not_evaluated == nullptr || run_must_end == nullptr) return nullptr;
    if (PyModule_AddObjectRef(module.get(), "Error", wrong_use) != 0 || PyModule_AddObjectRef(module.get(), "EvaluationError", not_evaluated) != 0 ||
        PyModule_AddObjectRef(module.get(), "Stopped", run_must_end) != 0)
        return nullptr;
    if (make_problem_type(module.get()) == nullptr || make_solver_type(module.get()) == nullptr || make_solution_type(module.get()) == nullptr ||
        make_task_type(module.get()) == nullptr)
        return nullptr;
    return module.release();
}
