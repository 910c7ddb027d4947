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
    raised error;
    bool owned_by_object = true; ///< by the Python object and by C: the second to leave deletes it
    bool owned_by_c = false;

    static void left(python_problem* p)
    {
        if (!p->owned_by_c && !p->owned_by_object) {
            p->error.drop();
            delete p;
        }
    }
};

struct problem_object {
    PyObject_HEAD ivp_test* handle;
    python_problem* own; ///< nullptr: of the catalog or a file
    int n;
    int implicit;
    int jacobian_kind, lower, upper, entries;
};

inline problem_object* as_problem(PyObject* o) { return reinterpret_cast<problem_object*>(o); }
/// false: an exception is set.
bool is_open(const problem_object* self);

/// Reads what the object needs to know of the problem that its handle stands for. false: an exception is set.
bool finish_opening(problem_object* self);
/// facts: id, t0, tend, y0, function, and as wanted yp0, implicit, jacobian, jacobian_kind, lower, upper, column_start, row, mass (by columns),
/// index, highest_index, breakpoints, autonomous. Answers as __init__ does.
int open_python_problem(problem_object* self, PyObject* facts);

extern PyTypeObject* problem_type;
PyTypeObject* make_problem_type(PyObject* module);

} // namespace ivp::python

#endif
