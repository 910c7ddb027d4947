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

#include <ivp/model/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct chemakzo_ode {
    R k1, k2, k3, k4, K, klA, pCO2, H, flb0, co20, bound0;

    explicit chemakzo_ode(const parameter_values& p)
        : k1(p.get<R>("k1")),
          k2(p.get<R>("k2")),
          k3(p.get<R>("k3")),
          k4(p.get<R>("k4")),
          K(p.get<R>("K")),
          klA(p.get<R>("klA")),
          pCO2(p.get<R>("pCO2")),
          H(p.get<R>("H")),
          flb0(p.get<R>("flb0")),
          co20(p.get<R>("co20")),
          bound0(p.get<R>("bound0"))
    {}

    template <class T>
    evaluation f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        if (y[1] < 0) return evaluation::refused;

        const T root = sqrt(y[1]);
        const T square = y[0] * y[0];
        const T r1 = k1 * square * square * root;
        const T r2 = k2 * y[2] * y[3];
        const T r3 = k2 / K * y[0] * y[4];
        const T r4 = k3 * y[0] * y[3] * y[3];
        const T r5 = k4 * y[5] * y[5] * root;
        const T inflow = klA * (pCO2 / H - y[1]);

        dydt[0] = -2 * r1 + r2 - r3 - r4;
        dydt[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
        dydt[2] = r1 - r2 + r3;
        dydt[3] = -r2 + r3 - 2 * r4;
        dydt[4] = r2 - r3 + r5;
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
        return {
            {"k1", "18.7", 0, "1e6", "rate of 2 FLB + CO2/2 -> FLBT + H2O [(l/mol)^3.5/min]"},
            {"k2", "0.58", 0, "1e6", "rate of FLBT + ZHU -> ZLA + FLB [l/(mol min)]"},
            {"k3", "0.09", 0, "1e6", "rate of FLB + 2 ZHU + CO2 -> LB + nitrate [(l/mol)^2/min]"},
            {"k4", "0.42", 0, "1e6", "rate of FLB.ZHU + CO2/2 -> ZLA + H2O [(l/mol)^1.5/min]"},
            {"K", "34.4", "1e-6", "1e9", "equilibrium constant of ZLA + FLB = FLBT + ZHU; the rate to the right is k2/K [-]"},
            {"klA", "3.3", 0, "1e6", "mass transfer coefficient of the inflowing CO2 [1/min]"},
            {"pCO2", "0.9", 0, "1e3", "partial pressure of CO2 [bar]"},
            {"H", 737, "1e-6", "1e9", "Henry's constant of CO2 [bar l/mol]"},
            {"flb0", "0.437", 0, "1e3", "initial concentration of FLB [mol/l]"},
            {"co20", "0.00123", 0, "1e3", "initial concentration of CO2 [mol/l]"},
            {"bound0", "0.367", 0, "1e3", "initial concentration of FLB.ZHU [mol/l]"},
        };
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
