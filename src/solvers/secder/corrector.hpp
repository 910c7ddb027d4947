// The iteration of SECDER: solves the formula of an attempted step by Newton's method, and estimates the step's error on the way.
#ifndef IVP_SOLVERS_SECDER_CORRECTOR_HPP
#define IVP_SOLVERS_SECDER_CORRECTOR_HPP

#include "coefficients.hpp"
#include "derivatives.hpp"
#include "slope_history.hpp"
#include "solvers/common/working_precision.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::solvers {

// NOTE: by repeated squaring, which rounds as the original's whole powers do; std::pow rounds better, and counts that rounding decides differ.
template <class Real>
Real whole_power(Real base, int exponent)
{
    Real power = exponent % 2 == 1 ? base : 1;
    while ((exponent /= 2) > 0) {
        base *= base;
        if (exponent % 2 == 1) power *= base;
    }
    return power;
}

/// Largest of the values times their weights.
template <class Real, class Value>
Real largest_weighted(const std::vector<Real>& weight, Value value)
{
    Real largest = 0;
    for (int i = 0; i < static_cast<int>(weight.size()); ++i) largest = std::max(largest, std::abs(value(i)) * weight[i]);
    return largest;
}

template <class Real>
struct attempted_step {
    explicit attempted_step(int n) : y(n), predicted(n), slope(n), second(n), gap(n), estimate(n) {}

    Real t = 0;    ///< its end
    Real h = 0;    ///< signed
    Real size = 0; ///< of h
    int order = 3;
    std::vector<Real> y;         ///< before the iteration its first guess
    std::vector<Real> predicted; ///< what the error is estimated by
    std::vector<Real> slope;     ///< f at its end
    std::vector<Real> second;    ///< y'' there
    std::vector<Real> gap;       ///< predictor minus corrector
    std::vector<Real> estimate;  ///< of the error
    Real estimate_norm = 0;

    [[nodiscard]] int k() const { return order - 2; }
};

/// What else the iteration depends on.
template <class Real>
struct corrector_request {
    const std::vector<Real>& y; ///< at the beginning of the step
    const slope_history<Real>& history;
    const std::vector<Real>& weight;
    Real tol;
    Real y_norm;
    bool knows_matrix; ///< that of the step before fits
};

template <class Real>
class secder_corrector {
public:
    secder_corrector(evaluator& e, const solve_options& options, Real roundoff)
        : f_(e),
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

    evaluation slope_at(Real t, const Real* y, Real* out)
    {
        ++calls_;
        return f_.f(t, y, out);
    }
    /// J and f_t at (t, y), where f = slope; where they are found by differences, t moves this way.
    evaluation linearise(Real t, const Real* y, const Real* slope, Real towards)
    {
        ++jacobians_;
        return derivatives_.linearise(t, y, slope, towards);
    }
    /// y'' by the J at hand.
    void second_derivative(const Real* slope, Real* out) const { derivatives_.second(slope, out); }

