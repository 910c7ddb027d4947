// OREGO: the Oregonator, a model of the Belousov-Zhabotinskii reaction (ODE, 3 equations, stiff, autonomous, relaxation oscillation).
//
//   y1' = s (y2 - y1 y2 + y1 - q y1^2)
//   y2' = (-y2 - y1 y2 + y3) / s
//   y3' = w (y1 - y3)
//
//   0 <= t <= 360,   y(0) = (1, 2, 3)
//
// Difficult because long quiet times alternate with sharp spikes, in which y1 rises from 1 to 1e5 and y2 falls to 3e-3
// before it climbs to 2e3.
// Origin: R. J. Field, R. M. Noyes, J. Chemical Physics 60 (1974) 1877-1884. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_OREGO_HPP
#define IVP_PROBLEMS_OREGO_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct orego {
    R s, q, w;

    explicit orego(const parameter_values& p) : s(p.get<R>("s")), q(p.get<R>("q")), w(p.get<R>("w")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = s * (y[1] - y[0] * y[1] + y[0] - q * y[0] * y[0]);
        dydt[1] = (-y[1] - y[0] * y[1] + y[2]) / s;
        dydt[2] = w * (y[0] - y[2]);
    }

    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(2);
        y[2] = R(3);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"s", "77.27", "1e-3", "1e6", "square root of the ratio of the rates at which HBrO2 multiplies and bromide is used up [-]"},
            {"q", "8.375e-6", 0, 1, "strength of the self-destruction of HBrO2, which limits its growth [-]"},
            {"w", "0.161", 0, "1e6", "rate at which cerium(IV) is reduced [-]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "orego";
        i.title = "OREGO";
        i.form = form::ode;
        i.n = 3;
        i.t0 = 0;
        i.tend = 360;
        i.component_names = {"HBrO2", "Br-", "Ce(IV)"};
        i.quantity_of_interest = "the three scaled concentrations at the end, shortly after the second spike";
        i.contributor = "test set: Bari";
        i.tags = {"chemistry", "stiff", "small", "autonomous", "oscillating", "relaxation"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
