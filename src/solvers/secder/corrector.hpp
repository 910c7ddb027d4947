// The iteration of SECDER: solves the formula of an attempted step by Newton's method, and estimates the step's error on the way.
#ifndef IVP_SOLVERS_SECDER_CORRECTOR_HPP
#define IVP_SOLVERS_SECDER_CORRECTOR_HPP

#include "coefficients.hpp"
#include "derivatives.hpp"
#include "slope_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::solvers {

// NOTE: by repeated squaring, which rounds as the original's whole powers do; std::pow rounds better, and counts that rounding decides differ.
inline double whole_power(double base, int exponent)
{
    double power = exponent % 2 == 1 ? base : 1;
    while ((exponent /= 2) > 0) {
        base *= base;
        if (exponent % 2 == 1) power *= base;
    }
    return power;
}

/// Largest of the values times their weights.
template <class Value>
double largest_weighted(const std::vector<double>& weight, Value value)
{
    double largest = 0;
    for (int i = 0; i < static_cast<int>(weight.size()); ++i) largest = std::max(largest, std::abs(value(i)) * weight[i]);
    return largest;
}

struct attempted_step {
    explicit attempted_step(int n) : y(n), predicted(n), slope(n), second(n), gap(n), estimate(n) {}

    double t = 0;    ///< its end
    double h = 0;    ///< signed
    double size = 0; ///< of h
    int order = 3;
    std::vector<double> y;         ///< before the iteration its first guess
    std::vector<double> predicted; ///< what the error is estimated by
    std::vector<double> slope;     ///< f at its end
    std::vector<double> second;    ///< y'' there
    std::vector<double> gap;       ///< predictor minus corrector
    std::vector<double> estimate;  ///< of the error
    double estimate_norm = 0;

    [[nodiscard]] int k() const { return order - 2; }
};

/// What else the iteration depends on.
struct corrector_request {
    const std::vector<double>& y; ///< at the beginning of the step
    const slope_history& history;
    const std::vector<double>& weight;
    double tol;
    double y_norm;
    bool knows_matrix; ///< that of the step before fits
};

class secder_corrector {
public:
    secder_corrector(evaluator& e, const solve_options& options, double roundoff)
        : e_(e),
          n_(e.n()),
          roundoff_(roundoff),
          derivatives_(e, options, roundoff),
          guess_(n_),
          slope_at_guess_(n_),
          constant_(n_),
          old_slope_(n_),
          correction_(n_)
    {}

    void forget_counts() { calls_ = jacobians_ = factorisations_ = 0; }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] std::uint64_t jacobians() const { return jacobians_; }
    [[nodiscard]] std::uint64_t factorisations() const { return factorisations_; }

    evaluation slope_at(double t, const double* y, double* out)
    {
        ++calls_;
        return e_.f(t, y, out);
    }
    /// J and f_t at (t, y), where f = slope; where they are found by differences, t moves this way.
    evaluation linearise(double t, const double* y, const double* slope, double towards)
    {
        ++jacobians_;
        return derivatives_.linearise(t, y, slope, towards, correction_.data());
    }
    /// y'' by the J at hand.
    void second_derivative(const double* slope, double* out) const { derivatives_.second(slope, out); }

    /// False: the iteration fails. True: it has converged, or the error estimate is too large already. matrix_updates: in this step so far.
    bool iterate(attempted_step& s, const corrector_request& with, int& matrix_updates)
    {
        refusal_ = evaluation::ok;
        if (!usable(slope_at(s.t, s.y.data(), s.slope.data())) || !usable(linearise(s.t, s.y.data(), s.slope.data(), -s.h))) return false;
        guess_ = s.y;
        slope_at_guess_ = s.slope;
        const double first_rate = s.size * prepare(s, with);
        double expected_rate = first_rate;
        double past_rate = first_rate;
        double rate = 1; // change of h f over an iteration
        const double negligible = std::min(roundoff_, 0.1 * with.tol);
        const double small = std::max(std::max(0.01 * with.tol, roundoff_ * with.y_norm), roundoff_);
        const int patience = n_ / 6;
        bool renews = !with.knows_matrix;
        bool fresh = false; // the matrix was made in this step

        for (int count = 1;;) {
            if (renews) {
                if (count != 1 && !usable(linearise(s.t, s.y.data(), s.slope.data(), -s.h))) return false;
                if (!factor(s)) return false;
                fresh = true;
            }
            const double correction = correct(s, with.weight);
            if (!std::isfinite(correction)) return false;
            const bool is_small = correction <= small;
            const bool is_negligible = count == 2 && correction <= negligible;
            if (!((rate <= negligible && is_small) || is_negligible)) {
                old_slope_.swap(s.slope);
                if (!usable(slope_at(s.t, s.y.data(), s.slope.data()))) return false;
                rate = std::max(s.size * change_of_slope(old_slope_.data(), s.slope.data()), negligible);
            }
            if ((rate <= std::min(with.tol, 1e-3) && is_small) || is_negligible) {
                finish(s);
                return true;
            }
            if (count++ == iteration_limit) return false;
            if (s.estimate_norm > with.tol) {
                // Far beyond the tolerance the estimate itself is not to be trusted.
                if (fresh) return s.estimate_norm <= 0.25 * whole_power(1.9, s.order) * with.tol;
                renews = true;
                s.y = guess_;
                s.slope = slope_at_guess_;
                expected_rate = past_rate = first_rate;
                continue;
            }
            if (rate <= expected_rate || (count == 2 && fresh) || is_small)
                renews = false;
            else if (rate > patience * expected_rate)
                renews = true;
            if (renews) ++matrix_updates;
            if (matrix_updates > matrix_limit) renews = false;
            const double contraction = std::clamp(rate / past_rate, 0.2, 0.5);
            past_rate = rate;
            if (count == 2 || expected_rate > contraction * rate) expected_rate = std::max(with.tol, contraction * rate);
        }
    }

    /// Why the last iteration failed, if an evaluation was refused.
    [[nodiscard]] evaluation refusal() const { return refusal_; }

