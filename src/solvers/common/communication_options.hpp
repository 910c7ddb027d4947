// DVERK and SECDER as solvers of the platform: options, and the words for an end that is not success.
#ifndef IVP_SOLVERS_COMMON_COMMUNICATION_OPTIONS_HPP
#define IVP_SOLVERS_COMMON_COMMUNICATION_OPTIONS_HPP

#include "communication.hpp"
#include "model/option_table.hpp"
#include "run_ending.hpp"

#include <ivp/solver.hpp>

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

} // namespace ivp::solvers

#endif
