// step_weights: what a one-step code divides its error estimate by, atol_i + rtol_i max(|y_old_i|, |y_i|).
#ifndef IVP_SOLVERS_COMMON_STEP_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_STEP_WEIGHTS_HPP

#include "componentwise.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

class step_weights {
public:
    step_weights(const tolerances& given, int n) : rtol_(padded<double>(n)), atol_(rtol_.size(), 1.0)
    {
        for (int i = 0; i < n; ++i) {
            rtol_[i] = given.relative(i);
            atol_[i] = given.absolute(i);
        }
    }
    [[nodiscard]] double operator()(int i, double y_old, double y) const { return atol_[i] + rtol_[i] * std::max(std::abs(y_old), std::abs(y)); }

    /// Those of four components.
    [[nodiscard]] lanes operator()(four_components at, const double* y_old, const double* y) const
    {
        const lanes old_size = magnitude(at(y_old));
        const lanes new_size = magnitude(at(y));
        return at(atol_.data()) + at(rtol_.data()) * (old_size < new_size ? new_size : old_size);
    }

private:
    std::vector<double> rtol_, atol_;
};

} // namespace ivp::solvers

#endif
