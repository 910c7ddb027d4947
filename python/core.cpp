// ivp._core: the C interface of ivp as Python objects over NumPy arrays. What is written in Python is in the package ivp; here is what must be fast
// or must hold the interpreter's lock.
//
// The lock: a run, and everything that may call a Python function, is made without it, because a call with one handle waits for the others.
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>

#include <numpy/arrayobject.h>

#include <ivp/ivp.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace {

PyObject* wrong_use;     ///< ivp.Error
PyObject* not_evaluated; ///< ivp.EvaluationError
PyObject* run_must_end;  ///< ivp.Stopped
PyTypeObject* problem_type;
PyTypeObject* solver_type;
PyTypeObject* solution_type;
PyTypeObject* task_type;

// ---- Owners ----

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

// ---- Numbers and arrays ----

std::string shape_text(PyArrayObject* a)
{
    std::string text = "(";
    for (int d = 0; d < PyArray_NDIM(a); ++d) text += (d > 0 ? ", " : "") + std::to_string(PyArray_DIM(a, d));
    return text + (PyArray_NDIM(a) == 1 ? ",)" : ")");
}

/// Contiguous doubles: the object itself where it is so already. rows < 0: one dimension.
reference array_of(PyObject* o, npy_intp n, npy_intp rows, const char* name)
{
    const int dimensions = rows < 0 ? 1 : 2;
    reference a;
    if (PyArray_Check(o) && PyArray_TYPE(reinterpret_cast<PyArrayObject*>(o)) == NPY_DOUBLE &&
        PyArray_CHKFLAGS(reinterpret_cast<PyArrayObject*>(o), rows < 0 ? NPY_ARRAY_CARRAY_RO : NPY_ARRAY_FARRAY_RO)) {
        Py_INCREF(o);
        a = reference(o);
    } else {
        a = reference(PyArray_FROMANY(o, NPY_DOUBLE, 0, 0, rows < 0 ? NPY_ARRAY_CARRAY_RO : NPY_ARRAY_FARRAY_RO));
        if (!a) return a;
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
reference vector_of(PyObject* o, npy_intp n, const char* name) { return array_of(o, n, -1, name); }

/// One dimension, whatever its length.
reference any_vector(PyObject* o, const char* name)
{
    reference a(PyArray_FROMANY(o, NPY_DOUBLE, 0, 1, NPY_ARRAY_CARRAY_RO));
    if (a && PyArray_NDIM(a.array()) != 1) {
        PyErr_Format(wrong_use, "%s: an array of shape %s given; allowed: one dimension", name, shape_text(a.array()).c_str());
        return {};
    }
    return a;
}

reference new_vector(npy_intp n) { return reference(PyArray_SimpleNew(1, &n, NPY_DOUBLE)); }
/// By columns, as the interface stores matrices.
reference new_matrix(npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    return reference(PyArray_EMPTY(2, shape, NPY_DOUBLE, 1));
}
reference copy_of(const double* values, npy_intp n)
{
    reference a = new_vector(n);
    if (a) std::memcpy(a.data(), values, static_cast<std::size_t>(n) * sizeof(double));
    return a;
}
PyObject* integers(const std::int32_t* values, npy_intp n)
{
    PyObject* const a = PyArray_SimpleNew(1, &n, NPY_INT32);
    if (a != nullptr && n > 0)
        std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(a)), values, static_cast<std::size_t>(n) * sizeof(std::int32_t));
    return a;
}

bool number(PyObject* o, double& out)
{
    out = PyFloat_AsDouble(o);
    return out != -1.0 || PyErr_Occurred() == nullptr;
}

/// Number of positional arguments as it must be.
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

// ---- An exception of a Python function, on its way through C ----

struct raised {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;

    /// The first one is kept.
    void keep()
    {
        if (type != nullptr)
            PyErr_Clear();
        else
            PyErr_Fetch(&type, &value, &trace);
    }
    /// Whether there was one: it goes on from here.
    bool rethrow()
    {
        if (type == nullptr) return false;
        PyErr_Restore(type, value, trace);
        type = value = trace = nullptr;
        return true;
    }
    void drop()
    {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        type = value = trace = nullptr;
    }
};

// ---- Problems made of Python functions ----

/// Lives as long as the C side needs it.
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

/// Calls a function of t, y (and y') and copies its answer.
int answer_of(python_problem& p, PyObject* function, double t, const double* y, const double* yp, double* out, npy_intp length, npy_intp rows,
              const char* name)
{
    const with_lock lock;
    const auto n = static_cast<npy_intp>(p.y0.size());
    reference at(PyFloat_FromDouble(t));
    reference value = copy_of(y, n);
    reference slope;
    if (yp != nullptr) slope = copy_of(yp, n);
    reference answer;
    if (at && value && (yp == nullptr || slope))
        answer = reference(PyObject_CallFunctionObjArgs(function, at.get(), value.get(), slope.get(), nullptr));
    if (answer) answer = array_of(answer.get(), length, rows, name);
    if (!answer && PyErr_ExceptionMatches(not_evaluated)) { // the function says that it is not defined here
        PyErr_Clear();
        return IVP_REFUSED;
    }
    if (!answer) {
        p.error.keep();
        return IVP_STOP;
    }
    std::memcpy(out, answer.data(), static_cast<std::size_t>(length * (rows < 0 ? 1 : rows)) * sizeof(double));
    return IVP_OK;
}

python_problem& of(const void* self) { return *static_cast<python_problem*>(const_cast<void*>(self)); }

int call_f(const void* self, double t, const double* y, double* out)
{
    python_problem& p = of(self);
    return answer_of(p, p.function.get(), t, y, nullptr, out, static_cast<npy_intp>(p.y0.size()), -1, "the value of the function");
}
int call_g(const void* self, double t, const double* y, const double* yp, double* out)
{
    python_problem& p = of(self);
    return answer_of(p, p.function.get(), t, y, yp, out, static_cast<npy_intp>(p.y0.size()), -1, "the value of the function");
}
int call_jacobian(const void* self, double t, const double* y, double* out)
{
    python_problem& p = of(self);
    return answer_of(p, p.jacobian.get(), t, y, nullptr, out, p.jacobian_length, p.jacobian_rows, "the value of the Jacobian");
}
void describe(const void* self, ivp_problem_description* out) { *out = of(self).facts; }
int initial(const void* self, double* y, double* yp)
{
    const python_problem& p = of(self);
    std::copy(p.y0.begin(), p.y0.end(), y);
    if (yp == nullptr || p.yp0.empty()) return 0;
    std::copy(p.yp0.begin(), p.yp0.end(), yp);
    return 1;
}
void mass(const void* self, double* out) { std::copy(of(self).mass.begin(), of(self).mass.end(), out); }
void release(void* self)
{
    if (Py_IsInitialized() == 0) return;
    const with_lock lock;
    auto* const p = static_cast<python_problem*>(self);
    p->owned_by_c = false;
    python_problem::left(p);
}

