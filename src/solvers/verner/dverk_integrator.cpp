#include "dverk_integrator.hpp"

#include "coefficients.hpp"
#include "solvers/common/explicit_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::solvers {

namespace {

using table = dverk_coefficients;

template <class Real>
struct step_control {
    // NOTE: the original divides 1 by 6 in single precision; step sizes reproduce to the last digits only with the same exponent.
    static constexpr Real exponent = 1.0F / 6.0F;
    static constexpr Real safety = static_cast<Real>(0.9);
    static constexpr Real growth = 2;
    static constexpr Real shrink = static_cast<Real>(0.5);
    static constexpr Real default_hmax = 2;
    static constexpr Real ratio = growth / safety;
    static constexpr Real doubling_margin = ratio * ratio * ratio * ratio * ratio * ratio; ///< an error this many times too small doubles the step
};
constexpr int failures_that_halve = 2;

} // namespace

template <class Real>
basic_dverk_integrator<Real>::basic_dverk_integrator(evaluator& e, const machine_constants& machine, bool checks_end)
    : e_(e),
      f_(e),
      machine_(machine),
      checks_end_(checks_end),
      scale_(e.n()),
      n_(e.n()),
      y_(n_, memory_),
      y_old_(n_, memory_),
      trial_(n_, memory_),
      error_(n_, memory_),
      k_(n_, stages, memory_)
{}

template <class Real>
void basic_dverk_integrator<Real>::start(Real t, std::span<const Real> y)
{
    std::copy(y.begin(), y.end(), y_.data());
    t_ = t_old_ = t_trial_ = t;
    first_ = true;
    has_slope_ = false;
    failures_ = 0;
    calls_ = accepted_ = rejected_ = 0;
    status_ = advance_status::arrived;
    refusal_ = evaluation::ok;
}

template <class Real>
advance_status basic_dverk_integrator<Real>::advance(Real tend)
{
    while (t_ != tend)
        if (attempt(tend) == trial::failed) return status_;
    return status_ = advance_status::arrived;
}

template <class Real>
trial basic_dverk_integrator<Real>::attempt(Real tend)
{
    if (!prepare()) return trial::failed;
    const trial proposed = try_step(tend);
    return proposed == trial::failed ? proposed : settle(proposed == trial::accepted, tend);
}

template <class Real>
bool basic_dverk_integrator<Real>::prepare()
{
    const auto failed = [this](advance_status why) { return fail(why), false; };
    if (limits_.max_calls != 0 && calls_ >= limits_.max_calls) return failed(advance_status::call_limit);
    if (!has_slope_) {
        if (const evaluation e = slope_at(t_, y_.data(), k_[0]); e != evaluation::ok) {
            refusal_ = e;
            return failed(e == evaluation::stopped ? advance_status::stopped : advance_status::failed_at_start);
        }
        has_slope_ = true;
    }
    scale_.update(y_.data());
    return choose_step() || failed(advance_status::hmin_above_hmax);
}

template <class Real>
trial basic_dverk_integrator<Real>::try_step(Real tend)
{
    approach(tend);
    if (const evaluation e = compute_stages(); e != evaluation::ok) return refuse(e);
    estimate_norm_ = error_norm();
    refusal_ = evaluation::ok;
    if (!(estimate_norm_ <= scale_.tol())) return trial::rejected;
    if (checks_end_ && t_trial_ != tend)
        if (const evaluation e = slope_at(t_trial_, trial_.data(), k_[1]); e != evaluation::ok) return refuse(e);
    return trial::accepted;
}

template <class Real>
trial basic_dverk_integrator<Real>::settle(bool accepts, Real tend)
{
    if (!accepts || refusal_ != evaluation::ok) return reject(); // a step that f refused has no solution
    accept(checks_end_ && t_trial_ != tend && estimate_norm_ <= scale_.tol());
    return trial::accepted;
}

template <class Real>
trial basic_dverk_integrator<Real>::fail(advance_status why)
{
    status_ = why;
    return trial::failed;
}

template <class Real>
trial basic_dverk_integrator<Real>::refuse(evaluation e)
{
    refusal_ = e;
    if (e == evaluation::stopped) return fail(advance_status::stopped);
    failures_ = std::max(failures_, failures_that_halve - 1); // there is no error estimate to choose a step size by
    return trial::rejected;
}

template <class Real>
trial basic_dverk_integrator<Real>::reject()
{
    first_ = false;
    ++failures_;
    ++rejected_;
    return magnitude_ > hmin_ ? trial::rejected : fail(advance_status::step_too_small);
}

// knows_slope: at the new point, in place of that of the second stage.
template <class Real>
void basic_dverk_integrator<Real>::accept(bool knows_slope)
{
    first_ = false;
    failures_ = 0;
    ++accepted_;
    t_old_ = t_;
    t_ = t_trial_;
    std::swap(y_old_, y_);
    std::swap(y_, trial_);
    has_slope_ = knows_slope;
    if (knows_slope) k_.exchange(0, 1);
}

