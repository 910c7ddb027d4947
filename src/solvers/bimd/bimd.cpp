// BIMD: blended implicit methods of orders 4 to 12, after the code of Brugnano and Magherini. Method and counters: chapter.md.
#include <ivp/solvers/bimd.hpp>

#include "block.hpp"
#include "coefficients.hpp"
#include "control.hpp"
#include "error_estimate.hpp"
#include "iteration_matrix.hpp"
#include "mass_product.hpp"

#include "../common/run_ending.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ivp::solvers {

namespace bimd_files {
extern const char* const markdown;
extern const char* const plain;
extern const char* const html;
} // namespace bimd_files

namespace {

using namespace bimd_method;

constexpr double default_first_step = 1e-6;
constexpr double safety = 1.0 / 20; // the error aimed at
constexpr double safety_up = safety / 2;
constexpr double safety_after_failure = 0.1;
constexpr double shrink = 0.12; // limits of the step ratio
constexpr double growth = 10;
constexpr double failure_cut = 0.5;         // step factor after an iteration that did not converge
constexpr double divergence = 0.99;         // contraction above which the iteration is given up
constexpr int singular_limit = 5;           // halvings of one step because of singular matrices
constexpr int iteration_failure_limit = 10; // in a row
constexpr int small_dimension = 5;          // up to here the change of the Jacobian is not measured
constexpr int steps_before_order_up = 3;    // at the present order

/// Step ratios at which the order may rise.
constexpr bool is_steady(double ratio) { return ratio > 0.8 && ratio < 1.25; }

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "bimd";
        i.title = "BIMD";
        i.version = "1.0";
        i.forms = {form::ode, form::dae};
        i.highest_index = 3;
        i.lowest_order = 4;
        i.highest_order = 12;
        i.needs_h0 = true;
        i.takes_band = true;
        i.takes_sparse = true;
        i.gives_error_estimate = true;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| at the beginning of the block (index 2, 3: times h, h^2)";
        i.lu_unit = "one real matrix";
        i.reference = "L. Brugnano, C. Magherini, F. Mugnai: Blended implicit methods for the numerical solution of DAE problems, "
                      "J. Comput. Appl. Math. 189 (2006) 34-50";
        i.options = {
            {"min_order", 4, 4, 12, "lowest order, and that of the first block: 4, 6, 8, 10, 12", true},
            {"max_order", 12, 4, 12, "highest order; equal to min_order: the order is fixed", true},
            {"tau", 0.1, 1e-14, 0.999, "the iteration stops at this fraction of the tolerance"},
            {"nit", 0, 0, 1000, "largest number of iterations in a block; 0: 10, 12, 14, 16, 18 for the five orders", true},
        };
        return i;
    }();
    return info;
}

struct settings {
    int lowest = 0; // levels
    int highest = level_count - 1;
    double iteration_tolerance;
    int iteration_limit; // 0: by order

    explicit settings(const solve_options& o)
        : iteration_tolerance(o.option(description(), "tau")), iteration_limit(static_cast<int>(o.option(description(), "nit")))
    {
        std::vector<std::string> faults;
        lowest = level_option(o, "min_order", faults);
        highest = level_option(o, "max_order", faults);
        if (faults.empty() && lowest > highest)
            faults.push_back("option 'min_order': " + std::to_string(order_of(lowest)) + " given; allowed: at most max_order, " +
                             std::to_string(order_of(highest)));
        if (!faults.empty()) throw bad_request(std::move(faults));
    }

private:
    static int level_option(const solve_options& o, const char* name, std::vector<std::string>& faults)
    {
        const int order = static_cast<int>(o.option(description(), name));
        if (order % 2 != 0) faults.push_back("option '" + std::string(name) + "': " + std::to_string(order) + " given; allowed: 4, 6, 8, 10, 12");
        return order / 2 - 2;
    }
};

