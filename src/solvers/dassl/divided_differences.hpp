// divided_differences: the past of a variable-step BDF method with fixed leading coefficient, as modified divided differences.
//
// With the points t_n > t_{n-1} > …, psi_i(n) = t_n − t_{n-i} and phi_1 = y_n, phi_j = psi_1 ⋯ psi_{j-1} y[t_n, …, t_{n-j+1}], the polynomial
// through the last k + 1 points, taken at t_{n+1} = t_n + h, is the sum of beta_j phi_j for j = 1 … k + 1, where beta_j is the product
// of psi_i(n+1)/psi_i(n) for i < j: 1 for j up to the number of equal steps.
// Notation: Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAEs, chapter 5.
#ifndef IVP_SRC_SOLVERS_DASSL_DIVIDED_DIFFERENCES_HPP
#define IVP_SRC_SOLVERS_DASSL_DIVIDED_DIFFERENCES_HPP

#include "simd/components.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ivp::solvers {

/// Vectors handed over are padded, unless stated.
class divided_differences {
public:
    static constexpr int highest_order = 5;

    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    divided_differences(int n, int max_order, Memory&... memory) : n_(n), max_order_(max_order), phi_(n, highest_order + 1, memory...)
    {}

    /// One point and the derivative there: a history of order 1. (n entries each)
    void start(const double* y, const double* yp, double h)
    {
        for (int i = 0; i < n_; ++i) {
            phi_[0][i] = y[i];
            phi_[1][i] = h * yp[i];
        }
        psi_[0] = h;
        order_before_ = 0;
        h_before_ = 0;
        equal_steps_ = 0;
    }
    /// Before the first step has succeeded: the same history for ratio times the step, which then is h.
    void rescale_start(double ratio, double h)
    {
        psi_[0] = h;
        simd::for_components<double>(n_, [&](auto at) { at(phi_[1]) *= ratio; });
    }

    /// Coefficients of a step h of this order from the present history.
    void begin_step(double h, int order)
    {
        order_ = order;
        if (h != h_before_ || order != order_before_) equal_steps_ = 0;
        equal_steps_ = std::min(equal_steps_ + 1, order_before_ + 2);
        if (order + 1 >= equal_steps_) {
            double reach = h;
            for (int j = 1; j <= order; ++j) {
                const double psi_before = psi_[j - 1];
                psi_[j - 1] = reach;
                beta_[j] = beta_[j - 1] * psi_[j - 1] / psi_before;
                reach = psi_before + h;
                alpha_[j] = h / reach;
                sigma_[j] = j * sigma_[j - 1] * alpha_[j];
                gamma_[j] = gamma_[j - 1] + alpha_[j - 1] / h;
            }
            psi_[order] = reach;
        }
        double alpha_0 = 0;
        for (int j = 0; j < order; ++j) alpha_0 -= alpha_[j];
        const double alpha_s = -harmonic_number[order];
        leading_ = -alpha_s / h;
        error_constant_ = std::max(std::abs(alpha_[order] + alpha_s - alpha_0), alpha_[order]);
        moved_ = false;
    }

    /// dy'/dy in the formula of the step; the same for all steps of one size and order.
    [[nodiscard]] double leading() const { return leading_; }
    /// Times y − predicted y: a bound of the error of the formula and of the interpolation inside the step.
    [[nodiscard]] double error_constant() const { return error_constant_; }
    /// Times phi_j: comparable between orders; sigma(j) belongs to order j − 1.
    [[nodiscard]] double sigma(int j) const { return sigma_[j - 1]; }
    [[nodiscard]] int equal_steps() const { return equal_steps_; }
    [[nodiscard]] int order_before() const { return order_before_; } ///< 0: no step has succeeded yet
    [[nodiscard]] const double* phi(int j) const { return phi_[j - 1]; }

    /// Value and derivative at the end of the step by extrapolation. The first call after begin_step() moves phi there.
    void predict(double* y, double* yp)
    {
        (this->*predictors[order_])(y, yp);
        moved_ = true;
    }

    /// Undoes begin_step() and predict(): the step failed. It may be tried again with the same order or a lower one.
    void withdraw(double h)
    {
        for (int j = equal_steps_; moved_ && j <= order_; ++j) {
            const double back = 1.0 / beta_[j];
            simd::for_components<double>(n_, [&](auto at) { at(phi_[j]) *= back; });
        }
        for (int j = 1; j <= order_; ++j) psi_[j - 1] = psi_[j] - h;
        moved_ = false;
    }

