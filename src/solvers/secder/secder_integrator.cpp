#include "secder_integrator.hpp"

#include "coefficients.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::solvers {

namespace {

using secder_formulas::of_steps;

constexpr int lowest_order = 3;
constexpr int highest_order = 9;
constexpr int failures_to_lowest_order = 4; // successive
constexpr int failures_to_new_start = 2;    // at the lowest order
constexpr double secder_safety = 0.95;

int default_highest_order(double tol) { return std::clamp(static_cast<int>(4 - 0.51 * std::log10(tol)), lowest_order, highest_order); }

/// The step size with which an error of this size would be a quarter of the tolerance, and a little less.
template <class Real>
Real fitting_step(Real error, Real h, Real tol, int order)
{
    const Real growth = order < 5 ? 10 : 2;
    constexpr auto safety = static_cast<Real>(secder_safety);
    if (tol >= whole_power(growth / safety, order + 1) * 4 * error) return growth * h;
    // NOTE: the original has this factor in single precision.
    constexpr Real single_safety = 0.95F;
    return single_safety * h * std::pow(tol / (4 * error), Real(1) / (order + 1));
}

} // namespace

template <class Real>
basic_secder_integrator<Real>::basic_secder_integrator(evaluator& e, const secder_settings& settings, const solve_options& options)
    : f_(e),
      set_(settings),
      n_(e.n()),
      scale_(n_),
      corrector_(e, options, static_cast<Real>(settings.machine.roundoff)),
      history_(n_),
      between_(n_),
      step_(n_),
      y_(n_),
      y_old_(n_),
      old_gap_(n_),
      weight_(n_),
      old_weight_(n_)
{}

template <class Real>
void basic_secder_integrator<Real>::start(Real t, std::span<const Real> y)
{
    std::copy(y.begin(), y.end(), y_.begin());
    t_ = t_old_ = origin_ = step_.t = t;
    state_ = state::start;
    order_limit_ = set_.max_order != 0 ? set_.max_order : default_highest_order(scale_.tol());
    y_norm_ = 0;
    h_past_ = 0;
    accepted_ = rejected_ = iteration_failures_ = 0;
    corrector_.forget_counts();
    successive_rejections_ = 0;
    weights_known_ = false;
    status_ = advance_status::arrived;
    refusal_ = evaluation::ok;
}

template <class Real>
advance_status basic_secder_integrator<Real>::advance(Real tend)
{
    while (t_ != tend)
        if (attempt(tend) == trial::failed) return status_;
    return status_ = advance_status::arrived;
}

template <class Real>
trial basic_secder_integrator<Real>::attempt(Real tend)
{
    if (prepare(tend) == preparation::failed) return trial::failed;
    const trial proposed = try_step(tend);
    return proposed == trial::failed ? proposed : settle(proposed == trial::accepted, tend);
}

template <class Real>
typename basic_secder_integrator<Real>::preparation basic_secder_integrator<Real>::prepare(Real tend)
{
    const auto failed = [this](advance_status why) { return fail(why), preparation::failed; };
    if (limits_.max_calls != 0 && corrector_.calls() >= limits_.max_calls) return failed(advance_status::call_limit);
    if (!weights_known_ && !take_weights(tend)) return failed(advance_status::hmin_above_hmax);
    refusal_ = evaluation::ok;
    first_ = state_ == state::start;
    switch (state_) {
    case state::start:
        if (const evaluation e = begin(tend); e != evaluation::ok) {
            refusal_ = e;
            return failed(e == evaluation::stopped ? advance_status::stopped : advance_status::failed_at_start);
        }
        return preparation::first_step;
    case state::accepted:
        if (steps_at_order_ > 0 && step_.size < hmax_) choose_step_and_order();
        history_.append(step_.slope, step_.second);
        h_past_ = step_.h;
        break;
    case state::iteration_failed:
    case state::error_too_large: choose_after_failure(); break;
    }
    return preparation::ready;
}

template <class Real>
trial basic_secder_integrator<Real>::try_step(Real tend)
{
    if (!first_) approach(tend);
    predict();
    const bool knows_matrix = state_ == state::accepted && matrix_updates_ == 0;
    iterated_ = corrector_.iterate(step_, {y_, history_, weight_, scale_.tol(), y_norm_, knows_matrix}, matrix_updates_);
    refusal_ = corrector_.refusal();
    if (refusal_ == evaluation::stopped) return fail(advance_status::stopped);
    return iterated_ && !(step_.estimate_norm > scale_.tol()) ? trial::accepted : trial::rejected;
}

// A step that did not converge, or whose error is too large, cannot be accepted.
template <class Real>
trial basic_secder_integrator<Real>::settle(bool accepts, Real tend)
{
    if (!iterated_) {
        ++iteration_failures_;
        return reject(state::iteration_failed);
    }
    if (!accepts || step_.estimate_norm > scale_.tol()) return reject(state::error_too_large);
    accept(tend);
    return trial::accepted;
}

template <class Real>
trial basic_secder_integrator<Real>::fail(advance_status why)
{
    status_ = why;
    return trial::failed;
}