class integrator {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : e_(e),
          segment_(s),
          options_(o),
          observer_(observer),
          set_(o),
          n_(e.n()),
          is_dae_(e.mass().kind() != mass_kind::identity),
          weights_(o.tolerance, e.problem()),
          index_(is_dae_ ? weights_.highest_index() : 1),
          limits_(weights_.smallest_rtol()),
          matrix_(e, o),
          mass_(e.mass()),
          block_(mass_),
          polynomial_(n_),
          error_(mass_, weights_, matrix_),
          ending_(e),
          t_(s.t0),
          level_(set_.lowest)
    {
        std::copy(s.y.begin(), s.y.end(), block_.y(0));
        if (!is_dae_ && n_ > small_dimension) probe_.emplace(n_);
        const structure& j = e.problem().info().jacobian_structure;
        const double n = n_;
        const bool band = j.kind == structure_kind::band;
        solve_cost_ = band ? 2 * n * (j.lower + j.upper) : 2 * n * n;
        factor_cost_ = band ? 2 * n * j.lower * j.upper : 2 * n * n * n / 3;
    }

    solve_result run()
    {
        integrate();
        std::copy_n(block_.y(0), n_, segment_.y.begin());
        result_.t = t_;
        result_.algebra = matrix_.path();
        result_.extra["iterations"] = static_cast<double>(iteration_total_);
        result_.extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        for (int l = set_.lowest; l <= set_.highest; ++l)
            result_.extra["steps_of_order_" + std::to_string(order_of(l))] = static_cast<double>(blocks_of_level_[l]);
        ending_.write_to(result_);
        return std::move(result_);
    }

private:
    enum class attempt { accepted, iteration_failed, error_failed, refused };

    void integrate()
    {
        const double length = segment_.tend - t_;
        hmax_ = std::isfinite(options_.hmax) ? std::min(options_.hmax, length) : length / 8;
        h_ = options_.h0.value_or(0);
        if (h_ == 0) h_ = default_first_step;
        h_ = std::min(h_, hmax_);
        if (h_ < 10 * unit_roundoff * t_) h_ = 20 * unit_roundoff * t_;
        if (const evaluation e = e_.f(t_, block_.y(0), block_.f(0)); e != evaluation::ok) return ending_.at_start(e);
        use_level();
        while (!ending_.ended() && !(last_ && succeeded_)) {
            if (!may_step()) return;
            fit_to_end();
            if (level_ != level_before_) use_level();
            if (!make_matrix()) return;
            ++result_.steps;
            const attempt outcome = compute_block();
            if (ending_.ended()) return;
            if (outcome == attempt::accepted)
                take_over();
            else
                retry(outcome);
        }
    }

    // What depends on the order alone.
    void use_level()
    {
        k_ = points[level_];
        gamma_ = with_level(level_, []<int L>() { return formula_of_level<L>.gamma; });
        contraction_before_ = 0;
        blocks_at_order_ = 0;
        failures_at_order_ = 0;
        error_failed_ = false;
        least_iterations_ = index_;
    }

    bool may_step()
    {
        if (0.1 * h_ <= std::abs(t_) * unit_roundoff || h_ == 0) {
            ending_.step_too_small(t_);
            return false;
        }
        if (result_.steps >= segment_.max_steps) {
            ending_.end(outcome::too_many_steps);
            return false;
        }
        return true;
    }

    void fit_to_end()
    {
        const double rest = segment_.tend - t_;
        const int k = points[level_];
        double next = t_ + k * h_;
        // NOTE: two equal blocks also where a rounding error alone is left behind this one, as in the original: the counts of pump depend on it.
        if (is_dae_ && next < segment_.tend && segment_.tend - next < k * h_) {
            h_ = rest / (2.0 * k);
            next = t_ + k * h_;
        }
        // Where so little would remain that no step is possible there, this block goes to the end.
        last_ = next >= segment_.tend || 0.1 * (segment_.tend - next) / k <= std::abs(next) * unit_roundoff;
        if (last_) h_ = rest / k;
    }
    [[nodiscard]] double time_of(int j) const { return last_ && j == k_ ? segment_.tend : t_ + j * h_; }

