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
constexpr double safety = 0.95;

int default_highest_order(double tol) { return std::clamp(static_cast<int>(4 - 0.51 * std::log10(tol)), lowest_order, highest_order); }

/// The step size with which an error of this size would be a quarter of the tolerance, and a little less.
double fitting_step(double error, double h, double tol, int order)
{
    const double growth = order < 5 ? 10 : 2;
    if (tol >= whole_power(growth / safety, order + 1) * 4 * error) return growth * h;
    // NOTE: the original has this factor in single precision.
    constexpr double single_safety = 0.95F;
    return single_safety * h * std::pow(tol / (4 * error), 1.0 / (order + 1));
}

} // namespace

secder_integrator::secder_integrator(evaluator& e, const secder_settings& settings, const solve_options& options)
    : e_(e),
      set_(settings),
      n_(e.n()),
      scale_(n_),
      corrector_(e, options, settings.machine.roundoff),
      history_(n_),
      between_(n_),
      step_(n_),
      y_(n_),
      y_old_(n_),
      old_gap_(n_),
      weight_(n_),
      old_weight_(n_)
{}

void secder_integrator::start(double t, std::span<const double> y)
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

advance_status secder_integrator::advance(double tend)
{
    while (t_ != tend)
        if (attempt(tend) == trial::failed) return status_;
    return status_ = advance_status::arrived;
}

trial secder_integrator::attempt(double tend)
{
    if (prepare(tend) == preparation::failed) return trial::failed;
    const trial proposed = try_step(tend);
    return proposed == trial::failed ? proposed : settle(proposed == trial::accepted, tend);
}

secder_integrator::preparation secder_integrator::prepare(double tend)
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

trial secder_integrator::try_step(double tend)
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
trial secder_integrator::settle(bool accepts, double tend)
{
    if (!iterated_) {
        ++iteration_failures_;
        return reject(state::iteration_failed);
    }
    if (!accepts || step_.estimate_norm > scale_.tol()) return reject(state::error_too_large);
    accept(tend);
    return trial::accepted;
}

trial secder_integrator::fail(advance_status why)
{
    status_ = why;
    return trial::failed;
}

trial secder_integrator::reject(state why)
{
    state_ = why;
    ++rejected_;
    ++successive_rejections_;
    weights_known_ = true;
    return std::abs(step_.h) > hmin_ ? trial::rejected : fail(advance_status::step_too_small);
}

