// Chemical Akzo Nobel problem, first formulation (ODE, 6 equations, stiff, autonomous). The later one is chemakzo_dae.
//
//   r1 = k1 y1^4 sqrt(y2)      r3 = (k2/K) y1 y5      r5 = k4 y6^2 sqrt(y2)
//   r2 = k2 y3 y4              r4 = k3 y1 y4^2        Fin = klA (pCO2/H - y2)
//
//   y1' = -2 r1 + r2 - r3 - r4                        y4' = -r2 + r3 - 2 r4
//   y2' = -r1/2 - r4 - r5/2 + Fin                     y5' = r2 - r3 + r5
//   y3' = r1 - r2 + r3                                y6' = -r5
//
//   0 <= t <= 180,   y(0) = (0.437, 0.00123, 0, 0, 0, 0.367)
//
// Difficult because y2 falls fast near t = 0 and a step that is too large makes it negative, where the equations have no value.
// Origin: Akzo Nobel Central Research; parameters by W. J. H. Stortelder (1995). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_CHEMAKZO_ODE_HPP
#define IVP_PROBLEMS_CHEMAKZO_ODE_HPP

#include "common/akzo_reaction.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct chemakzo_ode {
    akzo_reaction<R> reaction;
    R flb0, co20, bound0;

    explicit chemakzo_ode(const parameter_values& p) : reaction(p), flb0(p.get<R>("flb0")), co20(p.get<R>("co20")), bound0(p.get<R>("bound0")) {}

    template <class T>
    evaluation f(const T& /*t*/, const T* y, T* dydt) const
    {
        T r5;
        if (const evaluation e = reaction.five_equations(y, dydt, r5); e != evaluation::ok) return e;
        dydt[5] = -r5;
        return evaluation::ok;
    }

    void initial(R* y) const
    {
        std::fill(y, y + 6, R(0));
        y[0] = flb0;
        y[1] = co20;
        y[5] = bound0;
    }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> all = akzo_reaction<R>::parameters();
        all.push_back({"flb0", "0.437", 0, "1e3", "initial concentration of FLB [mol/l]"});
        all.push_back({"co20", "0.00123", 0, "1e3", "initial concentration of CO2 [mol/l]"});
        all.push_back({"bound0", "0.367", 0, "1e3", "initial concentration of FLB.ZHU [mol/l]"});
        return all;
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "chemakzo_ode";
        i.title = "Chemical Akzo Nobel (ODE)";
        i.form = form::ode;
        i.n = 6;
        i.t0 = 0;
        i.tend = 180;
        i.component_names = {"FLB", "CO2", "FLBT", "ZHU", "ZLA", "FLB.ZHU"};
        i.quantity_of_interest = "the concentrations of all six species after three hours, above all of the product ZLA";
        i.contributor = "W. J. H. Stortelder (test set: CWI, 1996)";
        i.tags = {"chemistry", "stiff", "small", "autonomous", "domain"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 24, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
