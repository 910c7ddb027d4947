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
    : e_(e), machine_(machine), checks_end_(checks_end), scale_(e.n()), n_(e.n()), y_(n_), y_old_(n_), trial_(n_), error_(n_)
{
    for (int j = 0; j < stages; ++j) {
        slope_[j].resize(n_);
        k_[j] = slope_[j].data();
    }
}

void dverk_integrator::start(double t, std::span<const double> y)
{
    std::copy(y.begin(), y.end(), y_.begin());
    t_ = t_old_ = t;
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
    if (limits_.max_calls != 0 && calls_ >= limits_.max_calls) return fail(advance_status::call_limit);
    if (!has_slope_) {
        if (const evaluation e = slope_at(t_, y_.data(), k_[0]); e != evaluation::ok) {
            refusal_ = e;
            return fail(e == evaluation::stopped ? advance_status::stopped : advance_status::failed_at_start);
        }
        has_slope_ = true;
    }
    scale_.update(y_.data());
    if (!choose_step(tend)) return fail(advance_status::hmin_above_hmax);
    if (const evaluation e = compute_stages(); e != evaluation::ok) return refuse(e);
    estimate_norm_ = error_norm();
    refusal_ = evaluation::ok;
    if (!(estimate_norm_ <= scale_.tol())) return reject();
    const bool needs_slope = checks_end_ && t_trial_ != tend;
    if (needs_slope)
        if (const evaluation e = slope_at(t_trial_, trial_.data(), k_[1]); e != evaluation::ok) return refuse(e);
    accept(needs_slope);
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
    return reject();
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
    y_old_.swap(y_);
    y_.swap(trial_);
    has_slope_ = knows_slope;
    if (knows_slope) std::swap(k_[0], k_[1]);
}

evaluation dverk_integrator::slope_at(double t, const double* y, double* out)
{
    ++calls_;
    return e_.f(t, y, out);
}

// False: the smallest step is above the largest.
bool dverk_integrator::choose_step(double tend)
{
    const double tol = scale_.tol();
    hmin_ = limits_.hmin;
    if (hmin_ == 0) hmin_ = 10 * std::max(machine_.dwarf, machine_.roundoff * std::max(scale_.norm(y_.data()) / tol, std::abs(t_)));
    double hmax = limits_.hmax != 0 ? limits_.hmax : default_hmax;
    if (limits_.scale != 0) hmax = limits_.hmax != 0 ? std::min(hmax, 2 / limits_.scale) : 2 / limits_.scale;
    if (hmin_ > hmax) return false;

    if (first_) {
        magnitude_ = limits_.h0 != 0 ? limits_.h0 : hmax * std::pow(tol, exponent);
    } else if (failures_ < failures_that_halve) {
        const bool doubles = tol >= doubling_margin * estimate_norm_;
        const double wanted = doubles ? growth * magnitude_ : safety * std::pow(tol / estimate_norm_, exponent) * magnitude_;
        magnitude_ = std::max(wanted, shrink * magnitude_);
    } else {
        magnitude_ *= shrink;
    }
    magnitude_ = std::max(std::min(magnitude_, hmax), hmin_);

    const double distance = std::abs(tend - t_);
    if (magnitude_ >= distance) {
        magnitude_ = distance;
        t_trial_ = tend;
    } else {
        magnitude_ = std::min(magnitude_, 0.5 * distance); // two steps of similar size are better than a tiny last one
        t_trial_ = t_ + std::copysign(magnitude_, tend - t_);
    }
    h_ = t_trial_ - t_;
    return true;
}

// NOTE: the products and quotients here are rounded as the original rounds them. Where f is not smooth (DETEST's F3), or where stability limits the
// steps (C2), the last bits decide about the errors, and even about the number of steps.
template <int Stage>
evaluation dverk_integrator::compute_stage()
{
    const double unit = h_ / table::denominator;
    if constexpr (Stage == 1)
        fill(n_, trial_.data(), [this, unit](int i) { return y_[i] + unit * k_[0][i] * table::a[1][0]; });
    else
        stage_sum<table::a, Stage>::advance(n_, y_.data(), unit, k_.data(), trial_.data());
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
    stage_sum<table::a, stages>::advance(n_, y_.data(), h_ / table::denominator, k_.data(), trial_.data());
    return evaluation::ok;
}

// Of the difference between the solutions, which stays in error_, for a unit step.
double dverk_integrator::error_norm()
{
    fill(n_, error_.data(), [this](int i) { return stage_sum<table::error, 0>::at(k_.data(), i) / table::denominator; });
    return scale_.norm(error_.data()) * magnitude_ * (limits_.scale != 0 ? limits_.scale : 1);
}

dverk_integrator::last_step dverk_integrator::last() const
{
    return {t_old_, t_, h_, y_old_.data(), has_slope_ ? k_[1] : k_[0], has_slope_ ? k_[0] : nullptr, estimate_norm_, error_, scale_.values()};
}

} // namespace ivp::solvers
