// index_weights: rtol |y| + atol for each component, divided by h for variables of index 2 and by h² for those of index 3.
#ifndef IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP
#define IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP

#include "../common/lanes.hpp"

#include <ivp/model/problem.hpp>
#include <ivp/model/tolerance.hpp>

#include <cmath>

namespace ivp::solvers::mebdf {

class index_weights {
public:
    index_weights(const tolerances& given, const problem& p) : groups_(groups_of(p.n())), rtol_(p.n()), atol_(p.n()), index_(p.n()), inverse_(p.n())
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
    [[nodiscard]] double absolute(int i) const { return atol_[i]; }
    [[nodiscard]] double relative(int i) const { return rtol_[i]; }

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
    int groups_;
    lane_vector rtol_, atol_, index_, inverse_;
    int highest_index_ = 1;
};

} // namespace ivp::solvers::mebdf

#endif