// ---- Problem ----

struct problem_object {
    PyObject_HEAD ivp_test* handle;
    python_problem* own; ///< nullptr: of the catalog or a file
    int n;
    int implicit;
    int jacobian_kind, lower, upper, entries;
};

problem_object* as_problem(PyObject* o) { return reinterpret_cast<problem_object*>(o); }

/// What went wrong in a call of this problem: an exception of its function goes before.
PyObject* failed(problem_object* self, int status, const char* what, double t)
{
    if (self->own != nullptr && self->own->error.rethrow()) return nullptr;
    return status < 0 ? raise_last() : not_evaluated_at(status, what, t);
}

bool finish_opening(problem_object* self)
{
    ivp_problem_description d{};
    d.version = IVP_PLUGIN_VERSION;
    d.size = sizeof d;
    if (ivp_test_describe(self->handle, &d) != IVP_OK) {
        raise_last();
        return false;
    }
    self->n = d.n;
    self->implicit = d.form == IVP_IDE ? 1 : 0;
    self->jacobian_kind = d.jacobian_kind;
    self->lower = d.jacobian_lower;
    self->upper = d.jacobian_upper;
    self->entries = d.jacobian_kind == IVP_SPARSE ? d.jacobian_column_start[d.n] : 0;
    return true;
}

int open_python_problem(problem_object* self, PyObject* facts);

/// Problem(id, parameters, form) or Problem(facts), a dictionary that the package makes.
int problem_init(PyObject* o, PyObject* arguments, PyObject* keywords)
{
    auto* const self = as_problem(o);
    if (self->handle != nullptr || (keywords != nullptr && PyDict_Size(keywords) > 0)) {
        PyErr_SetString(PyExc_TypeError, "a problem is opened once, without keywords");
        return -1;
    }
    if (PyTuple_Size(arguments) == 1 && PyDict_Check(PyTuple_GetItem(arguments, 0))) return open_python_problem(self, PyTuple_GetItem(arguments, 0));
    const char* id = nullptr;
    const char* parameters = nullptr;
    int form = 0;
    if (PyArg_ParseTuple(arguments, "s|zi", &id, &parameters, &form) == 0) return -1;
    self->handle = without_lock(true, [&] { return ivp_test_open(id, parameters, form); });
    if (self->handle == nullptr) {
        raise_last();
        return -1;
    }
    return finish_opening(self) ? 0 : -1;
}

