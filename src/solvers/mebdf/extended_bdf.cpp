// Modified extended BDF after Cash and Considine. Method, control and counters: the chapter of MEBDFI.
#include "extended_bdf.hpp"

#include "../common/implicit_system.hpp"
#include "../common/lanes.hpp"
#include "../common/run_ending.hpp"
#include "backward_differences.hpp"
#include "coefficients.hpp"
#include "index_weights.hpp"
#include "stage_formulas.hpp"
#include "step_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace ivp::solvers::mebdf {

namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr double newton_cut = 0.5;     // step factor after an iteration that did not converge, and after an embedded failure
constexpr int newton_limit = 5;        // iterations of a stage
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

enum class attempt { accepted, error_test, embedded_test, stage_diverged, last_stage_diverged, singular, refused, stopped };

class difference_interpolant final : public interpolant {
public:
    explicit difference_interpolant(const backward_differences& d) : past_(d) {}
    void set(double t, double h, int degree)
    {
        t_ = t;
        h_ = h;
        degree_ = degree;
    }
    void evaluate(double t, double* y) const override { past_.interpolate((t - t_) / h_, degree_, y); }

private:
    const backward_differences& past_;
    double t_ = 0;
    double h_ = 1;
    int degree_ = 0;
};

class integrator {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, const solver_info& info, step_observer* observer)
        : segment_(s),
          observer_(observer),
          n_(e.n()),
          groups_(groups_of(n_)),
          max_order_(static_cast<int>(o.option(info, "max_order"))),
          weights_(o.tolerance, e.problem()),
          system_(e, o),
          ending_(e),
          past_(n_),
          polynomial_(past_),
          steps_before_(0.1 * std::max(o.tolerance.relative(0), o.tolerance.absolute(0))),
          t_(s.t0),
          tend_(s.tend),
          h_(std::min({o.h0.value(), o.hmax, s.tend - s.t0})),
          hmin_(h_),
          hmax_(std::min(10 * (s.tend - s.t0), o.hmax)),
          y_(n_),
          yp_(n_),
          rhs_(n_),
          delta_(n_),
          first_(n_),
          first_slope_(n_),
          ahead_(n_),
          ahead_slope_(n_),
          top_before_(n_)
    {
        past_.start(s.y.data(), s.yp.data(), h_);
        const bool band = system_.path() == algebra::band;
        largest_drift_ = band ? 0.1 : 0.2;
        scaled_increments_ = band || o.option(info, "scaled_increments") != 0;
        set_order(1);
        if (observer != nullptr) {
            observed_estimate_.resize(n_);
            observed_weights_.resize(n_);
        }
    }

    solve_result run()
    {
        while (step()) {}
        result_.t = t_;
        result_.algebra = std::string(label(system_.path()));
        result_.extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        result_.extra["embedded_rejections"] = static_cast<double>(embedded_rejections_);
        result_.extra["newton_failures"] = static_cast<double>(newton_failures_);
        ending_.write_to(result_);
        return std::move(result_);
    }

