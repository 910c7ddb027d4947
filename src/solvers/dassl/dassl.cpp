// DASSL: variable-order BDF with fixed leading coefficient, after the code of Petzold. Method and counters: dassl.md.
#include "solvers/solvers.hpp"

#include "divided_differences.hpp"
#include "model/option_table.hpp"
#include "solvers/common/implicit_system.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/solver_of.hpp"
#include "solvers/common/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ivp::solvers {

namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr double newton_bound = 0.33;    // of the weighted norm of what is left to correct
constexpr double divergence_rate = 0.9;  // an iteration that contracts no better is given up
constexpr double unknown_rate = 100;     // assumed sum of the contraction where nothing is known
constexpr int newton_limit = 4;          // iterations in a step
constexpr double failure_cut = 0.25;     // step factor after an iteration that did not converge, and after a second failed error test
constexpr int newton_failure_limit = 10; // in one step
constexpr int singular_limit = 3;        // in a row
// The matrix is kept while the leading coefficient is within a quarter of the one it was made with, seen from either side.
constexpr double smallest_leading_ratio = 0.6;
constexpr double largest_leading_ratio = 1 / smallest_leading_ratio;

struct settings {
    int max_order = divided_differences::highest_order;
    bool consistent_start = false;
    double excluded_tolerance = 1e10;
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        bind::whole("max_order", &s::max_order, 1, divided_differences::highest_order, "highest order of the formulas"),
        bind::flag("consistent_start", &s::consistent_start, "y' at the start is computed (y moves within the tolerance); no: it is taken as given"),
        bind::real("excluded_tolerance", &s::excluded_tolerance, 0, 1e30,
                   "rtol and atol of the variables of index 2 and 3, which leaves them out of all tests; 0: as given"),
    }};
    return table;
}

solver_info description()
{
    solver_info i = implicit_description("dassl", "DASSL", 1, divided_differences::highest_order);
    i.forms = {form::ide, form::dae, form::ode};
    i.takes_zero_rtol = true;
    i.takes_zero_atol = true;
    i.needs_initial_derivative = true;
    i.error_norm = "root mean square of the estimate divided by rtol |y| + atol, y from the beginning of the step";
    i.lu_unit = "one real matrix, evaluated and factored together";
    i.reference = "K. E. Brenan, S. L. Campbell, L. R. Petzold: Numerical Solution of Initial-Value Problems in Differential-Algebraic "
                  "Equations, chapter 5; code of July 2000";
    i.options = own_options().describe();
    return i;
}

/// (norm / first)^(1/m), the mean contraction after m further iterations
double contraction(double norm, double first, int m)
{
    const double ratio = norm / first;
    return m == 1 ? ratio : m == 2 ? std::sqrt(ratio) : std::cbrt(ratio);
}

class history_interpolant final : public interpolant {
public:
    explicit history_interpolant(const divided_differences& h) : history_(h) {}
    void set(double t) { t_ = t; }
    void evaluate(double t, double* y) const override { history_.interpolate(t - t_, y, nullptr); }

private:
    const divided_differences& history_;
    double t_ = 0;
};

enum class newton_end { converged, failed, singular, refused, stopped };

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          set_(own_options().read(o.special)),
          weights_(o.tolerance, e.problem(), memory_),
          system_(e, o, memory_),
          history_(n_, set_.max_order, memory_),
          polynomial_(history_),
          y_(n_, memory_),
          yp_(n_, memory_),
          delta_(n_, memory_),
          correction_(n_, memory_)
    {
        std::copy(s.y.begin(), s.y.end(), y_.data());
        std::copy(s.yp.begin(), s.yp.end(), yp_.data());
        too_accurate_is_possible_ = 100 * unit_roundoff * (1.0 / weights_.smallest_relative()) > 1; // no norm of y is larger
        const double excluded = set_.excluded_tolerance;
        for (int i = 0; i < n_ && excluded > 0; ++i)
            if (e.problem().info().index_of(i) > 1) weights_.set_tolerance(i, excluded, excluded);
        if (observer != nullptr) observed_weights_.resize(n_);
        system_.set_accuracy(weights_.inverse(), linear_fraction * newton_bound);
    }

    solve_result run()
    {
        integrate();
        std::copy(y_.data(), y_.data() + n_, segment_.y.begin());
        std::copy(yp_.data(), yp_.data() + n_, segment_.yp.begin());
        result_.extra["newton_failures"] = static_cast<double>(newton_failures_);
        return finished(system_.path());
    }

