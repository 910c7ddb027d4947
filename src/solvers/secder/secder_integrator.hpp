// secder_integrator: Enright's second derivative multistep formulas of orders 3 to 9 with the step and order control of SECDER, to be started and
// carried on any number of times.
//
//   secder_integrator truth(evaluator, {});  // allocates; nothing does afterwards
//   truth.control_error(0.01 * tol);         // absolute
//   truth.start(t0, y0);                     // forgets everything but limits and error control
//   truth.limits().hmax = …;
//   while (… truth.advance(t) == advance_status::arrived) … truth.y() …
//
// The solver `secder` is this class and an observer.
#ifndef IVP_SOLVERS_SECDER_SECDER_INTEGRATOR_HPP
#define IVP_SOLVERS_SECDER_SECDER_INTEGRATOR_HPP

#include "corrector.hpp"
#include "dense_output.hpp"
#include "slope_history.hpp"
#include "solvers/common/communication.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace ivp::solvers {

struct secder_settings {
    int max_order = 0;         ///< 3 to 9; 0: from the tolerance, trunc(4 − 0.51 log10 tol)
    bool may_pass_end = false; ///< as in the original, the first step is not cut at the end, but followed by steps back
    machine_constants machine{};
};

class secder_integrator {
public:
    /// The evaluator must outlive this object. All memory is taken here. options: where Jacobians come from.
    explicit secder_integrator(evaluator& e, const secder_settings& settings = {}, const solve_options& options = {});
    secder_integrator(const secder_integrator&) = delete;
    secder_integrator& operator=(const secder_integrator&) = delete;

    /// Absolute control with this tolerance, or as the tolerances of a run say. Not between two advances without a start().
    void control_error(double tol) { scale_.set(tol); }
    void control_error(const tolerances& given) { scale_.set(given); }

    [[nodiscard]] integration_limits& limits() { return limits_; }

    /// A fresh start; limits and error control stay as they are.
    void start(double t, std::span<const double> y);

    /// Goes on to tend, and lands there. After `arrived` a further call goes on with step size, order and history; after anything
    /// else only start() is allowed.
    advance_status advance(double tend);

    /// One attempted step towards tend; `failed`: status() says why.
    trial attempt(double tend);
    /// The same in three parts, for a caller that looks at the step in between and may change it. prepare() finds the size that the step should
    /// have (that of the first step is final), try_step() computes it and proposes a decision, settle() carries a decision out; a step that failed
    /// cannot be accepted.
    enum class preparation { failed, first_step, ready };
    preparation prepare(double tend);
    trial try_step(double tend);
    trial settle(bool accepts, double tend);
    void change_step_size(double h) { step_.size = h; } ///< between prepare() and try_step()
    [[nodiscard]] advance_status status() const { return status_; }

    [[nodiscard]] double t() const { return t_; }
    [[nodiscard]] std::span<const double> y() const { return y_; }
    /// Size of the last attempted step.
    [[nodiscard]] double step_size() const { return step_.size; }
    [[nodiscard]] double smallest_step() const { return hmin_; }   ///< of the last attempt
    [[nodiscard]] double largest_step() const { return hmax_; }    ///< of the last attempt
    [[nodiscard]] double solution_norm() const { return y_norm_; } ///< that the smallest step was last computed with
    [[nodiscard]] double trial_t() const { return step_.t; }       ///< where the last attempt led to
    [[nodiscard]] double trial_h() const { return step_.h; }       ///< its size, signed
    [[nodiscard]] double estimate_norm() const { return step_.estimate_norm; }
    [[nodiscard]] std::span<const double> trial_y() const { return step_.y; } ///< between try_step() and settle()
    [[nodiscard]] std::span<const double> estimate() const { return step_.estimate; }
    [[nodiscard]] double step_before() const { return h_past_; } ///< size of the last accepted step but one, signed
    [[nodiscard]] int order_limit() const { return order_limit_; }
    [[nodiscard]] int order() const { return step_.order; }
    /// Since start(). As in the original the evaluation that probes for the first step is not in calls().
    [[nodiscard]] std::uint64_t calls() const { return corrector_.calls(); }
    [[nodiscard]] std::uint64_t jacobians() const { return corrector_.jacobians(); }
    [[nodiscard]] std::uint64_t factorisations() const { return corrector_.factorisations(); }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t rejected() const { return rejected_; }                     ///< by the error test or by the iteration
    [[nodiscard]] std::uint64_t iteration_failures() const { return iteration_failures_; } ///< those by the iteration
    [[nodiscard]] int successive_failures() const { return successive_rejections_; }

    /// Of the last accepted step, until the next attempt.
    struct last_step {
        double t_old, t, h;
        double error_norm;                   ///< at most tol
        std::span<const double> estimate;    ///< of y − y*: the error of y
        std::span<const double> error_scale; ///< what its components are divided by
        const interpolant* between;          ///< the polynomial of the formula
    };
    [[nodiscard]] last_step last() const { return {t_old_, t_, step_.h, step_.estimate_norm, step_.estimate, scale_.values(), &between_}; }
    [[nodiscard]] double tol() const { return scale_.tol(); }
    [[nodiscard]] evaluation last_refusal() const { return refusal_; } ///< ok: the last rejected step failed for another reason

private:
    enum class state { start, accepted, iteration_failed, error_too_large };
    [[nodiscard]] int k() const { return step_.k(); }
    trial fail(advance_status why);
    trial reject(state why);
    void accept(double tend);
    bool take_weights(double tend);
    evaluation begin(double tend);
    evaluation probe(double tend);
    void choose_step_and_order();
    [[nodiscard]] double estimate_below() const;
    [[nodiscard]] double estimate_above() const;
    void choose_after_failure();
    void approach(double tend);
    void predict();

    evaluator& e_;
    secder_settings set_;
    integration_limits limits_;
    int n_;
    error_scale scale_;
    secder_corrector corrector_;
    slope_history history_;
    secder_dense_output between_;
    attempted_step step_;
    std::vector<double> y_, y_old_;
    std::vector<double> old_gap_; // of the step before
    std::vector<double> weight_, old_weight_;

    advance_status status_ = advance_status::arrived;
    evaluation refusal_ = evaluation::ok;
    state state_ = state::start;
    double t_ = 0;
    double t_old_ = 0;
    double origin_ = 0; // where this advance began
    double h_past_ = 0; // of the last accepted step but one
    double hmin_ = 0;
    double hmax_ = 0;
    double y_norm_ = 0;
    bool weights_known_ = false;
    bool first_ = true;         // the step under way is the first
    bool iterated_ = true;      // the iteration of the step under way came to a result
    bool new_start_ = true;     // the history is of no use
    bool spared_order_ = false; // by the last rejection; every second one by the error test lowers it
    int order_limit_ = 9;
    int steps_at_order_ = 0;
    int failures_at_lowest_ = 0;
    int successive_rejections_ = 0;
    int matrix_updates_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t rejected_ = 0;
    std::uint64_t iteration_failures_ = 0;
};

} // namespace ivp::solvers

#endif
