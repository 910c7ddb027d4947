#include "dverk_integrator.hpp"

#include "coefficients.hpp"
#include "solvers/common/explicit_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::solvers {

namespace {

using table = dverk_coefficients;

// NOTE: the original divides 1 by 6 in single precision; step sizes reproduce to the last digits only with the same exponent.
constexpr double exponent = 1.0F / 6.0F;
constexpr double safety = 0.9;
constexpr double growth = 2;
constexpr double shrink = 0.5;
constexpr double default_hmax = 2;
constexpr int failures_that_halve = 2;

// An error this many times below the tolerance doubles the step.
constexpr double doubling_margin =
    (growth / safety) * (growth / safety) * (growth / safety) * (growth / safety) * (growth / safety) * (growth / safety);

} // namespace

dverk_integrator::dverk_integrator(evaluator& e, const machine_constants& machine, bool checks_end)
    : e_(e),
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

void dverk_integrator::start(double t, std::span<const double> y)
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

advance_status dverk_integrator::advance(double tend)
{
    while (t_ != tend)
        if (attempt(tend) == trial::failed) return status_;
    return status_ = advance_status::arrived;
}

trial dverk_integrator::attempt(double tend)
{
    if (!prepare()) return trial::failed;
    const trial proposed = try_step(tend);
    return proposed == trial::failed ? proposed : settle(proposed == trial::accepted, tend);
}

bool dverk_integrator::prepare()
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

trial dverk_integrator::try_step(double tend)
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

trial dverk_integrator::settle(bool accepts, double tend)
{
    if (!accepts || refusal_ != evaluation::ok) return reject(); // a step that f refused has no solution
    accept(checks_end_ && t_trial_ != tend && estimate_norm_ <= scale_.tol());
    return trial::accepted;
}

trial dverk_integrator::fail(advance_status why)
{
    status_ = why;
    return trial::failed;
}

trial dverk_integrator::refuse(evaluation e)
{
    refusal_ = e;
    if (e == evaluation::stopped) return fail(advance_status::stopped);
    failures_ = std::max(failures_, failures_that_halve - 1); // there is no error estimate to choose a step size by
    return trial::rejected;
}

trial dverk_integrator::reject()
{
    first_ = false;
    ++failures_;
    ++rejected_;
    return magnitude_ > hmin_ ? trial::rejected : fail(advance_status::step_too_small);
}

// knows_slope: at the new point, in place of that of the second stage.
void dverk_integrator::accept(bool knows_slope)
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

evaluation dverk_integrator::slope_at(double t, const double* y, double* out)
{
    ++calls_;
    return e_.f(t, y, out);
}

// The size that the step should have. False: the smallest step is above the largest.
bool dverk_integrator::choose_step()
{
    const double tol = scale_.tol();
    hmin_ = limits_.hmin;
    if (hmin_ == 0) {
        y_norm_ = scale_.norm(y_.data());
        hmin_ = 10 * std::max(machine_.dwarf, machine_.roundoff * std::max(y_norm_ / tol, std::abs(t_)));
    }
    hmax_ = limits_.hmax != 0 ? limits_.hmax : default_hmax;
    if (limits_.scale != 0) hmax_ = limits_.hmax != 0 ? std::min(hmax_, 2 / limits_.scale) : 2 / limits_.scale;
    if (hmin_ > hmax_) return false;

    if (first_) {
        magnitude_ = limits_.h0 != 0 ? limits_.h0 : hmax_ * std::pow(tol, exponent);
    } else if (failures_ < failures_that_halve) {
        const bool doubles = tol >= doubling_margin * estimate_norm_;
        const double wanted = doubles ? growth * magnitude_ : safety * std::pow(tol / estimate_norm_, exponent) * magnitude_;
        magnitude_ = std::max(wanted, shrink * magnitude_);
    } else {
        magnitude_ *= shrink;
    }
    magnitude_ = std::max(std::min(magnitude_, hmax_), hmin_);
    return true;
}

// The step of the size chosen, or what is possible of it.
void dverk_integrator::approach(double tend)
{
    const double distance = std::abs(tend - t_);
    if (magnitude_ >= distance) {
        magnitude_ = distance;
        t_trial_ = tend;
    } else {
        magnitude_ = std::min(magnitude_, 0.5 * distance); // two steps of similar size are better than a tiny last one
        t_trial_ = t_ + std::copysign(magnitude_, tend - t_);
    }
    h_ = t_trial_ - t_;
}

// NOTE: the products and quotients here are rounded as the original rounds them. Where f is not smooth (DETEST's F3), or where stability limits the
// steps (C2), the last bits decide about the errors, and even about the number of steps.
template <int Stage>
evaluation dverk_integrator::compute_stage()
{
    const double unit = h_ / table::denominator;
    if constexpr (Stage == 1)
        simd::for_many_components<double>(n_, [&](auto at) { at(trial_) = at(y_) + unit * at(simd::just_written(k_[0])) * table::a[1][0]; });
    else
        stage_sum<table::a, Stage>::advance(n_, y_.data(), unit, k_.table(), trial_.data());
    constexpr double divisor = table::whole_inverse(table::c[Stage]);
    return slope_at(t_ + (divisor != 0 ? h_ / divisor : table::c[Stage] * h_), trial_.data(), k_[Stage]);
}

// The slopes of all stages but the first, and the new solution in trial_.
evaluation dverk_integrator::compute_stages()
{
    const auto in_turn = [this]<int... J>(std::integer_sequence<int, J...> /*stages but the first*/)
    {
        evaluation e = evaluation::ok;
        (void)(... && ((e = compute_stage<J + 1>()) == evaluation::ok));
        return e;
    };
    const evaluation e = in_turn(std::make_integer_sequence<int, stages - 1>{});
    if (e != evaluation::ok) return e;
    stage_sum<table::a, stages>::advance(n_, y_.data(), h_ / table::denominator, k_.table(), trial_.data());
    return evaluation::ok;
}

// Of the difference between the solutions, which stays in error_, for a unit step.
double dverk_integrator::error_norm()
{
    simd::for_many_components<double>(n_, [&](auto at) { at(error_) = stage_sum<table::error, 0>::at(k_.table(), at) / table::denominator; });
    return scale_.norm(error_.data()) * magnitude_ * (limits_.scale != 0 ? limits_.scale : 1);
}

dverk_integrator::last_step dverk_integrator::last() const
{
    return {t_old_,         t_, h_, y_old_.data(), has_slope_ ? k_[1] : k_[0], has_slope_ ? k_[0] : nullptr, estimate_norm_, components(error_),
            scale_.values()};
}

} // namespace ivp::solvers
