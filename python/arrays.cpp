#include "arrays.hpp"

#include <cstring>
#include <string>

namespace ivp::python {

namespace {

std::string shape_text(PyArrayObject* a)
{
    std::string text = "(";
    for (int d = 0; d < PyArray_NDIM(a); ++d) text += (d > 0 ? ", " : "") + std::to_string(PyArray_DIM(a, d));
    return text + (PyArray_NDIM(a) == 1 ? ",)" : ")");
}

/// What NumPy or Python says of a wrong type does not name the argument.
void name_the_argument(PyObject* o, const char* name, const char* allowed)
{
    const bool type = PyErr_ExceptionMatches(PyExc_TypeError) != 0;
    if (!type && PyErr_ExceptionMatches(PyExc_ValueError) == 0) return;
    PyErr_Clear();
    const bool is_array = PyArray_Check(o);
    const reference shown(is_array ? PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(o))))
                                   : PyObject_Repr(o));
    if (!shown) return;
    PyErr_Format(type ? PyExc_TypeError : wrong_use, "%s: %s%.100U given; allowed: %s", name, is_array ? "an array of type " : "", shown.get(),
                 allowed);
}

} // namespace

reference array_of(PyObject* o, npy_intp n, npy_intp rows, const char* name)
{
    const int dimensions = rows < 0 ? 1 : 2;
    auto* const given = reinterpret_cast<PyArrayObject*>(o);
    reference a;
    if (PyArray_Check(o) && PyArray_TYPE(given) == NPY_DOUBLE && // their bytes may stand in the other order
        (rows < 0 ? PyArray_ISCARRAY_RO(given) : PyArray_ISFARRAY_RO(given))) {
        Py_INCREF(o);
        a = reference(o);
    } else {
        a = reference(PyArray_FROMANY(o, NPY_DOUBLE, 0, 0, rows < 0 ? NPY_ARRAY_CARRAY_RO : NPY_ARRAY_FARRAY_RO));
        if (!a) {
            name_the_argument(o, name, "real numbers");
            return a;
        }
    }
    const bool fits =
        PyArray_NDIM(a.array()) == dimensions && PyArray_DIM(a.array(), dimensions - 1) == n && (rows < 0 || PyArray_DIM(a.array(), 0) == rows);
    if (!fits) {
        const std::string allowed = rows < 0 ? "(" + std::to_string(n) + ",)" : "(" + std::to_string(rows) + ", " + std::to_string(n) + ")";
        PyErr_Format(wrong_use, "%s: an array of shape %s given; allowed: %s", name, shape_text(a.array()).c_str(), allowed.c_str());
        return {};
    }
    return a;
}

reference any_vector(PyObject* o, const char* name)
{
    reference a(PyArray_FROMANY(o, NPY_DOUBLE, 0, 1, NPY_ARRAY_CARRAY_RO));
    if (!a) name_the_argument(o, name, "real numbers");
    if (a && PyArray_NDIM(a.array()) != 1) {
        PyErr_Format(wrong_use, "%s: an array of shape %s given; allowed: one dimension", name, shape_text(a.array()).c_str());
        return {};
    }
    return a;
}

reference new_vector(npy_intp n) { return reference(PyArray_SimpleNew(1, &n, NPY_DOUBLE)); }
reference new_matrix(npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    return reference(PyArray_EMPTY(2, shape, NPY_DOUBLE, 1));
}
reference copy_of(const double* values, npy_intp n)
{
    reference a = new_vector(n);
    if (a && n > 0) std::memcpy(a.data(), values, static_cast<std::size_t>(n) * sizeof(double));
    return a;
}
PyObject* integers(const std::int32_t* values, npy_intp n)
{
    PyObject* const a = PyArray_SimpleNew(1, &n, NPY_INT32);
    if (a != nullptr && n > 0)
        std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(a)), values, static_cast<std::size_t>(n) * sizeof(std::int32_t));
    return a;
}

bool number(PyObject* o, double& out, const char* name)
{
    out = PyFloat_AsDouble(o);
    if (out != -1.0 || PyErr_Occurred() == nullptr) return true;
    name_the_argument(o, name, "a number");
    return false;
}

} // namespace ivp::python