private:
    static constexpr int iteration_limit = 5;
    static constexpr int matrix_limit = 2; // updates in one attempted step
    static constexpr double smallest_change = 1e-16;

    static const secder_formulas::formula& formula_of(const attempted_step& s) { return secder_formulas::of_steps(s.k()).corrector; }

    // The part of the formula that is known. Returns the change of f from the beginning of the step to the first guess.
    double prepare(const attempted_step& s, const corrector_request& with)
    {
        const auto& formula = formula_of(s);
        const int k = s.k();
        for (int i = 0; i < n_; ++i) {
            double sum = 0;
            for (int j = 0; j < k; ++j) sum += formula.slopes[j] * with.history.slope(k - 1 - j)[i];
            constant_[i] = s.h * sum + with.y[i];
        }
        return std::max(smallest_change, change_of_slope(with.history.slope(0), s.slope.data()));
    }

    [[nodiscard]] double change_of_slope(const double* from, const double* to) const
    {
        double change = 0;
        for (int i = 0; i < n_; ++i) change = std::max(change, std::abs(from[i] - to[i]) / std::max(std::abs(from[i]), 1.0));
        return change;
    }

    bool factor(const attempted_step& s)
    {
        ++factorisations_;
        return derivatives_.factor(s.h * formula_of(s).slopes[s.k()], s.h * s.h * formula_of(s).second);
    }

    // One iteration: y moves, and with it the error estimate. Returns the weighted size of the move, or NaN.
    double correct(attempted_step& s, const std::vector<double>& weight)
    {
        const double slope_factor = s.h * formula_of(s).slopes[s.k()];
        const double second_factor = s.h * s.h * formula_of(s).second;
        derivatives_.second(s.slope.data(), s.second.data());
        double* const correction = correction_.data();
        double* const y = s.y.data();
        for (int i = 0; i < n_; ++i) correction[i] = -y[i] + slope_factor * s.slope[i] + second_factor * s.second[i] + constant_[i];
        derivatives_.solve(correction);
        const double factor = secder_formulas::milne_factor(s.k());
        double* const gap = s.gap.data();
        double* const estimate = s.estimate.data();
        double largest_gap = 0;
        double largest = 0;
        double nothing = 0; // NaN if a component is not finite, which the largest one would not tell
        for (int i = 0; i < n_; ++i) {
            const double move = correction[i];
            y[i] += move;
            gap[i] = s.predicted[i] - y[i];
            estimate[i] = factor * gap[i];
            largest_gap = std::max(largest_gap, std::abs(gap[i]) * weight[i]);
            largest = std::max(largest, std::abs(move) * weight[i]);
            nothing += move - move;
        }
        s.estimate_norm = factor * largest_gap;
        return largest + nothing;
    }

    // y'' such that the formula holds exactly.
    void finish(attempted_step& s) const
    {
        const auto& formula = formula_of(s);
        const double slope_factor = formula.slopes[s.k()] * s.h;
        const double second_factor = s.h * s.h * formula.second;
        for (int i = 0; i < n_; ++i) s.second[i] = (s.y[i] - constant_[i] - slope_factor * s.slope[i]) / second_factor;
    }

    bool usable(evaluation e)
    {
        if (e != evaluation::ok) refusal_ = e;
        return e == evaluation::ok;
    }

    evaluator& e_;
    int n_;
    double roundoff_;
    secder_derivatives derivatives_;
    std::vector<double> guess_, slope_at_guess_;
    std::vector<double> constant_;
    std::vector<double> old_slope_, correction_;
    evaluation refusal_ = evaluation::ok;
    std::uint64_t calls_ = 0;
    std::uint64_t jacobians_ = 0;
    std::uint64_t factorisations_ = 0;
};

} // namespace ivp::solvers

#endif