    /// False: the iteration fails. True: it has converged, or the error estimate is too large already. matrix_updates: in this step so far.
    bool iterate(attempted_step<Real>& s, const corrector_request<Real>& with, int& matrix_updates)
    {
        refusal_ = evaluation::ok;
        if (!usable(slope_at(s.t, s.y.data(), s.slope.data())) || !usable(linearise(s.t, s.y.data(), s.slope.data(), -s.h))) return false;
        guess_ = s.y;
        slope_at_guess_ = s.slope;
        const Real first_rate = s.size * prepare(s, with);
        Real expected_rate = first_rate;
        Real past_rate = first_rate;
        Real rate = 1; // change of h f over an iteration
        const Real negligible = std::min(roundoff_, Real(0.1) * with.tol);
        const Real small = std::max(std::max(Real(0.01) * with.tol, roundoff_ * with.y_norm), roundoff_);
        const int patience = n_ / 6;
        bool renews = !with.knows_matrix;
        bool fresh = false; // the matrix was made in this step

        for (int count = 1;;) {
            if (renews) {
                if (count != 1 && !usable(linearise(s.t, s.y.data(), s.slope.data(), -s.h))) return false;
                if (!factor(s)) return false;
                fresh = true;
            }
            const Real correction = correct(s, with.weight);
            if (!std::isfinite(correction)) return false;
            const bool is_small = correction <= small;
            const bool is_negligible = count == 2 && correction <= negligible;
            if (!((rate <= negligible && is_small) || is_negligible)) {
                old_slope_.swap(s.slope);
                if (!usable(slope_at(s.t, s.y.data(), s.slope.data()))) return false;
                rate = std::max(s.size * change_of_slope(old_slope_.data(), s.slope.data()), negligible);
            }
            if ((rate <= std::min(with.tol, Real(1e-3)) && is_small) || is_negligible) {
                finish(s);
                return true;
            }
            if (count++ == iteration_limit) return false;
            if (s.estimate_norm > with.tol) {
                // Far beyond the tolerance the estimate itself is not to be trusted.
                if (fresh) return s.estimate_norm <= Real(0.25) * whole_power(Real(1.9), s.order) * with.tol;
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
            const Real contraction = std::clamp(rate / past_rate, Real(0.2), Real(0.5));
            past_rate = rate;
            if (count == 2 || expected_rate > contraction * rate) expected_rate = std::max(with.tol, contraction * rate);
        }
    }

    /// Why the last iteration failed, if an evaluation was refused.
    [[nodiscard]] evaluation refusal() const { return refusal_; }

private:
    static constexpr int iteration_limit = 5;
    static constexpr int matrix_limit = 2; // updates in one attempted step
    static constexpr Real smallest_change = Real(1e-16);

    static const secder_formulas::formula<Real>& formula_of(const attempted_step<Real>& s)
    {
        return secder_formulas::of_steps<Real>(s.k()).corrector;
    }

    // The part of the formula that is known. Returns the change of f from the beginning of the step to the first guess.
    Real prepare(const attempted_step<Real>& s, const corrector_request<Real>& with)
    {
        const auto& formula = formula_of(s);
        const int k = s.k();
        for (int i = 0; i < n_; ++i) {
            Real sum = 0;
            for (int j = 0; j < k; ++j) sum += formula.slopes[j] * with.history.slope(k - 1 - j)[i];
            constant_[i] = s.h * sum + with.y[i];
        }
        return std::max(smallest_change, change_of_slope(with.history.slope(0), s.slope.data()));
    }

    [[nodiscard]] Real change_of_slope(const Real* from, const Real* to) const
    {
        Real change = 0;
        for (int i = 0; i < n_; ++i) change = std::max(change, std::abs(from[i] - to[i]) / std::max(std::abs(from[i]), Real(1)));
        return change;
    }

    bool factor(const attempted_step<Real>& s)
    {
        ++factorisations_;
        return derivatives_.factor(s.h * formula_of(s).slopes[s.k()], s.h * s.h * formula_of(s).second);
    }

    // One iteration: y moves, and with it the error estimate. Returns the weighted size of the move, or NaN.
    Real correct(attempted_step<Real>& s, const std::vector<Real>& weight)
    {
        const Real slope_factor = s.h * formula_of(s).slopes[s.k()];
        const Real second_factor = s.h * s.h * formula_of(s).second;
        derivatives_.second(s.slope.data(), s.second.data());
        Real* const correction = correction_.data();
        Real* const y = s.y.data();
        for (int i = 0; i < n_; ++i) correction[i] = -y[i] + slope_factor * s.slope[i] + second_factor * s.second[i] + constant_[i];
        derivatives_.solve(correction);
        const Real factor = secder_formulas::milne_factor<Real>(s.k());
        Real* const gap = s.gap.data();
        Real* const estimate = s.estimate.data();
        Real largest_gap = 0;
        Real largest = 0;
        Real nothing = 0; // NaN if a component is not finite, which the largest one would not tell
        for (int i = 0; i < n_; ++i) {
            const Real move = correction[i];
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
    void finish(attempted_step<Real>& s) const
    {
        const auto& formula = formula_of(s);
        const Real slope_factor = formula.slopes[s.k()] * s.h;
        const Real second_factor = s.h * s.h * formula.second;
        for (int i = 0; i < n_; ++i) s.second[i] = (s.y[i] - constant_[i] - slope_factor * s.slope[i]) / second_factor;
    }

    bool usable(evaluation e)
    {
        if (e != evaluation::ok) refusal_ = e;
        return e == evaluation::ok;
    }

    working_precision<Real> f_;
    int n_;
    Real roundoff_;
    secder_derivatives<Real> derivatives_;
    std::vector<Real> guess_, slope_at_guess_;
    std::vector<Real> constant_;
    std::vector<Real> old_slope_, correction_;
    evaluation refusal_ = evaluation::ok;
    std::uint64_t calls_ = 0;
    std::uint64_t jacobians_ = 0;
    std::uint64_t factorisations_ = 0;
};

} // namespace ivp::solvers

#endif
