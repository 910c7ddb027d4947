// TRUE: DVERK and SECDER with the arguments of the originals.
//
// They calculate in the precision of the program. The originals keep everything between two calls in the arrays of the caller. Here the state is an
// integrator, found again by the address of the array C.
#include "engine.h"
#include "foreign_equations.hpp"
#include "solvers/secder/secder_integrator.hpp"
#include "solvers/verner/dverk_integrator.hpp"

#include <ivp/evaluator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <span>
#include <string>

namespace ivp::detest_fortran {

namespace {

using solvers::advance_status;
using solvers::trial;

/// Values of IND.
enum entry : int { fresh = 1, fresh_with_options = 2, arrived = 3, before_step = 4, will_accept = 5, will_reject = 6 };

constexpr std::size_t most_integrations = 64; // that can be gone on with

struct bad_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How far the step under way has come.
enum class stage { between_steps, prepared, tried };

template <class Integrator>
struct integration {
    template <class... Settings>
    integration(const void* where, problem equations, Settings&&... settings)
        : key(where), p(std::move(equations)), e(p), integrator(e, std::forward<Settings>(settings)...)
    {}
    const void* key;
    problem p;
    evaluator e;
    Integrator integrator;
    int expected = fresh; // IND at the next entry
    stage at = stage::between_steps;
};

/// Those begun last; an older one that is asked for again is a mistake that is told.
template <class Integrator>
class integrations {
public:
    template <class... Arguments>
    integration<Integrator>& begin(const void* key, Arguments&&... arguments)
    {
        all_.remove_if([key](const auto& i) { return i->key == key; });
        if (all_.size() == most_integrations) all_.pop_back();
        all_.push_front(std::make_unique<integration<Integrator>>(key, std::forward<Arguments>(arguments)...));
        return *all_.front();
    }
    integration<Integrator>& resume(const void* key, int ind)
    {
        for (auto i = all_.begin(); i != all_.end(); ++i) {
            if ((*i)->key != key) continue;
            all_.splice(all_.begin(), all_, i);
            const int expected = (*i)->expected;
            const bool decides = expected == will_accept || expected == will_reject; // the caller may decide otherwise
            if (expected != ind && !(decides && (ind == will_accept || ind == will_reject)))
                throw bad_call(fmt::format("IND = {} at re-entry, after {}", ind, expected));
            return **i;
        }
        throw bad_call(fmt::format("IND = {}, but no integration with this array C is under way", ind));
    }

private:
    std::list<std::unique_ptr<integration<Integrator>>> all_;
};

/// What both codes take from their callers, with the names of the original.
template <class Real>
struct caller {
    int n;
    Real* x;
    Real* y;
    Real xend;
    double tol;
    int* ind;
    int error_type;
    double floor;       // one for all components
    const Real* floors; // one for each
    int max_calls;
    bool interrupt_1, interrupt_2;
};

template <class Real>
std::vector<double> widened(const Real* v, int n)
{
    return {v, v + n};
}

template <class Real>
tolerances weights_of(const caller<Real>& c)
{
    const auto floors = [&c] {
        std::vector<double> atol = widened(c.floors, c.n);
        for (double& v : atol) v = std::abs(v) * c.tol;
        return atol;
    };
    tolerances t(c.tol, c.tol); // the default: 1/max(1, |y|)
    switch (c.error_type) {
    case 1: return {0, c.tol};
    case 2: return {c.tol, 0};
    case 3: return {c.tol, c.floor * c.tol};
    case 4: t.atol = floors(); break;
    case 5:
        t.rtol = {0};
        t.atol = floors();
        break;
    default: break;
    }
    return t;
}

template <class Real>
void check_entry(const caller<Real>& c)
{
    if (*c.ind < fresh || *c.ind > will_reject) throw bad_call(fmt::format("IND = {}; allowed: 1 to 6", *c.ind));
    if (!(c.tol > 0)) throw bad_call(fmt::format("TOL = {:g}; allowed: above 0", c.tol));
}

template <class Real, class Integrator>
void give_point(const caller<Real>& c, const Integrator& i)
{
    *c.x = i.t();
    std::copy(i.y().begin(), i.y().end(), c.y);
}

/// The point must still be the one that the integration is at.
template <class Real, class Integrator>
void check_untouched(const caller<Real>& c, const Integrator& i)
{
    bool same = *c.x == i.t();
    for (int k = 0; k < c.n; ++k) same = same && c.y[k] == i.y()[static_cast<std::size_t>(k)];
    if (!same) throw bad_call("X or Y is not what TRUE returned; start again with IND = 1 or 2");
    if (c.xend == i.t()) throw bad_call("TRUE has already reached XEND");
}

bool is_ready_for_interrupt(bool prepared) { return prepared; }
bool is_ready_for_interrupt(solvers::secder_preparation p) { return p == solvers::secder_preparation::ready; }
bool has_failed(bool prepared) { return !prepared; }
bool has_failed(solvers::secder_preparation p) { return p == solvers::secder_preparation::failed; }

template <class Real>
auto prepare(solvers::basic_dverk_integrator<Real>& i, Real /*xend*/)
{
    return i.prepare();
}
template <class Real>
auto prepare(solvers::basic_secder_integrator<Real>& i, Real xend)
{
    return i.prepare(xend);
}

/// From one return to the next. told: fills what the caller may read.
template <class Real, class Integrator, class Told>
void go_on(const caller<Real>& c, integration<Integrator>& s, Told&& told)
{
    Integrator& i = s.integrator;
    const auto give_back = [&](int ind) {
        *c.ind = s.expected = ind;
        give_point(c, i);
        told();
    };
    // What our integrators know beyond the flags of the originals comes down to the last one of those.
    const auto failed = [&] { give_back(std::max(static_cast<int>(i.status()), static_cast<int>(advance_status::step_too_small))); };
    bool accepts = *c.ind == will_accept;
    for (;;) {
        if (s.at == stage::between_steps) {
            if (i.t() == c.xend) return give_back(arrived);
            const auto prepared = prepare(i, c.xend);
            if (has_failed(prepared)) return failed();
            s.at = stage::prepared;
            if (c.interrupt_1 && is_ready_for_interrupt(prepared)) return give_back(before_step);
        }
        if (s.at == stage::prepared) {
            const trial proposed = i.try_step(c.xend);
            if (proposed == trial::failed) return failed();
            s.at = stage::tried;
            accepts = proposed == trial::accepted;
            if (c.interrupt_2) return give_back(accepts ? will_accept : will_reject);
        }
        s.at = stage::between_steps;
        if (i.settle(accepts, c.xend) == trial::failed) return failed();
    }
}

/// That of the last attempt, which is the one reached where the step is not under way any more.
template <class Integrator>
auto shown_solution(const Integrator& i, int ind)
{
    return ind == arrived || ind == before_step ? i.y() : i.trial_y();
}

template <class Real>
void true_dverk(int n, ivp_detest_procedure fcn, Real* x, Real* y, Real xend, double tol, int& ind, Real* c, int nw, Real* w,
                const solvers::machine_constants& machine)
{
    static integrations<solvers::basic_dverk_integrator<Real>> all;
    if (ind == fresh) std::fill(c, c + 9, Real(0));
    const bool begins = ind == fresh || ind == fresh_with_options;
    if (begins && n > nw) throw bad_call(fmt::format("N = {} with NW = {}; allowed: at most NW", n, nw));
    for (int k = 0; k < 9; ++k) c[k] = std::abs(c[k]);
    const caller<Real> call{
        n, x, y, xend, tol, &ind, static_cast<int>(c[0]), static_cast<double>(c[1]), c + 30, static_cast<int>(c[6]), c[7] != 0, c[8] != 0};
    check_entry(call);
    auto& s = begins ? all.begin(c, foreign_problem<Real>({n, fcn, nullptr, true}, widened(y, n)), machine) : all.resume(c, ind);
    auto& i = s.integrator;
    if (begins) {
        i.start(*x, {y, static_cast<std::size_t>(n)});
        c[9] = static_cast<Real>(machine.roundoff);
        c[10] = static_cast<Real>(machine.dwarf);
        c[11] = 0;
        c[19] = *x;
    } else if (ind == arrived) {
        check_untouched(call, i);
    }
    if (begins || ind == arrived) i.control_error(weights_of(call));
    i.limits() = {c[2], c[5], c[3], c[4], static_cast<std::uint64_t>(call.max_calls)};
    if (ind == before_step) i.change_step_size(c[13]);
    go_on(call, s, [&] {
        if (c[2] == 0) c[11] = i.solution_norm();
        c[12] = i.smallest_step();
        c[13] = i.step_size();
        c[14] = c[4] != 0 ? c[4] : Real(1);
        c[15] = i.largest_step();
        c[16] = i.trial_t();
        c[17] = i.trial_h();
        c[18] = i.estimate_norm();
        if (ind == arrived) c[19] = xend;
        c[20] = ind == arrived ? Real(1) : Real(0);
        c[21] = static_cast<Real>(i.accepted());
        c[22] = static_cast<Real>(i.successive_failures());
        c[23] = static_cast<Real>(i.calls());
        std::ranges::copy(shown_solution(i, ind), w + 8 * static_cast<std::ptrdiff_t>(nw));
        std::ranges::copy(i.difference(), w + nw);
    });
}

template <class Real>
void true_secder(ivp_detest_procedure fcn, ivp_detest_procedure pderv, int ndim, int n, Real* x, Real* y, Real xend, double tol, int& ind, Real* c,
                 int* inf, Real* work, int* lud, const solvers::machine_constants& machine)
{
    static integrations<solvers::basic_secder_integrator<Real>> all;
    const bool begins = ind == fresh || ind == fresh_with_options;
    if (ind == fresh) {
        std::fill(c, c + 5, Real(0));
        std::fill(inf, inf + 5, 0);
    }
    if (begins && n > ndim) throw bad_call(fmt::format("N = {} with NDIM = {}; allowed: at most NDIM", n, ndim));
    for (int k = 0; k < 5; ++k) {
        c[k] = std::abs(c[k]);
        inf[k] = std::abs(inf[k]);
    }
    const caller<Real> call{n, x, y, xend, tol, &ind, inf[0], static_cast<double>(c[0]), c + 20, inf[2], inf[3] != 0, inf[4] != 0};
    check_entry(call);
    const int max_order = inf[1] >= 3 && inf[1] <= 9 ? inf[1] : 0;
    auto& s = begins ? all.begin(c, foreign_problem<Real>({n, fcn, pderv, false}, widened(y, n)), solvers::secder_settings{max_order, false, machine})
                     : all.resume(c, ind);
    auto& i = s.integrator;
    if (begins || ind == arrived) i.control_error(weights_of(call));
    if (begins) {
        i.start(*x, {y, static_cast<std::size_t>(n)});
        c[5] = static_cast<Real>(machine.roundoff);
        c[6] = static_cast<Real>(machine.dwarf);
        c[16] = *x;
    } else if (ind == arrived) {
        check_untouched(call, i);
    }
    i.limits() = {c[1], c[3], c[4], c[2], static_cast<std::uint64_t>(call.max_calls)};
    if (ind == before_step) i.change_step_size(c[11]);
    const auto factorisations = i.factorisations();
    go_on(call, s, [&] {
        c[7] = i.solution_norm();
        c[8] = i.smallest_step();
        c[9] = c[2] != 0 ? c[2] : Real(1);
        c[10] = i.largest_step();
        c[11] = i.step_size();
        c[12] = i.trial_t();
        c[13] = i.trial_h();
        c[14] = i.estimate_norm();
        c[15] = i.step_before();
        if (ind == arrived) c[16] = xend;
        inf[5] = i.order();
        inf[6] = i.order_limit();
        inf[8] = ind == arrived ? 1 : 0;
        inf[9] = static_cast<int>(i.accepted());
        inf[10] = static_cast<int>(i.rejected());
        inf[11] = i.successive_failures();
        inf[12] = static_cast<int>(i.calls());
        inf[13] = static_cast<int>(i.jacobians());
        inf[14] = static_cast<int>(i.factorisations());
        std::ranges::copy(shown_solution(i, ind), work);
        std::ranges::copy(i.estimate(), work + 11 * static_cast<std::ptrdiff_t>(ndim));
    });
    *lud += static_cast<int>(i.factorisations() - factorisations);
}

/// Exceptions end here: Fortran cannot take them.
template <class Call>
int answered(Call&& call, void (*put_line)(const char*, int))
{
    try {
        call();
        return 1;
    } catch (const std::exception& e) {
        const std::string text = fmt::format(" wrong call of TRUE: {}", e.what());
        put_line(text.data(), static_cast<int>(text.size()));
        return 0;
    }
}

} // namespace

} // namespace ivp::detest_fortran

