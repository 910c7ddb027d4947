// secder_integrator: Enright's second derivative multistep formulas of orders 3 to 9 with the step and order control of SECDER, to be started and
// carried on any number of times.
//
//   secder_integrator truth(evaluator, {});  // allocates; nothing does afterwards
//   truth.control_error(0.01 * tol);         // absolute
//   truth.start(t0, y0);                     // forgets everything but limits and error control
//   truth.limits().hmax = …;
//   while (… truth.advance(t) == advance_status::arrived) … truth.y() …
//
// The solver `secder` is this class and an observer. Real is the precision it calculates in: that of `secder` and of true solutions is double, a
// Fortran program in single precision has the other one.
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

enum class secder_preparation { failed, first_step, ready };

template <class Real>
class basic_secder_integrator {
public:
    /// The evaluator must outlive this object. All memory is taken here. options: where Jacobians come from.
    explicit basic_secder_integrator(evaluator& e, const secder_settings& settings = {}, const solve_options& options = {});
    basic_secder_integrator(const basic_secder_integrator&) = delete;
    basic_secder_integrator& operator=(const basic_secder_integrator&) = delete;

    /// Absolute control with this tolerance, or as the tolerances of a run say. Not between two advances without a start().
    void control_error(double tol) { scale_.set(tol); }
    void control_error(const tolerances& given) { scale_.set(given); }

    [[nodiscard]] integration_limits& limits() { return limits_; }

    /// A fresh start; limits and error control stay as they are.
    void start(Real t, std::span<const Real> y);

    /// Goes on to tend, and lands there. After `arrived` a further call goes on with step size, order and history; after anything
    /// else only start() is allowed.
    advance_status advance(Real tend);

    /// One attempted step towards tend; `failed`: status() says why.
    trial attempt(Real tend);
    /// The same in three parts, for a caller that looks at the step in between and may change it. prepare() finds the size that the step should
    /// have (that of the first step is final), try_step() computes it and proposes a decision, settle() carries a decision out; a step that failed
    /// cannot be accepted.
    using preparation = secder_preparation;
    preparation prepare(Real tend);
    trial try_step(Real tend);
    trial settle(bool accepts, Real tend);
    void change_step_size(Real h) { step_.size = h; } ///< between prepare() and try_step()
    [[nodiscard]] advance_status status() const { return status_; }

    [[nodiscard]] Real t() const { return t_; }
    [[nodiscard]] std::span<const Real> y() const { return y_; }
    /// Size of the last attempted step.
    [[nodiscard]] Real step_size() const { return step_.size; }
    [[nodiscard]] Real smallest_step() const { return hmin_; }   ///< of the last attempt
    [[nodiscard]] Real largest_step() const { return hmax_; }    ///< of the last attempt
    [[nodiscard]] Real solution_norm() const { return y_norm_; } ///< that the smallest step was last computed with
    [[nodiscard]] Real trial_t() const { return step_.t; }       ///< where the last attempt led to
    [[nodiscard]] Real trial_h() const { return step_.h; }       ///< its size, signed
    [[nodiscard]] Real estimate_norm() const { return step_.estimate_norm; }
    [[nodiscard]] std::span<const Real> trial_y() const { return step_.y; } ///< between try_step() and settle()
    [[nodiscard]] std::span<const Real> estimate() const { return step_.estimate; }
    [[nodiscard]] Real step_before() const { return h_past_; } ///< size of the last accepted step but one, signed
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
        Real t_old, t, h;
        Real error_norm;                   ///< at most tol
        std::span<const Real> estimate;    ///< of y − y*: the error of y
        std::span<const Real> error_scale; ///< what its components are divided by
        const interpolant* between;        ///< the polynomial of the formula
    };
    [[nodiscard]] last_step last() const { return {t_old_, t_, step_.h, step_.estimate_norm, step_.estimate, scale_.values(), &between_}; }
    [[nodiscard]] Real tol() const { return scale_.tol(); }
    [[nodiscard]] evaluation last_refusal() const { return refusal_; } ///< ok: the last rejected step failed for another reason

private:
    enum class state { start, accepted, iteration_failed, error_too_large };
    [[nodiscard]] int k() const { return step_.k(); }
    trial fail(advance_status why);
    trial reject(state why);
    void accept(Real tend);
    bool take_weights(Real tend);
    evaluation begin(Real tend);
    evaluation probe(Real tend);
    void choose_step_and_order();
    [[nodiscard]] Real estimate_below() const;
    [[nodiscard]] Real estimate_above() const;
    void choose_after_failure();
    void approach(Real tend);
    void predict();

    working_precision<Real> f_;
    secder_settings set_;
    integration_limits limits_;
    int n_;
    error_scale<Real> scale_;
    secder_corrector<Real> corrector_;
    slope_history<Real> history_;
    secder_dense_output<Real> between_;
    attempted_step<Real> step_;
    std::vector<Real> y_, y_old_;
    std::vector<Real> old_gap_; // of the step before
    std::vector<Real> weight_, old_weight_;

    advance_status status_ = advance_status::arrived;
    evaluation refusal_ = evaluation::ok;
    state state_ = state::start;
    Real t_ = 0;
    Real t_old_ = 0;
    Real origin_ = 0; // where this advance began
    Real h_past_ = 0; // of the last accepted step but one
    Real hmin_ = 0;
    Real hmax_ = 0;
    Real y_norm_ = 0;
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

extern template class basic_secder_integrator<double>;
extern template class basic_secder_integrator<float>;

using secder_integrator = basic_secder_integrator<double>;

} // namespace ivp::solvers

#endif
