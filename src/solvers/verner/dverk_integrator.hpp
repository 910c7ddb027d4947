// dverk_integrator: Verner's pair of orders 6 and 5 with the step control of DVERK, to be started and carried on any number of times.
//
//   dverk_integrator truth(evaluator);      // allocates; nothing does afterwards
//   truth.control_error(0.01 * tol);        // absolute
//   truth.start(t0, y0);                    // forgets everything but limits and error control
//   truth.limits().hmax = …;
//   while (… truth.advance(t) == advance_status::arrived) … truth.y() …
//
// The solver `dverk` is this class and an observer. Real is the precision it calculates in: that of `dverk` and of true solutions is double, a
// Fortran program in single precision has the other one.
#ifndef IVP_SRC_SOLVERS_VERNER_DVERK_INTEGRATOR_HPP
#define IVP_SRC_SOLVERS_VERNER_DVERK_INTEGRATOR_HPP

#include "simd/components.hpp"
#include "solvers/common/communication.hpp"
#include "solvers/common/working_precision.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/work_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ivp::solvers {

template <class Real>
class basic_dverk_integrator {
public:
    /// The evaluator must outlive this object. All memory is taken here. checks_end: the slope for the next step is evaluated before a step
    /// is accepted, so that a refusal cuts it; the original evaluates it when the next step begins.
    explicit basic_dverk_integrator(evaluator& e, const machine_constants& machine = {}, bool checks_end = false);
    basic_dverk_integrator(const basic_dverk_integrator&) = delete;
    basic_dverk_integrator& operator=(const basic_dverk_integrator&) = delete;

    /// Absolute control with this tolerance, or as the tolerances of a run say.
    void control_error(double tol) { scale_.set(tol); }
    void control_error(const tolerances& given) { scale_.set(given); }

    [[nodiscard]] integration_limits& limits() { return limits_; }

    /// A fresh start; limits and error control stay as they are.
    void start(Real t, std::span<const Real> y);

    /// Goes on to tend, and lands exactly there. After `arrived` a further call goes on from there, with step size and error estimate of the last
    /// step (which may have been a short one); after anything else only start() is allowed.
    advance_status advance(Real tend);

    /// One attempted step towards tend; `failed`: status() says why, and no evaluation was made for the step.
    trial attempt(Real tend);
    /// The same in three parts, for a caller that looks at the step in between and may change it. prepare() finds the size that the step should
    /// have, and false means failed; try_step() computes it and proposes a decision; settle() carries a decision out.
    bool prepare();
    trial try_step(Real tend);
    trial settle(bool accepts, Real tend);
    void change_step_size(Real h) { magnitude_ = h; } ///< between prepare() and try_step()
    [[nodiscard]] advance_status status() const { return status_; }

    [[nodiscard]] Real t() const { return t_; }
    [[nodiscard]] std::span<const Real> y() const { return components(y_); }
    /// Size of the last attempted step (HMAG: what DETEST starts its local solutions from).
    [[nodiscard]] Real step_size() const { return magnitude_; }
    [[nodiscard]] Real smallest_step() const { return hmin_; }   ///< of the last attempt
    [[nodiscard]] Real largest_step() const { return hmax_; }    ///< of the last attempt
    [[nodiscard]] Real solution_norm() const { return y_norm_; } ///< that the smallest step was last computed with
    [[nodiscard]] Real trial_t() const { return t_trial_; }      ///< where the last attempt led to
    [[nodiscard]] Real trial_h() const { return h_; }            ///< its size, signed
    [[nodiscard]] Real estimate_norm() const { return estimate_norm_; }
    [[nodiscard]] std::span<const Real> trial_y() const { return components(trial_); } ///< between try_step() and settle()
    [[nodiscard]] std::span<const Real> difference() const { return components(error_); }
    [[nodiscard]] std::uint64_t calls() const { return calls_; } ///< evaluations since start()
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t rejected() const { return rejected_; }
    [[nodiscard]] int successive_failures() const { return failures_; }

    /// Of the last accepted step, until the next attempt.
    struct last_step {
        Real t_old, t, h;
        const Real* y_old;
        const Real* slope_old;
        const Real* slope;                 ///< at the new point; null: not evaluated yet
        Real error_norm;                   ///< at most tol
        std::span<const Real> difference;  ///< (y* − y)/h, y* of order 5: what DETEST's METHOD handed over as its estimate
        std::span<const Real> error_scale; ///< what an error's components are divided by
    };
    [[nodiscard]] last_step last() const;
    [[nodiscard]] Real tol() const { return scale_.tol(); }
    [[nodiscard]] evaluation last_refusal() const { return refusal_; } ///< ok: the last rejected step failed the error test

private:
    [[nodiscard]] std::span<const Real> components(const simd::padded_vector<Real>& v) const { return {v.data(), static_cast<std::size_t>(n_)}; }
    trial fail(advance_status why);
    trial refuse(evaluation e);
    trial reject();
    void accept(bool knows_slope);
    bool choose_step();
    void approach(Real tend);
    evaluation compute_stages();
    template <int Stage>
    evaluation compute_stage();
    evaluation slope_at(Real t, const Real* y, Real* out);
    Real error_norm();

    static constexpr int stages = 8;

    evaluator& e_;
    working_precision<Real> f_;
    machine_constants machine_;
    bool checks_end_;
    integration_limits limits_;
    error_scale<Real> scale_;
    int n_;
    work_memory memory_; // of the vectors
    simd::padded_vector<Real> y_, y_old_, trial_, error_;
    simd::padded_vectors<Real, stages> k_; // slopes of the stages

    advance_status status_ = advance_status::arrived;
    evaluation refusal_ = evaluation::ok;
    Real t_ = 0;
    Real t_old_ = 0;
    Real t_trial_ = 0;
    Real h_ = 0;         // of the attempt, signed
    Real magnitude_ = 0; // its size as the control sees it
    Real hmin_ = 0;
    Real hmax_ = 0;
    Real y_norm_ = 0;
    Real estimate_norm_ = 0;
    bool first_ = true;
    bool has_slope_ = false; // at (t_, y_)
    int failures_ = 0;       // successive
    std::uint64_t calls_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t rejected_ = 0;
};

extern template class basic_dverk_integrator<double>;
extern template class basic_dverk_integrator<float>;

using dverk_integrator = basic_dverk_integrator<double>;

} // namespace ivp::solvers

#endif
