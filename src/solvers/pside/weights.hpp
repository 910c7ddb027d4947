// The norms of PSIDE: root mean squares with weights atol + rtol |y_n|; variables of index 2 and 3 count h and h² times.
#ifndef IVP_SOLVERS_PSIDE_WEIGHTS_HPP
#define IVP_SOLVERS_PSIDE_WEIGHTS_HPP

#include "solvers/common/weights.hpp"

#include <limits>

namespace ivp::solvers::pside_method {

class growth_weights : public weights {
public:
    growth_weights(const tolerances& given, const problem& p, work_memory& memory)
        : weights(given, p, memory), largest_growth_(n_, memory), growth_limit_(n_, memory)
    {
        for (int i = 0; i < largest_growth_.size(); ++i)
            largest_growth_[i] = i < n_ && index(i) > 1 ? std::numeric_limits<double>::infinity() : growth_of_index_1;
    }

    /// From the solution at the beginning of a step, padded.
    void update(const double* y)
    {
        weights::update(y);
        simd::for_components<double>(n_, [&](auto at) { at(growth_limit_) = at(largest_growth_) * larger(value(at(atol_)), magnitude(at(y))); });
    }

    /// |y_i| at the end of a step may not exceed this; of index 2 and 3 it may (infinite, or not a number).
    [[nodiscard]] const double* growth_limit() const { return growth_limit_.data(); }

    /// The norm of y' with its own weights, for the first step size.
    [[nodiscard]] double norm_of_slope(const double* yp) const
    {
        value squares{};
        simd::for_components<double>(n_, [&](auto at) {
            const value scaled = at(yp) / (at(atol_) + at(rtol_) * magnitude(at(yp)));
            squares += scaled * scaled;
        });
        return divided_norm_from(squares);
    }

private:
    static constexpr double growth_of_index_1 = 100;

    simd::padded_vector<double> largest_growth_, growth_limit_;
};

} // namespace ivp::solvers::pside_method

#endif
