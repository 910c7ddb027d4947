#include "secder_integrator.hpp"

#include "coefficients.hpp"
#include "dense_output.hpp"
#include "derivatives.hpp"
#include "slope_history.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

namespace {

using secder_formulas::milne_factor;
using secder_formulas::of_steps;

constexpr int lowest_order = 3;
constexpr int highest_order = 9;
constexpr int orders_above_steps = 2; // order = k + 2
constexpr int iteration_limit = 5;
constexpr int matrix_limit = 2;             // updates in one attempted step
constexpr int failures_to_lowest_order = 4; // successive
constexpr int failures_to_new_start = 2;    // at the lowest order
constexpr double safety = 0.95;

int default_highest_order(double tol) { return std::clamp(static_cast<int>(4 - 0.51 * std::log10(tol)), lowest_order, highest_order); }

// NOTE: by repeated squaring, which rounds as the original's whole powers do; std::pow rounds better, and counts that rounding decides differ.
double whole_power(double base, int exponent)
{
    double power = exponent % 2 == 1 ? base : 1;
    while ((exponent /= 2) > 0) {
        base *= base;
        if (exponent % 2 == 1) power *= base;
    }
    return power;
}

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

struct secder_integrator::implementation {
    implementation(evaluator& e, const secder_settings& settings, const solve_options& options)
        : e_(e),
          set_(settings),
          n_(e.n()),
          scale_(n_),
          derivatives_(e, options, settings.machine.roundoff),
          history_(n_),
          between_(n_),
          y_(n_),
          y_old_(n_),
          trial_(n_),
          predicted_(n_),
          start_(n_),
          start_slope_(n_),
          constant_(n_),
          slope_(n_),
          second_(n_),
          old_slope_(n_),
          correction_(n_),
          gap_(n_),
          old_gap_(n_),
          estimate_(n_),
          weight_(n_),
          old_weight_(n_)
    {}

    void start(double t, std::span<const double> y)
    {
        std::copy(y.begin(), y.end(), y_.begin());
        t_ = t_old_ = origin_ = t;
        state_ = state::start;
        order_limit_ = set_.max_order != 0 ? set_.max_order : default_highest_order(scale_.tol());
        y_norm_ = 0;
        h_past_ = 0;
        calls_ = jacobians_ = factorisations_ = accepted_ = rejected_ = iteration_failures_ = 0;
        successive_rejections_ = 0;
        weights_known_ = false;
        status_ = advance_status::arrived;
        refusal_ = evaluation::ok;
    }

    advance_status advance(double tend)
    {
        while (t_ != tend)
            if (attempt(tend) == trial::failed) return status_;
        return status_ = advance_status::arrived;
    }

    trial attempt(double tend)
    {
        if (limits_.max_calls != 0 && calls_ >= limits_.max_calls) return fail(advance_status::call_limit);
        if (!weights_known_ && !take_weights(tend)) return fail(advance_status::hmin_above_hmax);
        refusal_ = evaluation::ok;
        switch (state_) {
        case state::start:
            if (const evaluation e = begin(tend); e != evaluation::ok) {
                refusal_ = e;
                return fail(e == evaluation::stopped ? advance_status::stopped : advance_status::failed_at_start);
            }
            break;
        case state::accepted:
            if (steps_at_order_ > 0 && magnitude_ < hmax_) choose_step_and_order();
            history_.append(slope_, second_);
            h_past_ = h_;
            approach(tend);
            break;
        case state::iteration_failed:
        case state::error_too_large:
            choose_after_failure();
            approach(tend);
            break;
        }
        predict();
        const bool converged_or_estimated = iterate();
        if (refusal_ == evaluation::stopped) return fail(advance_status::stopped);
        if (!converged_or_estimated) {
            ++iteration_failures_;
            return reject(state::iteration_failed);
        }
        if (estimate_norm_ > scale_.tol()) return reject(state::error_too_large);
        accept(tend);
        return trial::accepted;
    }

    [[nodiscard]] last_step last() const { return {t_old_, t_, h_, estimate_norm_, estimate_, scale_.values(), &between_}; }

    enum class state { start, accepted, iteration_failed, error_too_large };

    [[nodiscard]] int k() const { return order_ - orders_above_steps; }

