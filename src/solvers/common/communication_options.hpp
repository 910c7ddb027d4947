// DVERK and SECDER as solvers of the platform: options, and the words for an end that is not success.
#ifndef IVP_SOLVERS_COMMON_COMMUNICATION_OPTIONS_HPP
#define IVP_SOLVERS_COMMON_COMMUNICATION_OPTIONS_HPP

#include "communication.hpp"
#include "integration.hpp"
#include "model/option_table.hpp"

#include <ivp/solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace ivp::solvers {

struct communication_settings {
    double hmin = 0;
    double scale = 0;
    std::uint64_t max_calls = 0;

    [[nodiscard]] integration_limits limits(const solve_options& o) const
    {
        integration_limits l;
        l.hmin = hmin;
        l.scale = scale;
        l.max_calls = max_calls;
        l.hmax = std::isfinite(o.hmax) ? o.hmax : 0;
        l.h0 = o.h0.value_or(0);
        return l;
    }
};

/// Settings: has the members above.
template <class Settings>
option_table<Settings> communication_options()
{
    return option_table<Settings>{{
        bind::real<Settings>("hmin", &Settings::hmin, 0, 1e300, "smallest step; 0: about ten times the rounding errors"),
        bind::real<Settings>("scale", &Settings::scale, 0, 1e300,
                             "size of the derivatives of f, which bounds the largest step by 2/scale; 0: not given"),
        bind::whole<Settings, std::uint64_t>("max_calls", &Settings::max_calls, 0, 1e15,
                                             "evaluations of f after which no further step begins; 0: no limit"),
    }};
}

inline const char* cut_reason(evaluation refusal, bool iteration_failed)
{
    if (refusal != evaluation::ok) return "the problem refuses the arguments";
    return iteration_failed ? "the iteration does not converge" : "the error test fails";
}

/// How a run whose integrator failed has ended. The reason of the last cut has been noted.
template <class Integrator>
void end_as(const Integrator& i, run_ending<double>& ending)
{
    switch (i.status()) {
    case advance_status::stopped: return ending.stopped();
    case advance_status::failed_at_start:
        if (i.accepted() == 0) return ending.at_start(i.last_refusal());
        return ending.end(outcome::nonfinite, "f cannot be evaluated at the end of a step that was accepted, t = " + to_text(i.t()));
    case advance_status::call_limit:
        return ending.end(outcome::too_many_steps, "stopped at t = " + to_text(i.t()) + " after " + std::to_string(i.calls()) +
                                                       " evaluations of f, the limit that max_calls sets");
    case advance_status::hmin_above_hmax:
        return ending.end(outcome::step_too_small, "at t = " + to_text(i.t()) + " the smallest step is above the largest one");
    case advance_status::step_too_small: return ending.step_too_small(i.t());
    case advance_status::arrived: return;
    }
}

/// Step by step to the end of the segment; `report` shows a step that was just accepted.
template <class Integrator, class Report>
solve_result integrate_segment(Integrator& i, const segment& s, run_ending<double>& ending, Report report)
{
    std::uint64_t iteration_failures = 0;
    while (i.t() != s.tend && !ending.ended()) {
        if (i.accepted() + i.rejected() >= s.max_steps) {
            ending.end(outcome::too_many_steps);
            break;
        }
        const trial seen = i.attempt(s.tend);
        if (seen == trial::accepted) report();
        const std::uint64_t failures_before = iteration_failures;
        if constexpr (requires { i.iteration_failures(); }) iteration_failures = i.iteration_failures();
        if (seen != trial::accepted) ending.note_cut(cut_reason(i.last_refusal(), iteration_failures != failures_before), i.last_refusal());
        if (seen == trial::failed) end_as(i, ending);
    }
    std::copy(i.y().begin(), i.y().end(), s.y.begin());
    solve_result result;
    result.t = i.t();
    result.accepted = i.accepted();
    result.steps = result.accepted + i.rejected();
    result.error_rejections = i.rejected() - iteration_failures;
    ending.write_to(result);
    return result;
}

} // namespace ivp::solvers

#endif