void problem_dealloc(PyObject* o)
{
    auto* const self = as_problem(o);
    if (self->handle != nullptr) ivp_test_close(self->handle);
    if (self->own != nullptr) {
        self->own->owned_by_object = false;
        python_problem::left(self->own);
    }
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyObject* problem_close(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (self->handle != nullptr)
        without_lock(true, [&] {
            ivp_test_close(self->handle);
            return 0;
        });
    Py_RETURN_NONE;
}

bool is_open(const problem_object* self)
{
    if (self->handle != nullptr) return true;
    PyErr_SetString(wrong_use, "the problem was never opened");
    return false;
}

PyObject* problem_f(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("f", count, 2) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = without_lock(self->own != nullptr, [&] { return ivp_test_f(self->handle, t, y.data(), out.data()); });
    return status == IVP_OK ? out.release() : failed(self, status, "f", t);
}

PyObject* problem_g(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("g", count, 3) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    const reference yp = y ? vector_of(arguments[2], self->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = without_lock(self->own != nullptr, [&] { return ivp_test_g(self->handle, t, y.data(), yp.data(), out.data()); });
    return status == IVP_OK ? out.release() : failed(self, status, "G", t);
}

/// In its own structure: a full matrix, the rows of a band, or the entries of a pattern.
reference jacobian_room(const problem_object* self)
{
    if (self->jacobian_kind == IVP_SPARSE) return new_vector(self->entries);
    return new_matrix(self->jacobian_kind == IVP_BAND ? self->lower + self->upper + 1 : self->n, self->n);
}

PyObject* problem_jacobian(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("jacobian", count, 2) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = jacobian_room(self);
    if (!out) return nullptr;
    const int status = without_lock(self->own != nullptr, [&] {
        if (self->jacobian_kind == IVP_SPARSE) return ivp_test_jacobian_sparse(self->handle, t, y.data(), out.data(), self->entries);
        if (self->jacobian_kind == IVP_BAND) return ivp_test_jacobian_band(self->handle, t, y.data(), out.data(), self->lower + self->upper + 1);
        return ivp_test_jacobian(self->handle, t, y.data(), out.data(), self->n);
    });
    return status == IVP_OK ? out.release() : failed(self, status, "df/dy", t);
}

PyObject* problem_partials(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    double a = 0;
    double b = 0;
    if (!is_open(self) || !counted("partials", count, 5) || !number(arguments[0], t) || !number(arguments[3], a) || !number(arguments[4], b))
        return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    const reference yp = y ? vector_of(arguments[2], self->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = jacobian_room(self);
    if (!out) return nullptr;
    const int status = without_lock(self->own != nullptr, [&] {
        if (self->jacobian_kind == IVP_SPARSE) return ivp_test_partials_sparse(self->handle, t, y.data(), yp.data(), a, b, out.data(), self->entries);
        if (self->jacobian_kind == IVP_BAND)
            return ivp_test_partials_band(self->handle, t, y.data(), yp.data(), a, b, out.data(), self->lower + self->upper + 1);
        return ivp_test_partials(self->handle, t, y.data(), yp.data(), a, b, out.data(), self->n);
    });
    return status == IVP_OK ? out.release() : failed(self, status, "dG/dy", t);
}

PyObject* problem_time_derivative(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("time_derivative", count, 2) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = without_lock(self->own != nullptr, [&] { return ivp_test_time_derivative(self->handle, t, y.data(), out.data()); });
    return status == IVP_OK ? out.release() : failed(self, status, "df/dt", t);
}

PyObject* problem_mass(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    reference out = new_matrix(self->n, self->n);
    if (!out) return nullptr;
    return without_lock(self->own != nullptr, [&] { return ivp_test_mass(self->handle, out.data(), self->n); }) == IVP_OK ? out.release()
                                                                                                                          : raise_last();
}

PyObject* problem_initial(PyObject* o, PyObject* slope)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    const int truth = PyObject_IsTrue(slope);
    if (truth < 0) return nullptr;
    const bool wanted = truth == 1;
    reference y = new_vector(self->n);
    reference yp = new_vector(self->n);
    if (!y || !yp) return nullptr;
    const int status = without_lock(true, [&] { return ivp_test_initial(self->handle, y.data(), wanted ? yp.data() : nullptr); });
    if (status != IVP_OK) return failed(self, status, "y'", 0);
    return wanted ? yp.release() : y.release();
}

PyObject* problem_describe(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    ivp_problem_description d{};
    d.version = IVP_PLUGIN_VERSION;
    d.size = sizeof d;
    if (without_lock(self->own != nullptr, [&] { return ivp_test_describe(self->handle, &d); }) != IVP_OK) return raise_last();
    reference names(PyList_New(0));
    for (int i = 0; names && d.component_names != nullptr && i < d.n; ++i) {
        const reference name(PyUnicode_FromString(d.component_names[i]));
        if (!name || PyList_Append(names.get(), name.get()) != 0) return nullptr;
    }
    reference breakpoints = copy_of(d.breakpoints, d.breakpoint_count);
    reference index(integers(d.index, d.n));
    const bool sparse = d.jacobian_kind == IVP_SPARSE;
    reference column_start(integers(d.jacobian_column_start, sparse ? d.n + 1 : 0));
    reference row(integers(d.jacobian_row, sparse ? d.jacobian_column_start[d.n] : 0));
    // A problem in another form has further unknowns behind those of the reference.
    reference value(d.reference == nullptr ? Py_NewRef(Py_None) : copy_of(d.reference, d.n).release());
    reference digits(d.reference == nullptr ? Py_NewRef(Py_None) : copy_of(d.reference_digits, d.n).release());
    if (!names || !breakpoints || !index || !column_start || !row || !value || !digits) return nullptr;
    return Py_BuildValue("{s:s,s:s,s:i,s:i,s:d,s:d,s:i,s:i,s:i,s:i,s:i,s:i,s:O,s:O,s:O,s:O,s:O,s:O,s:O,s:z}", "id", d.id, "title", d.title, "form",
                         d.form, "n", d.n, "t0", d.t0, "tend", d.tend, "highest_index", d.highest_index, "inconsistent", d.inconsistent,
                         "jacobian_kind", d.jacobian_kind, "lower", d.jacobian_lower, "upper", d.jacobian_upper, "mass_kind", d.mass_kind, "names",
                         names.get(), "breakpoints", breakpoints.get(), "index", index.get(), "column_start", column_start.get(), "row", row.get(),
                         "reference", value.get(), "reference_digits", digits.get(), "reference_source", d.reference_source);
}

PyObject* problem_facts(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    return is_open(self) ? text_or_raise(without_lock(true, [&] { return ivp_test_facts(self->handle); })) : nullptr;
}

PyObject* problem_parameters(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    const int count = without_lock(self->own != nullptr, [&] { return ivp_test_parameter_count(self->handle); });
    if (count < 0) return raise_last();
    reference all(PyList_New(0));
    for (int k = 0; all && k < count; ++k) {
        ivp_named_value known{};
        known.version = IVP_PLUGIN_VERSION;
        known.size = sizeof known;
        double value = 0;
        if (ivp_test_parameter(self->handle, k, &known, &value) != IVP_OK) return raise_last();
        const reference row(Py_BuildValue("(sddddis)", known.name, value, known.value, known.min, known.max, known.whole, known.meaning));
        if (!row || PyList_Append(all.get(), row.get()) != 0) return nullptr;
    }
    return all.release();
}

PyObject* problem_digits(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double rtol = 0;
    if (!is_open(self) || !counted("digits", count, 3) || !number(arguments[1], rtol)) return nullptr;
    const reference y = vector_of(arguments[0], self->n, "y");
    if (!y) return nullptr;
    reference atol;
    if (arguments[2] != Py_None) {
        atol = vector_of(arguments[2], self->n, "atol");
        if (!atol) return nullptr;
    }
    double scd = 0;
    double mescd = 0;
    const int status =
        without_lock(self->own != nullptr, [&] { return ivp_test_digits(self->handle, rtol, atol ? atol.data() : nullptr, y.data(), &scd, &mescd); });
    return status == IVP_OK ? Py_BuildValue("(dd)", scd, mescd) : raise_last();
}

PyObject* problem_tolerances(PyObject* o, PyObject* rtol_object)
{
    auto* const self = as_problem(o);
    double rtol = 0;
    if (!is_open(self) || !number(rtol_object, rtol)) return nullptr;
    reference r = new_vector(self->n);
    reference a = new_vector(self->n);
    if (!r || !a) return nullptr;
    if (without_lock(self->own != nullptr, [&] { return ivp_test_tolerances(self->handle, rtol, r.data(), a.data()); }) != IVP_OK)
        return raise_last();
    const double h0 = without_lock(self->own != nullptr, [&] { return ivp_test_first_step(self->handle, rtol); });
    return Py_BuildValue("(OOd)", r.get(), a.get(), h0);
}

PyObject* problem_counts(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    ivp_counts c{};
    c.version = IVP_PLUGIN_VERSION;
    c.size = sizeof c;
    if (without_lock(self->own != nullptr, [&] { return ivp_test_counts(self->handle, &c); }) != IVP_OK) return raise_last();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L}", "nfev", c.nfev, "nfev_jac", c.nfev_jac, "njac", c.njac, "refused", c.refused, "nonfinite",
                         c.nonfinite);
}

PyObject* problem_begin(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    if (without_lock(self->own != nullptr, [&] { return ivp_test_begin(self->handle); }) != IVP_OK) return raise_last();
    Py_RETURN_NONE;
}

PyObject* problem_choose(PyObject* o, PyObject* arguments)
{
    auto* const self = as_problem(o);
    const char* solvers = nullptr;
    double digits = 0;
    double budget = 0;
    if (!is_open(self) || PyArg_ParseTuple(arguments, "zdd", &solvers, &digits, &budget) == 0) return nullptr;
    const char* const text = without_lock(true, [&] { return ivp_choose(self->handle, solvers, digits, budget); });
    return text == nullptr ? failed(self, -1, "", 0) : text_or_raise(text);
}

