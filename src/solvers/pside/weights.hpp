// The norms of PSIDE: root mean squares with weights atol + rtol |y_n|; variables of index 2 and 3 count h and h² times.
#ifndef IVP_SOLVERS_PSIDE_WEIGHTS_HPP
#define IVP_SOLVERS_PSIDE_WEIGHTS_HPP

#include "solvers/common/componentwise.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers::pside_method {

class weights {
public:
    weights(const tolerances& given, const problem& p)
        : n_(p.n()),
          rtol_(padded<double>(n_)),
          atol_(rtol_.size(), 1.0),
          largest_growth_(rtol_.size(), growth_of_index_1),
          index_(rtol_.size(), 1),
          weight_(rtol_.size()),
          inverse_(rtol_.size()),
          growth_limit_(rtol_.size())
    {
        for (int i = 0; i < p.n(); ++i) {
            rtol_[i] = given.relative(i);
            atol_[i] = given.absolute(i);
            index_[i] = p.info().index_of(i);
            if (index_[i] > 1) largest_growth_[i] = std::numeric_limits<double>::infinity();
        }
        has_higher_index_ = std::any_of(index_.begin(), index_.end(), [](int k) { return k > 1; });
    }

    [[nodiscard]] bool has_higher_index() const { return has_higher_index_; }

    /// From the solution at the beginning of a step.
    void update(const double* y)
    {
        for_components<double>(n_, [&](auto at) {
            const lanes size = magnitude(at(y));
            const lanes atol = at(atol_.data());
            const lanes weight = atol + at(rtol_.data()) * size;
            at.put(weight_.data(), weight);
            at.put(inverse_.data(), 1.0 / weight);
            at.put(growth_limit_.data(), at(largest_growth_.data()) * (size < atol ? atol : size));
        });
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
    /// |y_i| at the end of a step may not exceed this; of index 2 and 3 it may (infinite, or not a number).
    [[nodiscard]] const double* growth_limit() const { return growth_limit_.data(); }

    [[nodiscard]] double norm(const double* x) const
    {
        return root_mean_square([&](auto at) { return lanes(at(x) * at(inverse_.data())); });
    }
    /// The norm of y' with its own weights, for the first step size.
    [[nodiscard]] double norm_of_slope(const double* yp) const
    {
        return root_mean_square([&](auto at) { return lanes(at(yp) / (at(atol_.data()) + at(rtol_.data()) * magnitude(at(yp)))); });
    }

private:
    static constexpr double growth_of_index_1 = 100;

    template <class Scaled>
    [[nodiscard]] double root_mean_square(const Scaled& scaled) const
    {
        lanes squares{};
        for_components<double>(n_, [&](auto at) {
            const lanes value = scaled(at);
            squares += value * value;
        });
        return std::sqrt(sum_of(squares) / n_);
    }

    int n_;
    std::vector<double> rtol_, atol_, largest_growth_;
    std::vector<int> index_;
    bool has_higher_index_ = false;
    std::vector<double> weight_, inverse_, growth_limit_;
};

} // namespace ivp::solvers::pside_method

#endif
