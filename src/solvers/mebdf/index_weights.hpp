// index_weights: rtol |y| + atol for each component, divided by h for variables of index 2 and by h² for those of index 3.
#ifndef IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP
#define IVP_SOLVERS_MEBDF_INDEX_WEIGHTS_HPP

#include "solvers/common/weights.hpp"

#include <cmath>
#include <limits>

namespace ivp::solvers::mebdf {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

class index_weights : public weights {
public:
    using weights::weights;

    /// y: padded; h: the step size.
    void update(const double* y, double h)
    {
        weights::update(y);
        weigh_higher_index([&](double inverse, int index, int /*i*/) { return inverse * (index > 2 ? h * h : h); });
    }

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

    /// Σ ((u_i − v_i) / w_i)²
    [[nodiscard]] double squares_of_difference(const double* u, const double* v) const
    {
        value sum{};
        simd::for_components<double>(n_, [&](auto at) {
            const value q = (at(u) - at(v)) * at(inverse());
            sum += q * q;
        });
        return sum_of(sum);
    }
};

} // namespace ivp::solvers::mebdf

#endif
