// VDPOL: the Van der Pol oscillator, scaled (ODE, 2 equations, stiff and non-stiff in turn, autonomous).
//
//   y1' = y2
//   y2' = ((1 - y1^2) y2 - y1) / eps,      eps = 1e-6
//
//   0 <= t <= 2,   y(0) = (2, 0)
//
// Difficult because the solution creeps along y2 = y1 / (1 - y1^2) and then jumps: within about 1e-6 time units y2 rises to 1e6 and
// falls back, and the character of the equations changes with it.
// Origin: B. van der Pol, Philosophical Magazine 2 (1926) 978-992; scaling by E. Hairer and G. Wanner. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_VDPOL_HPP
#define IVP_PROBLEMS_VDPOL_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct vdpol {
    R eps;

    explicit vdpol(const parameter_values& p) : eps(p.get<R>("eps")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = y[1];
        dydt[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / eps;
    }

    void initial(R* y) const
    {
        y[0] = R(2);
        y[1] = R(0);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"eps", "1e-6", "1e-12", "1e3", "stiffness: 1/mu^2 of z'' = mu (1 - z^2) z' - z [-]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "vdpol";
        i.title = "VDPOL";
        i.form = form::ode;
        i.n = 2;
        i.t0 = 0;
        i.tend = 2;
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
