// ivp._core.Solution, and the runs that give one.
#ifndef IVP_PYTHON_SOLUTION_HPP
#define IVP_PYTHON_SOLUTION_HPP

#include "objects.hpp"

namespace ivp::python {

/// solve(problem, solver, rtol, atol, others, keep)
PyObject* solve(PyObject* module, PyObject* arguments);
/// measure_all(problem, solvers, rtol, atol, others, db)
PyObject* measure_all(PyObject* module, PyObject* arguments);

PyTypeObject* make_solution_type(PyObject* module);

} // namespace ivp::python

#endif
