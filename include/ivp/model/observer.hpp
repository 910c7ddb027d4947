// step_observer: what is told to the outside after every accepted step (block methods: after every block).
#ifndef IVP_MODEL_OBSERVER_HPP
#define IVP_MODEL_OBSERVER_HPP

#include <span>

namespace ivp {

/// The solution inside the last step; valid during the call that hands it over.
class interpolant {
public:
    virtual ~interpolant() = default;
    /// t_old <= t <= t of the step
    virtual void evaluate(double t, double* y) const = 0;
};

struct accepted_step {
    double t_old = 0;
    double t = 0;
    double h = 0;
    std::span<const double> y{};
    /// The solver accepted because its estimate, in the norm its info() names, was at most this.
    double error_bound = 1;
    double error_norm = 0; ///< of the estimate, in that norm
    /// Estimate of y − y* over this step, where the method has one (info() says whether y is locally extrapolated).
    std::span<const double> error_estimate{};
    std::span<const double> error_weights{}; ///< what each component of the estimate is divided by in the norm
    const interpolant* between = nullptr;    ///< where the method has one
};

enum class observer_answer { go_on, stop };

class step_observer {
public:
    virtual ~step_observer() = default;
    virtual observer_answer on_step(const accepted_step& step) = 0;
};

} // namespace ivp

#endif
