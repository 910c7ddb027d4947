// ivp._core.Solver and ivp._core.Task.
#ifndef IVP_PYTHON_SOLVER_HPP
#define IVP_PYTHON_SOLVER_HPP

#include "objects.hpp"

#include <ivp/ivp.h>

namespace ivp::python {

/// A solver that is a Python function.
struct python_solver {
    reference function;
    pending_exceptions raised;
    bool owned_by_object = true;
    bool owned_by_c = false;
    static void left(python_solver* s)
    {
        if (!s->owned_by_c && !s->owned_by_object) delete s;
    }
};

struct solver_object {
    PyObject_HEAD ivp_solver* handle;
    python_solver* own; ///< nullptr: of the catalog
};

/// As for problems.
inline pending_exceptions* raised_by(const solver_object* self) { return self->own == nullptr ? nullptr : &self->own->raised; }
inline bool function_raised(const solver_object* self) { return self->own != nullptr && self->own->raised.rethrow(); }

inline solver_object* as_solver(PyObject* o) { return reinterpret_cast<solver_object*>(o); }

/// One integration, as a solver in Python sees it.
struct task_object {
    PyObject_HEAD const ivp_task* task; ///< nullptr: it is over
};

inline task_object* as_task(PyObject* o) { return reinterpret_cast<task_object*>(o); }

extern PyTypeObject* solver_type;
extern PyTypeObject* task_type;
PyTypeObject* make_solver_type(PyObject* module);
PyTypeObject* make_task_type(PyObject* module);

} // namespace ivp::python

#endif
