// step_weights: what a one-step code divides its error estimate by, atol_i + rtol_i max(|y_old_i|, |y_i|).
#ifndef IVP_SOLVERS_COMMON_STEP_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_STEP_WEIGHTS_HPP

#include <ivp/model/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

class step_weights {
public:
    step_weights(const tolerances& given, int n) : rtol_(n), atol_(n)
    {
        for (int i = 0; i < n; ++i) {
            rtol_[i] = given.relative(i);
            atol_[i] = given.absolute(i);
        }
    }
    [[nodiscard]] double operator()(int i, double y_old, double y) const { return atol_[i] + rtol_[i] * std::max(std::abs(y_old), std::abs(y)); }

private:
    std::vector<double> rtol_, atol_;
};

} // namespace ivp::solvers

#endif