    // J and the factors for the block to come; false: the run has ended.
    bool make_matrix()
    {
        const bool order_changed = level_ != level_before_;
        bool new_jacobian = must_differentiate_;
        linear_ = false;
        if (probe_ && (succeeded_ || must_differentiate_))
            if (probe_->measure(e_, t_, block_.y(0), block_.f(0)) == evaluation::stopped) return stop();
        if (succeeded_) new_jacobian = wants_jacobian(order_changed);
        jacobian_is_current_ = new_jacobian || !succeeded_;
        if (new_jacobian) {
            if (const evaluation e = matrix_.evaluate(t_, block_.y(0), block_.f(0)); e != evaluation::ok) {
                ending_.without_jacobian(e, t_);
                return false;
            }
            if (probe_) probe_->keep();
        }
        factors_are_current_ = order_changed || !succeeded_ || new_jacobian || n_ < 2 * k_ || is_dae_ || force_factors_ ||
                               needs_factors(level_, n_, h_, last_block_, factors_record_);
        force_jacobian_ = false;
        force_factors_ = false;
        level_before_ = level_;
        return !factors_are_current_ || factor();
    }

    bool wants_jacobian(bool order_changed)
    {
        if (force_jacobian_ || is_dae_) return true;
        const bool measured = probe_ && probe_->usable();
        if (measured) {
            linear_ = probe_->change() <= 100 * unit_roundoff * probe_->size_before();
            if (linear_) return false;
        }
        return order_changed || !extrapolates_ || needs_jacobian(level_, last_block_, jacobian_record_, measured ? &*probe_ : nullptr);
    }

    bool factor()
    {
        for (int singular = 0; !matrix_.factor(h_ * gamma_);) {
            if (++singular > singular_limit) {
                ending_.end(outcome::singular_matrix);
                return false;
            }
            h_ *= failure_cut;
            last_ = false;
            ending_.note_cut("the iteration matrix is singular");
            if (0.1 * h_ <= std::abs(t_) * unit_roundoff) {
                ending_.step_too_small(t_);
                return false;
            }
        }
        return true;
    }

    attempt compute_block()
    {
        weights_.update(block_.y(0), h_, level_);
        const double tolerance = iteration_tolerance();
        if (!extrapolates_ || iteration_failures_ > 1)
            block_.start_constant(k_);
        else
            block_.start_from(polynomial_, k_, h_ / last_block_.h);

        const attempt end = with_level(level_, [&]<int L>() { return iterate<L>(tolerance); });
        if (end != attempt::accepted) return end;
        if (!evaluate_points()) return attempt::refused;
        with_level(level_, [&]<int L>() { error_.template compute<L>(block_, h_); });
        if (!std::isfinite(error_.norm())) return attempt::refused;

        iteration_failures_ = 0;
        least_iterations_ = index_;
        const double before = std::exchange(error_norm_before_, error_.norm());
        error_norm_ = error_.norm();
        // An estimate that does not get smaller with the step size comes from inconsistent initial values.
        if (is_dae_ && error_failures_in_a_row_ > 3 && std::abs(error_norm_ - before) < 1e-4 && error_norm_ >= 1) error_norm_ = 0.9;
        return error_norm_ < 1 ? attempt::accepted : attempt::error_failed;
    }

    /// The iteration ends at this norm of a change.
    double iteration_tolerance()
    {
        if (succeeded_) look_for_small_values();
        double fraction = set_.iteration_tolerance;
        if (smallest_value_ < 1e-2 && slope_of_smallest_ < 1e-5 && largest_slope_ < 1e-2) fraction = std::min(fraction, 0.01);
        if (hardly_moves_) fraction = std::min(fraction, 0.05);
        return std::max(fraction, unit_roundoff / weights_.smallest_rtol());
    }
    // Small components that hardly change would otherwise not be iterated on at all.
    void look_for_small_values()
    {
        smallest_value_ = std::numeric_limits<double>::infinity();
        largest_slope_ = 0;
        const double* const y = block_.y(0);
        for (int i = 0; i < n_; ++i) {
            if (weights_.index(i) > 1) continue;
            // NOTE: the columns behind the first still hold the last block.
            const double slope = is_dae_ ? std::abs(y[i] - block_.y(points_before_ - 1)[i]) / last_block_.h : std::abs(block_.f(0)[i]);
            const double scaled = slope * weights_.inverse()[i] * weights_.absolute(i);
            if (std::abs(y[i]) < smallest_value_) {
                smallest_value_ = std::abs(y[i]);
                slope_of_smallest_ = scaled;
            }
            largest_slope_ = std::max(largest_slope_, scaled);
        }
    }

