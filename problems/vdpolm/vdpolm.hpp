// VDPOLM: the Van der Pol oscillator in its classical form (ODE, 2 equations, stiff and non-stiff in turn, autonomous).
//
//   y1' = y2
//   y2' = mu (1 - y1^2) y2 - y1,      mu = 1000
//
//   0 <= t <= 2 mu,   y(0) = (2, 0)
//
// Difficult because the solution creeps along y2 = y1 / (mu (1 - y1^2)), where y2 is about 1e-3, and then jumps: within about 1e-3
// time units y2 rises to 1e3 and falls back, and the character of the equations changes with it. vdpol is the scaled form.
// Origin: B. van der Pol, Philosophical Magazine 2 (1926) 978-992. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_VDPOLM_HPP
#define IVP_PROBLEMS_VDPOLM_HPP

#include "common/van_der_pol.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct vdpolm : van_der_pol<R> {
    using van_der_pol<R>::van_der_pol;

    static std::vector<parameter> parameters()
    {
        return {
            {"mu", 1000, "1e-3", "1e6", "strength of the damping and feeding; the interval is [0, 2 mu] [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "vdpolm";
        i.title = "VDPOLM";
        i.form = form::ode;
        i.n = 2;
        i.t0 = 0;
        i.tend = 2 * p.get<double>("mu");
        i.component_names = {"z", "z'"};
        i.quantity_of_interest = "the current in the oscillating circuit and its rate of change at the end, after two jumps";
        i.contributor = "test set: Bari";
        i.tags = {"circuits", "stiff", "small", "autonomous", "oscillating", "relaxation"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
