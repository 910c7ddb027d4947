// radau_weights: what the components of errors and increments are divided by.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_WEIGHTS_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_WEIGHTS_HPP

#include "solvers/common/componentwise.hpp"
#include <ivp/work_memory.hpp>

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

/// atol + rtol |y|, after a transformation of the tolerances that relates the estimate, of order s, to the solution, of order 2s − 1: rtol
/// becomes 0.1 rtol^((s+1)/(2s)), and atol keeps its ratio to rtol. Variables of index 2 and 3 count h and h² times.
template <class R>
class radau_weights {
public:
    radau_weights(const tolerances& given, const problem& p, int stages, work_memory& memory)
        : given_(given),
          n_(p.n()),
          rtol_(padded<R>(n_), memory),
          atol_(rtol_.size(), R(1), memory),
          index_(n_),
          scale_(rtol_.size(), memory),
          inverse_(rtol_.size(), memory)
    {
        for (int i = 0; i < n_; ++i) index_[i] = p.info().index_of(i);
        has_index_ = std::any_of(index_.begin(), index_.end(), [](int k) { return k > 1; });
        set_stages(stages);
    }

    void set_stages(int stages)
    {
        using std::pow;
        const R exponent = R(stages + 1) / R(2 * stages);
        const int distinct = given_.rtol.size() == 1 ? 1 : n_;
        for (int i = 0; i < distinct; ++i) rtol_[i] = R(0.1) * pow(R(given_.relative(i)), exponent);
        std::fill(rtol_.begin() + distinct, rtol_.begin() + n_, rtol_[0]);
        for (int i = 0; i < n_; ++i) atol_[i] = rtol_[i] * (R(given_.absolute(i)) / R(given_.relative(i)));
    }

    /// The transformed relative tolerance of one component.
    [[nodiscard]] const R& rtol(int i) const { return rtol_[i]; }

    /// From the solution at the beginning of a step, padded.
    void update(const R* y)
    {
        for_components<R>(n_, [&](auto at) {
            const component_value<R> scale = at(atol_.data()) + at(rtol_.data()) * magnitude(at(y));
            if (has_index_) at.put(scale_.data(), scale);
            at.put(inverse_.data(), R(1) / scale);
        });
    }
    /// The weights of variables of index 2 and 3 depend on the step size.
    void set_step(const R& h)
    {
        if (!has_index_) return;
        for (int i = 0; i < n_; ++i) {
            inverse_[i] = R(1) / scale_[i];
            for (int k = 1; k < index_[i]; ++k) inverse_[i] *= h;
        }
    }
    /// 1/weight, padded
    [[nodiscard]] const R* inverse() const { return inverse_.data(); }

private:
    const tolerances& given_;
    int n_;
    work_vector<R> rtol_, atol_;
    std::vector<int> index_;
    bool has_index_ = false;
    work_vector<R> scale_, inverse_;
};

} // namespace ivp::solvers

#endif