private:
    using value = simd::pack<double>;

    void integrate()
    {
        if (!update_weights(y_.data())) return;
        hmin_ = smallest_step();
        if (!choose_first_step()) return;
        if (set_.consistent_start && !find_consistent_slope()) return;
        history_.start(y_.data(), yp_.data(), h_);
        leading_of_matrix_ = leading_ = 1 / h_;
        while (true) {
            if (!update_weights(history_.phi(1))) return leave_at_last_step();
            hmin_ = smallest_step();
            h_ = std::min(h_, options_.hmax);
            if (t_ + h_ == t_) {
                ending_.note_cut("the error test asks for ever smaller steps");
                ending_.step_too_small(t_);
                return leave_at_last_step();
            }
            const double t_old = t_;
            const double h_used = step();
            if (ending_.ended()) return leave_at_last_step();
            const bool last = t_ >= tend_ || std::abs(t_ - tend_) <= 100 * unit_roundoff * (std::abs(t_) + h_);
            polynomial_.set(t_);
            if (last) {
                history_.interpolate(tend_ - t_, y_.data(), yp_.data());
                t_ = tend_;
            }
            report(t_old, h_used, last);
            if (last || ending_.ended()) return;
            h_ = std::min(h_, options_.hmax);
            if (t_ + h_ > tend_) h_ = tend_ - t_;
        }
    }

    [[nodiscard]] double smallest_step() const { return 4 * unit_roundoff * std::max(std::abs(t_), std::abs(tend_)); }
    bool update_weights(const double* y)
    {
        weights_.update(y);
        if (const auto i = weights_.component_without_scale())
            ending_.end(outcome::error_test_failed, "at t = " + to_text(t_) + ": component " + std::to_string(*i + 1) +
                                                        " is 0 and its atol is 0, so that its error cannot be bounded");
        else if (too_accurate_is_possible_ && 100 * unit_roundoff * weights_.norm(y) > 1)
            ending_.end(outcome::error_test_failed, "at t = " + to_text(t_) + ": the tolerances are below what the arithmetic can resolve");
        return !ending_.ended();
    }

    bool choose_first_step()
    {
        const double distance = tend_ - t_;
        if (distance < hmin_) return ending_.fail(outcome::step_too_small, "the end is too close to the start at t = " + to_text(t_));
        if (options_.h0) {
            h_ = *options_.h0;
        } else {
            h_ = 0.001 * distance;
            if (const double slope = weights_.norm(yp_.data()); slope > 0.5 / h_) h_ = 0.5 / slope;
        }
        h_ = std::min({h_, options_.hmax, distance});
        return true;
    }

    // One step of the backward Euler method with a damped iteration; what it finds is only used as a start.
    bool find_consistent_slope()
    {
        constexpr double damping = 0.75;
        constexpr double first_rate = 1e6;
        constexpr int iteration_limit = 10;
        constexpr int matrix_life = 5;
        constexpr int failure_limit = 10;
        const simd::padded_vector<double> y0 = y_;
        const simd::padded_vector<double> yp0 = yp_;
        const double y_norm = weights_.norm(y0.data());
        int singular = 0;
        int divergent = 0;
        int too_far = 0;
        while (true) {
            const double c = 1 / h_;
            for (int i = 0; i < n_; ++i) y_[i] += h_ * yp_[i];
            bool is_singular = false;
            const bool found = [&] {
                double rate = first_rate;
                double first = 0;
                for (int m = 0; m < iteration_limit; ++m) {
                    if (!evaluate_residual(t_ + h_)) return false;
                    if (m % matrix_life == 0) {
                        if (!evaluate_matrix(t_ + h_, c)) return false;
                        is_singular = !system_.factor(c);
                        if (is_singular) return false;
                        rate = first_rate;
                        singular = 0;
                    }
                    system_.solve(damping, delta_.data());
                    for (int i = 0; i < n_; ++i) {
                        y_[i] -= delta_[i];
                        yp_[i] -= c * delta_[i];
                    }
                    const double norm = weights_.norm(delta_.data());
                    if (norm <= 100 * unit_roundoff * y_norm) return true;
                    if (m == 0) {
                        first = norm;
                    } else {
                        const double theta = std::pow(norm / first, 1.0 / m);
                        if (!(theta <= divergence_rate)) return false;
                        rate = theta / (1 - theta);
                    }
                    if (rate * norm <= newton_bound) return true;
                }
                return false;
            }();
            if (ending_.ended()) return false;
            double error = 0;
            if (found) {
                for (int i = 0; i < n_; ++i) delta_[i] = y_[i] - y0[i];
                error = weights_.norm(delta_.data());
                if (error <= 1) {
                    t_ += h_;
                    return true;
                }
            }
            y_ = y0;
            yp_ = yp0;
            h_ *= found ? std::clamp(0.9 / (2 * error + 0.0001), 0.1, 0.5) : failure_cut;
            const bool too_often = found ? ++too_far >= failure_limit : is_singular ? ++singular >= singular_limit : ++divergent >= failure_limit;
            if (too_often || h_ < hmin_)
                return ending_.fail(is_singular ? outcome::singular_matrix : outcome::newton_failed, "y' at the start could not be computed");
        }
    }

    // One accepted step, repeated until it is; answers the step size used.
    double step()
    {
        int newton_failures = 0;
        int singular = 0;
        int failed_tests = 0;
        while (true) {
            if (result_.steps >= segment_.max_steps) {
                ending_.end(outcome::too_many_steps);
                return h_;
            }
            ++result_.steps;
            history_.begin_step(h_, order_);
            if (history_.leading() != leading_) rate_ = unknown_rate;
            leading_ = history_.leading();
            const newton_end how = correct(singular);
            if (how == newton_end::stopped) {
                ending_.stopped();
                return h_;
            }
            if (how == newton_end::converged && error_test()) return accept();

            starting_ = false;
            history_.withdraw(h_);
            const double h_failed = h_;
            if (how == newton_end::converged) {
                ++result_.error_rejections;
                cut_after_error_test(++failed_tests);
            } else {
                ++newton_failures_;
                h_ *= failure_cut;
                if (how == newton_end::singular ? ++singular >= singular_limit : ++newton_failures >= newton_failure_limit) h_ = 0;
            }
            if (h_ < hmin_) {
                end_after(how);
                return h_failed;
            }
            if (history_.order_before() == 0) history_.rescale_start(h_ / h_failed, h_);
        }
    }

    void cut_after_error_test(int failed_tests)
    {
        order_ = failed_tests <= 2 ? lower_order_wanted_ ? order_ - 1 : order_ : 1;
        h_ *= failed_tests == 1 ? std::clamp(0.9 * std::pow(2 * estimate_ + 0.0001, -1.0 / (order_ + 1)), failure_cut, 0.9) : failure_cut;
    }

    void end_after(newton_end how)
    {
        const std::string where = "at t = " + to_text(t_);
        switch (how) {
        case newton_end::converged:
            return ending_.end(outcome::error_test_failed, where + ": the step would have to be smaller than " + to_text(hmin_) +
                                                               ", the smallest that this method takes on an interval ending at " + to_text(tend_));
        case newton_end::singular: return ending_.end(outcome::singular_matrix, where + ", however small the step");
        case newton_end::refused: ending_.note_cut("the problem refuses the arguments", refusal_); return ending_.step_too_small(t_);
        default: return ending_.end(outcome::newton_failed, where + ", however small the step");
        }
    }

    bool evaluate_residual(double t)
    {
        refusal_ = system_.residual(t, y_.data(), yp_.data(), delta_.data());
        if (refusal_ == evaluation::stopped) ending_.stopped();
        return refusal_ == evaluation::ok;
    }

    bool evaluate_matrix(double t, double c)
    {
        const double root = std::sqrt(unit_roundoff);
        const auto increment = [&](double /*y*/, int j) {
            const double change = h_ * yp_[j];
            const double size = root * std::max({std::abs(y_[j]), std::abs(change), weights_.of(j)});
            // Exactly representable: the quotient divides by what was really added.
            return (y_[j] + std::copysign(size, change)) - y_[j];
        };
        refusal_ = system_.linearise(t, y_.data(), yp_.data(), c, delta_.data(), increment);
        if (refusal_ == evaluation::stopped) ending_.stopped();
        return refusal_ == evaluation::ok;
    }

    [[nodiscard]] newton_end failed_evaluation() const { return refusal_ == evaluation::stopped ? newton_end::stopped : newton_end::refused; }

    newton_end correct(int& singular)
    {
        const double ratio = leading_ / leading_of_matrix_;
        if (ratio < smallest_leading_ratio || ratio > largest_leading_ratio) have_matrix_ = false;
        while (true) {
            const bool fresh = !have_matrix_;
            have_matrix_ = true; // a failure below cuts the step, and with it the leading coefficient changes
            history_.predict(y_.data(), yp_.data());
            if (!evaluate_residual(t_ + h_)) return failed_evaluation();
            if (fresh) {
                const bool evaluated = evaluate_matrix(t_ + h_, leading_);
                leading_of_matrix_ = leading_;
                rate_ = unknown_rate;
                if (!evaluated) return failed_evaluation();
                if (!system_.factor(leading_)) return newton_end::singular;
                singular = 0;
            }
            simd::for_components<double>(n_, [&](auto at) { at(correction_) = 0.0; });
            switch (iterate()) {
            case newton_end::converged: return newton_end::converged;
            case newton_end::failed:
                if (fresh) return newton_end::failed;
                have_matrix_ = false; // once more, with a new one
                break;
            default: return failed_evaluation();
            }
        }
    }

    newton_end iterate()
    {
        // Where c differs from the one of the matrix, this is the best damping for the stiff components.
        const double damping = 2 / (1 + leading_ / leading_of_matrix_);
        double first = 0;
        for (int m = 0; m < newton_limit; ++m) {
            if (m > 0 && !evaluate_residual(t_ + h_)) return newton_end::refused;
            const double norm = advance_iterate(system_.solve(damping, delta_.data()));
            if (m == 0) {
                first = norm;
            } else {
                const double theta = contraction(norm, first, m);
                if (theta > divergence_rate) return newton_end::failed;
                rate_ = theta / (1 - theta);
            }
            if (rate_ * norm <= newton_bound) return newton_end::converged;
            if (m == 0 && norm <= 100 * unit_roundoff * predicted_norm()) return newton_end::converged;
        }
        return newton_end::failed;
    }

    // After the first iteration.
    [[nodiscard]] double predicted_norm() const
    {
        value squares{};
        simd::for_components<double>(n_, [&](auto at) {
            const value q = (at(y_) + at(delta_)) * at(weights_.inverse());
            squares += q * q;
        });
        return weights_.norm_from(squares);
    }

    double advance_iterate(simd::just_written<double> update)
    {
        value squares{};
        simd::for_components<double>(n_, [&](auto at) {
            const value d = at(update);
            at(y_) -= d;
            at(yp_) -= leading_ * d;
            at(correction_) -= d;
            const value q = d * at(weights_.inverse());
            squares += q * q;
        });
        return weights_.norm_from(squares);
    }

    // Compares the errors that the orders k, k − 1, k − 2 would make, and tests that of order k.
    bool error_test()
    {
        const int k = order_;
        value own{};
        value lower{};
        value lowest{};
        simd::for_components<double>(n_, [&](auto at) {
            const value inverse = at(weights_.inverse());
            const value d0 = at(correction_);
            const value d1 = at(history_.phi(k + 1)) + d0;
            const value q0 = d0 * inverse;
            const value q1 = d1 * inverse;
            const value q2 = (at(history_.phi(k)) + d1) * inverse;
            own += q0 * q0;
            lower += q1 * q1;
            lowest += q2 * q2;
        });
        correction_norm_ = weights_.norm_from(own);
        estimate_ = history_.sigma(k + 1) * correction_norm_;
        error_ = (k + 1) * estimate_;
        lower_order_wanted_ = false;
        if (k > 1) {
            lower_estimate_ = history_.sigma(k) * weights_.norm_from(lower);
            lower_error_ = k * lower_estimate_;
            const double lowest_error = (k - 1) * history_.sigma(k - 1) * weights_.norm_from(lowest);
            lower_order_wanted_ = k == 2 ? lower_error_ <= 0.5 * error_ : std::max(lower_error_, lowest_error) <= error_;
            if (lower_order_wanted_) estimate_ = lower_estimate_;
        }
        return history_.error_constant() * correction_norm_ <= 1;
    }

    double accept()
    {
        const double h_used = h_;
        ++result_.accepted;
        t_ += h_;
        choose_order_and_step();
        history_.accept(h_used, correction_.data());
        return h_used;
    }

    void choose_order_and_step()
    {
        const int k = order_;
        if (lower_order_wanted_ || k == set_.max_order) starting_ = false;
        if (starting_) {
            order_ = k + 1;
            h_ *= 2;
            return;
        }
        if (lower_order_wanted_)
            order_ = k - 1;
        else if (k < set_.max_order && k + 1 < history_.equal_steps())
            compare_with_higher_order();
        // r = (2 estimate + 0.0001)^(-1/(order + 1)) is the ratio that the estimate would allow; it is doubled, kept, or cut.
        const double x = 2 * estimate_ + 0.0001;
        if (x * (2 << order_) <= 1)
            h_ *= 2;
        else if (x >= 1)
            h_ *= std::clamp(std::pow(x, -1.0 / (order_ + 1)), 0.5, 0.9);
    }

    void compare_with_higher_order()
    {
        const int k = order_;
        value squares{};
        simd::for_components<double>(n_, [&](auto at) {
            const value q = (at(correction_) - at(history_.phi(k + 2))) * at(weights_.inverse());
            squares += q * q;
        });
        const double higher_estimate = weights_.norm_from(squares) / (k + 2);
        const double higher_error = (k + 2) * higher_estimate;
        if (k > 1 && lower_error_ <= std::min(error_, higher_error)) {
            order_ = k - 1;
            estimate_ = lower_estimate_;
        } else if (higher_error < (k == 1 ? 0.5 * error_ : error_)) {
            order_ = k + 1;
            estimate_ = higher_estimate;
        }
    }

    void report(double t_old, double h_used, bool last)
    {
        if (observer_ == nullptr) return;
        // delta_ is free here.
        const double c = history_.error_constant();
        for (int i = 0; i < n_; ++i) {
            delta_[i] = c * correction_[i];
            observed_weights_[i] = weights_.of(i);
        }
        const accepted_step step{
            t_old, t_, h_used, components(y_.data()), 1.0, c * correction_norm_, components(delta_.data()), observed_weights_, &polynomial_};
        show(step, last);
    }

    // After a failure y and y' hold a trial.
    void leave_at_last_step()
    {
        if (history_.order_before() > 0)
            history_.interpolate(0, y_.data(), yp_.data());
        else
            std::copy(history_.phi(1), history_.phi(1) + n_, y_.data());
    }

    settings set_;
    weights weights_;
    implicit_system system_;
    divided_differences history_;
    history_interpolant polynomial_;

    int order_ = 1;
    simd::padded_vector<double> y_, yp_, delta_, correction_;
    std::vector<double> observed_weights_;

    double h_ = 0;
    double hmin_ = 0;
    double leading_ = 0;
    double leading_of_matrix_ = 0;
    double rate_ = unknown_rate; ///< θ/(1 − θ) of the contraction θ, kept from step to step
    // Of the last error test: estimates of the local error, and the same made comparable between orders.
    double correction_norm_ = 0;
    double estimate_ = 0;
    double error_ = 0;
    double lower_estimate_ = 0;
    double lower_error_ = 0;
    bool lower_order_wanted_ = false;

    bool starting_ = true; ///< order and step size are raised after every step
    bool have_matrix_ = false;
    bool too_accurate_is_possible_ = false;
    evaluation refusal_ = evaluation::ok;
    std::uint64_t newton_failures_ = 0;
};

} // namespace

std::unique_ptr<const solver> make_dassl() { return make_solver(description(), dassl_files::chapter, integrate_with<integrator>); }

} // namespace ivp::solvers
