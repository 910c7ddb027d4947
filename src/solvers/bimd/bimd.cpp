// BIMD: blended implicit methods of orders 4 to 12, after the code of Brugnano and Magherini. Method and counters: bimd.md.
#include "solvers/solvers.hpp"

#include "block.hpp"
#include "block_matrix.hpp"
#include "coefficients.hpp"
#include "control.hpp"
#include "error_estimate.hpp"
#include "mass_product.hpp"
#include "model/option_table.hpp"
#include "order_control.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/solver_of.hpp"

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

namespace {

using namespace bimd_method;

constexpr double default_first_step = 1e-6;
constexpr double aim_after_failure = 0.1;   // the error a smaller step size is chosen for
constexpr double failure_cut = 0.5;         // step factor after an iteration that did not converge
constexpr double divergence = 0.99;         // contraction above which the iteration is given up
constexpr int singular_limit = 5;           // halvings of one step because of singular matrices
constexpr int iteration_failure_limit = 10; // in a row
constexpr int small_dimension = 5;          // up to here the change of the Jacobian is not measured

struct settings {
    int min_order = order_of(0);
    int max_order = order_of(level_count - 1);
    double iteration_tolerance = 0.1;
    int iteration_limit = 0; // by order

    [[nodiscard]] int lowest() const { return level_of(min_order); }
    [[nodiscard]] int highest() const { return level_of(max_order); }
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        bind::one_of("min_order", &s::min_order, {4, 6, 8, 10, 12}, "lowest order, and that of the first block"),
        bind::one_of("max_order", &s::max_order, {4, 6, 8, 10, 12}, "highest order; equal to min_order: the order is fixed"),
        bind::real("tau", &s::iteration_tolerance, 1e-14, 0.999, "the iteration stops at this fraction of the tolerance"),
        bind::whole("nit", &s::iteration_limit, 0, 1000, "largest number of iterations in a block; 0: 10, 12, 14, 16, 18 for the five orders"),
    }};
    return table;
}

