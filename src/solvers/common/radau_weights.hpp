// radau_weights: what the components of errors and increments are divided by.
#ifndef IVP_SOLVERS_COMMON_RADAU_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_RADAU_WEIGHTS_HPP

#include <ivp/model/problem.hpp>
#include <ivp/model/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

/// atol + rtol |y|, after a transformation of the tolerances that relates the estimate, of order s, to the solution, of order 2s − 1: rtol
/// becomes 0.1 rtol^((s+1)/(2s)), and atol keeps its ratio to rtol. Variables of index 2 and 3 count h and h² times.
template <class R>
class radau_weights {
public:
    radau_weights(const tolerances& given, const problem& p, int stages)
        : given_(given), rtol_(p.n()), atol_(p.n()), index_(p.n()), scale_(p.n()), inverse_(p.n())
    {
        for (int i = 0; i < p.n(); ++i) index_[i] = p.info().index_of(i);
        has_index_ = std::any_of(index_.begin(), index_.end(), [](int k) { return k > 1; });
        set_stages(stages);
    }

    void set_stages(int stages)
    {
        using std::pow;
        const R exponent = R(stages + 1) / R(2 * stages);
        const int distinct = given_.rtol.size() == 1 ? 1 : static_cast<int>(rtol_.size());
        for (int i = 0; i < distinct; ++i) rtol_[i] = R(0.1) * pow(R(given_.relative(i)), exponent);
        std::fill(rtol_.begin() + distinct, rtol_.end(), rtol_[0]);
        for (std::size_t i = 0; i < rtol_.size(); ++i) {
            const int k = static_cast<int>(i);
            atol_[i] = rtol_[i] * (R(given_.absolute(k)) / R(given_.relative(k)));
        }
    }

    /// The transformed relative tolerance of one component.
    [[nodiscard]] const R& rtol(int i) const { return rtol_[i]; }

    /// From the solution at the beginning of a step.
    void update(const R* y)
    {
        using std::abs;
        for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = atol_[i] + rtol_[i] * abs(y[i]);
        if (!has_index_) invert();
    }
    /// The weights of variables of index 2 and 3 depend on the step size.
    void set_step(const R& h)
    {
        if (!has_index_) return;
        invert();
        for (std::size_t i = 0; i < scale_.size(); ++i)
            for (int k = 1; k < index_[i]; ++k) inverse_[i] *= h;
    }
    /// 1/weight
    [[nodiscard]] const R* inverse() const { return inverse_.data(); }

private:
    void invert()
    {
        for (std::size_t i = 0; i < scale_.size(); ++i) inverse_[i] = R(1) / scale_[i];
    }

    const tolerances& given_;
    std::vector<R> rtol_, atol_;
    std::vector<int> index_;
    bool has_index_ = false;
    std::vector<R> scale_, inverse_;
};

} // namespace ivp::solvers

#endif
