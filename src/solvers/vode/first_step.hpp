// The first step size: such that the second-order term of the Taylor series has about half the size of the tolerance.
#ifndef IVP_SOLVERS_VODE_FIRST_STEP_HPP
#define IVP_SOLVERS_VODE_FIRST_STEP_HPP

#include "solvers/common/weights.hpp"

#include <ivp/evaluator.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace ivp::solvers::vode_method {

/// y and f are those at t0; trial and slope are room to work in. None: the evaluator asked for a stop.
inline std::optional<double> first_step(evaluator& e, double t0, double tend, const double* y, const double* f, const weights& scale, double* trial,
                                        double* slope)
{
    constexpr int iteration_limit = 4;
    constexpr double refusal_cut = 0.2;
    const int n = e.n();
    const double lower = 100 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t0), std::abs(tend));
    double upper = 0.1 * (tend - t0);
    for (int i = 0; i < n; ++i) {
        const double change = 0.1 * std::abs(y[i]) + scale.absolute(i);
        if (std::abs(f[i]) * upper > change) upper = change / std::abs(f[i]);
    }
    double h = std::sqrt(lower * upper);
    if (upper < lower) return h;

    double next = lower;
    for (int iteration = 1; iteration <= iteration_limit; ++iteration) {
        for (int i = 0; i < n; ++i) trial[i] = y[i] + h * f[i];
        const evaluation answer = e.f(t0 + h, trial, slope);
        if (answer == evaluation::stopped) return std::nullopt;
        if (answer != evaluation::ok) {
            next = h *= refusal_cut;
            continue;
        }
        for (int i = 0; i < n; ++i) slope[i] = (slope[i] - f[i]) / h;
        const double curvature = scale.norm(slope);
        next = curvature * upper * upper > 2 ? std::sqrt(2 / curvature) : std::sqrt(h * upper);
        const double ratio = next / h;
        if (ratio > 0.5 && ratio < 2) break;
        if (iteration == iteration_limit) break;
        if (iteration > 1 && next > 2 * h) { // cancellation has spoilt the difference
            next = h;
            break;
        }
        h = next;
    }
    return std::clamp(next / 2, lower, upper);
}

} // namespace ivp::solvers::vode_method

#endif
