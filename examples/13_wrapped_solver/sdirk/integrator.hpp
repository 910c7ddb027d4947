// The solver that is to be wrapped, as its author wrote it: it knows nothing of ivp. A singly diagonally implicit Runge-Kutta method of order 2 with
// two stages (R. Alexander, SIAM J. Numer. Anal. 14, 1977), with its own step control. It is here to be wrapped, not to be fast.
#ifndef SDIRK_INTEGRATOR_HPP
#define SDIRK_INTEGRATOR_HPP

#include "dense.hpp"

#include <functional>
#include <stdexcept>
#include <vector>

namespace sdirk {

/// y' = f(t, y). It returns nothing: the author's users never had to say that f cannot be evaluated.
using right_hand_side = std::function<void(double t, const double* y, double* dydt)>;

struct step_too_small : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class integrator {
public:
    integrator(right_hand_side f, int n, double rtol, double atol);
    virtual ~integrator() = default;

    /// From t to end, with steps of the integrator's own choice. y is in and out. Throws step_too_small.
    void integrate(double t, double end, double* y, double first_step);

    long steps() const { return steps_; }

protected:
    /// df/dy by columns, by differences of the same f that steps use.
    virtual void jacobian(double t, const double* y, double* out);
    /// I - h gamma J is about to be factored.
    virtual void before_factorisation() {}
    /// After each accepted step.
    virtual void accepted(double /*t_old*/, double /*t*/, const double* /*y*/, double /*error*/) {}

    void evaluate(double t, const double* y, double* dydt) { f_(t, y, dydt); }

private:
    bool stage(double t, double h, const double* base, double* k);

    right_hand_side f_;
    int n_;
    double rtol_, atol_;
    long steps_ = 0;
    dense matrix_;
    std::vector<double> jacobian_, base_, trial_, slope_, k1_, k2_, new_y_;
};

} // namespace sdirk

#endif
