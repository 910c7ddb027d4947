// VODE: multistep methods of variable order with variable coefficients, after the code of Brown, Byrne and Hindmarsh. Method and counters:
// vode.md.
#include "solvers/solvers.hpp"

#include "corrector.hpp"
#include "first_step.hpp"
#include "model/option_table.hpp"
#include "multistep.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/solver_of.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers {

namespace {

using namespace vode_method;

constexpr double bias_same = 6; // the estimates are multiplied by these before a step size is derived from them
constexpr double bias_lower = 6;
constexpr double bias_higher = 10;
constexpr double addend = 1e-6;   // bounds the step ratio where an estimate vanishes
constexpr double threshold = 1.5; // a smaller step ratio is not worth a change
constexpr double first_growth = 1e4;
constexpr double growth = 10;
constexpr double no_growth = 1; // after a failure in the step
constexpr double convergence_cut = 0.25;
constexpr double smallest_error_cut = 0.1;
constexpr double repeated_error_cut = 0.2; // at most, from the second failure of a step
constexpr int failures_before_lower_order = 3;
constexpr int error_failure_limit = 7;
constexpr int convergence_failure_limit = 10;
constexpr int wait_after_start = 2;
constexpr int wait_after_restart = 10;

solver_info common_description(const char* name, const char* title, family kind)
{
    solver_info i = own_description(name, title, 1, highest_order(kind));
    i.forms = {form::ode};
    i.takes_zero_rtol = true;
    i.takes_zero_atol = true;
    i.error_norm = "root mean square of the estimate divided by rtol |y| + atol, y at the beginning of the step";
    i.reference =
        "P. N. Brown, G. D. Byrne, A. C. Hindmarsh: VODE: a variable-coefficient ODE solver, SIAM J. Sci. Stat. Comput. 10 (1989) 1038-1051";
    return i;
}

struct asked {
    bool adams = false;
    int max_order = 0;
    bool keep_jacobian = true;
};

const option_table<asked>& bdf_options()
{
    static const option_table<asked> table{{
        bind::flag("adams", &asked::adams, "Adams methods, orders 1 to 12, instead of BDF; Newton's iteration in both"),
        bind::whole("max_order", &asked::max_order, 0, 12, "highest order; 0: the family's own, 5 for BDF, 12 for Adams"),
        bind::flag("keep_jacobian", &asked::keep_jacobian, "several factorisations may use one Jacobian; no: each has a new one"),
    }};
    return table;
}

const option_table<asked>& adams_options()
{
    static const option_table<asked> table{{bind::whole("max_order", &asked::max_order, 0, 12, "highest order; 0: 12")}};
    return table;
}

solver_info bdf_description()
{
    solver_info i = common_description("vode", "VODE", family::bdf);
    i.takes_band = true;
    i.takes_sparse = true;
    i.takes_krylov = true;
    i.lu_unit = "one real matrix";
    i.options = bdf_options().describe();
    return i;
}

solver_info adams_description()
{
    solver_info i = common_description("vode-adams", "VODE (Adams)", family::adams);
    i.implicit = false;
    i.options = adams_options().describe();
    return i;
}

struct settings {
    family kind;
    int max_order;
    corrector::settings iteration;

    static settings for_bdf(const solve_options& o)
    {
        const asked a = bdf_options().read(o.special);
        const family kind = a.adams ? family::adams : family::bdf;
        return {kind, limited_order(kind, a.max_order), {true, a.keep_jacobian}};
    }
    static settings for_adams(const solve_options& o)
    {
        return {family::adams, limited_order(family::adams, adams_options().read(o.special).max_order), {false, false}};
    }

private:
    static int limited_order(family kind, int order) { return order == 0 ? highest_order(kind) : std::min(order, highest_order(kind)); }
};

/// Step ratio for an estimate of the given order of accuracy in h.
double ratio_for(double biased_error, int exponent) { return 1 / (std::pow(biased_error, 1.0 / exponent) + addend); }

using limits_by_exponent = std::array<double, nordsieck::highest_order + 3>;

/// Biased errors above which the ratio is certainly below the threshold: they save the power in most steps.
limits_by_exponent errors_without_change()
{
    limits_by_exponent e{};
    for (std::size_t k = 1; k < e.size(); ++k) e[k] = 1.000001 * std::pow(1 / threshold - addend, k);
    return e;
}

/// The Nordsieck polynomial of the last accepted step.
class dense_output final : public interpolant {
public:
    explicit dense_output(const multistep& m) : m_(m) {}
    void set_end(double t) { t_ = t; }
    void evaluate(double t, double* y) const override { m_.evaluate_behind(t_ - t, y); }

private:
    const multistep& m_;
    double t_ = 0;
};

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer, const settings& set)
        : integration(e, s, o, observer),
          weights_(o.tolerance, e.problem(), memory_),
          history_(set.kind, n_, set.max_order, memory_),
          corrector_(e, o, set.iteration, memory_),
          polynomial_(history_),
          no_change_above_(errors_without_change()),
          saved_correction_(n_, memory_),
          work_(n_, memory_),
          observed_error_(observer == nullptr ? 0 : n_),
          observed_weights_(observed_error_.size())
    {}

    solve_result run()
    {
        if (start()) {
            while (!ending_.ended() && step() && !reached_end_) {}
            std::copy(history_.y(), history_.y() + n_, segment_.y.begin());
        }
        result_.extra["newton_iterations"] = static_cast<double>(corrector_.iterations());
        result_.extra["convergence_failures"] = static_cast<double>(convergence_failures_);
        return finished(corrector_.algebra_used());
    }