    /// The step succeeded with y = predicted y + correction; the new y is phi(1).
    void accept(double h, const double* correction)
    {
        (this->*acceptors[order_])(correction);
        order_before_ = order_;
        h_before_ = h;
    }

    /// The polynomial of the last successful step, and its derivative unless yp is null, at `behind` after its end (negative: inside the
    /// step). (n entries each)
    void interpolate(double behind, double* y, double* yp) const
    {
        std::copy_n(phi_[0], n_, y);
        if (yp != nullptr) std::fill(yp, yp + n_, 0.0);
        double c = 1;
        double d = 0;
        double factor = behind / psi_[0];
        for (int j = 1; j <= order_before_; ++j) {
            d = d * factor + c / psi_[j - 1];
            c *= factor;
            factor = (behind + psi_[j - 1]) / psi_[j];
            for (int i = 0; i < n_; ++i) y[i] += c * phi_[j][i];
            if (yp == nullptr) continue;
            for (int i = 0; i < n_; ++i) yp[i] += d * phi_[j][i];
        }
    }

private:
    using value = simd::pack<double>;

    // With the order known to the compiler one pass does everything, and a component's differences stay in registers.
    template <int K>
    void predict_order(double* y, double* yp)
    {
        const int first_moved = moved_ ? K + 1 : equal_steps_;
        simd::for_components<double>(n_, [&](auto at) {
            value sum = at(phi_[0]);
            value slope{};
            for (int j = 1; j <= K; ++j) {
                value difference = at(phi_[j]);
                if (j >= first_moved) {
                    difference *= beta_[j];
                    at(phi_[j]) = difference;
                }
                sum += difference;
                slope += gamma_[j] * difference;
            }
            at(y) = sum;
            at(yp) = slope;
        });
    }

    template <int K>
    void accept_order(const double* correction)
    {
        simd::for_components<double>(n_, [&](auto at) {
            value sum = at(correction);
            // The next difference, for the estimate of the next higher order.
            if constexpr (K < highest_order)
                if (K < max_order_) at(phi_[K + 1]) = sum;
            for (int j = K; j >= 0; --j) {
                sum += at(phi_[j]);
                at(phi_[j]) = sum;
            }
        });
    }

    using predictor = void (divided_differences::*)(double*, double*);
    using acceptor = void (divided_differences::*)(const double*);
    static const std::array<predictor, highest_order + 1> predictors;
    static const std::array<acceptor, highest_order + 1> acceptors;
    template <int... K>
    static constexpr std::array<predictor, highest_order + 1> all_predictors(std::integer_sequence<int, K...> /*orders*/)
    {
        return {&divided_differences::predict_order<K>...};
    }
    template <int... K>
    static constexpr std::array<acceptor, highest_order + 1> all_acceptors(std::integer_sequence<int, K...> /*orders*/)
    {
        return {&divided_differences::accept_order<K>...};
    }
    static constexpr std::array<double, highest_order + 1> harmonic_number = [] {
        std::array<double, highest_order + 1> sum{};
        for (int k = 1; k <= highest_order; ++k) sum[k] = sum[k - 1] + 1.0 / k;
        return sum;
    }();

    int n_;
    int max_order_;
    int order_ = 1;
    int order_before_ = 0;
    double h_before_ = 0;
    int equal_steps_ = 0;
    bool moved_ = false; ///< phi holds beta phi
    double leading_ = 0;
    double error_constant_ = 0;
    // Index j − 1 holds what the formulas call j.
    std::array<double, highest_order + 1> alpha_{1.0}, beta_{1.0}, gamma_{0.0}, sigma_{1.0}, psi_{};
    simd::padded_vectors<double, highest_order + 1> phi_;
};

inline constexpr std::array<divided_differences::predictor, divided_differences::highest_order + 1> divided_differences::predictors =
    divided_differences::all_predictors(std::make_integer_sequence<int, divided_differences::highest_order + 1>{});
inline constexpr std::array<divided_differences::acceptor, divided_differences::highest_order + 1> divided_differences::acceptors =
    divided_differences::all_acceptors(std::make_integer_sequence<int, divided_differences::highest_order + 1>{});

} // namespace ivp::solvers

#endif
