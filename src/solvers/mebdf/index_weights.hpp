// index_weights: rtol |y| + atol for each component, divided by h for variables of index 2 and by h² for those of index 3.
#ifndef IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP
#define IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP

#include "solvers/common/lanes.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp::solvers::mebdf {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

class index_weights {
public:
    index_weights(const tolerances& given, const problem& p, work_memory& memory)
        : n_(p.n()), groups_(groups_of(n_)), rtol_(n_, memory), atol_(n_, memory), index_(n_, memory), inverse_(n_, memory)
    {
        for (int i = 0; i < groups_ * lane_count; ++i) {
            const bool inside = i < p.n();
            rtol_[i] = inside ? given.relative(i) : 0;
            atol_[i] = inside ? given.absolute(i) : 1;
            index_[i] = inside ? p.info().index_of(i) : 1;
            highest_index_ = std::max(highest_index_, static_cast<int>(index_[i]));
        }
    }

    /// y: whole groups; h: the step size.
    void update(const double* y, double h)
    {
        for (int i = 0; i < groups_ * lane_count; ++i) inverse_[i] = 1.0 / (rtol_[i] * std::abs(y[i]) + atol_[i]);
        if (highest_index_ < 2) return;
        for (int i = 0; i < groups_ * lane_count; ++i) inverse_[i] *= index_[i] > 2 ? h * h : index_[i] > 1 ? h : 1.0;
    }

    [[nodiscard]] int highest_index() const { return highest_index_; }
    [[nodiscard]] const double* inverse() const { return inverse_.data(); }
    /// Without the factor of the index.
    [[nodiscard]] double plain(int i, double y) const { return rtol_[i] * std::abs(y) + atol_[i]; }
    /// For increments of difference quotients: what the slope can change y by in a step, at the level of rounding. n entries each.
    [[nodiscard]] double rounding_of_step(const double* slope, const double* y, double h) const
    {
        double sum = 0;
        for (int i = 0; i < n_; ++i) {
            const double v = slope[i] * plain(i, y[i]);
            sum += v * v;
        }
        return 1000 * unit_roundoff * h * std::sqrt(sum);
    }

    /// Σ (v_i / w_i)². v: whole groups.
    [[nodiscard]] double squares(const double* v) const
    {
        lanes sum{};
        for (int g = 0; g < groups_; ++g) {
            const lanes q = load(v, g) * load(inverse_.data(), g);
            sum += q * q;
        }
        return sum_of(sum);
    }
    /// Σ ((u_i − v_i) / w_i)²
    [[nodiscard]] double squares_of_difference(const double* u, const double* v) const
    {
        lanes sum{};
        for (int g = 0; g < groups_; ++g) {
            const lanes q = (load(u, g) - load(v, g)) * load(inverse_.data(), g);
            sum += q * q;
        }
        return sum_of(sum);
    }

private:
    int n_;
    int groups_;
    lane_vector rtol_, atol_, index_, inverse_;
    int highest_index_ = 1;
};

} // namespace ivp::solvers::mebdf

#endif
