// splitting_iteration: solves the equations of a block, one after the other in every sweep.
//
//   (M − h λ J) δ_i = M (y_i − y_{i−1}) − h ( Σ_{j<i} l_ij (f(y_j) − f_j) + Σ_j b_ij f_j ),   y_i ← y_i − δ_i
//
// f_j are the slopes of the sweep before; y_1 … y_{i−1} and their slopes f(y_j) are already those of this one.
#ifndef IVP_SOLVERS_GAMD_SPLITTING_ITERATION_HPP
#define IVP_SOLVERS_GAMD_SPLITTING_ITERATION_HPP

#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace ivp::solvers::gamd_method {

enum class iteration_end { converged, failed, refused, stopped };

struct iteration_limits {
    double tolerance;  ///< of the largest update, in the norm of the weights
    double divergence; ///< ratio of two updates that ends the iteration
    int sweeps;        ///< after that many one more is made
};

class splitting_iteration {
public:
    splitting_iteration(evaluator& e, work_memory& memory)
        : e_(e),
          n_(e.n()),
          with_mass_(e.mass().kind() != mass_kind::identity),
          next_f_(n_, most_points, memory),
          update_(n_, memory),
          increment_(n_, memory),
          product_(n_, memory)
    {}

    /// From the values and slopes in b.
    iteration_end solve(int order, block& b, double h, block_matrix& matrix, const block_weights& weights, const iteration_limits& limits)
    {
        refusal_ = evaluation::ok;
        matrix.set_accuracy(weights.inverse(), linear_fraction * limits.tolerance);
        double ratio = 1;
        double last_error = 1;
        for (int sweep = 0;; ++sweep) {
            const double largest_error = sweep == 0 ? std::numeric_limits<double>::infinity() : limits.divergence * last_error;
            const iteration_end end = with_order(order, [&]<int P>() { return this->template sweep<P>(b, h, matrix, weights, largest_error); });
            ++sweeps_;
            if (end != iteration_end::converged) return end;
            const double ratio_before = ratio;
            ratio = error_ / last_error;
            contraction_ = sweep < 2 ? limits.divergence / 2 : sweep == 2 ? ratio : std::sqrt(ratio * ratio_before);
            if (error_ <= limits.tolerance) return iteration_end::converged;
            const bool contracts = contraction_ < limits.divergence || sweep < 2;
            if (sweep >= limits.sweeps || !contracts) return iteration_end::failed;
            last_error = error_;
        }
    }

    /// Estimate from the last iteration; before its third sweep half of what would be divergence.
    [[nodiscard]] double contraction() const { return contraction_; }
    [[nodiscard]] evaluation refusal() const { return refusal_; }
    [[nodiscard]] std::uint64_t sweeps() const { return sweeps_; }

private:
    using value = simd::pack<double>;

    template <int P>
    iteration_end sweep(block& b, double h, block_matrix& matrix, const block_weights& weights, double largest_error)
    {
        error_ = 0;
        iteration_end end = iteration_end::converged;
        const auto one = [&]<int I>() {
            make_right_hand_side<P, I>(b, h, matrix.scale());
            const double norm = advance(b.y[I], matrix.solve(update_.data()), weights);
            error_ = std::max(error_, norm);
            if (!(norm <= largest_error)) {
                end = iteration_end::failed;
                return false;
            }
            refusal_ = e_.f(b.t[I], b.y[I], next_f_[I]);
            if (refusal_ == evaluation::ok) return true;
            end = refusal_ == evaluation::stopped ? iteration_end::stopped : iteration_end::refused;
            return false;
        };
        const bool done = [&]<int... K>(std::integer_sequence<int, K...> /*all*/) { return (one.template operator()<K + 1>() && ...); }
        (std::make_integer_sequence<int, block_method<P>::equations>{});
        if (done)
            for (int i = 1; i <= block_method<P>::equations; ++i) b.f.exchange_with(next_f_, i);
        return end;
    }

    template <int P, int I>
    void make_right_hand_side(const block& b, double h, double scale)
    {
        using method = block_method<P>;
        const double* const y = b.y[I];
        const double* const y_before = b.y[I - 1];
        if (with_mass_) {
            simd::for_components<double>(n_, [&](auto at) { at(increment_) = at(y) - at(y_before); });
            e_.mass().multiply(increment_.data(), product_.data());
        }
        simd::for_components<double>(n_, [&](auto at) {
            value sum{};
            simd::unrolled<method::points>([&](auto j) {
                constexpr double w = method::weights[I - 1][j];
                if constexpr (w != 0) sum += w * at(b.f[j]);
            });
            // The slope that has just been evaluated comes last: all else is computed while it is awaited.
            simd::unrolled<I - 1>([&](auto j) {
                constexpr double l = splitting<P>::lower[I - 2][j];
                if constexpr (l != 0) {
                    const double* const f_new = next_f_[j + 1];
                    constexpr bool just_evaluated = j == I - 2;
                    sum += l * ((just_evaluated ? at(simd::just_written(f_new)) : at(f_new)) - at(b.f[j + 1]));
                }
            });
            const value left = with_mass_ ? value(at(product_)) : at(y) - at(y_before);
            at(update_) = scale * (left - h * sum);
        });
    }

    double advance(double* y, simd::just_written<double> update, const block_weights& weights) const
    {
        value squares{};
        simd::for_components<double>(n_, [&](auto at) {
            const value d = at(update);
            at(y) -= d;
            const value weighted = d * at(weights.inverse());
            squares += weighted * weighted;
        });
        return weights.divided_norm_from(squares);
    }

    evaluator& e_;
    int n_;
    bool with_mass_;
    point_vectors next_f_;
    simd::padded_vector<double> update_, increment_, product_;
    double error_ = 0; // of the last sweep
    double contraction_ = 1;
    evaluation refusal_ = evaluation::ok;
    std::uint64_t sweeps_ = 0;
};

} // namespace ivp::solvers::gamd_method

#endif
