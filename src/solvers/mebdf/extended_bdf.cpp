// Modified extended BDF after Cash and Considine: what MEBDFI and MEBDFDAE share. Method, control and counters: the chapter of MEBDFI.
#include "extended_bdf.hpp"

#include "solvers/common/solver_of.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace ivp::solvers::mebdf {

namespace {

constexpr double newton_cut = 0.5;     // step factor after an iteration that did not converge, and after an embedded failure
constexpr int matrix_age = 5;          // a matrix used for more steps is not kept when the step size changes
constexpr int quiet_age = 21;          // a matrix younger than this is not given up for a step ratio below 1.1
constexpr int long_pause = 10;         // steps until order and step size are considered again where nothing is gained now
constexpr double growth = 10;          // largest step ratio
constexpr double first_growth = 1e4;   // the same for the first change
constexpr double cautious_growth = 2;  // the same after a failure
constexpr int error_failure_limit = 7; // in one step
constexpr int restart_failures = 3;    // failures of the error test in one step before order 1
constexpr int standing_limit = 100;    // attempts in a row whose step does not change t
constexpr int smaller_limit = 10;      // how often the smallest step is made ten times smaller

/// x^(1/(2k)), x a sum of squares
double root(double x, int k) { return std::pow(x, 0.5 / k); }

} // namespace

solver_info common_description(const char* name, const char* title)
{
    solver_info i = implicit_description(name, title, 2, highest_bdf_order + 1);
    i.needs_h0 = true;
    i.locally_extrapolated = true;
    i.error_norm = "root mean square of the estimate divided by rtol |y| + atol (index 2, 3: times h, h^2)";
    i.lu_unit = "one real matrix";
    i.reference = "J. R. Cash, S. Considine: An MEBDF code for stiff initial value problems, ACM TOMS 18 (1992)";
    i.options = common_options().describe();
    return i;
}

const option_table<settings>& common_options()
{
    static const option_table<settings> table{{
        bind::whole("max_order", &settings::max_order, 1, highest_bdf_order, "highest order of the BDF; the result has one order more"),
    }};
    return table;
}

extended_bdf::extended_bdf(evaluator& e, const segment& s, const solve_options& o, const settings& set, step_observer* observer)
    : integration(e, s, o, observer),
      max_order_(set.max_order),
      weights_(o.tolerance, e.problem(), memory_),
      past_(n_, memory_),
      h_(std::min({o.h0.value(), o.hmax, s.tend - s.t0})),
      y_(n_, memory_),
      first_(n_, memory_),
      ahead_(n_, memory_),
      polynomial_(past_),
      steps_before_(0.1 * std::max(o.tolerance.relative(0), o.tolerance.absolute(0))),
      hmin_(h_),
      given_hmax_(o.hmax),
      hmax_(std::min(10 * (s.tend - s.t0), o.hmax)),
      largest_ratio_(first_growth),
      top_before_(n_, memory_)
{
    set_order(1);
    if (observer != nullptr) {
        observed_estimate_.resize(n_);
        observed_weights_.resize(n_);
    }
}

solve_result extended_bdf::run()
{
    if (const evaluation answer = start(); answer == evaluation::ok)
        while (step()) {}
    else
        ending_.at_start(answer);
    result_.extra["embedded_rejections"] = static_cast<double>(embedded_rejections_);
    result_.extra["newton_failures"] = static_cast<double>(newton_failures_);
    return finished(path());
}

// One accepted step, repeated until it is. False: the run has ended.
bool extended_bdf::step()
{
    failed_tests_ = 0;
    while (true) {
        if (result_.steps >= segment_.max_steps) return end(outcome::too_many_steps);
        // At a kink the method may have to let fast components settle in steps that time cannot show.
        if (t_ + h_ == t_ && ++standing_ > standing_limit) {
            ending_.step_too_small(t_);
            return leave();
        }
        ++result_.steps;
        const attempt how = try_step();
        switch (how) {
        case attempt::accepted: return accept();
        case attempt::stopped: ending_.stopped(); return leave();
        case attempt::error_test:
            ++result_.error_rejections;
            ending_.note_cut("the error test fails");
            if (!cut_after_error_test()) return false;
            break;
        case attempt::refused:
            ending_.note_cut("the problem refuses the arguments", refusal_);
            cut_step(newton_cut);
            break;
        default:
            if (how == attempt::embedded_test)
                ++embedded_rejections_;
            else
                ++newton_failures_;
            ending_.note_cut(how == attempt::embedded_test ? "the two formulas differ too much"
                             : how == attempt::singular    ? "the iteration matrix is singular"
                                                           : "Newton's iteration does not converge");
            if (!cut_after_iteration(how)) return false;
        }
    }
}

