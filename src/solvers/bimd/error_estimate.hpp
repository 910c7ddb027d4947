// error_estimate: weights of the components, and the errors of a block at its own order and at the neighbouring ones.
#ifndef IVP_SOLVERS_BIMD_ERROR_ESTIMATE_HPP
#define IVP_SOLVERS_BIMD_ERROR_ESTIMATE_HPP

#include "block.hpp"
#include "control.hpp"
#include "iteration_matrix.hpp"
#include "mass_product.hpp"

#include "solvers/common/indexed_weights.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ivp::solvers::bimd_method {

/// 1/(atol + rtol |y|) for each component; h times that for index 2 and h² times that for index 3, but never more, and less where
/// rounding errors are that large.
class block_weights : public indexed_weights {
public:
    block_weights(const tolerances& given, const problem& p) : indexed_weights(given, p)
    {
        for (int i = 0; i < n_; ++i) smallest_rtol_ = std::min(smallest_rtol_, given.relative(i));
    }

    [[nodiscard]] double smallest_rtol() const { return smallest_rtol_; }

    void update(const double* y, double h, int level)
    {
        const double rounding = constants[level].index_rounding;
        update_with(y, [&](int i) {
            const double noise = index_[i] == 2 ? rounding : rounding * rounding;
            const double limit = std::min(1.0, rtol_[i] / (unit_roundoff * 100 * noise));
            return std::min(1.0, limit * (index_[i] == 2 ? h : h * h));
        });
    }

    /// Root mean square. v: whole groups.
    [[nodiscard]] double norm(const double* v) const { return std::sqrt(squares(v) / n_); }
    /// v ← v times factor(index), and its norm.
    template <class Factor>
    double scaled_norm(double* v, Factor factor) const
    {
        if (highest_index_ == 1) {
            const double common = factor(1);
            for (int g = 0; g < groups_; ++g) store(v, g, common * load(v, g));
        } else {
            for (int i = 0; i < n_; ++i) v[i] *= factor(index_[i]);
        }
        return norm(v);
    }

private:
    double smallest_rtol_ = 1;
};

/// All from τ, h times the k-th difference of f, by deferred correction.
class error_estimate {
public:
    error_estimate(const mass_product& mass, const block_weights& weights, const iteration_matrix& matrix)
        : mass_(mass),
          weights_(weights),
          matrix_(matrix),
          n_(mass.n()),
          groups_(groups_of(n_)),
          difference_(n_),
          difference_1_(n_),
          difference_2_(n_),
          main_(n_),
          stiff_(n_),
          work_(n_)
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
        for (int g = 0; g < groups_; ++g) store(work_.data(), g, load(v, g));
        mass_.multiply(work_.data());
        for (int g = 0; g < groups_; ++g) store(stiff_.data(), g, factor * load(difference_.data(), g) - load(work_.data(), g));
    }

    const mass_product& mass_;
    const block_weights& weights_;
    const iteration_matrix& matrix_;
    int n_;
    int groups_;
    lane_vector difference_, difference_1_, difference_2_; // τ of this block and of the two before
    lane_vector main_, stiff_, work_;
    double main_norm_ = 0;
    double stiff_norm_ = 0;
};

} // namespace ivp::solvers::bimd_method

#endif