    template <int Level>
    attempt iterate(double tolerance)
    {
        double norm_before = 1;
        iterations_ = 0;
        contraction_ = 0;
        while (true) {
            if (!evaluate_points()) return attempt::refused;
            const double norm = block_.iterate<Level>(h_, matrix_, weights_.inverse());
            ++iterations_;
            ++iteration_total_;
            if (!std::isfinite(norm)) return attempt::refused;
            const double ratio = norm / norm_before;
            contraction_ = iterations_ > 2 ? std::sqrt(contraction_ * ratio) : ratio;
            norm_before = norm;
            const bool may_go_on = iterations_ <= iteration_limit() && (iterations_ <= index_ + 1 || contraction_ <= divergence);
            if (norm > tolerance && may_go_on) continue;
            if (is_dae_ && iterations_ < least_iterations_) continue;
            return norm > tolerance ? attempt::iteration_failed : attempt::accepted;
        }
    }

    bool evaluate_points()
    {
        refusal_ = evaluation::ok;
        for (int j = 1; j <= k_ && refusal_ == evaluation::ok; ++j) refusal_ = e_.f(time_of(j), block_.y(j), block_.f(j));
        if (refusal_ == evaluation::stopped) stop();
        return refusal_ == evaluation::ok;
    }

    void retry(attempt failure)
    {
        must_differentiate_ = !jacobian_is_current_;
        succeeded_ = false;
        last_ = false;
        failures_in_a_row_ = std::max(failures_in_a_row_ + 1, 2);
        if (failure == attempt::error_failed) {
            ++result_.error_rejections;
            ++error_failures_in_a_row_;
            double h = h_ * root(safety_after_failure / error_norm_, level_);
            if (error_failed_ && level_ > set_.lowest) {
                h /= 2;
                --level_;
            }
            h_ = std::max(h, shrink * h_);
            error_failed_ = true;
            return ending_.note_cut("the error test fails");
        }
        const bool refused = failure == attempt::refused;
        ending_.note_cut(refusal_ != evaluation::ok ? "the problem refuses the arguments" : "the blended iteration does not converge", refusal_);
        // Refusals alone are no reason to give up while the step can be cut.
        if (!refused || iteration_failures_ < iteration_failure_limit) ++iteration_failures_;
        if (iteration_failures_ > iteration_failure_limit)
            return ending_.end(outcome::newton_failed, "more than 10 times in a row at t = " + to_text(t_));
        error_failures_in_a_row_ = 0;
        // The extrapolated start is kept if the iteration was merely too slow with it.
        if (refused)
            may_extrapolate_ = slow_only_ = false;
        else if (iteration_failures_ == 1)
            slow_only_ = may_extrapolate_ && iterations_ > iteration_limit() && contraction_ < divergence;
        extrapolates_ = slow_only_;
        hardly_moves_ = false;
        least_iterations_ = 1;
        h_ *= failure_cut;
        if (level_ > set_.lowest) --level_;
    }
    [[nodiscard]] int iteration_limit() const { return set_.iteration_limit > 0 ? set_.iteration_limit : constants[level_].iteration_limit; }

    void take_over()
    {
        ++result_.accepted;
        ++blocks_of_level_[level_];
        ++blocks_at_order_;
        succeeded_ = true;
        error_failures_in_a_row_ = 0;
        failures_in_a_row_ = std::max(failures_in_a_row_ - 1, 0);
        see_movement();
        if (extrapolates_ || observer_ != nullptr) polynomial_.set(block_.values(), k_);
        const double t_new = time_of(k_);
        report(t_new);
        if (!last_ && !ending_.ended()) {
            const plan next = plan_next_block(t_new);
            error_.remember();
            h_2_ = h_1_;
            h_1_ = h_;
            contraction_before_ = last_block_.contraction;
            iterations_before_ = last_block_.iterations;
            double h = failures_in_a_row_ > 0 ? std::min(h_, next.h) : next.h;
            h = std::max(h, shrink * h_);
            h_ = std::min({h, growth * h_, hmax_});
            level_ = next.level;
        }
        t_ = t_new;
        points_before_ = k_;
        block_.advance(k_);
    }

