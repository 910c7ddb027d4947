// weights: what the components of errors and increments are divided by, atol_i + rtol_i |y_i|.
//
// A solver adds its own rule for variables of index 2 and 3 (weigh_higher_index) and its own transformation of the tolerances (set_tolerance).
#ifndef IVP_SOLVERS_COMMON_WEIGHTS_HPP
#define IVP_SOLVERS_COMMON_WEIGHTS_HPP

#include "simd/components.hpp"

#include <ivp/problem.hpp>
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace ivp::solvers {

template <class R>
class basic_weights {
public:
    using value = simd::pack<R>;

    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    basic_weights(const tolerances& given, const problem& p, Memory&... memory)
        : n_(p.n()),
          inverse_n_(R(1) / R(n_)),
          rtol_(n_, memory...),
          atol_(n_, memory...),
          inverse_(n_, memory...),
          index_(indices(p)),
          highest_index_(*std::max_element(index_.begin(), index_.end())),
          scale_(highest_index_ > 1 ? n_ : 0, memory...)
    {
        for (int i = n_; i < atol_.size(); ++i) atol_[i] = R(1);
        for (int i = 0; i < n_; ++i) set_tolerance(i, R(given.relative(i)), R(given.absolute(i)));
    }

    void set_tolerance(int i, const R& relative, const R& absolute)
    {
        rtol_[i] = relative;
        atol_[i] = absolute;
        purely_relative_ = purely_relative_ || absolute == R(0);
    }
    [[nodiscard]] const R& relative(int i) const { return rtol_[i]; }
    [[nodiscard]] const R& absolute(int i) const { return atol_[i]; }
    [[nodiscard]] const R& smallest_relative() const { return *std::min_element(rtol_.data(), rtol_.data() + n_); }
    [[nodiscard]] int index(int i) const { return index_[i]; }
    [[nodiscard]] int highest_index() const { return highest_index_; }

    /// From this solution, padded.
    void update(const R* y)
    {
        const bool keeps_scale = highest_index_ > 1;
        simd::for_components<R>(n_, [&](auto at) {
            const value scale = at(atol_) + at(rtol_) * magnitude(value(at(y)));
            if (keeps_scale) at(scale_) = scale;
            at(inverse_) = R(1) / scale;
        });
    }
    /// 1/weight of variables of index 2 and 3 becomes rule(1/scale, index, i), where scale is what update() found.
    template <class Rule>
    void weigh_higher_index(const Rule& rule)
    {
        if (highest_index_ < 2) return;
        for (int i = 0; i < n_; ++i)
            if (index_[i] > 1) inverse_[i] = rule(R(R(1) / scale_[i]), index_[i], i);
    }
    /// Variables of index 2 and 3 count h and h² times.
    void weigh_higher_index_by_step(const R& h)
    {
        weigh_higher_index([&](R inverse, int index, int /*i*/) {
            for (int k = 1; k < index; ++k) inverse *= h;
            return inverse;
        });
    }
    /// A component that is 0 where only the relative error counts: it cannot be weighted.
    [[nodiscard]] std::optional<int> component_without_scale() const
    {
        if (!purely_relative_) return std::nullopt;
        for (int i = 0; i < n_; ++i)
            if (std::isinf(inverse_[i])) return i;
        return std::nullopt;
    }

    /// 1/weight, padded
    [[nodiscard]] const R* inverse() const { return inverse_.data(); }
    [[nodiscard]] R of(int i) const { return R(1) / inverse_[i]; }

    /// atol + rtol max(|y_old|, |y|): what a one-step code divides by, whatever update() was given.
    [[gnu::always_inline]] [[nodiscard]] value of_step(simd::components<R> at, const R* y_old, const R* y) const
    {
        return at(atol_) + at(rtol_) * larger(magnitude(at(y)), magnitude(at(y_old)));
    }

    /// Σ (v_i / w_i)²; v: padded.
    [[nodiscard]] R squares(const R* v) const
    {
        value sum{};
        simd::for_components<R>(n_, [&](auto at) {
            const value q = at(v) * at(inverse_.data());
            sum += q * q;
        });
        return sum_of(sum);
    }
    /// The root mean square whose squares have been summed up.
    ///
    /// NOTE: the reciprocal of n saves a division in each iteration. It rounds differently from sum/n, and rounding decides some counts: a code
    /// keeps the one it has.
    [[nodiscard]] R norm_from(const value& squares) const { return std::sqrt(sum_of(squares) * inverse_n_); }
    [[nodiscard]] R norm(const R* v) const { return std::sqrt(squares(v) * inverse_n_); }
    [[nodiscard]] R divided_norm_from(const value& squares) const { return std::sqrt(sum_of(squares) / n_); }
    [[nodiscard]] R divided_norm(const R* v) const { return std::sqrt(squares(v) / n_); }

protected:
    static std::vector<int> indices(const problem& p)
    {
        std::vector<int> index(p.n());
        for (int i = 0; i < p.n(); ++i) index[i] = p.info().index_of(i);
        return index;
    }

    int n_;
    R inverse_n_;
    simd::padded_vector<R> rtol_, atol_, inverse_;
    std::vector<int> index_;
    int highest_index_;
    simd::padded_vector<R> scale_; ///< of problems of index 2 and 3
    bool purely_relative_ = false;
};

using weights = basic_weights<double>;

} // namespace ivp::solvers

#endif
