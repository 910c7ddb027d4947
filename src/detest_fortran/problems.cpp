// The problems of the package for FCN, PDERV, IVALU and EVALU: made when first asked for, and kept.
#include "problems.hpp"

#include "engine.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ivp::detest_fortran {

namespace {

constexpr int ids = 100; // above those of IDLIST, which have two digits

std::unique_ptr<kept_problem> make(bool stiff, int id, bool scaled)
{
    const auto set = stiff ? detest::problem_set::stiff : detest::problem_set::nonstiff;
    for (const auto& d : all_detest_data()) {
        if (d.set != set || d.code() != id + first_code) continue;
        detest::assessment_settings as_the_package;
        as_the_package.as_1986 = true;
        return std::make_unique<kept_problem>(detest::detest_problem(d, scaled, as_the_package));
    }
    return nullptr;
}

} // namespace

kept_problem* find_problem(bool stiff, int id, bool scaled)
{
    static std::array<std::array<std::array<std::unique_ptr<kept_problem>, ids>, 2>, 2> all;
    if (id < 1 || id >= ids) return nullptr;
    auto& p = all[stiff ? 1 : 0][scaled ? 1 : 0][static_cast<std::size_t>(id)];
    if (!p) p = make(stiff, id, scaled);
    return p.get();
}

} // namespace ivp::detest_fortran

using ivp::detest_fortran::find_problem;
using ivp::detest_fortran::kept_problem;

namespace {

// FCN and PDERV have no way to refuse; what they cannot compute must not look like a number.
void mark(double* out, int size) { std::fill(out, out + size, std::numeric_limits<double>::quiet_NaN()); }

} // namespace

int ivp_detest_find(int stiff, int id, int scaled, ivp_detest_function* found)
{
    const kept_problem* const p = find_problem(stiff != 0, id, scaled > 0);
    if (p == nullptr) return 0;
    *found = {p->f().call, p->f().self};
    return 1;
}

void ivp_detest_mark_refused(int stiff, int id, int scaled, int answer, double* yp)
{
    const kept_problem& p = *find_problem(stiff != 0, id, scaled > 0);
    if (p.equations().meaning_of(answer) != ivp::evaluation::nonfinite) mark(yp, p.n());
}

int ivp_detest_jacobian(int stiff, int id, int scaled, double x, const double* y, double* dy)
{
    kept_problem* const p = find_problem(stiff != 0, id, scaled > 0);
    if (p == nullptr) return 0;
    const int n = p->n();
    ivp::matrix_view<double> view;
    view.n = view.ld = n;
    view.data = dy;
    const auto answer = p->equations().jacobian(x, y, p->work(), view);
    if (answer != ivp::evaluation::ok && answer != ivp::evaluation::nonfinite) mark(dy, n * n);
    return 1;
}

int ivp_detest_initial(int stiff, int id, int scaled, int* n, double* x, double* xend, double* hbegin, double* hmax, double* y, double* w)
{
    const auto* const p = find_problem(stiff != 0, id, scaled > 0);
    if (p == nullptr) return 0;
    const auto& a = p->assessed();
    *n = p->n();
    *x = a.t0();
    *xend = a.tend();
    *hbegin = a.h_begin.value_or(0);
    *hmax = a.h_max;
    const auto start = p->equations().initial_values();
    std::copy(start.begin(), start.end(), y);
    // The original stores the weights whether or not they are used.
    const auto& weight = find_problem(stiff != 0, id, true)->assessed().weights;
    std::copy(weight.begin(), weight.end(), w);
    return 1;
}

int ivp_detest_end(int stiff, int id, int scaled, double* y)
{
    const auto* const p = find_problem(stiff != 0, id, scaled > 0);
    if (p == nullptr) return 0;
    std::copy(p->assessed().end.begin(), p->assessed().end.end(), y);
    return 1;
}
