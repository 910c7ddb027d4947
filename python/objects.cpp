#include "objects.hpp"

#include <ivp/ivp.h>

#include <algorithm>
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

pending_exceptions::~pending_exceptions()
{
    for (const exception& e : kept_) {
        Py_XDECREF(e.type);
        Py_XDECREF(e.value);
        Py_XDECREF(e.trace);
    }
}

std::vector<pending_exceptions::exception>::iterator pending_exceptions::of_thread(unsigned long thread)
{
    return std::find_if(kept_.begin(), kept_.end(), [&](const exception& e) { return e.thread == thread; });
}

pending_exceptions::caller::caller(pending_exceptions* of) : of_(of)
{
    if (of_ == nullptr) return;
    const unsigned long me = PyThread_get_thread_ident();
    const bool outermost = std::find(of_->callers_.begin(), of_->callers_.end(), me) == of_->callers_.end();
    if (outermost && of_->of_thread(me) != of_->kept_.end() && of_->rethrow()) PyErr_Clear(); // an earlier call did not ask for it
    of_->callers_.push_back(me);
}

pending_exceptions::caller::~caller()
{
    if (of_ == nullptr) return;
    of_->callers_.erase(std::find(of_->callers_.begin(), of_->callers_.end(), PyThread_get_thread_ident()));
}

void pending_exceptions::keep()
{
    const unsigned long me = PyThread_get_thread_ident();
    if (of_thread(me) != kept_.end()) {
        PyErr_Clear();
        return;
    }
    exception e{me, nullptr, nullptr, nullptr};
    PyErr_Fetch(&e.type, &e.value, &e.trace);
    kept_.push_back(e);
}

bool pending_exceptions::rethrow()
{
    auto found = of_thread(PyThread_get_thread_ident());
    if (found == kept_.end()) // a thread that waits for no call was started by one
        found = std::find_if(kept_.begin(), kept_.end(),
                             [&](const exception& e) { return std::find(callers_.begin(), callers_.end(), e.thread) == callers_.end(); });
    if (found == kept_.end()) return false;
    const exception e = *found;
    kept_.erase(found);
    PyErr_Restore(e.type, e.value, e.trace);
    return true;
}

void plain_dealloc(PyObject* o)
{
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyTypeObject* made_type(PyObject* module, const char* name, std::size_t size, PyMethodDef* methods, destructor dealloc, initproc init,
                        traverseproc traverse, inquiry clear)
{
    std::vector<PyType_Slot> slots{{Py_tp_methods, methods}, {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}};
    if (init != nullptr) {
        slots.push_back({Py_tp_init, reinterpret_cast<void*>(init)});
        slots.push_back({Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)});
    }
    unsigned long flags = Py_TPFLAGS_DEFAULT | (init != nullptr ? Py_TPFLAGS_BASETYPE : Py_TPFLAGS_DISALLOW_INSTANTIATION);
    if (traverse != nullptr) {
        slots.push_back({Py_tp_traverse, reinterpret_cast<void*>(traverse)});
        slots.push_back({Py_tp_clear, reinterpret_cast<void*>(clear)});
        flags |= Py_TPFLAGS_HAVE_GC;
    }
    slots.push_back({0, nullptr});
    const std::string full = std::string("ivp._core.") + name;
    PyType_Spec spec{full.c_str(), static_cast<int>(size), 0, static_cast<unsigned>(flags), slots.data()};
    auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (type != nullptr && PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)) != 0) return nullptr;
    return type;
}

} // namespace ivp::python
