#include "arrays.hpp"
#include "problem.hpp"

#include <algorithm>
#include <cstring>

namespace ivp::python {

namespace {

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
        p.raised.keep();
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

} // namespace

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

} // namespace ivp::python
