// The reactions of the Chemical Akzo Nobel problem, which its two formulations (chemakzo_ode, chemakzo_dae) share.
#ifndef IVP_PROBLEMS_COMMON_AKZO_REACTION_HPP
#define IVP_PROBLEMS_COMMON_AKZO_REACTION_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct akzo_reaction {
    R k1, k2, k3, k4, K, klA, pCO2, H;

    explicit akzo_reaction(const parameter_values& p)
        : k1(p.get<R>("k1")),
          k2(p.get<R>("k2")),
          k3(p.get<R>("k3")),
          k4(p.get<R>("k4")),
          K(p.get<R>("K")),
          klA(p.get<R>("klA")),
          pCO2(p.get<R>("pCO2")),
          H(p.get<R>("H"))
    {}

    /// The first five equations, and the rate r5 with which the sixth species is used up. Refused for a negative amount of CO2.
    template <class T>
    evaluation five_equations(const T* y, T* out, T& r5) const
    {
        using std::sqrt;
        if (y[1] < 0) return evaluation::refused;

        const T root = sqrt(y[1]);
        const T square = y[0] * y[0];
        const T r1 = k1 * square * square * root;
        const T r2 = k2 * y[2] * y[3];
        const T r3 = k2 / K * y[0] * y[4];
        const T r4 = k3 * y[0] * y[3] * y[3];
        r5 = k4 * y[5] * y[5] * root;
        const T inflow = klA * (pCO2 / H - y[1]);

        out[0] = -2 * r1 + r2 - r3 - r4;
        out[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
        out[2] = r1 - r2 + r3;
        out[3] = -r2 + r3 - 2 * r4;
        out[4] = r2 - r3 + r5;
        return evaluation::ok;
    }

    /// The parameters above; a formulation adds its initial values.
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
        };
    }
};

} // namespace ivp::problems

#endif
