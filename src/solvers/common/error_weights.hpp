// error_weights: rtol |y| + atol for each component, and the root mean square norm they define.
#ifndef IVP_SOLVERS_COMMON_ERROR_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_ERROR_WEIGHTS_HPP

#include <ivp/model/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers {

/// sqrt(sum / n) where sum = Σ (v_i inverse_i)². Squares that overflow are summed again with the largest taken out.
inline double root_mean_square(int n, double sum, const double* v, const double* inverse)
{
    if (sum < std::numeric_limits<double>::infinity()) [[likely]]
        return std::sqrt(sum / n);
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(v[i] * inverse[i]));
    double scaled = 0;
    for (int i = 0; i < n; ++i) {
        const double q = v[i] * inverse[i] / largest;
        scaled += q * q;
    }
    return largest * std::sqrt(scaled / n); // NaN stays NaN
}

class error_weights {
public:
    error_weights(const tolerances& t, int n) : rtol_(n), atol_(n), inverse_(n)
    {
        for (int i = 0; i < n; ++i) {
            rtol_[i] = t.relative(i);
            atol_[i] = t.absolute(i);
        }
    }

    /// Takes a component out of every norm, up to the size of this tolerance.
    void loosen(int i, double tolerance) { rtol_[i] = atol_[i] = tolerance; }

    /// False if a weight is zero: a component with pure relative control has become zero.
    [[nodiscard]] bool update(const double* y)
    {
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < inverse_.size(); ++i) {
            const double w = rtol_[i] * std::abs(y[i]) + atol_[i];
            smallest = std::min(smallest, w);
            inverse_[i] = 1.0 / w;
        }
        return smallest > 0;
    }

    [[nodiscard]] double rtol(int i) const { return rtol_[i]; }
    [[nodiscard]] double atol(int i) const { return atol_[i]; }
    [[nodiscard]] double of(int i) const { return 1.0 / inverse_[i]; }
    [[nodiscard]] const double* inverse() const { return inverse_.data(); }

    [[nodiscard]] double norm(const double* v) const
    {
        const int n = static_cast<int>(inverse_.size());
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            const double q = v[i] * inverse_[i];
            sum += q * q;
        }
        return root_mean_square(n, sum, v, inverse_.data());
    }

private:
    std::vector<double> rtol_, atol_, inverse_;
};

} // namespace ivp::solvers

#endif