    trial fail(advance_status why)
    {
        status_ = why;
        return trial::failed;
    }

    trial reject(state why)
    {
        state_ = why;
        ++rejected_;
        ++successive_rejections_;
        weights_known_ = true;
        return std::abs(h_) > hmin_ ? trial::rejected : fail(advance_status::step_too_small);
    }

    void accept(double tend)
    {
        state_ = state::accepted;
        t_old_ = t_;
        t_ = t_trial_;
        if (tend + std::abs(tend - t_) * 0.1 == tend) t_ = origin_ = tend;
        old_weight_.swap(weight_);
        y_old_.swap(y_);
        y_.swap(trial_);
        ++accepted_;
        successive_rejections_ = 0;
        ++steps_at_order_;
        failures_at_lowest_ = 0;
        spared_order_ = false;
        new_start_ = false;
        matrix_updates_ = 0;
        weights_known_ = false;
        between_.begin(k(), t_trial_, h_, y_.data(), slope_.data(), second_.data(), history_);
    }

    // Weights and limits for the steps from here. False: the smallest step is above the largest.
    bool take_weights(double tend)
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
    evaluation begin(double tend)
    {
        evaluation e = slope_at(t_, y_.data(), history_.slope(0));
        if (e == evaluation::ok) e = linearise(t_, y_.data(), history_.slope(0), tend - t_);
        if (e != evaluation::ok) return e;
        derivatives_.second(history_.slope(0), history_.second());
        order_ = lowest_order;
        failures_at_lowest_ = 0;
        steps_at_order_ = 0;
        matrix_updates_ = 1;
        spared_order_ = false;
        new_start_ = true;
        if (limits_.h0 != 0) {
            magnitude_ = std::min(limits_.h0, hmax_);
        } else {
            e = probe(tend);
            if (e == evaluation::stopped) return e;
        }
        if (!set_.may_pass_end) magnitude_ = std::min(magnitude_, std::abs(tend - t_));
        h_ = std::copysign(magnitude_, tend - t_);
        t_trial_ = t_ + h_;
        return evaluation::ok;
    }

    // A first step size from an estimate of y''', with one evaluation of f nearby. Where that is refused, its distance is the answer.
    evaluation probe(double tend)
    {
        const double distance = std::sqrt(set_.machine.roundoff);
        const double h = std::copysign(distance, tend - t_);
        const double* const f = history_.slope(0);
        const double* const second = history_.second();
        for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + h * (f[i] + 0.5 * h * second[i]);
        const evaluation e = e_.f(t_ + h, trial_.data(), slope_.data());
        if (e != evaluation::ok) {
            magnitude_ = std::min(hmax_, distance);
            return e;
        }
        const auto& corrector = of_steps(1).corrector;
        double largest = set_.machine.dwarf;
        for (int i = 0; i < n_; ++i) {
            const double by_formula =
                (trial_[i] - y_[i] - h * (corrector.slopes[1] * slope_[i] + corrector.slopes[0] * f[i])) / (h * h * corrector.second);
            largest = std::max(largest, std::abs(second[i] - by_formula));
        }
        magnitude_ = std::min(hmax_, safety * std::pow(6 * scale_.tol() * distance / largest, 1.0 / 3));
        return evaluation::ok;
    }

    // After an accepted step; slope_ and second_ are not yet part of the history.
    void choose_step_and_order()
    {
        const double h = std::abs(h_);
        const double tol = scale_.tol();
        const double at_this_order = fitting_step(estimate_norm_, magnitude_, tol, order_);
        double chosen = at_this_order;
        if (steps_at_order_ > k()) {
            const double below = k() > 1 ? fitting_step(estimate_below(), magnitude_, tol, order_ - 1) : 0;
            const double above = order_ < order_limit_ ? fitting_step(estimate_above(), magnitude_, tol, order_ + 1) : 0;
            const double rival = std::max(below, above);
            const bool worth_it = rival >= 1.3 * h || (at_this_order <= h && rival > 1.1 * h);
            if (at_this_order < std::min(rival, hmax_) && worth_it) {
                order_ += above > below ? 1 : -1;
                chosen = rival;
                steps_at_order_ = 0;
                matrix_updates_ = 1;
            }
        }
        magnitude_ = std::min(chosen, hmax_);
        if (magnitude_ == at_this_order && magnitude_ <= 1.3 * h) magnitude_ = h; // the matrix stays
    }

