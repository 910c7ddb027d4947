// indexed_weights: 1/(atol + rtol |y|) for each component, and a factor on top of that for variables of index 2 and 3.
#ifndef IVP_SOLVERS_COMMON_INDEXED_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_INDEXED_WEIGHTS_HPP

#include "lanes.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

class indexed_weights {
public:
    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    indexed_weights(const tolerances& given, const problem& p, Memory&... memory)
        : n_(p.n()), groups_(groups_of(n_)), rtol_(n_, memory...), atol_(n_, memory...), inverse_(n_, memory...), index_(n_)
    {
        for (int i = 0; i < groups_ * lane_count; ++i) {
            rtol_[i] = i < n_ ? given.relative(i) : 0;
            atol_[i] = i < n_ ? given.absolute(i) : 1;
        }
        for (int i = 0; i < n_; ++i) {
            index_[i] = p.info().index_of(i);
            highest_index_ = std::max(highest_index_, index_[i]);
        }
    }

    [[nodiscard]] int index(int i) const { return index_[i]; }
    [[nodiscard]] int highest_index() const { return highest_index_; }
    [[nodiscard]] double relative(int i) const { return rtol_[i]; }
    [[nodiscard]] double absolute(int i) const { return atol_[i]; }
    [[nodiscard]] const double* inverse() const { return inverse_.data(); }
    /// Σ (v_i / w_i)². v: whole groups.
    [[nodiscard]] double squares(const double* v) const
    {
        lanes sum{};
        for (int g = 0; g < groups_; ++g) {
            const lanes q = load(v, g) * load(inverse_.data(), g);
            sum += q * q;
        }
        return sum_of(sum);
    }

protected:
    /// y: whole groups; factor(i): of a component of index 2 or 3.
    template <class Factor>
    void update_with(const double* y, Factor factor)
    {
        for (int i = 0; i < groups_ * lane_count; ++i) inverse_[i] = 1.0 / (atol_[i] + rtol_[i] * std::abs(y[i]));
        if (highest_index_ < 2) return;
        for (int i = 0; i < n_; ++i)
            if (index_[i] > 1) inverse_[i] *= factor(i);
    }

    int n_;
    int groups_;
    lane_vector rtol_, atol_, inverse_;
    std::vector<int> index_;
    int highest_index_ = 1;
};

} // namespace ivp::solvers

#endif