template <class Real>
evaluation basic_dverk_integrator<Real>::slope_at(Real t, const Real* y, Real* out)
{
    ++calls_;
    return f_.f(t, y, out);
}

// The size that the step should have. False: the smallest step is above the largest.
template <class Real>
bool basic_dverk_integrator<Real>::choose_step()
{
    using control = step_control<Real>;
    const Real tol = scale_.tol();
    const auto given_hmax = static_cast<Real>(limits_.hmax);
    const auto scale = static_cast<Real>(limits_.scale);
    hmin_ = static_cast<Real>(limits_.hmin);
    if (hmin_ == 0) {
        y_norm_ = scale_.norm(y_.data());
        hmin_ = 10 * std::max(static_cast<Real>(machine_.dwarf), static_cast<Real>(machine_.roundoff) * std::max(y_norm_ / tol, std::abs(t_)));
    }
    hmax_ = given_hmax != 0 ? given_hmax : control::default_hmax;
    if (scale != 0) hmax_ = given_hmax != 0 ? std::min(hmax_, 2 / scale) : 2 / scale;
    if (hmin_ > hmax_) return false;

    if (first_) {
        magnitude_ = limits_.h0 != 0 ? static_cast<Real>(limits_.h0) : hmax_ * std::pow(tol, control::exponent);
    } else if (failures_ < failures_that_halve) {
        const bool doubles = tol >= control::doubling_margin * estimate_norm_;
        const Real wanted = doubles ? control::growth * magnitude_ : control::safety * std::pow(tol / estimate_norm_, control::exponent) * magnitude_;
        magnitude_ = std::max(wanted, control::shrink * magnitude_);
    } else {
        magnitude_ *= control::shrink;
    }
    magnitude_ = std::max(std::min(magnitude_, hmax_), hmin_);
    return true;
}

// The step of the size chosen, or what is possible of it.
template <class Real>
void basic_dverk_integrator<Real>::approach(Real tend)
{
    const Real distance = std::abs(tend - t_);
    if (magnitude_ >= distance) {
        magnitude_ = distance;
        t_trial_ = tend;
    } else {
        magnitude_ = std::min(magnitude_, distance / 2); // two steps of similar size are better than a tiny last one
        t_trial_ = t_ + std::copysign(magnitude_, tend - t_);
    }
    h_ = t_trial_ - t_;
}

// NOTE: the products and quotients here are rounded as the original rounds them. Where f is not smooth (DETEST's F3), or where stability limits the
// steps (C2), the last bits decide about the errors, and even about the number of steps.
template <class Real>
template <int Stage>
evaluation basic_dverk_integrator<Real>::compute_stage()
{
    const Real unit = h_ / static_cast<Real>(table::denominator);
    if constexpr (Stage == 1)
        simd::for_many_components<Real>(
            n_, [&](auto at) { at(trial_) = at(y_) + unit * at(simd::just_written(k_[0])) * static_cast<Real>(table::a[1][0]); });
    else
        stage_sum<table::a, Stage, Real>::advance(n_, y_.data(), unit, k_.table(), trial_.data());
    constexpr Real divisor = static_cast<Real>(table::whole_inverse(table::c[Stage]));
    return slope_at(t_ + (divisor != 0 ? h_ / divisor : static_cast<Real>(table::c[Stage]) * h_), trial_.data(), k_[Stage]);
}

// The slopes of all stages but the first, and the new solution in trial_.
template <class Real>
evaluation basic_dverk_integrator<Real>::compute_stages()
{
    const auto in_turn = [this]<int... J>(std::integer_sequence<int, J...> /*stages but the first*/)
    {
        evaluation e = evaluation::ok;
        (void)(... && ((e = this->template compute_stage<J + 1>()) == evaluation::ok));
        return e;
    };
    const evaluation e = in_turn(std::make_integer_sequence<int, stages - 1>{});
    if (e != evaluation::ok) return e;
    stage_sum<table::a, stages, Real>::advance(n_, y_.data(), h_ / static_cast<Real>(table::denominator), k_.table(), trial_.data());
    return evaluation::ok;
}

// Of the difference between the solutions, which stays in error_, for a unit step.
template <class Real>
Real basic_dverk_integrator<Real>::error_norm()
{
    simd::for_many_components<Real>(
        n_, [&](auto at) { at(error_) = stage_sum<table::error, 0, Real>::at(k_.table(), at) / static_cast<Real>(table::denominator); });
    return scale_.norm(error_.data()) * magnitude_ * (limits_.scale != 0 ? static_cast<Real>(limits_.scale) : 1);
}

template <class Real>
typename basic_dverk_integrator<Real>::last_step basic_dverk_integrator<Real>::last() const
{
    return {t_old_,         t_, h_, y_old_.data(), has_slope_ ? k_[1] : k_[0], has_slope_ ? k_[0] : nullptr, estimate_norm_, components(error_),
            scale_.values()};
}

template class basic_dverk_integrator<double>;
template class basic_dverk_integrator<float>;

} // namespace ivp::solvers
