#include "problem.hpp"

#include "arrays.hpp"

namespace ivp::python {

PyTypeObject* problem_type;

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

bool is_open(const problem_object* self)
{
    if (self->handle != nullptr && self->close_asked == 0) return true;
    PyErr_SetString(wrong_use, self->handle == nullptr ? "the problem was never opened" : "the problem has been closed");
    return false;
}

namespace {

/// As long as it lives, what a description of the problem points to lives too.
class reader {
public:
    explicit reader(problem_object* p) : p_(p) { ++p->readers; }
    ~reader()
    {
        if (--p_->readers == 0 && p_->close_asked != 0) close(p_);
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    static void close(problem_object* p)
    {
        without_lock(true, [&] {
            ivp_test_close(p->handle);
            return 0;
        });
    }

private:
    problem_object* p_;
};

/// What went wrong in a call of this problem: an exception of its function goes before.
PyObject* failed(problem_object* self, int status, const char* what, double t)
{
    if (function_raised(self)) return nullptr;
    return status < 0 ? raise_last() : not_evaluated_at(status, what, t);
}

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

/// A function may hold its problem, as a method of an object does that keeps it.
int problem_traverse(PyObject* o, visitproc visit, void* arg)
{
    Py_VISIT(Py_TYPE(o));
    if (const python_problem* const own = as_problem(o)->own) {
        Py_VISIT(own->function.get());
        Py_VISIT(own->jacobian.get());
    }
    return 0;
}

int problem_clear(PyObject* o)
{
    if (python_problem* const own = as_problem(o)->own) {
        own->function = reference();
        own->jacobian = reference();
    }
    return 0;
}

void problem_dealloc(PyObject* o)
{
    PyObject_GC_UnTrack(o);
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
    if (self->handle != nullptr && self->close_asked == 0) {
        self->close_asked = 1;
        if (self->readers == 0) reader::close(self);
    }
    Py_RETURN_NONE;
}

PyObject* problem_f(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("f", count, 2) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = call_of(self, [&] { return ivp_test_f(self->handle, t, y.data(), out.data()); });
    return status == IVP_OK ? out.release() : failed(self, status, "f", t);
}

PyObject* problem_g(PyObject* o, PyObject* const* arguments, Py_ssize_t count)
{
    auto* const self = as_problem(o);
    double t = 0;
    if (!is_open(self) || !counted("g", count, 3) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    const reference yp = y ? vector_of(arguments[2], self->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = call_of(self, [&] { return ivp_test_g(self->handle, t, y.data(), yp.data(), out.data()); });
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
    if (!is_open(self) || !counted("jacobian", count, 2) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = jacobian_room(self);
    if (!out) return nullptr;
    const int status = call_of(self, [&] {
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
    if (!is_open(self) || !counted("partials", count, 5) || !number(arguments[0], t, "t") || !number(arguments[3], a, "a") ||
        !number(arguments[4], b, "b"))
        return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    const reference yp = y ? vector_of(arguments[2], self->n, "yp") : reference();
    if (!yp) return nullptr;
    reference out = jacobian_room(self);
    if (!out) return nullptr;
    const int status = call_of(self, [&] {
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
    if (!is_open(self) || !counted("time_derivative", count, 2) || !number(arguments[0], t, "t")) return nullptr;
    const reference y = vector_of(arguments[1], self->n, "y");
    if (!y) return nullptr;
    reference out = new_vector(self->n);
    if (!out) return nullptr;
    const int status = call_of(self, [&] { return ivp_test_time_derivative(self->handle, t, y.data(), out.data()); });
    return status == IVP_OK ? out.release() : failed(self, status, "df/dt", t);
}

PyObject* problem_mass(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    reference out = new_matrix(self->n, self->n);
    if (!out) return nullptr;
    return call_of(self, [&] { return ivp_test_mass(self->handle, out.data(), self->n); }) == IVP_OK ? out.release() : raise_last();
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
    const int status = long_call_of(self, [&] { return ivp_test_initial(self->handle, y.data(), wanted ? yp.data() : nullptr); });
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
    const reader reads(self);
    if (call_of(self, [&] { return ivp_test_describe(self->handle, &d); }) != IVP_OK) return raise_last();
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
    return is_open(self) ? text_or_raise(long_call_of(self, [&] { return ivp_test_facts(self->handle); })) : nullptr;
}

PyObject* problem_parameters(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    const int count = call_of(self, [&] { return ivp_test_parameter_count(self->handle); });
    if (count < 0) return raise_last();
    const reader reads(self);
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
    if (!is_open(self) || !counted("digits", count, 3) || !number(arguments[1], rtol, "rtol")) return nullptr;
    const reference y = vector_of(arguments[0], self->n, "y");
    if (!y) return nullptr;
    reference atol;
    if (arguments[2] != Py_None) {
        atol = vector_of(arguments[2], self->n, "atol");
        if (!atol) return nullptr;
    }
    double scd = 0;
    double mescd = 0;
    const int status = call_of(self, [&] { return ivp_test_digits(self->handle, rtol, atol ? atol.data() : nullptr, y.data(), &scd, &mescd); });
    return status == IVP_OK ? Py_BuildValue("(dd)", scd, mescd) : raise_last();
}

PyObject* problem_tolerances(PyObject* o, PyObject* rtol_object)
{
    auto* const self = as_problem(o);
    double rtol = 0;
    if (!is_open(self) || !number(rtol_object, rtol, "rtol")) return nullptr;
    reference r = new_vector(self->n);
    reference a = new_vector(self->n);
    if (!r || !a) return nullptr;
    if (call_of(self, [&] { return ivp_test_tolerances(self->handle, rtol, r.data(), a.data()); }) != IVP_OK) return raise_last();
    const double h0 = call_of(self, [&] { return ivp_test_first_step(self->handle, rtol); });
    return Py_BuildValue("(OOd)", r.get(), a.get(), h0);
}

PyObject* problem_counts(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    ivp_counts c{};
    c.version = IVP_PLUGIN_VERSION;
    c.size = sizeof c;
    if (call_of(self, [&] { return ivp_test_counts(self->handle, &c); }) != IVP_OK) return raise_last();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L}", "nfev", c.nfev, "nfev_jac", c.nfev_jac, "njac", c.njac, "refused", c.refused, "nonfinite",
                         c.nonfinite);
}

PyObject* problem_begin(PyObject* o, PyObject* /*none*/)
{
    auto* const self = as_problem(o);
    if (!is_open(self)) return nullptr;
    if (call_of(self, [&] { return ivp_test_begin(self->handle); }) != IVP_OK) return raise_last();
    Py_RETURN_NONE;
}

PyObject* problem_choose(PyObject* o, PyObject* arguments)
{
    auto* const self = as_problem(o);
    const char* solvers = nullptr;
    double digits = 0;
    double budget = 0;
    if (!is_open(self) || PyArg_ParseTuple(arguments, "zdd", &solvers, &digits, &budget) == 0) return nullptr;
    const char* const text = long_call_of(self, [&] { return ivp_choose(self->handle, solvers, digits, budget); });
    return function_raised(self) ? nullptr : text_or_raise(text);
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
    const char* const text = long_call_of(self, [&] { return ivp_test_reference(self->handle, digits, at.data(), count); });
    return function_raised(self) ? nullptr : text_or_raise(text);
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

} // namespace

PyTypeObject* make_problem_type(PyObject* module)
{
    problem_type =
        made_type(module, "Problem", sizeof(problem_object), problem_methods, problem_dealloc, problem_init, problem_traverse, problem_clear);
    return problem_type;
}

} // namespace ivp::python