solver_info description()
{
    solver_info i = implicit_description("bimd", "BIMD", 4, 12);
    i.needs_h0 = true;
    i.error_norm = "root mean square of the estimate divided by atol + rtol |y| at the beginning of the block (index 2, 3: times h, h^2)";
    i.lu_unit = "one real matrix";
    i.reference = "L. Brugnano, C. Magherini, F. Mugnai: Blended implicit methods for the numerical solution of DAE problems, "
                  "J. Comput. Appl. Math. 189 (2006) 34-50";
    i.options = own_options().describe();
    return i;
}

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          set_(with_orders_checked(own_options().read(o.special))),
          is_dae_(e.mass().kind() != mass_kind::identity),
          weights_(o.tolerance, e.problem(), memory_),
          index_(is_dae_ ? weights_.highest_index() : 1),
          matrix_(e, o),
          mass_(e.mass()),
          block_(mass_, memory_),
          polynomial_(n_, memory_),
          error_(mass_, weights_, matrix_, memory_),
          order_({set_.lowest(), set_.highest(), index_, is_dae_, weights_.smallest_relative(), s.tend}, e.problem().info().jacobian_structure, n_),
          divisors_(observer != nullptr ? n_ : 0),
          level_(set_.lowest())
    {
        std::copy(s.y.begin(), s.y.end(), block_.y(0));
        if (!is_dae_ && n_ > small_dimension) probe_.emplace(n_);
    }

    solve_result run()
    {
        integrate();
        std::copy_n(block_.y(0), n_, segment_.y.begin());
        result_.extra["iterations"] = static_cast<double>(iteration_total_);
        for (int l = set_.lowest(); l <= set_.highest(); ++l)
            result_.extra["steps_of_order_" + std::to_string(order_of(l))] = static_cast<double>(blocks_of_level_[l]);
        return finished(matrix_.path());
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
        order_.begin_order();
        least_iterations_ = index_;
    }

    bool may_step()
    {
        const bool too_small = 0.1 * h_ <= std::abs(t_) * unit_roundoff || h_ == 0;
        return ending_.may_step(!too_small && result_.steps >= segment_.max_steps, too_small, t_);
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
            if (!ending_.goes_on(probe_->measure(e_, t_, block_.y(0), block_.f(0)))) return false;
        if (succeeded_) new_jacobian = wants_jacobian(order_changed);
        jacobian_is_current_ = new_jacobian || !succeeded_;
        if (new_jacobian) {
            if (!ending_.has_jacobian(matrix_.evaluate(t_, block_.y(0), block_.f(0)), t_)) return false;
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
            if (++singular > singular_limit) return ending_.fail(outcome::singular_matrix);
            h_ *= failure_cut;
            last_ = false;
            ending_.note_cut("the iteration matrix is singular");
            if (!ending_.may_step(false, 0.1 * h_ <= std::abs(t_) * unit_roundoff, t_)) return false;
        }
        return true;
    }

    attempt compute_block()
    {
        weights_.update(block_.y(0), h_, level_);
        const double tolerance = iteration_tolerance();
        matrix_.set_accuracy(weights_.inverse(), linear_fraction * tolerance / matrix_.scale());
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
        return std::max(fraction, unit_roundoff / weights_.smallest_relative());
    }
    // Small components that hardly change would otherwise not be iterated on at all.
    void look_for_small_values()
    {
        smallest_value_ = std::numeric_limits<double>::infinity();
        largest_slope_ = 0;
        const double* const y = block_.y(0);
        for (int i = 0; i < n_; ++i) {
            if (weights_.index(i) > 1) continue;
            // NOTE: the vectors behind the first still hold the last block.
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
        return ending_.goes_on(refusal_) && refusal_ == evaluation::ok;
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
            double h = h_ * step_root(aim_after_failure / error_norm_, level_);
            if (order_.note_error_failure() && level_ > set_.lowest()) {
                h /= 2;
                --level_;
            }
            h_ = std::max(h, shrink * h_);
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
        if (level_ > set_.lowest()) --level_;
    }
    [[nodiscard]] int iteration_limit() const { return set_.iteration_limit > 0 ? set_.iteration_limit : constants[level_].iteration_limit; }

    void take_over()
    {
        ++result_.accepted;
        ++blocks_of_level_[level_];
        succeeded_ = true;
        error_failures_in_a_row_ = 0;
        failures_in_a_row_ = std::max(failures_in_a_row_ - 1, 0);
        see_movement();
        if (extrapolates_ || observer_ != nullptr) polynomial_.set(block_.values(), k_);
        const double t_new = time_of(k_);
        report(t_new);
        if (!last_ && !ending_.ended()) choose_next(t_new);
        t_ = t_new;
        points_before_ = k_;
        block_.advance(k_);
    }

    void choose_next(double t_new)
    {
        last_block_ = {h_, iterations_, iterations_ < 2 ? 1e-3 : contraction_, error_.stiff_norm() >= error_norm_ && error_norm_ != 0};
        if (jacobian_is_current_) jacobian_record_.set(last_block_);
        if (factors_are_current_) factors_record_.set(last_block_);
        const bool after_failures = failures_in_a_row_ > 0;
        const block_plan next =
            order_.next({level_, t_new, last_block_, error_norm_, jacobian_is_current_, factors_are_current_, linear_, after_failures}, block_,
                        error_, [&] { return is_driven_by_time(t_new); });
        error_.remember();
        force_factors_ = next.new_matrices;
        force_jacobian_ = next.new_matrices && !linear_;
        level_ = next.level;
        const double h = std::max(after_failures ? std::min(h_, next.h) : next.h, shrink * h_);
        h_ = std::min({h, growth * h_, hmax_});
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
        for (int i = 0; i < n_; ++i) divisors_[i] = 1 / weights_.inverse()[i];
        const dense_output between(polynomial_, t_new, h_);
        const accepted_step step{t_, t_new, t_new - t_, components(block_.y(k_)), 1.0, error_norm_, components(error_.larger()), divisors_, &between};
        show(step, last_);
    }

    // Is J f, the change of f along the solution, smaller than its change with time?
    bool is_driven_by_time(double t_new)
    {
        const double ahead = t_new * (1 + 1e-5);
        if (t_new == 0 || ahead > segment_.tend) return false;
        // The column of point 0 is not needed any more.
        const evaluation e = e_.f(ahead, block_.y(k_), block_.f(0));
        if (!ending_.goes_on(e)) return true;
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

    settings set_;
    bool is_dae_;
    block_weights weights_;
    int index_;
    block_matrix matrix_;
    mass_product mass_;
    block block_;
    block_polynomial polynomial_; // of the last accepted block
    error_estimate error_;
    std::optional<jacobian_probe> probe_;
    order_control order_;
    std::vector<double> divisors_; // what the observer is told

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
    int points_before_ = 0;
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
    std::uint64_t iteration_total_ = 0;
    std::array<std::uint64_t, level_count> blocks_of_level_{};
};

} // namespace

std::unique_ptr<const solver> make_bimd() { return make_solver(description(), bimd_files::chapter, integrate_with<integrator>); }

} // namespace ivp::solvers