void extended_bdf::note_repeated_stage()
{
    need_matrix_ = true;
    forced_matrix_ = true;
    ++newton_failures_;
    ++result_.steps;
}

void extended_bdf::note_new_matrix(double hb)
{
    drift_ = 1;
    matrix_hb_ = hb;
    matrix_steps_ = 0;
    need_matrix_ = false;
    matrix_is_old_ = false;
    if (forced_matrix_ || rules_.every_matrix_is_young) quiet_steps_ = 0;
    forced_matrix_ = false;
}

bool extended_bdf::accept()
{
    const double t_old = t_;
    const double h_used = h_;
    if (t_ + h_ != t_) standing_ = 0;
    ++result_.accepted;
    t_ += h_;
    past_.append(y_.data(), order_);
    polynomial_.set(t_, h_, order_ + 1);
    const bool last =
        t_ >= tend_ || tend_ - t_ <= 15 * unit_roundoff * std::abs(tend_) || (rules_.hits_end && tend_ - t_ <= 100 * unit_roundoff * hmax_);
    if (last) {
        past_.interpolate((tend_ - t_) / h_, order_ + 1, segment_.y.data());
        write_slope();
        t_ = tend_;
    }
    report(t_old, last ? t_ - t_old : h_used, last); // of a step that passes the end, the part inside
    if (last) return false;
    if (ending_.ended()) return leave();

    if (!rules_.hits_end && result_.accepted == 1) hmax_ = std::min(10 * (tend_ - t_), given_hmax_);
    if (until_decision_ == 2 && order_ != max_order_) std::copy_n(past_.nabla(order_ + 1), top_before_.size(), top_before_.data());
    predict_ = false;
    if (--until_decision_ == 0) decide();
    ++matrix_steps_;
    ++quiet_steps_;
    if (rules_.hits_end && t_ + h_ > tend_) change_step((tend_ - t_) * (1 - 4 * unit_roundoff) / h_);
    return true;
}

void extended_bdf::decide()
{
    sampling_ = ++decisions_ % 4 == 0;
    weights_.update(y_.data(), h_);
    const int q = order_;
    const double never = 1e20;
    const double factor = after_embedded_failure_ ? 1.8 : 1.5;
    after_embedded_failure_ = false;
    const double own = weights_.squares(past_.nabla(q + 1));
    double own_ratio = root(own / error_bound(q), q + 1) * factor + 1.6e-6; // inverse step ratios
    double higher = 0;
    double higher_ratio = never;
    if (q != max_order_) {
        higher = weights_.squares_of_difference(past_.nabla(q + 1), top_before_.data());
        higher_ratio = root(higher / error_bound(q + 1), q + 2) * (factor + 0.2) + 1.8e-6;
    }
    double lower_ratio = never;
    if (q > 1) {
        double lower = weights_.squares(past_.nabla(q));
        lower_ratio = root(lower / error_bound(q - 1), q) * (factor + 0.1) + 1.7e-6;
        if (q > 2) {
            const double lowest = weights_.squares(past_.nabla(q - 1));
            lower_ratio = std::max(lower_ratio, root(lowest / error_bound(q - 2), q - 1) * (factor + 0.1) + 1.7e-6);
            lower = std::min(lower, lowest);
        }
        if (higher > own && own > lower) own_ratio = higher_ratio = 1e30; // the differences grow: down
    }
    int order = q;
    double ratio = 0;
    if (own_ratio <= higher_ratio && own_ratio <= lower_ratio) {
        ratio = 1 / own_ratio;
    } else if (higher_ratio < own_ratio && higher_ratio < lower_ratio) {
        order = q + 1;
        ratio = 1 / higher_ratio;
    } else {
        order = q - 1;
        ratio = 1 / lower_ratio;
    }
    if (ratio > 1 && ratio < 1.1) {
        until_decision_ = long_pause;
        return;
    }
    ratio = steps_before_.filter(std::min(ratio, largest_ratio_), h_);
    if (quiet_steps_ <= quiet_age && ratio < 1.1) {
        until_decision_ = long_pause;
        return;
    }
    if (rules_.raises_order && q <= 2 && higher_ratio < 1) order = q + 1;
    if (order != q) set_order(order);
    change_step(std::max(ratio, hmin_ / h_));
}

