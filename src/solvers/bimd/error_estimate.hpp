// error_estimate: weights of the components, and the errors of a block at its own order and at the neighbouring ones.
#ifndef IVP_SOLVERS_BIMD_ERROR_ESTIMATE_HPP
#define IVP_SOLVERS_BIMD_ERROR_ESTIMATE_HPP

#include "block.hpp"
#include "block_matrix.hpp"
#include "control.hpp"
#include "mass_product.hpp"
#include "solvers/common/weights.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ivp::solvers::bimd_method {

/// 1/(atol + rtol |y|) for each component; h times that for index 2 and h² times that for index 3, but never more, and less where
/// rounding errors are that large.
class block_weights : public weights {
public:
    using weights::weights;

    void update(const double* y, double h, int level)
    {
        const double rounding = constants[level].index_rounding;
        weights::update(y);
        weigh_higher_index([&](double inverse, int index, int i) {
            const double noise = index == 2 ? rounding : rounding * rounding;
            const double limit = std::min(1.0, relative(i) / (unit_roundoff * 100 * noise));
            return inverse * std::min(1.0, limit * (index == 2 ? h : h * h));
        });
    }

    /// v ← v times factor(index), and its norm.
    template <class Factor>
    double scaled_norm(double* v, Factor factor) const
    {
        if (highest_index_ == 1) {
            const double common = factor(1);
            simd::for_components<double>(n_, [&](auto at) { at(v) = common * at(v); });
        } else {
            for (int i = 0; i < n_; ++i) v[i] *= factor(index_[i]);
        }
        return divided_norm(v);
    }
};

/// All from τ, h times the k-th difference of f, by deferred correction.
class error_estimate {
public:
    template <class... Memory>
    error_estimate(const mass_product& mass, const block_weights& scale, const block_matrix& matrix, Memory&... memory)
        : mass_(mass),
          weights_(scale),
          matrix_(matrix),
          n_(mass.n()),
          difference_(n_, memory...),
          difference_1_(n_, memory...),
          difference_2_(n_, memory...),
          main_(n_, memory...),
          stiff_(n_, memory...),
          work_(n_, memory...)
    {}

    /// The larger one of the two.
    [[nodiscard]] double norm() const { return std::max(main_norm_, stiff_norm_); }
    /// What stiff components contribute; small, it shows the error of the next higher order.
    [[nodiscard]] double stiff_norm() const { return stiff_norm_; }
    [[nodiscard]] const double* larger() const { return stiff_norm_ >= main_norm_ ? stiff_.data() : main_.data(); }

    /// θτ, and θ(τ − M θτ) for order 4 or θ(τ − M θ(2τ − M θτ)) above.
    template <int Level>
    void compute(const block& b, double h)
    {
        const double gamma = formula_of_level<Level>.gamma;
        double* const tau = difference_.data();
        b.highest_difference<Level>(h, tau);
        std::copy_n(tau, n_, main_.data());
        matrix_.apply(main_.data());
        if constexpr (Level == 0) {
            subtract_mass_times(1, main_.data());
        } else {
            subtract_mass_times(2, main_.data());
            matrix_.apply(stiff_.data());
            subtract_mass_times(1, stiff_.data());
        }
        matrix_.apply(stiff_.data());
        main_norm_ = weights_.scaled_norm(main_.data(), [&](int index) { return main_factor(Level, gamma, index); });
        stiff_norm_ = weights_.scaled_norm(stiff_.data(), [&](int index) {
            return index < 3 ? stiff_factor(Level, gamma, index) : stiff_factor(Level, gamma, index) / (Level == 0 ? 2 : 3);
        });
    }

    /// The norm of the main estimate as if all components were stiff.
    [[nodiscard]] double main_norm_as_if_stiff(int level, double gamma)
    {
        std::copy_n(main_.data(), n_, work_.data());
        return weights_.scaled_norm(work_.data(),
                                    [&](int index) { return index == 1 ? stiff_factor(level, gamma, 1) / main_factor(level, gamma, 1) : 1.0; });
    }

    /// Of the order below, from the first points of the block. Level: of the block.
    template <int Level>
    [[nodiscard]] double lower_order(const block& b, double h, bool stiff)
    {
        constexpr int below = Level > 0 ? Level - 1 : 0;
        const double gamma = formula_of_level<Level>.gamma;
        b.highest_difference<below>(h, work_.data());
        matrix_.apply(work_.data());
        return weights_.scaled_norm(work_.data(),
                                    [&](int index) { return stiff ? stiff_factor(below, gamma, index) : main_factor(below, gamma, index); });
    }

    /// Of the order above, from τ of this block and of the last ones: h_1, h_2 are their step sizes. They must be of the same order.
    [[nodiscard]] double higher_order(int level, double gamma, double h, double h_1, double h_2)
    {
        const int k = points[level];
        const double scale_1 = std::pow(h / h_1, k + 1.0);
        if (level == 0) {
            const double c = 2.0 / k * h / (h + h_1);
            for (int i = 0; i < n_; ++i) work_[i] = c * (difference_[i] - difference_1_[i] * scale_1);
        } else {
            const double scale_2 = std::pow(h / h_2, k + 1.0);
            const double a = h_1 + h_2;
            const double b = h + h_1;
            const double c = 8 * h * h / (a * (a + b) * b * (k * k));
            for (int i = 0; i < n_; ++i) work_[i] = c * (a * difference_[i] - (a + b) * difference_1_[i] * scale_1 + b * difference_2_[i] * scale_2);
        }
        matrix_.apply(work_.data());
        return weights_.scaled_norm(work_.data(), [&](int index) { return stiff_factor(level + 1, gamma, index); });
    }

    /// The block was accepted: its τ becomes the last one.
    void remember()
    {
        std::swap(difference_2_, difference_1_);
        std::swap(difference_1_, difference_);
    }

private:
    /// stiff_ = factor τ − M v
    void subtract_mass_times(double factor, const double* v)
    {
        simd::for_components<double>(n_, [&](auto at) { at(work_) = at(v); });
        mass_.multiply(work_.data());
        simd::for_components<double>(n_, [&](auto at) { at(stiff_) = factor * at(difference_) - at(work_); });
    }

    const mass_product& mass_;
    const block_weights& weights_;
    const block_matrix& matrix_;
    int n_;
    simd::padded_vector<double> difference_, difference_1_, difference_2_; // τ of this block and of the two before
    simd::padded_vector<double> main_, stiff_, work_;
    double main_norm_ = 0;
    double stiff_norm_ = 0;
};

} // namespace ivp::solvers::bimd_method

#endif
