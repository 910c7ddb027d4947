// dverk_integrator: Verner's pair of orders 6 and 5 with the step control of DVERK, to be started and carried on any number of times.
//
//   dverk_integrator truth(evaluator);      // allocates; nothing does afterwards
//   truth.control_error(0.01 * tol);        // absolute
//   truth.start(t0, y0);                    // forgets everything but limits and error control
//   truth.limits().hmax = …;
//   while (… truth.advance(t) == advance_status::arrived) … truth.y() …
//
// The solver `dverk` is this class and an observer.
#ifndef IVP_SRC_SOLVERS_VERNER_DVERK_INTEGRATOR_HPP
#define IVP_SRC_SOLVERS_VERNER_DVERK_INTEGRATOR_HPP

#include "simd/components.hpp"
#include "solvers/common/communication.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/work_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ivp::solvers {

class dverk_integrator {
public:
    /// The evaluator must outlive this object. All memory is taken here. checks_end: the slope for the next step is evaluated before a step
    /// is accepted, so that a refusal cuts it; the original evaluates it when the next step begins.
    explicit dverk_integrator(evaluator& e, const machine_constants& machine = {}, bool checks_end = false);
    dverk_integrator(const dverk_integrator&) = delete;
    dverk_integrator& operator=(const dverk_integrator&) = delete;

    /// Absolute control with this tolerance, or as the tolerances of a run say.
    void control_error(double tol) { scale_.set(tol); }
    void control_error(const tolerances& given) { scale_.set(given); }

    [[nodiscard]] integration_limits& limits() { return limits_; }

    /// A fresh start; limits and error control stay as they are.
    void start(double t, std::span<const double> y);

    /// Goes on to tend, and lands exactly there. After `arrived` a further call goes on from there, with step size and error estimate of the last
    /// step (which may have been a short one); after anything else only start() is allowed.
    advance_status advance(double tend);

    /// One attempted step towards tend; `failed`: status() says why, and no evaluation was made for the step.
    trial attempt(double tend);
    /// The same in three parts, for a caller that looks at the step in between and may change it. prepare() finds the size that the step should
    /// have, and false means failed; try_step() computes it and proposes a decision; settle() carries a decision out.
    bool prepare();
    trial try_step(double tend);
    trial settle(bool accepts, double tend);
    void change_step_size(double h) { magnitude_ = h; } ///< between prepare() and try_step()
    [[nodiscard]] advance_status status() const { return status_; }

    [[nodiscard]] double t() const { return t_; }
    [[nodiscard]] std::span<const double> y() const { return components(y_); }
    /// Size of the last attempted step (HMAG: what DETEST starts its local solutions from).
    [[nodiscard]] double step_size() const { return magnitude_; }
    [[nodiscard]] double smallest_step() const { return hmin_; }   ///< of the last attempt
    [[nodiscard]] double largest_step() const { return hmax_; }    ///< of the last attempt
    [[nodiscard]] double solution_norm() const { return y_norm_; } ///< that the smallest step was last computed with
    [[nodiscard]] double trial_t() const { return t_trial_; }      ///< where the last attempt led to
    [[nodiscard]] double trial_h() const { return h_; }            ///< its size, signed
    [[nodiscard]] double estimate_norm() const { return estimate_norm_; }
    [[nodiscard]] std::span<const double> trial_y() const { return components(trial_); } ///< between try_step() and settle()
    [[nodiscard]] std::span<const double> difference() const { return components(error_); }
    [[nodiscard]] std::uint64_t calls() const { return calls_; } ///< evaluations since start()
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t rejected() const { return rejected_; }
    [[nodiscard]] int successive_failures() const { return failures_; }

    /// Of the last accepted step, until the next attempt.
    struct last_step {
        double t_old, t, h;
        const double* y_old;
        const double* slope_old;
        const double* slope;                 ///< at the new point; null: not evaluated yet
        double error_norm;                   ///< at most tol
        std::span<const double> difference;  ///< (y* − y)/h, y* of order 5: what DETEST's METHOD handed over as its estimate
        std::span<const double> error_scale; ///< what an error's components are divided by
    };
    [[nodiscard]] last_step last() const;
    [[nodiscard]] double tol() const { return scale_.tol(); }
    [[nodiscard]] evaluation last_refusal() const { return refusal_; } ///< ok: the last rejected step failed the error test

private:
    [[nodiscard]] std::span<const double> components(const simd::padded_vector<double>& v) const { return {v.data(), static_cast<std::size_t>(n_)}; }
    trial fail(advance_status why);
    trial refuse(evaluation e);
    trial reject();
    void accept(bool knows_slope);
    bool choose_step();
    void approach(double tend);
    evaluation compute_stages();
    template <int Stage>
    evaluation compute_stage();
    evaluation slope_at(double t, const double* y, double* out);
    double error_norm();

    static constexpr int stages = 8;

    evaluator& e_;
    machine_constants machine_;
    bool checks_end_;
    integration_limits limits_;
    error_scale scale_;
    int n_;
    work_memory memory_; // of the vectors
    simd::padded_vector<double> y_, y_old_, trial_, error_;
    simd::padded_vectors<double, stages> k_; // slopes of the stages

    advance_status status_ = advance_status::arrived;
    evaluation refusal_ = evaluation::ok;
    double t_ = 0;
    double t_old_ = 0;
    double t_trial_ = 0;
    double h_ = 0;         // of the attempt, signed
    double magnitude_ = 0; // its size as the control sees it
    double hmin_ = 0;
    double hmax_ = 0;
    double y_norm_ = 0;
    double estimate_norm_ = 0;
    bool first_ = true;
    bool has_slope_ = false; // at (t_, y_)
    int failures_ = 0;       // successive
    std::uint64_t calls_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t rejected_ = 0;
};

} // namespace ivp::solvers

#endif