    // The error that the formula of one order less would have made: from the difference of its predictor, scaled to its corrector.
    [[nodiscard]] double estimate_below() const
    {
        const int steps = k() - 1;
        const auto& formulas = of_steps(steps);
        const double difference = largest_weighted(old_weight_, [&](int i) {
            double sum = h_ * formulas.predictor.second * history_.second()[i];
            for (int j = 0; j <= steps; ++j) sum += formulas.predictor.slopes[j] * history_.slope(steps - j)[i];
            return h_ * sum + y_old_[i] - y_[i];
        });
        return formulas.corrector.constant * difference / formulas.predictor.constant;
    }

    // The error at one order more: from the change of the difference between predictor and corrector over the last two steps.
    [[nodiscard]] double estimate_above() const
    {
        const double ratio = whole_power(h_ / h_past_, order_ + 1);
        const double change = largest_weighted(old_weight_, [&](int i) { return gap_[i] - old_gap_[i] * ratio; });
        const auto& here = of_steps(k());
        return of_steps(k() + 1).corrector.constant * change / (here.predictor.constant - here.corrector.constant);
    }

    template <class Value>
    [[nodiscard]] double largest_weighted(const std::vector<double>& weight, Value value) const
    {
        double largest = 0;
        for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(value(i)) * weight[i]);
        return largest;
    }

    void choose_after_failure()
    {
        const bool of_iteration = state_ == state::iteration_failed;
        state_ = state::error_too_large;
        if (of_iteration) {
            steps_at_order_ = -1;
            magnitude_ *= 0.5;
        } else {
            magnitude_ = fitting_step(estimate_norm_, magnitude_, scale_.tol(), order_ - 1);
        }
        if (order_ > lowest_order && successive_rejections_ < failures_to_lowest_order) {
            if (!of_iteration) spared_order_ = !spared_order_;
            if (of_iteration || !spared_order_) {
                steps_at_order_ = std::min(steps_at_order_, 0);
                --order_;
            }
            return;
        }
        order_ = lowest_order;
        if (++failures_at_lowest_ >= failures_to_new_start) new_start_ = true;
    }

    // The step towards tend, and the history for its size.
    void approach(double tend)
    {
        const double distance = tend - t_;
        magnitude_ = magnitude_ < std::abs(distance) ? std::min(magnitude_, 0.5 * std::abs(distance)) : std::abs(distance);
        const double h_before = h_;
        h_ = std::copysign(magnitude_, distance);
        t_trial_ = t_ + h_;
        if (h_before == h_) return;
        matrix_updates_ = 1;
        if (!new_start_) history_.respace(k(), h_before, h_);
    }

    // predicted_ is what the error is estimated by, trial_ where the iteration starts.
    void predict()
    {
        const double* const f = history_.slope(0);
        const double* const second = history_.second();
        if (new_start_) {
            for (int i = 0; i < n_; ++i) predicted_[i] = y_[i] + h_ * (f[i] + h_ * second[i] * 0.5);
        } else {
            const auto& formula = of_steps(k()).predictor;
            for (int i = 0; i < n_; ++i) {
                double sum = h_ * formula.second * second[i];
                for (int j = 0; j <= k(); ++j) sum += formula.slopes[j] * history_.slope(k() - j)[i];
                predicted_[i] = h_ * sum + y_[i];
            }
            if (state_ == state::accepted) old_gap_ = gap_;
        }
        trial_ = predicted_;
        // The polynomial of the lowest order is a poor start for stiff components; a straight line does less harm.
        // NOTE: the two quotients are rounded as in the original.
        if (order_ == lowest_order && accepted_ > 0)
            for (int i = 0; i < n_; ++i) {
                const double change = y_[i] - y_old_[i];
                trial_[i] = y_[i] + (new_start_ ? change * h_ / h_past_ : change * (h_ / h_past_));
            }
        start_ = trial_;
    }