void secder_integrator::accept(double tend)
{
    state_ = state::accepted;
    t_old_ = t_;
    t_ = step_.t;
    if (tend + std::abs(tend - t_) * 0.1 == tend) t_ = origin_ = tend;
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
bool secder_integrator::take_weights(double tend)
{
    scale_.update(y_.data());
    for (int i = 0; i < n_; ++i) weight_[i] = 1 / scale_.values()[i];
    hmin_ = limits_.hmin;
    if (hmin_ == 0) {
        y_norm_ = 0;
        for (int i = 0; i < n_; ++i) y_norm_ = std::max(y_norm_, y_[i] * weight_[i]); // NOTE: with its sign, as in the original
        hmin_ = 10 * std::max(set_.machine.dwarf, set_.machine.roundoff * std::max(y_norm_ / scale_.tol(), std::abs(t_)));
    }
    if (limits_.scale != 0)
        hmax_ = limits_.hmax != 0 ? std::min(limits_.hmax, 2 / limits_.scale) : 2 / limits_.scale;
    else
        hmax_ = limits_.hmax != 0 ? limits_.hmax : std::abs(tend - origin_) / 5;
    return hmin_ <= hmax_;
}

// Derivatives at the starting point, and the first step size.
evaluation secder_integrator::begin(double tend)
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
        step_.size = std::min(limits_.h0, hmax_);
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
evaluation secder_integrator::probe(double tend)
{
    const double distance = std::sqrt(set_.machine.roundoff);
    const double h = std::copysign(distance, tend - t_);
    const double* const f = history_.slope(0);
    const double* const second = history_.second();
    for (int i = 0; i < n_; ++i) step_.y[i] = y_[i] + h * (f[i] + 0.5 * h * second[i]);
    const evaluation e = e_.f(t_ + h, step_.y.data(), step_.slope.data());
    if (e != evaluation::ok) {
        step_.size = std::min(hmax_, distance);
        return e;
    }
    const auto& corrector = of_steps(1).corrector;
    double largest = set_.machine.dwarf;
    for (int i = 0; i < n_; ++i) {
        const double by_formula =
            (step_.y[i] - y_[i] - h * (corrector.slopes[1] * step_.slope[i] + corrector.slopes[0] * f[i])) / (h * h * corrector.second);
        largest = std::max(largest, std::abs(second[i] - by_formula));
    }
    step_.size = std::min(hmax_, safety * std::pow(6 * scale_.tol() * distance / largest, 1.0 / 3));
    return evaluation::ok;
}

// After an accepted step; step_.slope and step_.second are not yet part of the history.
void secder_integrator::choose_step_and_order()
{
    const double h = std::abs(step_.h);
    const double tol = scale_.tol();
    const double at_this_order = fitting_step(step_.estimate_norm, step_.size, tol, step_.order);
    double chosen = at_this_order;
    if (steps_at_order_ > k()) {
        const double below = k() > 1 ? fitting_step(estimate_below(), step_.size, tol, step_.order - 1) : 0;
        const double above = step_.order < order_limit_ ? fitting_step(estimate_above(), step_.size, tol, step_.order + 1) : 0;
        const double rival = std::max(below, above);
        const bool worth_it = rival >= 1.3 * h || (at_this_order <= h && rival > 1.1 * h);
        if (at_this_order < std::min(rival, hmax_) && worth_it) {
            step_.order += above > below ? 1 : -1;
            chosen = rival;
            steps_at_order_ = 0;
            matrix_updates_ = 1;
        }
    }
    step_.size = std::min(chosen, hmax_);
    if (step_.size == at_this_order && step_.size <= 1.3 * h) step_.size = h; // the matrix stays
}

// The error that the formula of one order less would have made: from the difference of its predictor, scaled to its corrector.
double secder_integrator::estimate_below() const
{
    const int steps = k() - 1;
    const auto& formulas = of_steps(steps);
    const double difference = largest_weighted(old_weight_, [&](int i) {
        double sum = step_.h * formulas.predictor.second * history_.second()[i];
        for (int j = 0; j <= steps; ++j) sum += formulas.predictor.slopes[j] * history_.slope(steps - j)[i];
        return step_.h * sum + y_old_[i] - y_[i];
    });
    return formulas.corrector.constant * difference / formulas.predictor.constant;
}

// The error at one order more: from the change of the difference between predictor and corrector over the last two steps.
double secder_integrator::estimate_above() const
{
    const double ratio = whole_power(step_.h / h_past_, step_.order + 1);
    const double change = largest_weighted(old_weight_, [&](int i) { return step_.gap[i] - old_gap_[i] * ratio; });
    const auto& here = of_steps(k());
    return of_steps(k() + 1).corrector.constant * change / (here.predictor.constant - here.corrector.constant);
}

void secder_integrator::choose_after_failure()
{
    const bool of_iteration = state_ == state::iteration_failed;
    if (of_iteration) {
        steps_at_order_ = -1;
        step_.size *= 0.5;
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
void secder_integrator::approach(double tend)
{
    const double distance = tend - t_;
    step_.size = step_.size < std::abs(distance) ? std::min(step_.size, 0.5 * std::abs(distance)) : std::abs(distance);
    const double h_before = step_.h;
    step_.h = std::copysign(step_.size, distance);
    step_.t = t_ + step_.h;
    if (h_before == step_.h) return;
    matrix_updates_ = 1;
    if (!new_start_) history_.respace(k(), h_before, step_.h);
}

// step_.predicted is what the error is estimated by, step_.y where the iteration starts.
void secder_integrator::predict()
{
    const double* const f = history_.slope(0);
    const double* const second = history_.second();
    if (new_start_) {
        for (int i = 0; i < n_; ++i) step_.predicted[i] = y_[i] + step_.h * (f[i] + step_.h * second[i] * 0.5);
    } else {
        const auto& formula = of_steps(k()).predictor;
        for (int i = 0; i < n_; ++i) {
            double sum = step_.h * formula.second * second[i];
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
            const double change = y_[i] - y_old_[i];
            step_.y[i] = y_[i] + (new_start_ ? change * step_.h / h_past_ : change * (step_.h / h_past_));
        }
}

} // namespace ivp::solvers