void extended_bdf::set_order(int order)
{
    drift_ *= formulas[order].b / formulas[order_].b;
    order_ = order;
    const double d = 0.5 * error_divisor[order] / order;
    newton_bound_ = 0.5 * n_ * d * d;
}

void extended_bdf::change_step(double ratio)
{
    ratio = std::min({ratio, hmax_ / h_, largest_ratio_});
    past_.rescale(ratio, order_);
    largest_ratio_ = growth;
    h_ *= ratio;
    drift_ = matrix_steps_ > matrix_age ? 0 : drift_ * ratio;
    predict_ = true;
    until_decision_ = order_ + 2;
}

// Outside a decision.
void extended_bdf::cut_step(double ratio)
{
    if (matrix_steps_ > matrix_age) forced_matrix_ = true;
    change_step(ratio);
}

// False: that has been done too often.
bool extended_bdf::lower_smallest_step(outcome why)
{
    if (++smaller_ > smaller_limit)
        return end(why, "at t = " + to_text(t_) + ", with a step 10^" + std::to_string(smaller_limit) + " times smaller than the first");
    hmin_ *= 0.1;
    if (result_.accepted == 0) start_smaller();
    cut_step(0.1);
    return true;
}

bool extended_bdf::cut_after_iteration(attempt how)
{
    const bool smallest = at_smallest_step();
    largest_ratio_ = cautious_growth;
    const double ratio = how == attempt::stage_diverged ? steps_before_.filter(newton_cut, h_) : newton_cut;
    if (smallest)
        return lower_smallest_step(how == attempt::embedded_test ? outcome::error_test_failed
                                   : how == attempt::singular    ? outcome::singular_matrix
                                                                 : outcome::newton_failed);
    cut_step(std::max(ratio, hmin_ / h_));
    return true;
}

bool extended_bdf::cut_after_error_test()
{
    ++failed_tests_;
    largest_ratio_ = cautious_growth;
    if (at_smallest_step()) return lower_smallest_step(outcome::error_test_failed);
    if (failed_tests_ >= restart_failures) {
        if (failed_tests_ == error_failure_limit)
            return end(outcome::error_test_failed, "at t = " + to_text(t_) + ", " + std::to_string(error_failure_limit) + " times in one step");
        restart_with_order_one();
        return true;
    }
    const int q = order_;
    constexpr double safety = 0.2;
    double inverse = root(squares_.change / (safety * error_bound(q)), q + 1) * 1.5 + 1.6e-6;
    if (q > 1) {
        double lower = root(squares_.top / (safety * error_bound(q - 1)), q) * 1.5 + 1.7e-6;
        if (q > 2) lower = std::max(lower, root(squares_.below / (safety * error_bound(q - 2)), q - 1) * 1.5 + 1.7e-6);
        if (lower < inverse) {
            inverse = lower;
            set_order(q - 1);
        }
    }
    cut_step(std::max(1 / (inverse * failed_tests_), hmin_ / h_));
    return true;
}

void extended_bdf::restart_with_order_one()
{
    const double ratio = steps_before_.filter(std::max(hmin_ / h_, 0.1), h_);
    h_ *= ratio;
    if (order_ != 1) set_order(1);
    restart(ratio);
    predict_ = true;
    need_matrix_ = true;
    forced_matrix_ = true;
    until_decision_ = long_pause;
}

void extended_bdf::report(double t_old, double h_used, bool last)
{
    if (observer_ == nullptr) return;
    // The estimate is that of the BDF: its (q+1)-th difference, which differs from the one of the accepted value as the values do.
    const double divisor = error_divisor[order_];
    for (int i = 0; i < n_; ++i) {
        observed_estimate_[i] = (past_.nabla(order_ + 1)[i] + (first_[i] - y_[i])) / divisor;
        observed_weights_[i] = 1 / weights_.inverse()[i];
    }
    const std::span<const double> y = last ? std::span<const double>(segment_.y) : components(y_.data());
    const double norm = std::sqrt(squares_.change / error_bound(order_));
    const accepted_step step{t_old, t_, h_used, y, 1.0, norm, observed_estimate_, observed_weights_, &polynomial_};
    show(step, last);
}

bool extended_bdf::end(outcome o, std::string message)
{
    ending_.end(o, std::move(message));
    return leave();
}
// y and y' of the last accepted step are the answer. Always false.
bool extended_bdf::leave()
{
    std::copy_n(past_.nabla(0), n_, segment_.y.begin());
    if (result_.accepted > 0) write_slope();
    return false;
}

} // namespace ivp::solvers::mebdf