    // False: the iteration fails. True: it has converged, or its error estimate is too large already.
    bool iterate()
    {
        const auto& corrector = of_steps(k()).corrector;
        const double implicit_slope = corrector.slopes[k()];
        const double tol = scale_.tol();
        const double roundoff = set_.machine.roundoff;
        if (!usable(slope_at(t_trial_, trial_.data(), slope_.data())) || !usable(linearise(t_trial_, trial_.data(), slope_.data(), -h_)))
            return false;
        const double* const f = history_.slope(0);
        double predicted_rate = 1e-16;
        for (int i = 0; i < n_; ++i) {
            predicted_rate = std::max(predicted_rate, std::abs(slope_[i] - f[i]) / std::max(1.0, std::abs(f[i])));
            double sum = 0;
            for (int j = 0; j < k(); ++j) sum += corrector.slopes[j] * history_.slope(k() - 1 - j)[i];
            constant_[i] = h_ * sum + y_[i];
        }
        start_slope_ = slope_;
        predicted_rate *= magnitude_;
        const double rate_at_start = predicted_rate;
        double past_rate = predicted_rate;
        double rate = 1; // change of h f over an iteration
        const double negligible = std::min(roundoff, 0.1 * tol);
        bool renews = state_ != state::accepted || matrix_updates_ != 0;
        bool fresh = false; // the matrix was made in this step

        for (int count = 1;;) {
            if (renews) {
                if (count != 1 && !usable(linearise(t_trial_, trial_.data(), slope_.data(), -h_))) return false;
                fresh = true;
                ++factorisations_;
                if (!derivatives_.factor(h_ * implicit_slope, h_ * h_ * corrector.second)) return false;
            }
            double correction = 0;
            if (!correct(implicit_slope, corrector.second, correction)) return false;
            const bool small = correction <= std::max(std::max(0.01 * tol, roundoff * y_norm_), roundoff);
            const bool done = count == 2 && correction <= negligible;
            if (!((rate <= negligible && small) || done)) {
                old_slope_.swap(slope_);
                if (!usable(slope_at(t_trial_, trial_.data(), slope_.data()))) return false;
                double change = 0;
                for (int i = 0; i < n_; ++i) change = std::max(change, std::abs(old_slope_[i] - slope_[i]) / std::max(std::abs(old_slope_[i]), 1.0));
                rate = std::max(magnitude_ * change, negligible);
            }
            if ((rate <= std::min(tol, 1e-3) && small) || done) {
                for (int i = 0; i < n_; ++i) second_[i] = (trial_[i] - constant_[i] - implicit_slope * h_ * slope_[i]) / (h_ * h_ * corrector.second);
                return true;
            }
            if (count >= iteration_limit) return false;
            ++count;
            if (estimate_norm_ > tol) {
                // Far beyond the tolerance the estimate itself is not to be trusted.
                if (fresh) return estimate_norm_ <= 0.25 * whole_power(1.9, order_) * tol;
                renews = true;
                trial_ = start_;
                slope_ = start_slope_;
                predicted_rate = past_rate = rate_at_start;
                continue;
            }
            if (rate <= predicted_rate || (count == 2 && fresh) || small)
                renews = false;
            else if (rate > (n_ / 6) * predicted_rate)
                renews = true;
            if (renews) ++matrix_updates_;
            if (matrix_updates_ > matrix_limit) renews = false;
            const double contraction = std::clamp(rate / past_rate, 0.2, 0.5);
            past_rate = rate;
            if (count == 2 || predicted_rate > contraction * rate) predicted_rate = std::max(tol, contraction * rate);
        }
    }

    // One iteration: trial_ moves, and with it the error estimate. size: weighted, of the move. False: it is not finite.
    bool correct(double implicit_slope, double implicit_second, double& size)
    {
        derivatives_.second(slope_.data(), second_.data());
        for (int i = 0; i < n_; ++i)
            correction_[i] = -trial_[i] + h_ * implicit_slope * slope_[i] + h_ * h_ * implicit_second * second_[i] + constant_[i];
        derivatives_.solve(correction_.data());
        const double factor = milne_factor(k());
        double finite = 0;
        for (int i = 0; i < n_; ++i) {
            trial_[i] += correction_[i];
            gap_[i] = predicted_[i] - trial_[i];
            estimate_[i] = factor * gap_[i];
            finite += correction_[i] - correction_[i];
        }
        size = largest_weighted(weight_, [this](int i) { return correction_[i]; });
        estimate_norm_ = factor * largest_weighted(weight_, [this](int i) { return gap_[i]; });
        return finite == 0;
    }

