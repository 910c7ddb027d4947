// Chemical Akzo Nobel problem, formulation with the equilibrium (DAE, 6 equations, index 1, stiff, autonomous).
//
//   r1 = k1 y1^4 sqrt(y2)      r3 = (k2/K) y1 y5      r5 = k4 y6^2 sqrt(y2)
//   r2 = k2 y3 y4              r4 = k3 y1 y4^2        Fin = klA (pCO2/H - y2)
//
//   y1' = -2 r1 + r2 - r3 - r4                        y4' = -r2 + r3 - 2 r4
//   y2' = -r1/2 - r4 - r5/2 + Fin                     y5' = r2 - r3 + r5
//   y3' = r1 - r2 + r3                                0   = Ks y1 y4 - y6
//
//   0 <= t <= 180,   y(0) = (0.444, 0.00123, 0, 0.007, 0, Ks 0.444 0.007)
//
// Difficult because y2 falls fast near t = 0 and a step that is too large makes it negative, where the equations have no value.
// Origin: Akzo Nobel Central Research; parameters by W. J. H. Stortelder (1995). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_CHEMAKZO_DAE_HPP
#define IVP_PROBLEMS_CHEMAKZO_DAE_HPP

#include "common/akzo_reaction.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct chemakzo_dae {
    akzo_reaction<R> reaction;
    R Ks, flb0, co20, zhu0;

    explicit chemakzo_dae(const parameter_values& p)
        : reaction(p), Ks(p.get<R>("Ks")), flb0(p.get<R>("flb0")), co20(p.get<R>("co20")), zhu0(p.get<R>("zhu0"))
    {}

    template <class T>
    evaluation f(const T& /*t*/, const T* y, T* out) const
    {
        T r5;
        if (const evaluation e = reaction.five_equations(y, out, r5); e != evaluation::ok) return e;
        out[5] = Ks * y[0] * y[3] - y[5];
        return evaluation::ok;
    }

    mass_matrix<R> mass() const { return mass_matrix<R>::diagonal({R(1), R(1), R(1), R(1), R(1), R(0)}); }

    void initial(R* y) const
    {
        y[0] = flb0;
        y[1] = co20;
        y[2] = R(0);
        y[3] = zhu0;
        y[4] = R(0);
        y[5] = Ks * y[0] * y[3];
    }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> all = akzo_reaction<R>::parameters();
        all.push_back({"Ks", "115.83", 0, "1e6", "equilibrium constant of FLB + ZHU = FLB.ZHU [l/mol]"});
        all.push_back({"flb0", "0.444", 0, "1e3", "initial concentration of FLB [mol/l]"});
        all.push_back({"co20", "0.00123", 0, "1e3", "initial concentration of CO2 [mol/l]"});
        all.push_back({"zhu0", "0.007", 0, "1e3", "initial concentration of ZHU [mol/l]"});
        return all;
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "chemakzo_dae";
        i.title = "Chemical Akzo Nobel (DAE)";
        i.form = form::dae;
        i.n = 6;
        i.t0 = 0;
        i.tend = 180;
        i.highest_index = 1;
        i.component_names = {"FLB", "CO2", "FLBT", "ZHU", "ZLA", "FLB.ZHU"};
        i.quantity_of_interest = "the concentrations of all six species after three hours, above all of the product ZLA";
        i.contributor = "W. J. H. Stortelder, I. Dotsikas (test set: CWI, 1996; this form: Bari)";
        i.tags = {"chemistry", "stiff", "small", "autonomous", "index-1", "domain"};
        i.protocol = {.ladder_start = 8, .ladder_per_decade = 4, .ladder_last = 20, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