    // Where nothing moves, extrapolation would only continue rounding errors.
    void see_movement()
    {
        const double* const y_old = block_.y(0);
        const double* const y = block_.y(k_);
        bool index_1_moves = false;
        bool moves = false;
        for (int i = 0; i < n_; ++i) {
            const double size = std::abs(y_old[i]);
            const double tolerance = std::min(1e-2, 100 * (size > 0.1 ? weights_.relative(i) : weights_.absolute(i)));
            if (std::abs(y[i] - y_old[i]) * (1 / (1 + size)) < tolerance) continue;
            moves = true;
            if (weights_.index(i) == 1 || !is_dae_) index_1_moves = true;
        }
        hardly_moves_ = !index_1_moves;
        may_extrapolate_ = extrapolates_ = moves;
    }

    void report(double t_new)
    {
        if (observer_ == nullptr) return;
        divisors_.resize(n_); // allocates in the first block only
        for (int i = 0; i < n_; ++i) divisors_[i] = 1 / weights_.inverse()[i];
        const auto size = static_cast<std::size_t>(n_);
        const dense_output between(polynomial_, t_new, h_, n_);
        const accepted_step step{t_, t_new, t_new - t_, {block_.y(k_), size}, 1.0, error_norm_, {error_.larger(), size}, divisors_, &between};
        if (observer_->on_step(step) == observer_answer::stop && !last_) ending_.end(outcome::stopped_by_observer);
    }

    struct plan {
        int level;
        double h;
    };

    /// x^(1/(k+1))
    static double root(double x, int level) { return std::pow(x, 1.0 / (points[level] + 1)); }
    [[nodiscard]] double step_for(double error, double aim, int level) const { return error > 0 ? h_ * root(aim / error, level) : growth * h_; }
    [[nodiscard]] bool reaches_end(double t, int level, double h) const { return t + points[level] * h >= segment_.tend; }

    plan plan_next_block(double t_new)
    {
        last_block_ = {h_, iterations_, iterations_ < 2 ? 1e-3 : contraction_, error_.stiff_norm() >= error_norm_ && error_norm_ != 0};
        if (jacobian_is_current_) jacobian_record_.set(last_block_);
        if (factors_are_current_) factors_record_.set(last_block_);
        const plan same{level_, step_for(error_norm_, safety, level_)};

        if (error_failed_ && level_ > set_.lowest) {
            failures_at_order_ = std::min(failures_at_order_ + 1, 2);
            if (failures_at_order_ > 1) return {level_ - 1, std::min(h_, same.h) / 2};
        } else {
            failures_at_order_ = 0;
        }
        error_failed_ = false;

        if (last_block_.contraction > limits_.too_slow[level_]) return plan_lower_order(same);
        const double ratio = same.h / h_;
        if (failures_in_a_row_ > 0 || level_ >= set_.highest || blocks_at_order_ < steps_before_order_up || !is_steady(ratio) ||
            reaches_end(t_new, level_, same.h))
            return same;
        return plan_higher_order(same, t_new);
    }

    // The iteration contracts slowly: a lower order makes it faster.
    plan plan_lower_order(const plan& same)
    {
        if (level_ == set_.lowest || last_block_.iterations <= index_ + 2) return same;
        const double error = with_level(level_, [&]<int L>() { return error_.template lower_order<L>(block_, h_, last_block_.stiff); });
        double h = error > 0 ? step_for(error, safety, level_ - 1) : same.h;
        if (last_block_.stiff && index_ <= 1 && h < same.h) return same;
        if (!last_block_.stiff) h = std::min(h, same.h);
        return {level_ - 1, h};
    }

