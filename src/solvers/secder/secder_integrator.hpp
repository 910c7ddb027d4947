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

#include "solvers/common/communication.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>

#include <cstdint>
#include <memory>
#include <span>

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
    ~secder_integrator();
    secder_integrator(const secder_integrator&) = delete;
    secder_integrator& operator=(const secder_integrator&) = delete;

    /// Absolute control with this tolerance, or as the tolerances of a run say. Not between two advances without a start().
    void control_error(double tol);
    void control_error(const tolerances& given);

    [[nodiscard]] integration_limits& limits();

    /// A fresh start; limits and error control stay as they are.
    void start(double t, std::span<const double> y);

    /// Goes on to tend, and lands there. After `arrived` a further call goes on with step size, order and history; after anything
    /// else only start() is allowed.
    advance_status advance(double tend);

    /// One attempted step towards tend; `failed`: status() says why.
    trial attempt(double tend);
    [[nodiscard]] advance_status status() const;

    [[nodiscard]] double t() const;
    [[nodiscard]] std::span<const double> y() const;
    /// Size of the last attempted step.
    [[nodiscard]] double step_size() const;
    [[nodiscard]] int order() const;
    /// Since start(). As in the original the evaluation that probes for the first step is not in calls().
    [[nodiscard]] std::uint64_t calls() const;
    [[nodiscard]] std::uint64_t jacobians() const;
    [[nodiscard]] std::uint64_t factorisations() const;
    [[nodiscard]] std::uint64_t accepted() const;
    [[nodiscard]] std::uint64_t rejected() const;           ///< by the error test or by the iteration
    [[nodiscard]] std::uint64_t iteration_failures() const; ///< those by the iteration

    /// Of the last accepted step, until the next attempt.
    struct last_step {
        double t_old, t, h;
        double error_norm;                   ///< at most tol
        std::span<const double> estimate;    ///< of y − y*: the error of y
        std::span<const double> error_scale; ///< what its components are divided by
        const interpolant* between;          ///< the polynomial of the formula
    };
    [[nodiscard]] last_step last() const;
    [[nodiscard]] double tol() const;
    [[nodiscard]] evaluation last_refusal() const; ///< ok: the last rejected step failed for another reason

private:
    struct implementation;
    std::unique_ptr<implementation> impl_;
};

} // namespace ivp::solvers

#endif