using namespace ivp::detest_fortran;

// NOLINTBEGIN(readability-non-const-parameter): what the generic lambdas write is not seen
int ivp_detest_dverk(int single, int n, ivp_detest_procedure fcn, void* x, void* y, const void* xend, const void* tol, int* ind, void* c, int nw,
                     void* w, float roundoff, float underflow, void (*put_line)(const char* text, int length))
{
    const auto in = [&](auto zero) {
        using real = decltype(zero);
        true_dverk(n, fcn, static_cast<real*>(x), static_cast<real*>(y), *static_cast<const real*>(xend), *static_cast<const real*>(tol), *ind,
                   static_cast<real*>(c), nw, static_cast<real*>(w), {roundoff, underflow});
    };
    return answered([&] { single != 0 ? in(0.0F) : in(0.0); }, put_line);
}

int ivp_detest_secder(int single, ivp_detest_procedure fcn, ivp_detest_procedure pderv, int ndim, int n, void* x, void* y, const void* xend,
                      const void* tol, int* ind, void* c, int* inf, void* work, int* lud, float roundoff, float underflow,
                      void (*put_line)(const char* text, int length))
{
    const auto in = [&](auto zero) {
        using real = decltype(zero);
        true_secder(fcn, pderv, ndim, n, static_cast<real*>(x), static_cast<real*>(y), *static_cast<const real*>(xend),
                    *static_cast<const real*>(tol), *ind, static_cast<real*>(c), inf, static_cast<real*>(work), lud, {roundoff, underflow});
    };
    return answered([&] { single != 0 ? in(0.0F) : in(0.0); }, put_line);
}
// NOLINTEND(readability-non-const-parameter)
