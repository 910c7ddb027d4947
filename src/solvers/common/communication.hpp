// What DVERK and SECDER have in common: how the error is weighted, what bounds the steps, and how a stretch of integration ends.
//
// Both take their settings and tell their state through a "communication vector" of the same meaning; here it has names.
#ifndef IVP_SOLVERS_COMMON_COMMUNICATION_HPP
#define IVP_SOLVERS_COMMON_COMMUNICATION_HPP

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::solvers {

/// Constants of the machine as the published DETEST runs had them: given with three digits, kept in single precision.
struct machine_constants {
    double roundoff = 2.22e-16F;
    double dwarf = 1e-37F; ///< smallest number that is safe to divide by
};

/// Limits of an integration; each 0 is the code's own choice. They may be changed between two calls of advance().
struct integration_limits {
    double hmin = 0;             ///< 0: 10 max(dwarf, roundoff max(‖y‖/tol, |t|)), ‖y‖ weighted like the error
    double hmax = 0;             ///< 0: DVERK 2, SECDER a fifth of the distance from the start to the end; both at most 2/scale
    double h0 = 0;               ///< 0: DVERK hmax tol^(1/6), SECDER from an estimate of y'''
    double scale = 0;            ///< size of the derivatives of f: a factor of DVERK's error estimate, and hmax is at most 2/scale; 0: none given
    std::uint64_t max_calls = 0; ///< evaluations since start() after which no further step begins; 0: no limit
};

/// How a call of advance() ended; the values are the flag IND of the originals.
enum class advance_status {
    stopped = -5,         ///< the evaluator's stop_reason() says why
    failed_at_start = -4, ///< the problem refuses the point where the step begins, or is not finite there
    step_too_small = -3,  ///< a step of the smallest size was rejected
    hmin_above_hmax = -2, ///< no step is possible
    call_limit = -1,      ///< max_calls is reached
    arrived = 3,
};

/// What became of one attempted step.
enum class trial { accepted, rejected, failed };

/// The error of component i is measured in units of max(atol_i, rtol_i |y_i|)/tol, and its largest component compared with tol. With rtol = 0 this
/// is absolute control, with atol = 0 relative, with atol = rtol the default of the originals (1/max(1, |y_i|)), and else theirs with floors.
template <class Real>
class error_scale {
public:
    explicit error_scale(int n) : floor_(n), ratio_(n), value_(n, Real(1)) {}

    /// Absolute control.
    void set(double tol)
    {
        tol_ = static_cast<Real>(tol);
        measure_in_units();
    }
    /// tol is the smallest relative tolerance, or where there is none the smallest absolute one.
    void set(const tolerances& given)
    {
        double tol = smallest_positive(given.rtol);
        if (tol == 0) tol = smallest_positive(given.atol);
        tol_ = static_cast<Real>(tol);
        if (given.scalar() && given.relative(0) == 0) return measure_in_units();
        units_ = false;
        for (int i = 0; i < static_cast<int>(value_.size()); ++i) {
            floor_[i] = static_cast<Real>(given.absolute(i) / tol);
            ratio_[i] = static_cast<Real>(given.relative(i) / tol);
        }
    }
    /// Weights for a step that starts at y.
    void update(const Real* y)
    {
        if (units_) return;
        for (std::size_t i = 0; i < value_.size(); ++i) value_[i] = std::max(floor_[i], ratio_[i] * std::abs(y[i]));
    }

    /// Largest component of v in these units.
    [[nodiscard]] Real norm(const Real* v) const
    {
        const Real* const unit = value_.data();
        return units_ ? largest(v, [](Real size, std::size_t /*i*/) { return size; })
                      : largest(v, [unit](Real size, std::size_t i) { return size / unit[i]; });
    }

    [[nodiscard]] Real tol() const { return tol_; }
    /// What each component of an error is divided by.
    [[nodiscard]] const std::vector<Real>& values() const { return value_; }

private:
    void measure_in_units()
    {
        if (!units_) std::fill(value_.begin(), value_.end(), Real(1));
        units_ = true;
    }
    static double smallest_positive(const std::vector<double>& v)
    {
        double smallest = 0;
        for (const double t : v)
            if (t > 0 && (smallest == 0 || t < smallest)) smallest = t;
        return smallest;
    }

    // Four at a time, so that none waits for the one before.
    template <class Weighted>
    [[nodiscard]] Real largest(const Real* v, Weighted weighted) const
    {
        Real a = 0;
        Real b = 0;
        Real c = 0;
        Real d = 0;
        const std::size_t n = value_.size();
        std::size_t i = 0;
        for (; i + 3 < n; i += 4) {
            a = std::max(a, weighted(std::abs(v[i]), i));
            b = std::max(b, weighted(std::abs(v[i + 1]), i + 1));
            c = std::max(c, weighted(std::abs(v[i + 2]), i + 2));
            d = std::max(d, weighted(std::abs(v[i + 3]), i + 3));
        }
        for (; i < n; ++i) a = std::max(a, weighted(std::abs(v[i]), i));
        return std::max(std::max(a, b), std::max(c, d));
    }

    Real tol_ = 0;
    bool units_ = true; ///< all values are 1
    std::vector<Real> floor_, ratio_, value_;
};

} // namespace ivp::solvers

#endif