    plan plan_higher_order(const plan& same, double t_new)
    {
        const auto& now = constants[level_];
        const auto& above = constants[level_ + 1];
        const double rho = last_block_.contraction;
        const double ratio = same.h / h_;
        const bool is_quadrature =
            error_.stiff_norm() < 10 * unit_roundoff && !last_block_.stiff && last_block_.iterations < 3 && rho < 10 * unit_roundoff && !is_dae_;
        if (is_quadrature) {
            const plan higher{level_ + 1, step_for(error_.higher_order(level_, gamma_, h_, h_1_, h_2_), safety_up, level_ + 1)};
            return cheaper(same, higher, last_block_.iterations, last_block_.iterations, t_new);
        }
        if (!last_block_.stiff && contracts_fast_enough(ratio, t_new)) {
            const plan higher{level_ + 1, step_for(error_.stiff_norm(), safety_up, level_ + 1)};
            if (reaches_end(t_new, higher.level, higher.h)) return same;
            const plan chosen = cheaper(same, higher, iterations_for(rho * ratio),
                                        iterations_for(rho * (above.contraction / now.contraction) * (higher.h / h_)), t_new);
            if (chosen.level != level_) return chosen;
        }
        return recover_order(same, t_new);
    }

    bool contracts_fast_enough(double ratio, double t_new)
    {
        if (last_block_.contraction < limits_.fast_enough[level_] || last_block_.iterations <= index_) return true;
        if (is_dae_) return false;
        const bool stagnates = std::abs(ratio - 1) < 0.1 && std::abs(contraction_before_ / last_block_.contraction - 1) < 0.1;
        return stagnates && t_new != 0 && is_driven_by_time(t_new);
    }
    // Is J f, the change of f along the solution, smaller than its change with time? Then the contraction says little.
    bool is_driven_by_time(double t_new)
    {
        const double ahead = t_new * (1 + 1e-5);
        if (ahead > segment_.tend) return false;
        // The column of point 0 is not needed any more.
        const evaluation e = e_.f(ahead, block_.y(k_), block_.f(0));
        if (e == evaluation::stopped) return !stop();
        if (e != evaluation::ok) return false;
        double change = 0;
        double size = 0;
        for (int i = 0; i < n_; ++i) {
            change = std::max(change, std::abs(block_.f(0)[i] - block_.f(k_)[i]));
            size = std::max(size, std::abs(block_.f(k_)[i]));
        }
        const double jacobian = probe_ ? probe_->size() : matrix_.size_of_jacobian();
        return jacobian * size < 2 * (change / (1e-5 * t_new));
    }

    // In stiff problems of reduced order the estimates of stiff components do not show what a higher order would gain; the differences of the
    // last blocks do.
    plan recover_order(const plan& same, double t_new)
    {
        const auto& now = constants[level_];
        const auto& above = constants[level_ + 1];
        const double rho = last_block_.contraction;
        const double ratio = same.h / h_;
        const auto stagnant = [](double r) { return r > 0.95 && r < 1.05; };
        bool stagnates = stagnant(ratio);
        if (index_ <= 1 || last_block_.iterations > index_ + 1 || iterations_before_ > index_ + 1)
            stagnates = stagnates && stagnant(contraction_before_ / rho);
        if (!last_block_.stiff && !(stagnates && now.recovery * error_.stiff_norm() >= error_norm_)) return same;
        if (!is_steady(h_ / h_1_) || (level_ > 0 && !is_steady(h_1_ / h_2_))) return same;
        if (last_block_.stiff && (!factors_are_current_ || (!jacobian_is_current_ && !linear_))) {
            // The contraction is not that of this step: it is measured first.
            force_jacobian_ = !linear_;
            force_factors_ = true;
            return same;
        }
        plan unchanged = same;
        if (!last_block_.stiff)
            unchanged.h = is_dae_ ? step_for(error_.main_norm_as_if_stiff(level_, gamma_), safety, level_)
                                  : same.h * root(main_factor(level_, gamma_, 1) / stiff_factor(level_, gamma_, 1), level_);
        const plan higher{level_ + 1, step_for(error_.higher_order(level_, gamma_, h_, h_1_, h_2_), safety_up, level_ + 1)};
        return cheaper(unchanged, higher, iterations_for(rho / (unchanged.h / h_)),
                       iterations_for(rho * (h_ / higher.h) * (above.stiff_contraction / now.stiff_contraction)), t_new);
    }