PyObject* problem_reference(PyObject* o, PyObject* arguments)
{
    auto* const self = as_problem(o);
    double digits = 0;
    PyObject* times = nullptr;
    if (!is_open(self) || PyArg_ParseTuple(arguments, "dO", &digits, &times) == 0) return nullptr;
    const reference at = any_vector(times, "at");
    if (!at) return nullptr;
    const auto count = static_cast<std::int32_t>(PyArray_DIM(at.array(), 0));
    return text_or_raise(without_lock(true, [&] { return ivp_test_reference(self->handle, digits, at.data(), count); }));
}

// ---- Problems of Python functions: opening ----

bool numbers_from(PyObject* facts, const char* key, std::vector<double>& out)
{
    PyObject* const o = PyDict_GetItemString(facts, key);
    if (o == nullptr || o == Py_None) return true;
    const reference a = any_vector(o, key);
    if (!a) return false;
    out.assign(a.data(), a.data() + PyArray_DIM(a.array(), 0));
    return true;
}
bool integers_from(PyObject* facts, const char* key, std::vector<std::int32_t>& out)
{
    std::vector<double> values;
    if (!numbers_from(facts, key, values)) return false;
    for (const double v : values) {
        if (!(v >= INT32_MIN && v <= INT32_MAX)) {
            PyErr_Format(wrong_use, "%s: allowed are whole numbers", key);
            return false;
        }
        out.push_back(static_cast<std::int32_t>(v));
    }
    return true;
}

/// facts: id, t0, tend, y0, function, and as wanted yp0, implicit, jacobian, jacobian_kind, lower, upper, column_start, row, mass (by columns),
/// index, highest_index, breakpoints, autonomous.
int open_python_problem(problem_object* self, PyObject* facts)
{
    auto* const p = new python_problem;
    self->own = p;
    const auto whole = [&](const char* key) {
        PyObject* const o = PyDict_GetItemString(facts, key);
        return o == nullptr || o == Py_None ? 0L : PyLong_AsLong(o);
    };
    const auto real = [&](const char* key) {
        PyObject* const o = PyDict_GetItemString(facts, key);
        return o == nullptr ? 0.0 : PyFloat_AsDouble(o);
    };
    const auto function = [&](const char* key) {
        PyObject* const o = PyDict_GetItemString(facts, key);
        return o == nullptr || o == Py_None ? reference() : reference(Py_NewRef(o));
    };
    PyObject* const id = PyDict_GetItemString(facts, "id");
    const char* const name = id == nullptr ? nullptr : PyUnicode_AsUTF8(id);
    if (name == nullptr) {
        if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "a problem of Python functions needs an id");
        return -1;
    }
    p->id = name;
    if (!numbers_from(facts, "y0", p->y0) || !numbers_from(facts, "yp0", p->yp0) || !numbers_from(facts, "mass", p->mass) ||
        !numbers_from(facts, "breakpoints", p->breakpoints) || !integers_from(facts, "index", p->index) ||
        !integers_from(facts, "column_start", p->column_start) || !integers_from(facts, "row", p->row))
        return -1;
    p->function = function("function");
    p->jacobian = function("jacobian");
    const auto n = p->y0.size();
    const bool implicit = whole("implicit") != 0;
    if (!p->function || PyCallable_Check(p->function.get()) == 0 || (p->jacobian && PyCallable_Check(p->jacobian.get()) == 0) ||
        n > static_cast<std::size_t>(INT32_MAX) || (!p->yp0.empty() && p->yp0.size() != n) || (!p->mass.empty() && p->mass.size() != n * n) ||
        (!p->index.empty() && p->index.size() != n)) {
        PyErr_SetString(wrong_use, "allowed: functions that can be called, n numbers in y0, yp0 and index, n by n in mass");
        return -1;
    }
    ivp_problem_description& d = p->facts;
    d.version = IVP_PLUGIN_VERSION;
    d.size = sizeof d;
    d.id = p->id.c_str();
    p->tags = whole("autonomous") != 0 ? "autonomous" : "";
    d.tags = p->tags.c_str();
    d.n = static_cast<std::int32_t>(n);
    d.t0 = real("t0");
    d.tend = real("tend");
    d.form = implicit ? IVP_IDE : p->mass.empty() ? IVP_ODE : IVP_DAE;
    d.mass_kind = p->mass.empty() ? IVP_MASS_IDENTITY : IVP_MASS_FULL;
    d.mass_lower = d.mass_upper = p->mass.empty() ? 0 : d.n - 1;
    d.highest_index = static_cast<std::int32_t>(whole("highest_index"));
    d.index = p->index.empty() ? nullptr : p->index.data();
    d.breakpoint_count = d.discontinuity_count = static_cast<std::int32_t>(p->breakpoints.size());
    d.breakpoints = d.discontinuities = p->breakpoints.data();
    d.jacobian_kind = static_cast<std::int32_t>(whole("jacobian_kind"));
    d.jacobian_lower = static_cast<std::int32_t>(whole("lower"));
    d.jacobian_upper = static_cast<std::int32_t>(whole("upper"));
    if (PyErr_Occurred() != nullptr) return -1;
    if (d.jacobian_kind == IVP_SPARSE) {
        if (p->column_start.size() != n + 1 || p->column_start.front() != 0 || p->column_start.back() != static_cast<std::int32_t>(p->row.size())) {
            PyErr_SetString(wrong_use, "column_start, row: no pattern of compressed columns");
            return -1;
        }
        d.jacobian_column_start = p->column_start.data();
        d.jacobian_row = p->row.data();
        p->jacobian_length = static_cast<npy_intp>(p->row.size());
    } else {
        p->jacobian_length = static_cast<npy_intp>(n);
        p->jacobian_rows = d.jacobian_kind == IVP_BAND ? d.jacobian_lower + d.jacobian_upper + 1 : static_cast<npy_intp>(n);
    }
    ivp_problem table{};
    table.version = IVP_PLUGIN_VERSION;
    table.size = sizeof table;
    table.describe = describe;
    table.initial = initial;
    (implicit ? reinterpret_cast<void*&>(table.g) : reinterpret_cast<void*&>(table.f)) =
        implicit ? reinterpret_cast<void*>(call_g) : reinterpret_cast<void*>(call_f);
    table.mass = p->mass.empty() ? nullptr : mass;
    table.jacobian = p->jacobian && !implicit ? call_jacobian : nullptr;
    p->owned_by_c = true;
    self->handle = ivp_test_make(&table, p, release);
    if (self->handle == nullptr) {
        raise_last();
        return -1;
    }
    return finish_opening(self) ? 0 : -1;
}

