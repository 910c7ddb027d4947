// HIRES: high irradiance responses of photomorphogenesis (ODE, 8 equations, stiff, autonomous).
//
//   y1' = -k1 y1 + k2 y2 + k6 y3 + oks            y5' = -(k1 + k5) y5 + k2 (y6 + y7)
//   y2' =  k1 y1 - (k2 + k3) y2                   y6' = k4 y4 + k1 y5 - k2 y6 + k- y7 - k+ y6 y8
//   y3' = -(k1 + k6) y3 + k2 y4 + k5 y5           y7' = k+ y6 y8 - (k2 + k- + k*) y7
//   y4' =  k3 y2 + k1 y3 - (k2 + k4) y4           y8' = -y7'
//
//   0 <= t <= 321.8122,   y(0) = (1, 0, 0, 0, 0, 0, 0, 0.0057),   invariant y7 + y8 = 0.0057
//
// Difficult because the solution is small (1e-5 .. 1e-2) where it is measured, right where y7 and y8 cross.
// Origin: E. Schaefer, J. Math. Biology 2 (1975) 41-56. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_HIRES_HPP
#define IVP_PROBLEMS_HIRES_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct hires {
    R k1, k2, k3, k4, k5, k6, kplus, kminus, kstar, oks, e0;

    explicit hires(const parameter_values& p)
        : k1(p.get<R>("k1")),
          k2(p.get<R>("k2")),
          k3(p.get<R>("k3")),
          k4(p.get<R>("k4")),
          k5(p.get<R>("k5")),
          k6(p.get<R>("k6")),
          kplus(p.get<R>("kplus")),
          kminus(p.get<R>("kminus")),
          kstar(p.get<R>("kstar")),
          oks(p.get<R>("oks")),
          e0(p.get<R>("e0"))
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T binding = kplus * y[5] * y[7];
        const T release = (k2 + kminus + kstar) * y[6];

        dydt[0] = -k1 * y[0] + k2 * y[1] + k6 * y[2] + oks;
        dydt[1] = k1 * y[0] - (k2 + k3) * y[1];
        dydt[2] = -(k1 + k6) * y[2] + k2 * y[3] + k5 * y[4];
        dydt[3] = k3 * y[1] + k1 * y[2] - (k2 + k4) * y[3];
        dydt[4] = -(k1 + k5) * y[4] + k2 * y[5] + k2 * y[6];
        dydt[5] = -binding + k4 * y[3] + k1 * y[4] - k2 * y[5] + kminus * y[6];
        dydt[6] = binding - release;
        dydt[7] = -dydt[6];
    }

    void initial(R* y) const
    {
        std::fill(y, y + 8, R(0));
        y[0] = R(1);
        y[7] = e0;
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"k1", "1.71", 0, "1e6", "rate of photoconversion Pr -> Pfr [1/s]"},
            {"k2", "0.43", 0, "1e6", "rate of photoconversion Pfr -> Pr [1/s]"},
            {"k3", "8.32", 0, "1e6", "rate of binding of Pfr to the receptor X [1/s]"},
            {"k4", "0.69", 0, "1e6", "rate of the change of receptor PfrX -> PfrX' [1/s]"},
            {"k5", "0.035", 0, "1e6", "rate of the change of receptor PrX' -> PrX [1/s]"},
            {"k6", "8.32", 0, "1e6", "rate of release of Pr from the receptor X [1/s]"},
            {"kplus", "280", 0, "1e9", "rate of binding of the enzyme E to PfrX' [1/(mol s)]"},
            {"kminus", "0.69", 0, "1e6", "rate of release of the enzyme from PfrX'E [1/s]"},
            {"kstar", "0.69", 0, "1e6", "rate of the reaction PfrX'E -> Pfr' + X' + E [1/s]"},
            {"oks", "0.0007", 0, "1e3", "synthesis of Pr [mol/s]"},
            {"e0", "0.0057", 0, "1e3", "initial amount of the enzyme E [mol]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "hires";
        i.title = "HIRES";
        i.form = form::ode;
        i.n = 8;
        i.t0 = 0;
        i.tend = "321.8122";
        i.component_names = {"Pr", "Pfr", "PrX", "PfrX", "PrX'", "PfrX'", "PfrX'E", "E"};
        i.pictured = {6, 7};
        i.quantity_of_interest = "the amounts of all eight species at the end, when the phytochrome is almost used up";
        i.contributor = "E. Hairer, G. Wanner (test set: CWI, 1996)";
        i.tags = {"chemistry", "biology", "stiff", "small", "autonomous"};
        i.protocol = {.ladder_start = 5, .ladder_per_decade = 4, .ladder_last = 28, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