private:
    // One accepted step, repeated until it is. False: the run has ended.
    bool step()
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
                change_step(newton_cut);
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

    attempt try_step()
    {
        if (std::abs(drift_ - 1) > largest_drift_) need_matrix_ = true;
        const double hb = h_ * formulas[order_].b;
        while (true) {
            passes[order_].first(past_, groups_, rhs_.data(), predict_ ? y_.data() : nullptr);
            if (!predict_) std::copy_n(ahead_.data(), groups_ * lane_count, y_.data());
            set_slope(y_, hb, yp_);
            if (need_matrix_)
                if (const attempt how = new_matrix(t_ + h_, hb); how != attempt::accepted) return how;
            const attempt how = iterate(t_ + h_, first_rate_, sampling_);
            if (how == attempt::accepted) break;
            if (how != attempt::stage_diverged || !matrix_is_old_) return how;
            // Once more with a new matrix; it counts as an attempt.
            need_matrix_ = true;
            ++newton_failures_;
            ++result_.steps;
        }
        matrix_is_old_ = true;
        order_used_ = order_;
        std::swap(first_, y_);
        set_slope(first_, hb, first_slope_);
        weights_.update(first_.data(), h_);
        squares_ = passes[order_].second(past_, groups_, first_.data(), weights_.inverse(), rhs_.data(), y_.data());
        if (!(squares_.change <= error_bound(order_))) return attempt::error_test;
        failed_tests_ = 0;

        set_slope(y_, matrix_hb_, yp_);
        if (const attempt how = iterate(t_ + 2 * h_, second_rate_, false); how != attempt::accepted) return how;
        std::swap(ahead_, y_);
        set_slope(ahead_, hb, ahead_slope_);

        passes[order_].third(past_, groups_, h_, first_slope_.data(), ahead_slope_.data(), rhs_.data());
        std::copy_n(first_.data(), groups_ * lane_count, y_.data());
        if (const attempt how = iterate_last_stage(); how != attempt::accepted) return how;
        if (!(weights_.squares_of_difference(y_.data(), first_.data()) <= 4.0 * n_)) {
            after_embedded_failure_ = true;
            return attempt::embedded_test;
        }
        return attempt::accepted;
    }

    // slope = (y − rhs) / hb
    void set_slope(const lane_vector& y, double hb, lane_vector& slope) const
    {
        const double inverse = 1 / hb;
        for (int g = 0; g < groups_; ++g) store(slope.data(), g, (load(y.data(), g) - load(rhs_.data(), g)) * inverse);
    }

    attempt new_matrix(double t, double hb)
    {
        const double c = 1 / hb;
        drift_ = 1;
        matrix_steps_ = 0;
        need_matrix_ = false;
        matrix_is_old_ = false;
        matrix_hb_ = hb;
        refusal_ = system_.by_differences() ? system_.residual_for_differences(t, y_.data(), yp_.data(), delta_.data()) : evaluation::ok;
        if (refusal_ == evaluation::ok)
            refusal_ = system_.linearise(t, y_.data(), yp_.data(), c, delta_.data(), [this, floor = increment_floor()](double y, int i) {
                const double rounding = std::sqrt(unit_roundoff);
                const double size = scaled_increments_
                                        ? std::max(rounding * std::abs(y), floor / (weights_.relative(i) * std::abs(y) + weights_.absolute(i)))
                                        : rounding;
                return (y + size) - y;
            });
        if (refusal_ != evaluation::ok) {
            need_matrix_ = true;
            return refused();
        }
        if (system_.factor(c)) return attempt::accepted;
        need_matrix_ = true;
        return attempt::singular;
    }
    [[nodiscard]] attempt refused() const { return refusal_ == evaluation::stopped ? attempt::stopped : attempt::refused; }

    // Of the increments of difference quotients: what y' can change y by in a step, at the level of rounding.
    [[nodiscard]] double increment_floor() const
    {
        double sum = 0;
        for (int i = 0; i < n_; ++i) {
            const double v = yp_[i] * (weights_.relative(i) * std::abs(y_[i]) + weights_.absolute(i));
            sum += v * v;
        }
        const double floor = 1000 * unit_roundoff * h_ * std::sqrt(sum);
        return floor > 0 ? floor : std::sqrt(unit_roundoff);
    }

    // Newton's iteration of the two BDF stages, from y_ with slope yp_. sample: the first iteration only measures.
    attempt iterate(double t, double& rate, bool sample)
    {
        weights_.update(y_.data(), h_);
        const double bound = newton_bound_ / order_used_;
        double before = 0;
        for (int m = 0; m < newton_limit; ++m) {
            if (!evaluate_residual(t)) return refused();
            const double size = correct();
            if (m > 0 && before != 0) rate = std::max(0.9 * rate, size / before);
            if (m > 0 || !sample) {
                if (size * std::min(1.0, 2 * rate) < bound) return attempt::accepted;
                if (m > 0 && size > before) break;
            }
            before = size;
        }
        return attempt::stage_diverged;
    }

    attempt iterate_last_stage()
    {
        set_slope(y_, matrix_hb_, yp_);
        for (int m = 0; m < newton_limit; ++m) {
            if (!evaluate_residual(t_ + h_)) return refused();
            weights_.update(y_.data(), h_);
            if (correct() * std::min(1.0, 2 * first_rate_) <= newton_bound_) return attempt::accepted;
        }
        return attempt::last_stage_diverged;
    }

    bool evaluate_residual(double t)
    {
        refusal_ = system_.residual(t, y_.data(), yp_.data(), delta_.data());
        return refusal_ == evaluation::ok;
    }

    // Corrects y and, with the step size of the matrix, y'; answers Σ (δ_i/w_i)².
    double correct()
    {
        system_.solve(1, delta_.data());
        const double inverse_hb = 1 / matrix_hb_;
        lanes sum{};
        for (int g = 0; g < groups_; ++g) {
            const lanes d = load_one_by_one(delta_.data(), g);
            const lanes q = d * load(weights_.inverse(), g);
            const lanes y = load(y_.data(), g) - d;
            store(y_.data(), g, y);
            store(yp_.data(), g, (y - load(rhs_.data(), g)) * inverse_hb);
            sum += q * q;
        }
        return sum_of(sum);
    }

    bool accept()
    {
        const double t_old = t_;
        const double h_used = h_;
        if (t_ + h_ != t_) standing_ = 0;
        ++result_.accepted;
        t_ += h_;
        past_.append(y_.data(), order_);
        polynomial_.set(t_, h_, order_ + 1);
        const bool last = t_ >= tend_ || tend_ - t_ <= 15 * unit_roundoff * std::abs(tend_) || tend_ - t_ <= 100 * unit_roundoff * hmax_;
        if (last) {
            past_.interpolate((tend_ - t_) / h_, order_ + 1, segment_.y.data());
            write_slope();
            t_ = tend_;
        }
        report(t_old, h_used, last);
        if (last) return false;
        if (ending_.ended()) return leave();

        if (until_decision_ == 2 && order_ != max_order_) std::copy_n(past_.nabla(order_ + 1), groups_ * lane_count, top_before_.data());
        predict_ = false;
        if (--until_decision_ == 0) decide();
        ++matrix_steps_;
        if (t_ + h_ > tend_) change_step((tend_ - t_) * (1 - 4 * unit_roundoff) / h_);
        return true;
    }

    void decide()
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
        if (matrix_steps_ <= quiet_age && ratio < 1.1) {
            until_decision_ = long_pause;
            return;
        }
        if (weights_.highest_index() == 3 && q <= 2 && higher_ratio < 1) order = q + 1;
        if (order != q) set_order(order);
        change_step(std::max(ratio, hmin_ / h_));
    }

    /// x^(1/(2k)), x a sum of squares
    static double root(double x, int k) { return std::pow(x, 0.5 / k); }

    [[nodiscard]] double error_bound(int order) const { return error_divisor[order] * error_divisor[order] * n_; }

    void set_order(int order)
    {
        drift_ *= formulas[order].b / formulas[order_].b;
        order_ = order;
        const double d = 0.5 * error_divisor[order] / order;
        newton_bound_ = 0.5 * n_ * d * d;
    }

    void change_step(double ratio)
    {
        ratio = std::min({ratio, hmax_ / h_, largest_ratio_});
        past_.rescale(ratio, order_);
        largest_ratio_ = growth;
        h_ *= ratio;
        drift_ = matrix_steps_ > matrix_age ? 0 : drift_ * ratio;
        predict_ = true;
        until_decision_ = order_ + 2;
    }

    [[nodiscard]] bool at_smallest_step() const { return h_ <= hmin_ * 1.00001; }
    // False: that has been done too often.
    bool lower_smallest_step(outcome why)
    {
        if (++smaller_ > smaller_limit)
            return end(why, "at t = " + to_text(t_) + ", with a step 10^" + std::to_string(smaller_limit) + " times smaller than the first");
        hmin_ *= 0.1;
        change_step(0.1);
        return true;
    }

    bool cut_after_iteration(attempt how)
    {
        const bool smallest = at_smallest_step();
        largest_ratio_ = cautious_growth;
        const double ratio = how == attempt::stage_diverged ? steps_before_.filter(newton_cut, h_) : newton_cut;
        if (smallest)
            return lower_smallest_step(how == attempt::embedded_test ? outcome::error_test_failed
                                       : how == attempt::singular    ? outcome::singular_matrix
                                                                     : outcome::newton_failed);
        change_step(std::max(ratio, hmin_ / h_));
        return true;
    }

    bool cut_after_error_test()
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
        change_step(std::max(1 / (inverse * failed_tests_), hmin_ / h_));
        return true;
    }

    void restart_with_order_one()
    {
        const double ratio = steps_before_.filter(std::max(hmin_ / h_, 0.1), h_);
        h_ *= ratio;
        past_.scale_first(ratio);
        predict_ = true;
        need_matrix_ = true;
        until_decision_ = long_pause;
        if (order_ != 1) set_order(1);
    }

    void report(double t_old, double h_used, bool last)
    {
        if (observer_ == nullptr) return;
        // The estimate is that of the BDF: its (q+1)-th difference, which differs from the one of the accepted value as the values do.
        const double divisor = error_divisor[order_];
        for (int i = 0; i < n_; ++i) {
            observed_estimate_[i] = (past_.nabla(order_ + 1)[i] + (first_[i] - y_[i])) / divisor;
            observed_weights_[i] = 1 / weights_.inverse()[i];
        }
        const std::span<const double> y = last ? std::span<const double>(segment_.y) : std::span(y_.data(), static_cast<std::size_t>(n_));
        const double norm = std::sqrt(squares_.change / error_bound(order_));
        const accepted_step step{t_old, t_, h_used, y, 1.0, norm, observed_estimate_, observed_weights_, &polynomial_};
        if (observer_->on_step(step) == observer_answer::stop && !last) ending_.end(outcome::stopped_by_observer);
    }

    bool end(outcome o, std::string message = {})
    {
        ending_.end(o, std::move(message));
        return leave();
    }
    // y and y' of the last accepted step are the answer. Always false.
    bool leave()
    {
        std::copy_n(past_.nabla(0), n_, segment_.y.begin());
        if (result_.accepted > 0) write_slope();
        return false;
    }
    void write_slope() { std::copy_n(yp_.data(), n_, segment_.yp.begin()); }

    const segment& segment_;
    step_observer* observer_;
    int n_;
    int groups_;
    int max_order_;
    index_weights weights_;
    implicit_system system_;
    run_ending<double> ending_;
    backward_differences past_;
    difference_interpolant polynomial_;
    step_history steps_before_;

    double t_;
    double tend_;
    double h_;
    double hmin_;
    double hmax_;
    lane_vector y_, yp_, rhs_, delta_;
    lane_vector first_, first_slope_; ///< of the BDF at the next point
    lane_vector ahead_, ahead_slope_; ///< of the BDF at the point behind it
    lane_vector top_before_;          ///< ∇^{q+1} one step before the decision
    std::vector<double> observed_estimate_, observed_weights_;

    int order_ = 1;
    int order_used_ = 1; ///< of the last first stage that converged
    double newton_bound_ = 0;
    double first_rate_ = 0.1;
    double second_rate_ = 0.1;
    double largest_ratio_ = first_growth;
    int until_decision_ = 3;
    int decisions_ = 0;
    bool sampling_ = false;
    bool predict_ = true; ///< the first stage starts from the extrapolation; else from what the last step saw ahead
    bool after_embedded_failure_ = false;
    int failed_tests_ = 0;
    int smaller_ = 0;
    int standing_ = 0;

    bool need_matrix_ = true;
    bool matrix_is_old_ = false; ///< a stage has converged with it
    double matrix_hb_ = 1;
    double drift_ = 0; ///< h b now, relative to that of the matrix
    double largest_drift_ = 0;
    bool scaled_increments_ = false;
    int matrix_steps_ = 0;

    weighted_squares squares_;
    std::uint64_t embedded_rejections_ = 0;
    std::uint64_t newton_failures_ = 0;
    evaluation refusal_ = evaluation::ok;
    solve_result result_;
};

} // namespace

solver_info common_description()
{
    solver_info i;
    i.version = "1.0";
    i.highest_index = 3;
    i.lowest_order = 2;
    i.highest_order = highest_bdf_order + 1;
    i.needs_h0 = true;
    i.takes_band = true;
    i.takes_sparse = true;
    i.needs_initial_derivative = true;
    i.gives_error_estimate = true;
    i.locally_extrapolated = true;
    i.error_norm = "root mean square of the estimate divided by rtol |y| + atol (index 2, 3: times h, h^2)";
    i.lu_unit = "one real matrix";
    i.options = {
        {"max_order", highest_bdf_order, 1, highest_bdf_order, "highest order of the BDF; the result has one order more", true},
        {"scaled_increments", 0, 0, 1,
         "1: difference quotients with increments relative to y, 0: as the original, which takes one absolute increment for full matrices", true},
    };
    return i;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& o, const solver_info& info, step_observer* observer)
{
    return integrator(e, s, o, info, observer).run();
}

} // namespace ivp::solvers::mebdf
