// ivp._core.Problem, and problems that are made of Python functions.
#ifndef IVP_PYTHON_PROBLEM_HPP
#define IVP_PYTHON_PROBLEM_HPP

#include "objects.hpp"

#include <ivp/ivp.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ivp::python {

/// A problem of Python functions. Lives as long as the C side needs it.
struct python_problem {
    std::string id, tags;
    std::vector<double> y0, yp0, mass, breakpoints;
    std::vector<std::int32_t> index, column_start, row;
    ivp_problem_description facts{};
    reference function, jacobian;
    npy_intp jacobian_rows = -1;  ///< -1: one dimension
    npy_intp jacobian_length = 0; ///< columns, or entries
    pending_exceptions raised;
    bool owned_by_object = true; ///< by the Python object and by C: the second to leave deletes it
    bool owned_by_c = false;

    static void left(python_problem* p)
    {
        if (!p->owned_by_c && !p->owned_by_object) delete p;
    }
};

struct problem_object {
    PyObject_HEAD ivp_test* handle;
    python_problem* own; ///< nullptr: of the catalog or a file
    int n;
    int implicit;
    int jacobian_kind, lower, upper, entries;
    int readers;     ///< of what a description points to, which lives as long as the test
    int close_asked; ///< 1: the last reader closes
};

inline problem_object* as_problem(PyObject* o) { return reinterpret_cast<problem_object*>(o); }
/// false: an exception is set.
bool is_open(const problem_object* self);

/// What functions of the problem have raised; nullptr: it has no functions of Python.
inline pending_exceptions* raised_by(const problem_object* self) { return self->own == nullptr ? nullptr : &self->own->raised; }
/// A call of the C interface that may run functions of Python: if the problem has such, without the lock.
template <class Call>
auto call_of(problem_object* self, Call&& call)
{
    const pending_exceptions::caller here(raised_by(self));
    return without_lock(self->own != nullptr, call);
}
/// The same for a call that takes its time: always without the lock.
template <class Call>
auto long_call_of(problem_object* self, Call&& call)
{
    const pending_exceptions::caller here(raised_by(self));
    return without_lock(true, call);
}
/// Whether a function of the problem raised something in the call that has just ended: it goes on from here.
inline bool function_raised(const problem_object* self) { return self->own != nullptr && self->own->raised.rethrow(); }

/// Reads what the object needs to know of the problem that its handle stands for. false: an exception is set.
bool finish_opening(problem_object* self);
/// facts: id, t0, tend, y0, function, and as wanted yp0, implicit, jacobian, jacobian_kind, lower, upper, column_start, row, mass (by columns),
/// index, highest_index, breakpoints, autonomous. Answers as __init__ does.
int open_python_problem(problem_object* self, PyObject* facts);

extern PyTypeObject* problem_type;
PyTypeObject* make_problem_type(PyObject* module);

} // namespace ivp::python

#endif