// ---- Task: one integration, as a solver in Python sees it ----

struct task_object {
    PyObject_HEAD const ivp_task* task; ///< nullptr: it is over
};

task_object* as_task(PyObject* o) { return reinterpret_cast<task_object*>(o); }

const ivp_task* running(PyObject* o)
{
    const ivp_task* const task = as_task(o)->task;
    if (task == nullptr) PyErr_SetString(wrong_use, "the task is over: its solver has returned");
    return task;
}

using f_callback = int (*)(void*, double, const double*, double*);

PyObject* task_evaluate(PyObject* o, PyObject* const* arguments, Py_ssize_t count, f_callback ivp_callbacks::*which, const char* what)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted(what, count, 2) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(task->n);
    if (!out) return nullptr;
    const int status = (task->callbacks->*which)(task->host, t, y.data(), out.data());
    return status == IVP_OK ? out.release() : not_evaluated_at(status, what, t);
}
PyObject* task_f(PyObject* o, PyObject* const* a, Py_ssize_t n) { return task_evaluate(o, a, n, &ivp_callbacks::f, "f"); }
PyObject* task_f_difference(PyObject* o, PyObject* const* a, Py_ssize_t n)
{
    return task_evaluate(o, a, n, &ivp_callbacks::f_difference, "f_difference");
}
PyObject* task_time_derivative(PyObject* o, PyObject* const* a, Py_ssize_t n)
{
    return task_evaluate(o, a, n, &ivp_callbacks::time_derivative, "time_derivative");
}

