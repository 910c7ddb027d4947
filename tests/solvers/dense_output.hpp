// The order of a solver's dense output, measured: one step from exact values, its error inside the step for two step sizes.
#ifndef IVP_TESTS_SOLVERS_DENSE_OUTPUT_HPP
#define IVP_TESTS_SOLVERS_DENSE_OUTPUT_HPP

#include "solvers/linear_problem.hpp"

#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ivp::testing_support {

/// Largest error of the interpolant inside the first step, which has the size h.
inline double error_inside_first_step(const solver& s, double h, const run_settings& given = {})
{
    struct first_step final : step_observer {
        double error = -1;
        observer_answer on_step(const accepted_step& step) override
        {
            for (const double s : {0.2, 0.4, 0.6, 0.8}) {
                const double t = step.t_old + s * step.h;
                double y[2];
                step.between->evaluate(t, y);
                for (int i = 0; i < 2; ++i) error = std::max(error, std::abs(y[i] - linear_problem<double>::exact(i, t)));
            }
            return observer_answer::stop;
        }
    } seen;
    run_settings settings = given;
    settings.rtol = 1e-2;
    settings.atol = {1e2}; // every step is accepted
    settings.h0 = settings.hmax = h;
    settings.repeat = 1;
    (void)measure_run(linear(), s, settings, &seen);
    return seen.error;
}

/// The error of one step is of size h^(order + 1).
inline double measured_dense_order(const solver& s, double h, const run_settings& given = {})
{
    return std::log2(error_inside_first_step(s, h, given) / error_inside_first_step(s, h / 2, given)) - 1;
}

} // namespace ivp::testing_support

#endif
