// What the sources of ivp._core share: the C APIs of Python and NumPy, owners of references, the interpreter's lock, exceptions, tables of methods.
//
// The lock: a run, and everything that may call a Python function, is made without it, because a call with one handle waits for the others.
#ifndef IVP_PYTHON_OBJECTS_HPP
#define IVP_PYTHON_OBJECTS_HPP

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL ivp_numpy_functions // one table of NumPy's functions for all sources; module.cpp fills it
#ifndef IVP_PYTHON_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <Python.h>

#include <numpy/arrayobject.h>

#include <cstddef>
#include <vector>

namespace ivp::python {

extern PyObject* wrong_use;     ///< ivp.Error
extern PyObject* not_evaluated; ///< ivp.EvaluationError
extern PyObject* run_must_end;  ///< ivp.Stopped

class reference {
public:
    reference() = default;
    explicit reference(PyObject* owned) : o_(owned) {}
    reference(const reference&) = delete;
    reference& operator=(const reference&) = delete;
    reference(reference&& other) noexcept : o_(other.release()) {}
    reference& operator=(reference&& other) noexcept
    {
        PyObject* const before = o_;
        o_ = other.release();
        Py_XDECREF(before);
        return *this;
    }
    ~reference() { Py_XDECREF(o_); }
    PyObject* get() const { return o_; }
    PyObject* release()
    {
        PyObject* const o = o_;
        o_ = nullptr;
        return o;
    }
    explicit operator bool() const { return o_ != nullptr; }
    PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(o_); }
    double* data() const { return static_cast<double*>(PyArray_DATA(array())); }

private:
    PyObject* o_ = nullptr;
};

/// Lets others run while the call lasts, if asked to.
template <class Call>
auto without_lock(bool wanted, Call&& call)
{
    PyThreadState* const state = wanted ? PyEval_SaveThread() : nullptr;
    auto answer = call();
    if (wanted) PyEval_RestoreThread(state);
    return answer;
}

/// For functions that C calls, from whichever thread.
class with_lock {
public:
    with_lock() : state_(PyGILState_Ensure()) {}
    ~with_lock() { PyGILState_Release(state_); }
    with_lock(const with_lock&) = delete;
    with_lock& operator=(const with_lock&) = delete;

private:
    PyGILState_STATE state_;
};

// ---- Errors ----

/// The error of the C interface in this thread, as ivp.Error. Answers nullptr.
PyObject* raise_last();
/// A text of the C interface; nullptr: its error.
PyObject* text_or_raise(const char* text);
/// ivp.EvaluationError or ivp.Stopped, whichever the status says. Answers nullptr.
PyObject* not_evaluated_at(int status, const char* what, double t);
/// Number of positional arguments as it must be.
bool counted(const char* name, Py_ssize_t given, Py_ssize_t wanted);

/// Exceptions of Python functions on their way through C, each to the thread that called: other threads may work with the same functions. All
/// members need the lock.
class pending_exceptions {
public:
    pending_exceptions() = default;
    pending_exceptions(const pending_exceptions&) = delete;
    pending_exceptions& operator=(const pending_exceptions&) = delete;
    ~pending_exceptions();

    /// Lives while this thread makes a call that may run the functions. None: nothing is done.
    class caller {
    public:
        explicit caller(pending_exceptions* of);
        ~caller();
        caller(const caller&) = delete;
        caller& operator=(const caller&) = delete;

    private:
        pending_exceptions* of_;
    };
    /// Takes what a function has just raised. The first one of a thread is kept.
    void keep();
    /// Whether the call that has just ended raised something, in this thread or in one that it had started: it goes on from here.
    bool rethrow();

private:
    struct exception {
        unsigned long thread;
        PyObject *type, *value, *trace;
    };
    /// That of a thread, or the end.
    std::vector<exception>::iterator of_thread(unsigned long thread);

    std::vector<exception> kept_;
    std::vector<unsigned long> callers_; ///< threads that wait for a call, once for each
};

// ---- Types ----

template <class Function>
PyCFunction as_function(Function f)
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

/// A type of the module; init = nullptr: only the module makes its objects. traverse, clear: of objects that hold others, for the garbage collector.
PyTypeObject* made_type(PyObject* module, const char* name, std::size_t size, PyMethodDef* methods, destructor dealloc, initproc init,
                        traverseproc traverse = nullptr, inquiry clear = nullptr);
void plain_dealloc(PyObject* o);

} // namespace ivp::python

#endif
