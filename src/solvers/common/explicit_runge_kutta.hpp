// Pieces of explicit Runge-Kutta codes: sums over the stages, the first step size, the detection of stiffness.
//
// A tableau is written once, as a table of constants: Table[s][j] is the factor of k_j in row s. Zeros are left out at compile time.
#ifndef IVP_SOLVERS_COMMON_EXPLICIT_RUNGE_KUTTA_HPP
#define IVP_SOLVERS_COMMON_EXPLICIT_RUNGE_KUTTA_HPP

#include "simd/components.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ivp::solvers {

/// Σ_j Table[Row][j] k_j, from the left.
template <const auto& Table, int Row, class Real = double>
class stage_sum {
    static constexpr std::size_t count = [] {
        std::size_t nonzeros = 0;
        for (const double a : Table[Row]) nonzeros += a != 0 ? 1 : 0;
        return nonzeros;
    }();
    static constexpr std::array<std::size_t, count> column = [] {
        std::array<std::size_t, count> found{};
        std::size_t next = 0;
        for (std::size_t j = 0; j < Table[Row].size(); ++j)
            if (Table[Row][j] != 0) found[next++] = j;
        return found;
    }();
    static_assert(count > 0);

    using value = simd::pack<Real>;

    template <std::size_t... J>
    static value add(const std::array<value, count>& x, std::index_sequence<J...> /*terms*/)
    {
        return (... + (static_cast<Real>(Table[Row][column[J]]) * x[J]));
    }

public:
    /// The last slope that it needs has just been evaluated.
    template <simd::reading JustWritten>
    static value at(const Real* const* k, simd::components<Real, JustWritten> here)
    {
        std::array<value, count> x;
        simd::unrolled<static_cast<int>(count) - 1>([&](auto j) { x[j] = here(k[column[j]]); });
        x[count - 1] = here(simd::just_written(k[column[count - 1]]));
        return add(x, std::make_index_sequence<count>{});
    }
    /// The same for one component, where vectors are not padded.
    static Real at(const Real* const* k, int i)
    {
        Real sum = static_cast<Real>(Table[Row][column[0]]) * k[column[0]][i];
        for (std::size_t j = 1; j < count; ++j) sum += static_cast<Real>(Table[Row][column[j]]) * k[column[j]][i];
        return sum;
    }

    /// out = y + h Σ
    static void advance(int n, const Real* y, Real h, const Real* const* k, Real* out)
    {
        if constexpr (count == 1) {
            const Real step = h * static_cast<Real>(Table[Row][column[0]]);
            simd::for_many_components<Real>(n, [&](auto here) { here(out) = here(y) + step * here(simd::just_written(k[column[0]])); });
        } else {
            simd::for_many_components<Real>(n, [&](auto here) { here(out) = here(y) + h * at(k, here); });
        }
    }
};

/// A first step size for a method of this order, from the sizes of y, y' and y'' at the start: one evaluation after an Euler step.
/// slope: f(t, y). The two work vectors are overwritten. Where the Euler step leaves the domain, its own size is the answer.
inline double initial_step(evaluator& e, double t, const double* y, const double* slope, int order, double hmax, const tolerances& tolerance,
                           double* trial, double* new_slope)
{
    const int n = e.n();
    const auto size_of = [&](auto&& value) {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            const double v = value(i) / (tolerance.absolute(i) + tolerance.relative(i) * std::abs(y[i]));
            sum += v * v;
        }
        return sum;
    };
    const double slope_size = size_of([&](int i) { return slope[i]; });
    const double y_size = size_of([&](int i) { return y[i]; });
    const bool vanishes = slope_size <= 1e-10 || y_size <= 1e-10;
    const double euler = std::min(hmax, vanishes ? 1e-6 : std::sqrt(y_size / slope_size) * 0.01);
    for (int i = 0; i < n; ++i) trial[i] = y[i] + euler * slope[i];
    if (e.f(t + euler, trial, new_slope) != evaluation::ok) return euler;
    const double second = std::sqrt(size_of([&](int i) { return new_slope[i] - slope[i]; })) / euler;
    const double largest = std::max(second, std::sqrt(slope_size));
    const double by_order = largest <= 1e-15 ? std::max(1e-6, euler * 1e-3) : std::pow(0.01 / largest, 1.0 / order);
    return std::min({100 * euler, by_order, hmax});
}

/// Watches h times an estimate of the largest eigenvalue of the Jacobian. Where it stays at the border of the stability domain, the step
/// size is dictated by stability, not by accuracy.
class stiffness_detector {
public:
    /// limit: the border on the negative real axis. every: accepted steps between two looks; 0: never looks.
    stiffness_detector(double limit, std::uint64_t every) : limit_(limit), every_(every) {}

    [[nodiscard]] bool looks_at(std::uint64_t accepted) const { return every_ != 0 && (accepted % every_ == 0 || suspicions_ > 0); }

    /// Two arguments of f at the same time, with their slopes. True: stiffness is suspected, now for the 15th time.
    bool suspects(int n, double h, const double* y, const double* slope, const double* other, const double* other_slope)
    {
        double slopes = 0;
        double arguments = 0;
        for (int i = 0; i < n; ++i) {
            const double ds = slope[i] - other_slope[i];
            const double dy = y[i] - other[i];
            slopes += ds * ds;
            arguments += dy * dy;
        }
        if (arguments > 0) h_lambda_ = h * std::sqrt(slopes / arguments);
        if (h_lambda_ > limit_) {
            calm_ = 0;
            return ++suspicions_ == enough_suspicions;
        }
        if (++calm_ == enough_calm) suspicions_ = 0;
        return false;
    }
    [[nodiscard]] double h_lambda() const { return h_lambda_; }

private:
    static constexpr int enough_suspicions = 15;
    static constexpr int enough_calm = 6;
    double limit_;
    std::uint64_t every_;
    double h_lambda_ = 0;
    int suspicions_ = 0;
    int calm_ = 0;
};

} // namespace ivp::solvers

#endif
