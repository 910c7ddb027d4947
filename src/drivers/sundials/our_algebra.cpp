#include "our_algebra.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace ivp::sundials {

namespace {

/// The matrix factor · J + identity · I, where only the two numbers change when SUNDIALS scales and shifts.
struct matrix_content {
    matrix_content(algebra a, const structure& s, int size) : path(a), shape(s), n(size), j(a, s, size) {}
    algebra path;
    structure shape;
    int n;
    jacobian_matrix<double> j;
    double factor = 1;
    double identity = 0;
};

matrix_content& content(SUNMatrix m) { return *static_cast<matrix_content*>(m->content); }

SUNMatrix_ID matrix_id(SUNMatrix /*m*/) { return SUNMATRIX_CUSTOM; }

int matrix_zero(SUNMatrix m)
{
    auto& c = content(m);
    std::fill_n(c.j.view().data, c.j.view().size(), 0.0);
    c.factor = 1;
    c.identity = 0;
    return 0;
}

int matrix_copy(SUNMatrix from, SUNMatrix to)
{
    const auto& a = content(from);
    auto& b = content(to);
    std::copy_n(a.j.view().data, a.j.view().size(), b.j.view().data);
    b.factor = a.factor;
    b.identity = a.identity;
    return 0;
}

int matrix_scale_add_identity(realtype c, SUNMatrix m)
{
    content(m).factor *= c;
    content(m).identity = content(m).identity * c + 1;
    return 0;
}

void matrix_destroy(SUNMatrix m)
{
    delete &content(m);
    m->content = nullptr;
    SUNMatFreeEmpty(m);
}

SUNMatrix matrix_clone(SUNMatrix m) { return new_matrix(content(m).path, content(m).shape, content(m).n, m->sunctx); }

/// factor J + identity I = −factor (−identity/factor I − J)
struct solver_content {
    counters ignored; // a setup is counted once, by the library's own counter
    std::optional<mass_matrix<double>> identity;
    std::optional<shifted_lu<double>> lu;
    const matrix_content* factored = nullptr;
    double scale = 1;
    sunindextype last_flag = SUNLS_SUCCESS;
};

solver_content& content(SUNLinearSolver s) { return *static_cast<solver_content*>(s->content); }

SUNLinearSolver_Type solver_type(SUNLinearSolver /*s*/) { return SUNLINEARSOLVER_DIRECT; }
SUNLinearSolver_ID solver_id(SUNLinearSolver /*s*/) { return SUNLINEARSOLVER_CUSTOM; }
int solver_initialize(SUNLinearSolver s)
{
    content(s).last_flag = SUNLS_SUCCESS;
    return SUNLS_SUCCESS;
}

int solver_setup(SUNLinearSolver s, SUNMatrix a)
{
    auto& c = content(s);
    const auto& m = content(a);
    if (c.factored != &m) {
        c.identity.emplace(mass_matrix<double>::identity(m.n));
        c.lu.reset();
        c.lu.emplace(m.j, *c.identity, 1, 0, c.ignored);
        c.factored = &m;
    }
    c.scale = -m.factor;
    c.last_flag = m.factor != 0 && c.lu->factor_real(0, -m.identity / m.factor) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
    return static_cast<int>(c.last_flag);
}

int solver_solve(SUNLinearSolver s, SUNMatrix /*a*/, N_Vector x, N_Vector b, realtype /*tolerance*/)
{
    auto& c = content(s);
    double* const out = NV_DATA_S(x);
    const double* const in = NV_DATA_S(b);
    const double inverse = 1 / c.scale;
    std::transform(in, in + NV_LENGTH_S(b), out, [inverse](double v) { return v * inverse; });
    c.lu->solve_real(0, out);
    return SUNLS_SUCCESS;
}

sunindextype solver_last_flag(SUNLinearSolver s) { return content(s).last_flag; }

int solver_free(SUNLinearSolver s)
{
    delete &content(s);
    s->content = nullptr;
    SUNLinSolFreeEmpty(s);
    return SUNLS_SUCCESS;
}

} // namespace

SUNMatrix new_matrix(algebra path, const structure& s, int n, SUNContext c)
{
    auto own = std::make_unique<matrix_content>(path, s, n);
    SUNMatrix m = SUNMatNewEmpty(c);
    if (m == nullptr) return nullptr;
    m->content = own.release();
    m->ops->getid = matrix_id;
    m->ops->clone = matrix_clone;
    m->ops->destroy = matrix_destroy;
    m->ops->zero = matrix_zero;
    m->ops->copy = matrix_copy;
    m->ops->scaleaddi = matrix_scale_add_identity;
    return m;
}

void write_matrix(const matrix_view<double>& from, SUNMatrix to)
{
    auto& c = content(to);
    std::copy_n(from.data, from.size(), c.j.view().data);
    c.factor = 1;
    c.identity = 0;
}

SUNLinearSolver new_linear_solver(SUNContext c)
{
    auto own = std::make_unique<solver_content>();
    SUNLinearSolver s = SUNLinSolNewEmpty(c);
    if (s == nullptr) return nullptr;
    s->content = own.release();
    s->ops->gettype = solver_type;
    s->ops->getid = solver_id;
    s->ops->initialize = solver_initialize;
    s->ops->setup = solver_setup;
    s->ops->solve = solver_solve;
    s->ops->lastflag = solver_last_flag;
    s->ops->free = solver_free;
    return s;
}

} // namespace ivp::sundials