template <class Real>
trial basic_secder_integrator<Real>::reject(state why)
{
    state_ = why;
    ++rejected_;
    ++successive_rejections_;
    weights_known_ = true;
    return std::abs(step_.h) > hmin_ ? trial::rejected : fail(advance_status::step_too_small);
}

template <class Real>
void basic_secder_integrator<Real>::accept(Real tend)
{
    state_ = state::accepted;
    t_old_ = t_;
    t_ = step_.t;
    if (tend + std::abs(tend - t_) * Real(0.1) == tend) t_ = origin_ = tend;
    old_weight_.swap(weight_);
    y_old_.swap(y_);
    y_.swap(step_.y);
    ++accepted_;
    successive_rejections_ = 0;
    ++steps_at_order_;
    failures_at_lowest_ = 0;
    spared_order_ = false;
    new_start_ = false;
    matrix_updates_ = 0;
    weights_known_ = false;
    between_.begin(k(), step_.t, step_.h, y_.data(), step_.slope.data(), step_.second.data(), history_);
}

// Weights and limits for the steps from here. False: the smallest step is above the largest.
template <class Real>
bool basic_secder_integrator<Real>::take_weights(Real tend)
{
    scale_.update(y_.data());
    for (int i = 0; i < n_; ++i) weight_[i] = 1 / scale_.values()[i];
    hmin_ = static_cast<Real>(limits_.hmin);
    if (hmin_ == 0) {
        y_norm_ = 0;
        for (int i = 0; i < n_; ++i) y_norm_ = std::max(y_norm_, y_[i] * weight_[i]); // NOTE: with its sign, as in the original
        hmin_ = 10 * std::max(static_cast<Real>(set_.machine.dwarf),
                              static_cast<Real>(set_.machine.roundoff) * std::max(y_norm_ / scale_.tol(), std::abs(t_)));
    }
    const auto given_hmax = static_cast<Real>(limits_.hmax);
    const auto scale = static_cast<Real>(limits_.scale);
    if (scale != 0)
        hmax_ = given_hmax != 0 ? std::min(given_hmax, 2 / scale) : 2 / scale;
    else
        hmax_ = given_hmax != 0 ? given_hmax : std::abs(tend - origin_) / 5;
    return hmin_ <= hmax_;
}

// Derivatives at the starting point, and the first step size.
template <class Real>
evaluation basic_secder_integrator<Real>::begin(Real tend)
{
    evaluation e = corrector_.slope_at(t_, y_.data(), history_.slope(0));
    if (e == evaluation::ok) e = corrector_.linearise(t_, y_.data(), history_.slope(0), tend - t_);
    if (e != evaluation::ok) return e;
    corrector_.second_derivative(history_.slope(0), history_.second());
    step_.order = lowest_order;
    failures_at_lowest_ = 0;
    steps_at_order_ = 0;
    matrix_updates_ = 1;
    spared_order_ = false;
    new_start_ = true;
    if (limits_.h0 != 0) {
        step_.size = std::min(static_cast<Real>(limits_.h0), hmax_);
    } else {
        e = probe(tend);
        if (e == evaluation::stopped) return e;
    }
    if (!set_.may_pass_end) step_.size = std::min(step_.size, std::abs(tend - t_));
    step_.h = std::copysign(step_.size, tend - t_);
    step_.t = t_ + step_.h;
    return evaluation::ok;
}

// A first step size from an estimate of y''', with one evaluation of f nearby. Where that is refused, its distance is the answer.
template <class Real>
evaluation basic_secder_integrator<Real>::probe(Real tend)
{
    const Real distance = std::sqrt(static_cast<Real>(set_.machine.roundoff));
    const Real h = std::copysign(distance, tend - t_);
    const Real* const f = history_.slope(0);
    const Real* const second = history_.second();
    for (int i = 0; i < n_; ++i) step_.y[i] = y_[i] + h * (f[i] + Real(0.5) * h * second[i]);
    const evaluation e = f_.f(t_ + h, step_.y.data(), step_.slope.data());
    if (e != evaluation::ok) {
        step_.size = std::min(hmax_, distance);
        return e;
    }
    const auto& corrector = of_steps<Real>(1).corrector;
    auto largest = static_cast<Real>(set_.machine.dwarf);
    for (int i = 0; i < n_; ++i) {
        const Real by_formula =
            (step_.y[i] - y_[i] - h * (corrector.slopes[1] * step_.slope[i] + corrector.slopes[0] * f[i])) / (h * h * corrector.second);
        largest = std::max(largest, std::abs(second[i] - by_formula));
    }
    step_.size = std::min(hmax_, static_cast<Real>(secder_safety) * std::pow(6 * scale_.tol() * distance / largest, Real(1) / 3));
    return evaluation::ok;
}

