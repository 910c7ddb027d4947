// divided_differences: the past of a variable-step BDF method with fixed leading coefficient, as modified divided differences.
//
// With the points t_n > t_{n-1} > …, psi_i(n) = t_n − t_{n-i} (i = 1, 2, …) and phi_1 = y_n, phi_j(n) = psi_1 ⋯ psi_{j-1} y[t_n, …, t_{n-j+1}],
// the polynomial through the last k + 1 points, taken at t_{n+1} = t_n + h, is the sum of beta_j phi_j, j = 1 … k + 1, where
// beta_j = Π psi_i(n+1)/psi_i(n). For j up to the number of equal steps beta_j = 1.
// Notation and formulas: Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAEs, chapter 5.
#ifndef IVP_SOLVERS_COMMON_DIVIDED_DIFFERENCES_HPP
#define IVP_SOLVERS_COMMON_DIVIDED_DIFFERENCES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ivp::solvers {

class divided_differences {
public:
    static constexpr int highest_order = 5;

    explicit divided_differences(int n, int max_order) : n_(n), max_order_(max_order)
    {
        for (auto& column : phi_) column.resize(n);
    }

    /// One point and the derivative there: a history of order 1.
    void start(const double* y, const double* yp, double h)
    {
        std::copy(y, y + n_, phi_[0].begin());
        for (int i = 0; i < n_; ++i) phi_[1][i] = h * yp[i];
        psi_[0] = h;
        order_ = 1;
        order_before_ = 0;
        h_before_ = 0;
        equal_steps_ = 0;
    }
    /// Before the first step has succeeded: the same history for ratio times the step, which then is h.
    void rescale_start(double ratio, double h)
    {
        psi_[0] = h;
        for (double& v : phi_[1]) v *= ratio;
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
        double alpha_s = 0;
        double alpha_0 = 0;
        for (int j = 0; j < order; ++j) {
            alpha_s -= 1.0 / (j + 1);
            alpha_0 -= alpha_[j];
        }
        leading_ = -alpha_s / h;
        error_constant_ = std::max(std::abs(alpha_[order] + alpha_s - alpha_0), alpha_[order]);
        scaled_ = false;
    }

    /// y' = leading() · y + what the past says; the same for all steps of one size and order.
    [[nodiscard]] double leading() const { return leading_; }
    /// The error of the formula and of the interpolation behind it is at most this times (y − predicted y).
    [[nodiscard]] double error_constant() const { return error_constant_; }
    /// Makes norms of differences comparable between orders; sigma(j) belongs to order j − 1.
    [[nodiscard]] double sigma(int j) const { return sigma_[j - 1]; }
    [[nodiscard]] int equal_steps() const { return equal_steps_; }
    [[nodiscard]] int order_before() const { return order_before_; } ///< 0: no step has succeeded yet
    [[nodiscard]] const double* phi(int j) const { return phi_[j - 1].data(); }
    [[nodiscard]] double* phi(int j) { return phi_[j - 1].data(); }

    /// Value and derivative at the end of the step by extrapolation. The first call after begin_step() moves phi there.
    void predict(double* y, double* yp)
    {
        with_order([&]<int K>(std::integral_constant<int, K>) { predict_order<K>(y, yp); });
        scaled_ = true;
    }

    /// Undoes begin_step() and predict(): the step failed.
    void withdraw(double h)
    {
        for (int j = equal_steps_; scaled_ && j <= order_; ++j) {
            const double back = 1.0 / beta_[j];
            for (double& v : phi_[j]) v *= back;
        }
        for (int j = 1; j <= order_; ++j) psi_[j - 1] = psi_[j] - h;
        scaled_ = false;
    }

    /// The step succeeded with y = predicted y + correction; the new y is phi(1).
    void accept(double h, const double* correction)
    {
        with_order([&]<int K>(std::integral_constant<int, K>) { accept_order<K>(correction); });
        order_before_ = order_;
        h_before_ = h;
        scaled_ = false;
    }

    /// The polynomial of the last successful step and its derivative at `behind` after its end (negative: inside the step). yp may be null.
    void interpolate(double behind, double* y, double* yp) const
    {
        std::copy(phi_[0].begin(), phi_[0].end(), y);
        if (yp != nullptr) std::fill(yp, yp + n_, 0.0);
        double c = 1;
        double d = 0;
        double g = behind / psi_[0];
        for (int j = 1; j <= order_before_; ++j) {
            d = d * g + c / psi_[j - 1];
            c *= g;
            g = (behind + psi_[j - 1]) / psi_[j];
            for (int i = 0; i < n_; ++i) y[i] += c * phi_[j][i];
            if (yp == nullptr) continue;
            for (int i = 0; i < n_; ++i) yp[i] += d * phi_[j][i];
        }
    }

private:
    template <class Work>
    void with_order(Work&& work)
    {
        switch (order_) {
        case 1: return work(std::integral_constant<int, 1>{});
        case 2: return work(std::integral_constant<int, 2>{});
        case 3: return work(std::integral_constant<int, 3>{});
        case 4: return work(std::integral_constant<int, 4>{});
        default: return work(std::integral_constant<int, 5>{});
        }
    }

    // One pass over all columns; a factor of 1 changes nothing.
    template <int K>
    void predict_order(double* __restrict y, double* __restrict yp)
    {
        std::array<double, K + 1> factor;
        std::array<double*, K + 1> column;
        for (int j = 0; j <= K; ++j) {
            factor[j] = scaled_ || j < equal_steps_ ? 1.0 : beta_[j];
            column[j] = phi_[j].data();
        }
#pragma GCC ivdep
        for (int i = 0; i < n_; ++i) {
            double value = column[0][i];
            double slope = 0;
#pragma GCC unroll 5
            for (int j = 1; j <= K; ++j) {
                const double moved = factor[j] * column[j][i];
                column[j][i] = moved;
                value += moved;
                slope += gamma_[j] * moved;
            }
            y[i] = value;
            yp[i] = slope;
        }
    }

    template <int K>
    void accept_order(const double* __restrict correction)
    {
        std::array<double*, K + 1> column;
        for (int j = 0; j <= K; ++j) column[j] = phi_[j].data();
        // The next difference, for the estimate of the next higher order.
        if constexpr (K < highest_order)
            if (K < max_order_) std::copy(correction, correction + n_, phi_[K + 1].begin());
#pragma GCC ivdep
        for (int i = 0; i < n_; ++i) {
            double sum = correction[i];
#pragma GCC unroll 6
            for (int j = K; j >= 0; --j) {
                sum += column[j][i];
                column[j][i] = sum;
            }
        }
    }

    int n_;
    int max_order_;
    int order_ = 1;
    int order_before_ = 0;
    double h_before_ = 0;
    int equal_steps_ = 0;
    bool scaled_ = false; ///< phi holds beta phi
    double leading_ = 0;
    double error_constant_ = 0;
    // Index j − 1 holds what the formulas call j.
    std::array<double, highest_order + 1> alpha_{1.0}, beta_{1.0}, gamma_{0.0}, sigma_{1.0}, psi_{};
    std::array<std::vector<double>, highest_order + 1> phi_;
};

} // namespace ivp::solvers

#endif
