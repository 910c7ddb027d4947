// error_weights: 1 / (rtol |y| + atol), and the root mean square of vectors weighted by it.
#ifndef IVP_SOLVERS_COMMON_ERROR_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_ERROR_WEIGHTS_HPP

#include "lanes.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ivp::solvers {

class error_weights {
public:
    error_weights(const tolerances& given, int n) : n_(n), groups_(groups_of(n)), inverse_n_(1.0 / n), rtol_(n), atol_(n), inverse_(n)
    {
        for (int i = 0; i < groups_ * lane_count; ++i) {
            rtol_[i] = i < n ? given.relative(i) : 0;
            atol_[i] = i < n ? given.absolute(i) : 1;
            purely_relative_ = purely_relative_ || atol_[i] == 0;
        }
    }

    /// Takes a component out of the norms, up to the size of this tolerance.
    void loosen(int i, double tolerance) { rtol_[i] = atol_[i] = tolerance; }

    /// y: whole groups.
    void update(const double* y)
    {
        const double* const rtol = rtol_.data();
        const double* const atol = atol_.data();
        double* const inverse = inverse_.data();
        for (int i = 0; i < groups_ * lane_count; ++i) inverse[i] = 1.0 / (rtol[i] * std::abs(y[i]) + atol[i]);
    }
    /// A component that is 0 where only the relative error counts: it cannot be weighted.
    [[nodiscard]] std::optional<int> component_without_scale() const
    {
        if (!purely_relative_) return std::nullopt;
        for (int i = 0; i < n_; ++i)
            if (std::isinf(inverse_[i])) return i;
        return std::nullopt;
    }

    [[nodiscard]] const double* inverse() const { return inverse_.data(); }
    [[nodiscard]] double absolute(int i) const { return atol_[i]; }
    [[nodiscard]] double of(int i) const { return 1.0 / inverse_[i]; }
    /// No norm of the y given to update() is larger.
    [[nodiscard]] double largest_own_norm() const
    {
        double smallest = rtol_[0];
        for (int i = 1; i < n_; ++i) smallest = std::min(smallest, rtol_[i]);
        return 1.0 / smallest;
    }

    /// The norm whose squares have been summed up.
    [[nodiscard]] double norm_from(const lanes& squares) const { return std::sqrt(sum_of(squares) * inverse_n_); }
    /// v: whole groups.
    [[nodiscard]] double norm(const double* v) const
    {
        const double* const inverse = inverse_.data();
        lanes squares{};
        for (int g = 0; g < groups_; ++g) {
            const lanes weighted = load(v, g) * load(inverse, g);
            squares += weighted * weighted;
        }
        return norm_from(squares);
    }

private:
    int n_;
    int groups_;
    double inverse_n_;
    lane_vector rtol_, atol_, inverse_;
    bool purely_relative_ = false;
};

} // namespace ivp::solvers

#endif