    bool usable(evaluation e)
    {
        if (e != evaluation::ok) refusal_ = e;
        return e == evaluation::ok;
    }

    evaluation slope_at(double t, const double* y, double* out)
    {
        ++calls_;
        return e_.f(t, y, out);
    }

    evaluation linearise(double t, const double* y, const double* slope, double towards)
    {
        ++jacobians_;
        return derivatives_.linearise(t, y, slope, towards, correction_.data());
    }

    evaluator& e_;
    secder_settings set_;
    integration_limits limits_;
    int n_;
    error_scale scale_;
    secder_derivatives derivatives_;
    slope_history history_;
    secder_dense_output between_;
    std::vector<double> y_, y_old_, trial_, predicted_;
    std::vector<double> start_, start_slope_; // of the iteration
    std::vector<double> constant_;            // part of the corrector that is known
    std::vector<double> slope_, second_;      // at the trial point
    std::vector<double> old_slope_, correction_;
    std::vector<double> gap_, old_gap_; // predictor minus corrector, of this step and of the one before
    std::vector<double> estimate_;
    std::vector<double> weight_, old_weight_;

    advance_status status_ = advance_status::arrived;
    evaluation refusal_ = evaluation::ok;
    state state_ = state::start;
    double t_ = 0;
    double t_old_ = 0;
    double t_trial_ = 0;
    double origin_ = 0; // where this advance began
    double h_ = 0;      // of the attempt, signed
    double h_past_ = 0; // of the last accepted step but one
    double magnitude_ = 0;
    double hmin_ = 0;
    double hmax_ = 0;
    double y_norm_ = 0;
    double estimate_norm_ = 0;
    bool weights_known_ = false;
    bool new_start_ = true;     // the history is of no use
    bool spared_order_ = false; // by the last rejection; every second one by the error test lowers it
    int order_ = lowest_order;
    int order_limit_ = highest_order;
    int steps_at_order_ = 0;
    int failures_at_lowest_ = 0;
    int successive_rejections_ = 0;
    int matrix_updates_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t jacobians_ = 0;
    std::uint64_t factorisations_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t rejected_ = 0;
    std::uint64_t iteration_failures_ = 0;
};

secder_integrator::secder_integrator(evaluator& e, const secder_settings& settings, const solve_options& options)
    : impl_(std::make_unique<implementation>(e, settings, options))
{}
secder_integrator::~secder_integrator() = default;

void secder_integrator::control_error(double tol) { impl_->scale_.set(tol); }
void secder_integrator::control_error(const tolerances& given) { impl_->scale_.set(given); }
integration_limits& secder_integrator::limits() { return impl_->limits_; }
void secder_integrator::start(double t, std::span<const double> y) { impl_->start(t, y); }
advance_status secder_integrator::advance(double tend) { return impl_->advance(tend); }
trial secder_integrator::attempt(double tend) { return impl_->attempt(tend); }
advance_status secder_integrator::status() const { return impl_->status_; }
double secder_integrator::t() const { return impl_->t_; }
std::span<const double> secder_integrator::y() const { return impl_->y_; }
double secder_integrator::step_size() const { return impl_->magnitude_; }
int secder_integrator::order() const { return impl_->order_; }
std::uint64_t secder_integrator::calls() const { return impl_->calls_; }
std::uint64_t secder_integrator::jacobians() const { return impl_->jacobians_; }
std::uint64_t secder_integrator::factorisations() const { return impl_->factorisations_; }
std::uint64_t secder_integrator::accepted() const { return impl_->accepted_; }
std::uint64_t secder_integrator::rejected() const { return impl_->rejected_; }
std::uint64_t secder_integrator::iteration_failures() const { return impl_->iteration_failures_; }
secder_integrator::last_step secder_integrator::last() const { return impl_->last(); }
double secder_integrator::tol() const { return impl_->scale_.tol(); }
evaluation secder_integrator::last_refusal() const { return impl_->refusal_; }

} // namespace ivp::solvers