    /// Iterations to expect if they contract with this rate.
    [[nodiscard]] double iterations_for(double rate) const
    {
        const double expected = last_block_.iterations * std::log(last_block_.contraction) / std::log(rate);
        return std::max(static_cast<double>(index_), expected);
    }
    /// The plan with less work for each unit of time; the higher order not in the last block.
    [[nodiscard]] plan cheaper(const plan& same, const plan& higher, double iterations, double iterations_above, double t_new) const
    {
        if (reaches_end(t_new, higher.level, higher.h)) return same;
        const auto work = [&](int level, double count) {
            return solve_cost_ * (2 * points[level] * count + constants[level].error_solves) + factor_cost_;
        };
        const double ratio = (same.h / higher.h) * (static_cast<double>(points[same.level]) / points[higher.level]) *
                             work(higher.level, iterations_above) / work(same.level, iterations);
        return ratio < 1 ? higher : same;
    }

    bool stop()
    {
        ending_.stopped();
        return false;
    }

    evaluator& e_;
    const segment& segment_;
    const solve_options& options_;
    step_observer* observer_;
    settings set_;
    int n_;
    bool is_dae_;
    block_weights weights_;
    int index_;
    contraction_limits limits_;
    iteration_matrix matrix_;
    mass_product mass_;
    block block_;
    block_polynomial polynomial_; // of the last accepted block
    error_estimate error_;
    std::optional<jacobian_probe> probe_;
    run_ending<double> ending_;
    double solve_cost_ = 0;
    double factor_cost_ = 0;
    std::vector<double> divisors_;

    double t_;
    double h_ = 0;
    double hmax_ = 0;
    int level_;
    int level_before_ = -1; // of the block before, accepted or not
    int k_ = 0;
    double gamma_ = 0;
    bool last_ = false;
    bool succeeded_ = false; // the last attempt

    // This attempt.
    int iterations_ = 0;
    double contraction_ = 0;
    double error_norm_ = 0;
    double error_norm_before_ = 0;
    evaluation refusal_ = evaluation::ok;
    bool jacobian_is_current_ = false; // evaluated at the beginning of this block
    bool factors_are_current_ = false;
    bool linear_ = false; // the Jacobian does not change
    bool must_differentiate_ = true;
    bool force_jacobian_ = true;
    bool force_factors_ = true;

    // The last accepted block, and the ones before it.
    block_report last_block_;
    matrix_record jacobian_record_, factors_record_;
    double h_1_ = 0;
    double h_2_ = 0;
    int points_before_ = 0;
    int iterations_before_ = 0;
    double contraction_before_ = 0;
    bool extrapolates_ = false;    // the start of the iteration
    bool may_extrapolate_ = false; // after the last accepted block
    bool slow_only_ = false;       // the iteration failed, but contracted
    bool hardly_moves_ = false;
    double smallest_value_ = std::numeric_limits<double>::infinity();
    double slope_of_smallest_ = 0;
    double largest_slope_ = 0;

    // Failures and successes.
    int least_iterations_ = 1;
    int iteration_failures_ = 0;
    int failures_in_a_row_ = 0; // falls by one with each accepted block
    int error_failures_in_a_row_ = 0;
    int blocks_at_order_ = 0;
    int failures_at_order_ = 0; // accepted blocks in a row that needed more than one attempt
    bool error_failed_ = false; // since the last accepted block of this order
    std::uint64_t iteration_total_ = 0;
    std::array<std::uint64_t, level_count> blocks_of_level_{};
    solve_result result_;
};

class bimd final : public solver {
public:
    [[nodiscard]] const solver_info& info() const override { return description(); }
    [[nodiscard]] ivp::chapter chapter() const override { return {bimd_files::markdown, bimd_files::plain, bimd_files::html}; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        return integrator(e, s, options, observer).run();
    }
};

} // namespace

std::unique_ptr<const solver> make_bimd() { return std::make_unique<bimd>(); }

} // namespace ivp::solvers