PyObject* task_g(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted("g", count, 3) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    const reference yp = y ? vector_of(arguments[2], task->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = new_vector(task->n);
    if (!out) return nullptr;
    const int status = task->callbacks->g(task->host, t, y.data(), yp.data(), out.data());
    return status == IVP_OK ? out.release() : not_evaluated_at(status, "G", t);
}

PyObject* task_jacobian(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t = 0;
    if (task == nullptr || !counted("jacobian", count, 2) || !number(arguments[0], t)) return nullptr;
    const reference y = vector_of(arguments[1], task->n, "y");
    if (!y) return nullptr;
    const bool sparse = task->jacobian_kind == IVP_SPARSE;
    reference out = sparse ? new_vector(task->jacobian_column_start[task->n]) : new_matrix(task->n, task->n);
    if (!out) return nullptr;
    const int status = sparse ? task->callbacks->jacobian_sparse(task->host, t, y.data(), out.data())
                              : task->callbacks->jacobian(task->host, t, y.data(), out.data(), task->n);
    return status == IVP_OK ? out.release() : not_evaluated_at(status, "df/dy", t);
}

PyObject* task_accepted_step(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    const ivp_task* const task = running(o);
    double t_old = 0;
    double t = 0;
    if (task == nullptr || !counted("accepted_step", count, 3) || !number(arguments[0], t_old) || !number(arguments[1], t)) return nullptr;
    const reference y = vector_of(arguments[2], task->n, "y");
    if (!y) return nullptr;
    ivp_step step{};
    step.version = IVP_PLUGIN_VERSION;
    step.size = sizeof step;
    step.t_old = t_old;
    step.t = t;
    step.h = t - t_old;
    step.y = y.data();
    step.error_bound = 1;
    return PyBool_FromLong(task->callbacks->accepted_step(task->host, &step) == IVP_OK ? 1 : 0);
}

PyObject* task_count(PyObject* o, PyObject* arguments)
{
    const ivp_task* const task = running(o);
    int factorisations = 0;
    int solves = 0;
    int difference_jacobians = 0;
    if (task == nullptr || PyArg_ParseTuple(arguments, "iii", &factorisations, &solves, &difference_jacobians) == 0) return nullptr;
    for (int k = 0; k < factorisations; ++k) task->callbacks->factorised(task->host, 1, 0);
    if (solves > 0) task->callbacks->solved(task->host, solves);
    for (int k = 0; k < difference_jacobians; ++k) task->callbacks->jacobian_by_differences(task->host);
    Py_RETURN_NONE;
}

PyObject* task_facts(PyObject* o, PyObject* /*none*/)
{
    const ivp_task* const task = running(o);
    if (task == nullptr) return nullptr;
    const bool sparse = task->jacobian_kind == IVP_SPARSE;
    reference y = copy_of(task->y, task->n);
    reference yp(task->yp == nullptr ? Py_NewRef(Py_None) : copy_of(task->yp, task->n).release());
    reference rtol = copy_of(task->rtol, task->n);
    reference atol = copy_of(task->atol, task->n);
    reference options = copy_of(task->options, task->option_count);
    reference index(integers(task->index, task->n));
    reference column_start(integers(task->jacobian_column_start, sparse ? task->n + 1 : 0));
    reference row(integers(task->jacobian_row, sparse ? task->jacobian_column_start[task->n] : 0));
    reference mass(Py_NewRef(Py_None));
    if (task->mass_kind != IVP_MASS_IDENTITY) {
        mass = new_matrix(task->n, task->n);
        if (!mass) return nullptr;
        std::vector<double> unit(static_cast<std::size_t>(task->n), 0.0);
        for (int j = 0; j < task->n; ++j) {
            unit[static_cast<std::size_t>(j)] = 1;
            if (task->callbacks->mass_multiply(task->host, unit.data(), mass.data() + static_cast<npy_intp>(j) * task->n) != IVP_OK)
                return not_evaluated_at(IVP_STOP, "M", task->t0);
            unit[static_cast<std::size_t>(j)] = 0;
        }
    }
    if (!y || !yp || !rtol || !atol || !options || !index || !column_start || !row) return nullptr;
    return Py_BuildValue("{s:i,s:i,s:d,s:d,s:O,s:O,s:O,s:O,s:d,s:d,s:K,s:O,s:i,s:i,s:i,s:i,s:i,s:O,s:O,s:O,s:O}", "n", task->n, "form", task->form,
                         "t0", task->t0, "tend", task->tend, "y", y.get(), "yp", yp.get(), "rtol", rtol.get(), "atol", atol.get(), "h0", task->h0,
                         "hmax", task->hmax, "max_steps", static_cast<unsigned long long>(task->max_steps), "options", options.get(),
                         "exact_jacobian", task->exact_jacobian, "jacobian_kind", task->jacobian_kind, "lower", task->jacobian_lower, "upper",
                         task->jacobian_upper, "continues", task->continues, "index", index.get(), "column_start", column_start.get(), "row",
                         row.get(), "mass", mass.get());
}

void plain_dealloc(PyObject* o)
{
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

// ---- Solver ----

struct python_solver {
    reference function;
    raised error;
    bool owned_by_object = true;
    bool owned_by_c = false;
    static void left(python_solver* s)
    {
        if (!s->owned_by_c && !s->owned_by_object) {
            s->error.drop();
            delete s;
        }
    }
};

struct solver_object {
    PyObject_HEAD ivp_solver* handle;
    python_solver* own; ///< nullptr: of the catalog
};

solver_object* as_solver(PyObject* o) { return reinterpret_cast<solver_object*>(o); }

/// The answer of a solver: outcome, t, y, steps, accepted, nfev, njac, nlu, message.
bool take_answer(PyObject* answer, const ivp_task* task, ivp_result* result)
{
    int outcome = 0;
    double t = 0;
    PyObject* y_object = nullptr;
    long long steps = -1;
    long long accepted = -1;
    long long nfev = -1;
    long long njac = -1;
    long long nlu = -1;
    const char* message = nullptr;
    if (PyArg_ParseTuple(answer, "idOLLLLLz", &outcome, &t, &y_object, &steps, &accepted, &nfev, &njac, &nlu, &message) == 0) return false;
    const reference y = vector_of(y_object, task->n, "y of the solver");
    if (!y) return false;
    std::memcpy(task->y, y.data(), static_cast<std::size_t>(task->n) * sizeof(double));
    result->outcome = outcome;
    result->t = t;
    result->steps = steps;
    result->accepted = accepted;
    result->nfev = nfev;
    result->njac = njac;
    result->nlu = nlu;
    if (message != nullptr) std::strncpy(result->message, message, IVP_MESSAGE_SIZE - 1);
    return true;
}

void call_solver(void* data, const ivp_task* task, ivp_result* result)
{
    const with_lock lock;
    auto& s = *static_cast<python_solver*>(data);
    reference seen(PyType_GenericAlloc(task_type, 0));
    if (seen) {
        as_task(seen.get())->task = task;
        const reference answer(PyObject_CallFunctionObjArgs(s.function.get(), seen.get(), nullptr));
        as_task(seen.get())->task = nullptr;
        if (answer && PyTuple_Check(answer.get()) != 0 && take_answer(answer.get(), task, result)) return;
        if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "a solver answers a tuple");
    }
    s.error.keep(); // without an outcome the run is a breach of contract, which ends it
}

void release_solver(void* data)
{
    if (Py_IsInitialized() == 0) return;
    const with_lock lock;
    auto* const s = static_cast<python_solver*>(data);
    s->owned_by_c = false;
    python_solver::left(s);
}

/// Solver(name), or Solver(name, function, forms, flags, orders..., version, reference, options).
int solver_init(PyObject* o, PyObject* arguments, PyObject* /*keywords*/)
{
    auto* const self = as_solver(o);
    if (self->handle != nullptr) {
        PyErr_SetString(PyExc_TypeError, "a solver is opened once");
        return -1;
    }
    const char* name = nullptr;
    PyObject* function = nullptr;
    unsigned forms = IVP_ODE;
    unsigned flags = 0;
    int highest_index = 0;
    int lowest = 1;
    int highest = 1;
    const char* version = nullptr;
    const char* publication = nullptr;
    const char* title = nullptr;
    if (PyArg_ParseTuple(arguments, "s|OIIiiizzz", &name, &function, &forms, &flags, &highest_index, &lowest, &highest, &version, &publication,
                         &title) == 0)
        return -1;
    if (function == nullptr) {
        self->handle = without_lock(true, [&] { return ivp_solver_open(name); });
    } else {
        if (PyCallable_Check(function) == 0) {
            PyErr_SetString(PyExc_TypeError, "a solver is a function");
            return -1;
        }
        self->own = new python_solver;
        self->own->function = reference(Py_NewRef(function));
        self->own->owned_by_c = true;
        ivp_solver_description d{};
        d.version = IVP_PLUGIN_VERSION;
        d.size = sizeof d;
        d.name = name;
        d.title = title;
        d.solver_version = version;
        d.language = "Python";
        d.reference = publication;
        d.forms = forms;
        d.flags = flags;
        d.highest_index = highest_index;
        d.lowest_order = lowest;
        d.highest_order = highest;
        self->handle = ivp_solver_make(&d, call_solver, self->own, release_solver);
    }
    if (self->handle == nullptr) {
        raise_last();
        return -1;
    }
    return 0;
}

void solver_dealloc(PyObject* o)
{
    auto* const self = as_solver(o);
    if (self->handle != nullptr) ivp_solver_close(self->handle);
    if (self->own != nullptr) {
        self->own->owned_by_object = false;
        python_solver::left(self->own);
    }
    PyTypeObject* const type = Py_TYPE(o);
    type->tp_free(o);
    Py_DECREF(type);
}

PyObject* solver_facts(PyObject* o, PyObject* /*none*/)
{
    return text_or_raise(without_lock(true, [&] { return ivp_solver_facts(as_solver(o)->handle); }));
}

PyObject* solver_refusal(PyObject* o, PyObject* problem)
{
    if (PyObject_TypeCheck(problem, problem_type) == 0) {
        PyErr_SetString(PyExc_TypeError, "allowed: a problem");
        return nullptr;
    }
    return text_or_raise(without_lock(true, [&] { return ivp_solver_refusal(as_solver(o)->handle, as_problem(problem)->handle); }));
}

// ---- Solutions ----

struct solution_object {
    PyObject_HEAD ivp_solution* handle;
    int n;
};

solution_object* as_solution(PyObject* o) { return reinterpret_cast<solution_object*>(o); }

void solution_dealloc(PyObject* o)
{
    if (as_solution(o)->handle != nullptr) ivp_solution_close(as_solution(o)->handle);
    plain_dealloc(o);
}

PyObject* solution_record(PyObject* o, PyObject* /*none*/) { return text_or_raise(ivp_solution_record(as_solution(o)->handle)); }

PyObject* solution_points(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_solution(o);
    const std::int64_t size = ivp_solution_size(self->handle);
    if (size < 0) return raise_last();
    reference t = new_vector(size);
    reference y = new_matrix(self->n, size);
    if (!t || !y) return nullptr;
    if (ivp_solution_points(self->handle, t.data(), y.data(), size) != IVP_OK) return raise_last();
    return Py_BuildValue("(OO)", t.get(), y.get());
}

PyObject* solution_at(PyObject* o, PyObject* times)
{
    auto* const self = as_solution(o);
    const reference t = any_vector(times, "t");
    if (!t) return nullptr;
    const npy_intp count = PyArray_DIM(t.array(), 0);
    reference y = new_matrix(self->n, count);
    if (!y) return nullptr;
    if (without_lock(true, [&] { return ivp_solution_at(self->handle, t.data(), count, y.data()); }) != IVP_OK) return raise_last();
    return y.release();
}

PyObject* solution_store(PyObject* o, PyObject* db)
{
    const char* const path = PyUnicode_AsUTF8(db);
    if (path == nullptr) return nullptr;
    if (without_lock(true, [&] { return ivp_solution_store(as_solution(o)->handle, path); }) != IVP_OK) return raise_last();
    Py_RETURN_NONE;
}

// ---- Functions of the module ----

struct given_settings {
    reference atol;
    ivp_settings settings{};

    bool read(const problem_object* p, double rtol, PyObject* atol_object, const char* others)
    {
        settings.version = IVP_PLUGIN_VERSION;
        settings.size = sizeof settings;
        settings.rtol = rtol;
        settings.others = others;
        if (atol_object == Py_None) return true;
        atol = vector_of(atol_object, p->n, "atol");
        if (atol) settings.atol = atol.data();
        return static_cast<bool>(atol);
    }
};

/// solve(problem, solver, rtol, atol, others, keep)
PyObject* solve(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    PyObject* solver = nullptr;
    PyObject* atol = nullptr;
    double rtol = 0;
    const char* others = nullptr;
    int keep = 0;
    if (PyArg_ParseTuple(arguments, "O!O!dOzi", problem_type, &problem, solver_type, &solver, &rtol, &atol, &others, &keep) == 0) return nullptr;
    auto* const p = as_problem(problem);
    auto* const s = as_solver(solver);
    given_settings given;
    if (!is_open(p) || !given.read(p, rtol, atol, others)) return nullptr;
    ivp_solution* const handle = without_lock(true, [&] { return ivp_solve(p->handle, s->handle, &given.settings, keep); });
    // Also where the run has a record, which calls the exception a breach of the contract.
    if ((s->own != nullptr && s->own->error.rethrow()) || (p->own != nullptr && p->own->error.rethrow())) {
        ivp_solution_close(handle);
        return nullptr;
    }
    if (handle == nullptr) return raise_last();
    PyObject* const o = PyType_GenericAlloc(solution_type, 0);
    if (o == nullptr) {
        ivp_solution_close(handle);
        return nullptr;
    }
    as_solution(o)->handle = handle;
    as_solution(o)->n = p->n;
    return o;
}

/// measure_all(problem, solvers, rtol, atol, others, db)
PyObject* measure_all(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    PyObject* solvers = nullptr;
    PyObject* rtol_object = nullptr;
    PyObject* atol = nullptr;
    const char* others = nullptr;
    const char* db = nullptr;
    if (PyArg_ParseTuple(arguments, "O!OOOzz", problem_type, &problem, &solvers, &rtol_object, &atol, &others, &db) == 0) return nullptr;
    auto* const p = as_problem(problem);
    given_settings given;
    if (!is_open(p) || !given.read(p, 1e-4, atol, others)) return nullptr;
    reference rtol;
    if (rtol_object != Py_None) {
        rtol = any_vector(rtol_object, "rtol");
        if (!rtol) return nullptr;
    }
    const reference list(PySequence_List(solvers));
    if (!list) return nullptr;
    std::vector<const ivp_solver*> handles;
    for (Py_ssize_t k = 0; k < PyList_Size(list.get()); ++k) {
        PyObject* const s = PyList_GetItem(list.get(), k);
        if (PyObject_TypeCheck(s, solver_type) == 0) {
            PyErr_SetString(PyExc_TypeError, "allowed: a list of solvers");
            return nullptr;
        }
        handles.push_back(as_solver(s)->handle);
    }
    const char* const lines = without_lock(true, [&] {
        return ivp_measure_all(p->handle, handles.data(), static_cast<std::int32_t>(handles.size()), rtol ? rtol.data() : nullptr,
                               rtol ? static_cast<std::int32_t>(PyArray_DIM(rtol.array(), 0)) : 0, &given.settings, db);
    });
    const reference text(lines == nullptr ? nullptr : text_or_raise(lines));
    for (Py_ssize_t k = 0; k < PyList_Size(list.get()); ++k) {
        auto* const s = as_solver(PyList_GetItem(list.get(), k));
        if (s->own != nullptr && s->own->error.rethrow()) return nullptr;
    }
    if (p->own != nullptr && p->own->error.rethrow()) return nullptr;
    return text ? Py_NewRef(text.get()) : raise_last();
}

PyObject* names(int (*size)(), const char* (*name)(std::int32_t))
{
    reference all(PyList_New(0));
    for (int k = 0; all && k < size(); ++k) {
        const reference text(PyUnicode_FromString(name(k)));
        if (!text || PyList_Append(all.get(), text.get()) != 0) return nullptr;
    }
    return all.release();
}
PyObject* problems(PyObject* /*module*/, PyObject* /*none*/) { return names(ivp_catalog_size, ivp_catalog_id); }
PyObject* solvers(PyObject* /*module*/, PyObject* /*none*/) { return names(ivp_catalog_solver_count, ivp_catalog_solver); }
PyObject* settings(PyObject* /*module*/, PyObject* /*none*/) { return text_or_raise(ivp_catalog_settings()); }
PyObject* version(PyObject* /*module*/, PyObject* /*none*/) { return text_or_raise(ivp_version()); }

PyObject* store_add(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    const char* records = nullptr;
    if (PyArg_ParseTuple(arguments, "ss", &db, &records) == 0) return nullptr;
    const std::int64_t added = without_lock(true, [&] { return ivp_store_add(db, records); });
    return added < 0 ? raise_last() : PyLong_FromLongLong(added);
}
PyObject* store_records(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    if (PyArg_ParseTuple(arguments, "s", &db) == 0) return nullptr;
    return text_or_raise(without_lock(true, [&] { return ivp_store_records(db); }));
}
PyObject* store_query(PyObject* /*module*/, PyObject* arguments)
{
    const char* db = nullptr;
    const char* sql = nullptr;
    if (PyArg_ParseTuple(arguments, "ss", &db, &sql) == 0) return nullptr;
    return text_or_raise(without_lock(true, [&] { return ivp_store_query(db, sql); }));
}

/// Seconds for one call of ivp_test_f from C, the least of several rounds: what a call from Python is compared with.
PyObject* time_f(PyObject* /*module*/, PyObject* arguments)
{
    PyObject* problem = nullptr;
    long calls = 0;
    if (PyArg_ParseTuple(arguments, "O!l", problem_type, &problem, &calls) == 0) return nullptr;
    auto* const p = as_problem(problem);
    if (!is_open(p)) return nullptr;
    std::vector<double> y(static_cast<std::size_t>(p->n));
    std::vector<double> out(y.size());
    ivp_test_initial(p->handle, y.data(), nullptr);
    double best = HUGE_VAL;
    for (int round = 0; round < 7; ++round) {
        const clock_t begin = clock();
        for (long k = 0; k < calls; ++k) ivp_test_f(p->handle, 0, y.data(), out.data());
        best = std::min(best, static_cast<double>(clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(calls));
    }
    return PyFloat_FromDouble(best);
}

// ---- Tables ----

template <class Function>
PyCFunction as_function(Function f)
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

PyMethodDef problem_methods[] = {
    {"f", as_function(problem_f), METH_FASTCALL, "f(t, y)\n--\n\nThe right-hand side of y' = f(t, y) or M y' = f(t, y), counted."},
    {"g", as_function(problem_g), METH_FASTCALL, "g(t, y, yp)\n--\n\nThe residual of G(t, y, y') = 0, counted."},
    {"_jacobian", as_function(problem_jacobian), METH_FASTCALL, nullptr},
    {"_partials", as_function(problem_partials), METH_FASTCALL, nullptr},
    {"time_derivative", as_function(problem_time_derivative), METH_FASTCALL, "time_derivative(t, y)\n--\n\ndf/dt."},
    {"_mass", problem_mass, METH_NOARGS, nullptr},
    {"_initial", problem_initial, METH_O, nullptr},
    {"_describe", problem_describe, METH_NOARGS, nullptr},
    {"_facts", problem_facts, METH_NOARGS, nullptr},
    {"_parameters", problem_parameters, METH_NOARGS, nullptr},
    {"_digits", as_function(problem_digits), METH_FASTCALL, nullptr},
    {"_tolerances", problem_tolerances, METH_O, nullptr},
    {"_counts", problem_counts, METH_NOARGS, nullptr},
    {"begin", problem_begin, METH_NOARGS, "begin()\n--\n\nSets all counts to 0."},
    {"_choose", problem_choose, METH_VARARGS, nullptr},
    {"_reference", problem_reference, METH_VARARGS, nullptr},
    {"close", problem_close, METH_NOARGS, "close()\n--\n\nEnds the problem; every later use raises ivp.Error."},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef solver_methods[] = {
    {"_facts", solver_facts, METH_NOARGS, nullptr},
    {"_refusal", solver_refusal, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef solution_methods[] = {
    {"record", solution_record, METH_NOARGS, nullptr},
    {"points", solution_points, METH_NOARGS, nullptr},
    {"at", solution_at, METH_O, nullptr},
    {"store", solution_store, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef task_methods[] = {
    {"f", as_function(task_f), METH_FASTCALL, nullptr},
    {"g", as_function(task_g), METH_FASTCALL, nullptr},
    {"f_difference", as_function(task_f_difference), METH_FASTCALL, nullptr},
    {"time_derivative", as_function(task_time_derivative), METH_FASTCALL, nullptr},
    {"jacobian", as_function(task_jacobian), METH_FASTCALL, nullptr},
    {"accepted_step", as_function(task_accepted_step), METH_FASTCALL, nullptr},
    {"count", task_count, METH_VARARGS, nullptr},
    {"facts", task_facts, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef functions[] = {
    {"problems", problems, METH_NOARGS, nullptr},
    {"solvers", solvers, METH_NOARGS, nullptr},
    {"settings", settings, METH_NOARGS, nullptr},
    {"version", version, METH_NOARGS, nullptr},
    {"solve", solve, METH_VARARGS, nullptr},
    {"measure_all", measure_all, METH_VARARGS, nullptr},
    {"store_add", store_add, METH_VARARGS, nullptr},
    {"store_records", store_records, METH_VARARGS, nullptr},
    {"store_query", store_query, METH_VARARGS, nullptr},
    {"time_f", time_f, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

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

PyModuleDef definition{PyModuleDef_HEAD_INIT, "ivp._core", "The C interface of ivp.", -1, functions, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit__core()
{
    import_array();
    reference module(PyModule_Create(&definition));
    if (!module) return nullptr;
    wrong_use = PyErr_NewExceptionWithDoc("ivp.Error", "What was asked cannot be done; the message names what was given and what is allowed.",
                                          PyExc_ValueError, nullptr);
    not_evaluated = PyErr_NewExceptionWithDoc(
        "ivp.EvaluationError", "A formula is not defined or not finite here. A function of a problem may raise it.", PyExc_ArithmeticError, nullptr);
    run_must_end = PyErr_NewExceptionWithDoc("ivp.Stopped", "The run must end now: a time limit. Solvers let it pass.", PyExc_Exception, nullptr);
    if (wrong_use == nullptr || not_evaluated == nullptr || run_must_end == nullptr) return nullptr;
    if (PyModule_AddObjectRef(module.get(), "Error", wrong_use) != 0 || PyModule_AddObjectRef(module.get(), "EvaluationError", not_evaluated) != 0 ||
        PyModule_AddObjectRef(module.get(), "Stopped", run_must_end) != 0)
        return nullptr;
    problem_type = made_type(module.get(), "Problem", sizeof(problem_object), problem_methods, problem_dealloc, problem_init);
    solver_type = made_type(module.get(), "Solver", sizeof(solver_object), solver_methods, solver_dealloc, solver_init);
    solution_type = made_type(module.get(), "Solution", sizeof(solution_object), solution_methods, solution_dealloc, nullptr);
    task_type = made_type(module.get(), "Task", sizeof(task_object), task_methods, plain_dealloc, nullptr);
    if (problem_type == nullptr || solver_type == nullptr || solution_type == nullptr || task_type == nullptr) return nullptr;
    return module.release();
}