private:
    bool start()
    {
        const double* const y = segment_.y.data();
        if (const evaluation answer = e_.f(t_, y, work_.data()); answer != evaluation::ok) {
            ending_.at_start(answer);
            return false;
        }
        history_.start(0, y, work_.data());
        if (!update_weights()) return true;
        double h = 0;
        if (options_.h0) {
            h = std::min(*options_.h0, tend_ - t_);
        } else {
            simd::padded_vector<double> trial(n_, memory_), slope(n_, memory_);
            const auto found = first_step(e_, t_, tend_, y, work_.data(), weights_, trial.data(), slope.data());
            if (!found) {
                ending_.stopped();
                return true;
            }
            h = *found;
        }
        history_.start(std::min(h, options_.hmax), y, work_.data());
        return true;
    }

    // True: one step was accepted. False: the run has ended.
    bool step()
    {
        double t_new = 0;
        double error = 0;
        int error_failures = 0;
        int convergence_failures = 0;
        change_as_planned();
        corrector_.begin_step();
        while (true) {
            t_new = t_ + history_.h();
            if (!may_step(t_new)) return false;
            ++result_.steps;
            history_.predict(wait_ == 1);
            const iteration_end end = corrector_.solve(history_, t_new, weights_, result_.accepted);
            if (end == iteration_end::converged) {
                error = corrector_.correction_norm() / history_.coefficients_now().same;
                if (error <= 1) break;
                history_.retract();
                if (!cut_after_error(error, ++error_failures)) return false;
                continue;
            }
            history_.retract();
            if (end == iteration_end::stopped) return ending_.goes_on(evaluation::stopped);
            if (end != iteration_end::refused) ++convergence_failures;
            if (!cut_after_iteration(end, convergence_failures)) return false;
        }
        accept(t_new, error);
        return !ending_.ended();
    }

    bool may_step(double t_new) { return ending_.may_step(result_.steps >= segment_.max_steps, t_new == t_, t_); }

    // Order and step size for the next step, as decided after the last one; shortened where it would pass the end.
    void change_as_planned()
    {
        if (result_.accepted == 0) return;
        constexpr double u = std::numeric_limits<double>::epsilon();
        double ratio = planned_ratio_;
        bool changes = change_is_planned_;
        if (t_ + history_.h() * ratio * (1 + 4 * u) > tend_) {
            ratio = std::min(ratio, (tend_ - t_) * (1 - 4 * u) / history_.h());
            changes = true;
        }
        if (!changes) return;
        if (planned_order_ != history_.order()) {
            if (planned_order_ < history_.order())
                history_.lower_order();
            else
                history_.raise_order(saved_correction_.data());
            wait_ = history_.order() + 1;
        }
        history_.rescale(ratio);
    }

    bool cut_after_iteration(iteration_end end, int failures)
    {
        growth_limit_ = no_growth;
        if (end != iteration_end::refused) ++convergence_failures_;
        if (failures == convergence_failure_limit)
            return ending_.fail(end == iteration_end::singular ? outcome::singular_matrix : outcome::newton_failed, "at t = " + to_text(t_));
        ending_.note_cut(end == iteration_end::refused    ? "the problem refuses the arguments"
                         : end == iteration_end::singular ? "the iteration matrix is singular"
                                                          : "the iteration does not converge",
                         corrector_.refusal());
        history_.rescale(convergence_cut);
        return true;
    }

    bool cut_after_error(double error, int failures)
    {
        growth_limit_ = no_growth;
        ++result_.error_rejections;
        corrector_.note_error_failure();
        ending_.note_cut("the error test fails");
        if (failures < failures_before_lower_order) {
            double ratio = std::max(ratio_for(bias_same * error, history_.order() + 1), smallest_error_cut);
            if (failures > 1) ratio = std::min(ratio, repeated_error_cut);
            history_.rescale(ratio);
            return true;
        }
        if (failures == error_failure_limit) return ending_.fail(outcome::error_test_failed, "at t = " + to_text(t_));
        // The derivatives are not what the estimates take them for: fewer of them, and much smaller steps.
        if (history_.order() > 1) {
            history_.lower_order();
            wait_ = history_.order() + 1;
            history_.rescale(smallest_error_cut);
            return true;
        }
        return restart();
    }

    bool restart()
    {
        const evaluation answer = e_.f(t_, history_.y(), work_.data());
        if (!ending_.goes_on(answer)) return false;
        if (answer == evaluation::ok)
            history_.restart(smallest_error_cut * history_.h(), work_.data());
        else
            history_.rescale(smallest_error_cut);
        wait_ = wait_after_restart;
        return true;
    }

    void accept(double t_new, double error)
    {
        constexpr double u = std::numeric_limits<double>::epsilon();
        ++result_.accepted;
        history_.accept(corrector_.correction());
        const double t_old = t_;
        t_ = t_new;
        reached_end_ = t_ >= tend_ || tend_ - t_ <= 100 * u * (std::abs(t_) + history_.h());
        if (reached_end_) t_ = tend_;
        --wait_;
        if (wait_ == 1 && history_.order() < history_.max_order()) save_correction();
        plan(error);
        report(t_old, error);
        if (!reached_end_) update_weights();
    }

    void save_correction()
    {
        std::copy(corrector_.correction(), corrector_.correction() + n_, saved_correction_.data());
        saved_factor_ = history_.coefficients_now().correction;
    }

    void plan(double error)
    {
        change_is_planned_ = false;
        planned_ratio_ = 1;
        planned_order_ = history_.order();
        const bool failed = growth_limit_ == no_growth;
        const double limit = growth_limit_;
        growth_limit_ = growth;
        if (failed) {
            wait_ = std::max(wait_, 2);
            return;
        }
        double ratio = useful_ratio(bias_same * error, history_.order() + 1);
        if (wait_ == 0) {
            wait_ = 2;
            ratio = best_order(ratio);
        }
        if (ratio == 0) return;
        ratio = std::min(ratio, limit);
        change_is_planned_ = true;
        planned_ratio_ = ratio / std::max(1.0, history_.h() / options_.hmax * ratio);
    }

    // 0 where the change would not be worth while.
    [[nodiscard]] double useful_ratio(double biased_error, int exponent) const
    {
        if (biased_error > no_change_above_[exponent]) return 0;
        const double ratio = ratio_for(biased_error, exponent);
        return ratio < threshold ? 0 : ratio;
    }

    // Sets planned_order_ to the order with the largest step ratio, the present one where they are equal.
    double best_order(double same)
    {
        const int q = history_.order();
        const formula& now = history_.coefficients_now();
        const double lower = q == 1 ? 0 : useful_ratio(bias_lower * (weights_.norm(history_.row(q)) / now.lower), q);
        const double higher = q == history_.max_order() ? 0 : useful_ratio(bias_higher * (change_of_correction() / now.higher), q + 2);
        if (same >= std::max(lower, higher)) return same;
        if (higher > lower) {
            planned_order_ = q + 1;
            save_correction();
            return higher;
        }
        planned_order_ = q - 1;
        return lower;
    }

    // ‖e − c e_before‖, proportional to the derivative of order q + 2.
    double change_of_correction()
    {
        double power = 1;
        const double steps = history_.h() / history_.steps_before()[1];
        for (int k = 0; k <= history_.order(); ++k) power *= steps;
        const double c = history_.coefficients_now().correction / saved_factor_ * power;
        simd::for_components<double>(n_, [&](auto at) { at(work_) = at(corrector_.correction()) - c * at(saved_correction_); });
        return weights_.norm(work_.data());
    }

    void report(double t_old, double error)
    {
        if (observer_ == nullptr) return;
        polynomial_.set_end(t_);
        for (int i = 0; i < n_; ++i) {
            observed_error_[i] = corrector_.correction()[i] / history_.coefficients_now().same;
            observed_weights_[i] = 1 / weights_.inverse()[i];
        }
        const accepted_step step{t_old, t_, history_.h(), components(history_.y()), 1.0, error, observed_error_, observed_weights_, &polynomial_};
        show(step, reached_end_);
    }

    bool update_weights()
    {
        weights_.update(history_.y());
        const auto i = weights_.component_without_scale();
        return !i || ending_.fail(outcome::error_test_failed,
                                  "component " + std::to_string(*i + 1) + " is 0 at t = " + to_text(t_) + "; atol = 0 allows no error there");
    }

    weights weights_;
    multistep history_;
    corrector corrector_;
    dense_output polynomial_;
    limits_by_exponent no_change_above_;

    bool reached_end_ = false;
    simd::padded_vector<double> saved_correction_, work_;
    double saved_factor_ = 1;

    int wait_ = wait_after_start;        // accepted steps until another order is considered
    double growth_limit_ = first_growth; // of the step ratio after this step
    bool change_is_planned_ = false;
    double planned_ratio_ = 1;
    int planned_order_ = 1;
    std::uint64_t convergence_failures_ = 0;
    std::vector<double> observed_error_, observed_weights_;
};

solve_result integrate_bdf(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
{
    return integrator(e, s, o, observer, settings::for_bdf(o)).run();
}

solve_result integrate_adams(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
{
    return integrator(e, s, o, observer, settings::for_adams(o)).run();
}

} // namespace

std::unique_ptr<const solver> make_vode() { return make_solver(bdf_description(), vode_files::chapter, integrate_bdf); }
std::unique_ptr<const solver> make_vode_adams() { return make_solver(adams_description(), vode_adams_files::chapter, integrate_adams); }

} // namespace ivp::solvers