// After an accepted step; step_.slope and step_.second are not yet part of the history.
template <class Real>
void basic_secder_integrator<Real>::choose_step_and_order()
{
    const Real h = std::abs(step_.h);
    const Real tol = scale_.tol();
    const Real at_this_order = fitting_step(step_.estimate_norm, step_.size, tol, step_.order);
    Real chosen = at_this_order;
    if (steps_at_order_ > k()) {
        const Real below = k() > 1 ? fitting_step(estimate_below(), step_.size, tol, step_.order - 1) : 0;
        const Real above = step_.order < order_limit_ ? fitting_step(estimate_above(), step_.size, tol, step_.order + 1) : 0;
        const Real rival = std::max(below, above);
        const bool worth_it = rival >= Real(1.3) * h || (at_this_order <= h && rival > Real(1.1) * h);
        if (at_this_order < std::min(rival, hmax_) && worth_it) {
            step_.order += above > below ? 1 : -1;
            chosen = rival;
            steps_at_order_ = 0;
            matrix_updates_ = 1;
        }
    }
    step_.size = std::min(chosen, hmax_);
    if (step_.size == at_this_order && step_.size <= Real(1.3) * h) step_.size = h; // the matrix stays
}

// The error that the formula of one order less would have made: from the difference of its predictor, scaled to its corrector.
template <class Real>
Real basic_secder_integrator<Real>::estimate_below() const
{
    const int steps = k() - 1;
    const auto& formulas = of_steps<Real>(steps);
    const Real difference = largest_weighted(old_weight_, [&](int i) {
        Real sum = step_.h * formulas.predictor.second * history_.second()[i];
        for (int j = 0; j <= steps; ++j) sum += formulas.predictor.slopes[j] * history_.slope(steps - j)[i];
        return step_.h * sum + y_old_[i] - y_[i];
    });
    return formulas.corrector.constant * difference / formulas.predictor.constant;
}

// The error at one order more: from the change of the difference between predictor and corrector over the last two steps.
template <class Real>
Real basic_secder_integrator<Real>::estimate_above() const
{
    const Real ratio = whole_power(step_.h / h_past_, step_.order + 1);
    const Real change = largest_weighted(old_weight_, [&](int i) { return step_.gap[i] - old_gap_[i] * ratio; });
    const auto& here = of_steps<Real>(k());
    return of_steps<Real>(k() + 1).corrector.constant * change / (here.predictor.constant - here.corrector.constant);
}

template <class Real>
void basic_secder_integrator<Real>::choose_after_failure()
{
    const bool of_iteration = state_ == state::iteration_failed;
    if (of_iteration) {
        steps_at_order_ = -1;
        step_.size *= Real(0.5);
    } else {
        step_.size = fitting_step(step_.estimate_norm, step_.size, scale_.tol(), step_.order - 1);
    }
    if (step_.order > lowest_order && successive_rejections_ < failures_to_lowest_order) {
        if (!of_iteration) spared_order_ = !spared_order_;
        if (of_iteration || !spared_order_) {
            steps_at_order_ = std::min(steps_at_order_, 0);
            --step_.order;
        }
        return;
    }
    step_.order = lowest_order;
    if (++failures_at_lowest_ >= failures_to_new_start) new_start_ = true;
}

// The step towards tend, and the history for its size.
template <class Real>
void basic_secder_integrator<Real>::approach(Real tend)
{
    const Real distance = tend - t_;
    step_.size = step_.size < std::abs(distance) ? std::min(step_.size, Real(0.5) * std::abs(distance)) : std::abs(distance);
    const Real h_before = step_.h;
    step_.h = std::copysign(step_.size, distance);
    step_.t = t_ + step_.h;
    if (h_before == step_.h) return;
    matrix_updates_ = 1;
    if (!new_start_) history_.respace(k(), h_before, step_.h);
}

// step_.predicted is what the error is estimated by, step_.y where the iteration starts.
template <class Real>
void basic_secder_integrator<Real>::predict()
{
    const Real* const f = history_.slope(0);
    const Real* const second = history_.second();
    if (new_start_) {
        for (int i = 0; i < n_; ++i) step_.predicted[i] = y_[i] + step_.h * (f[i] + step_.h * second[i] * Real(0.5));
    } else {
        const auto& formula = of_steps<Real>(k()).predictor;
        for (int i = 0; i < n_; ++i) {
            Real sum = step_.h * formula.second * second[i];
            for (int j = 0; j <= k(); ++j) sum += formula.slopes[j] * history_.slope(k() - j)[i];
            step_.predicted[i] = step_.h * sum + y_[i];
        }
        if (state_ == state::accepted) old_gap_ = step_.gap;
    }
    step_.y = step_.predicted;
    // The polynomial of the lowest order is a poor start for stiff components; a straight line does less harm.
    // NOTE: the two quotients are rounded as in the original.
    if (step_.order == lowest_order && accepted_ > 0)
        for (int i = 0; i < n_; ++i) {
            const Real change = y_[i] - y_old_[i];
            step_.y[i] = y_[i] + (new_start_ ? change * step_.h / h_past_ : change * (step_.h / h_past_));
        }
}

template class basic_secder_integrator<double>;
template class basic_secder_integrator<float>;

} // namespace ivp::solvers
