#include "objects.hpp"

#include <ivp/ivp.h>

#include <cstring>
#include <string>
#include <vector>

namespace ivp::python {

PyObject* wrong_use;
PyObject* not_evaluated;
PyObject* run_must_end;

bool counted(const char* name, Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted) return true;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments (%zd given)", name, wanted, given);
    return false;
}

PyObject* raise_last()
{
    if (PyErr_Occurred() == nullptr) PyErr_SetString(wrong_use, ivp_last_error());
    return nullptr;
}
PyObject* text_or_raise(const char* text)
{
    return text == nullptr ? raise_last() : PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
}

PyObject* not_evaluated_at(int status, const char* what, double t)
{
    if (PyErr_Occurred() != nullptr) return nullptr;
    reference at(PyFloat_FromDouble(t));
    const char* const why = status == IVP_REFUSED ? "is not defined" : status == IVP_NONFINITE ? "is not finite" : "must not be evaluated any more";
    if (at) PyErr_Format(status == IVP_STOP ? run_must_end : not_evaluated, "%s %s at t = %S and this y", what, why, at.get());
    return nullptr;
}

void plain_dealloc(PyObject* o)
{
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyTypeObject* made_type(PyObject* module, const char* name, std::size_t size, PyMethodDef* methods, destructor dealloc, initproc init)
{
    std::vector<PyType_Slot> slots{{Py_tp_methods, methods}, {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}};
    if (init != nullptr) {
        slots.push_back({Py_tp_init, reinterpret_cast<void*>(init)});
        slots.push_back({Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)});
    }
    slots.push_back({0, nullptr});
    const std::string full = std::string("ivp._core.") + name;
    PyType_Spec spec{full.c_str(), static_cast<int>(size), 0,
                     static_cast<unsigned>(Py_TPFLAGS_DEFAULT | (init != nullptr ? Py_TPFLAGS_BASETYPE : Py_TPFLAGS_DISALLOW_INSTANTIATION)),
                     slots.data()};
    auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (type != nullptr && PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)) != 0) return nullptr;
    return type;
}

} // namespace ivp::python
