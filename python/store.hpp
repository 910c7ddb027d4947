// Stores of the tool.
#ifndef IVP_PYTHON_STORE_HPP
#define IVP_PYTHON_STORE_HPP

#include "objects.hpp"

namespace ivp::python {

PyObject* store_add(PyObject* module, PyObject* arguments);
PyObject* store_records(PyObject* module, PyObject* arguments);
PyObject* store_query(PyObject* module, PyObject* arguments);

} // namespace ivp::python

#endif
