// The norms of PSIDE: root mean squares with weights atol + rtol |y_n|; variables of index 2 and 3 count h and h² times.
#ifndef IVP_SOLVERS_PSIDE_WEIGHTS_HPP
#define IVP_SOLVERS_PSIDE_WEIGHTS_HPP

#include <ivp/model/problem.hpp>
#include <ivp/model/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers::pside_method {

/// Sum in a fixed order that four independent chains can follow.
inline double sum_of(const double* x, int n)
{
    double lane[4]{};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) lane[k] += x[i + k];
    for (; i < n; ++i) lane[i % 4] += x[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

class weights {
public:
    weights(const tolerances& given, const problem& p)
        : rtol_(p.n()), atol_(p.n()), index_(p.n()), weight_(p.n()), inverse_(p.n()), growth_limit_(p.n()), square_(p.n())
    {
        for (int i = 0; i < p.n(); ++i) {
            rtol_[i] = given.relative(i);
            atol_[i] = given.absolute(i);
            index_[i] = p.info().index_of(i);
        }
        has_higher_index_ = std::any_of(index_.begin(), index_.end(), [](int k) { return k > 1; });
    }

    [[nodiscard]] bool has_higher_index() const { return has_higher_index_; }

    /// From the solution at the beginning of a step.
    void update(const double* y)
    {
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            weight_[i] = atol_[i] + rtol_[i] * std::abs(y[i]);
            inverse_[i] = 1.0 / weight_[i];
            growth_limit_[i] = index_[i] > 1 ? std::numeric_limits<double>::infinity() : largest_growth * std::max(std::abs(y[i]), atol_[i]);
        }
    }
    void set_step(double h)
    {
        if (!has_higher_index_) return;
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            inverse_[i] = 1.0 / weight_[i];
            for (int k = 1; k < index_[i]; ++k) inverse_[i] *= h;
        }
    }

    [[nodiscard]] const double* inverse() const { return inverse_.data(); }
    /// |y_i| at the end of a step may not exceed this.
    [[nodiscard]] const double* growth_limit() const { return growth_limit_.data(); }

    [[nodiscard]] double norm(const double* x)
    {
        const int n = static_cast<int>(square_.size());
        for (int i = 0; i < n; ++i) {
            const double scaled = x[i] * inverse_[i];
            square_[i] = scaled * scaled;
        }
        return std::sqrt(sum_of(square_.data(), n) / n);
    }
    /// The norm of y' with its own weights, for the first step size.
    [[nodiscard]] double norm_of_slope(const double* yp)
    {
        const int n = static_cast<int>(square_.size());
        for (int i = 0; i < n; ++i) {
            const double scaled = yp[i] / (atol_[i] + rtol_[i] * std::abs(yp[i]));
            square_[i] = scaled * scaled;
        }
        return std::sqrt(sum_of(square_.data(), n) / n);
    }

private:
    static constexpr double largest_growth = 100;

    std::vector<double> rtol_, atol_;
    std::vector<int> index_;
    bool has_higher_index_ = false;
    std::vector<double> weight_, inverse_, growth_limit_, square_;
};

} // namespace ivp::solvers::pside_method

#endif
