// NumPy arrays and numbers, as the C interface reads and writes them.
#ifndef IVP_PYTHON_ARRAYS_HPP
#define IVP_PYTHON_ARRAYS_HPP

#include "objects.hpp"

#include <cstdint>

namespace ivp::python {

/// Contiguous doubles by columns: the object itself where it is so already. rows < 0: one dimension. Empty: an exception is set.
reference array_of(PyObject* o, npy_intp n, npy_intp rows, const char* name);
inline reference vector_of(PyObject* o, npy_intp n, const char* name) { return array_of(o, n, -1, name); }
/// One dimension, whatever its length.
reference any_vector(PyObject* o, const char* name);

reference new_vector(npy_intp n);
/// By columns, as the interface stores matrices.
reference new_matrix(npy_intp rows, npy_intp columns);
reference copy_of(const double* values, npy_intp n);
PyObject* integers(const std::int32_t* values, npy_intp n);

/// false: an exception is set, which names the argument.
bool number(PyObject* o, double& out, const char* name);

} // namespace ivp::python

#endif
