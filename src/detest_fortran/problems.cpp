// The problems of the package for FCN, PDERV, IVALU and EVALU: made when first asked for, and kept.
#include "problems.hpp"

#include "engine.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace ivp::detest_fortran {

namespace {

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

/// FCN asks for the same one again and again.
struct {
    kept_problem* found = nullptr;
    plain_function<double> f{};
    int id = 0, stiff = 0, scaled = 0; // as FCN has said it

    [[nodiscard]] bool is(int other_stiff, int other_id, int other_scaled) const
    {
        return ((id ^ other_id) | (stiff ^ other_stiff) | (scaled ^ other_scaled)) == 0 && found != nullptr;
    }
} last;

} // namespace

kept_problem* find_problem(bool stiff, int id, bool scaled)
{
    static std::map<std::tuple<bool, int, bool>, std::unique_ptr<kept_problem>> all;
    auto& p = all[{stiff, id, scaled}];
    if (!p) p = make(stiff, id, scaled);
    return p.get();
}

} // namespace ivp::detest_fortran

using ivp::detest_fortran::find_problem;
using ivp::detest_fortran::kept_problem;
using ivp::detest_fortran::last;

namespace {

/// FCN or PDERV asks for another problem than before. False: there is none.
bool find_again(int stiff, int id, int scaled)
{
    kept_problem* const p = find_problem(stiff != 0, id, scaled > 0);
    if (p != nullptr) last = {p, p->f(), id, stiff, scaled};
    return p != nullptr;
}

// FCN has no way to refuse; what it cannot compute must not look like a number.
void mark(double* out, int size) { std::fill(out, out + size, std::numeric_limits<double>::quiet_NaN()); }

} // namespace

int ivp_detest_f(int stiff, int id, int scaled, double x, const double* y, double* yp)
{
    if (!last.is(stiff, id, scaled) && !find_again(stiff, id, scaled)) [[unlikely]]
        return 0;
    if (const int answer = last.f.call(last.f.self, x, y, yp); answer != 0) [[unlikely]]
        if (last.found->equations().meaning_of(answer) != ivp::evaluation::nonfinite) mark(yp, last.found->n());
    return 1;
}

int ivp_detest_jacobian(int stiff, int id, int scaled, double x, const double* y, double* dy)
{
    if (!last.is(stiff, id, scaled) && !find_again(stiff, id, scaled)) return 0;
    kept_problem* const p = last.found;
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
