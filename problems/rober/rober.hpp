// ROBER: Robertson's autocatalytic reaction over a very long time (ODE, 3 equations, very stiff, autonomous).
//
//   y1' = -k1 y1 + k3 y2 y3
//   y2' =  k1 y1 - k3 y2 y3 - k2 y2^2
//   y3' =  k2 y2^2
//
//   0 <= t <= 1e11,   y(0) = (1, 0, 0),   invariant y1 + y2 + y3 = 1
//
// Difficult because the rates span nine powers of ten and the time eleven, and because a y2 that has become negative (it is 8e-14
// at the end) runs away to minus infinity.
// Origin: H. H. Robertson, in: Numerical Analysis: An Introduction, Academic Press (1966) 178-182. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_ROBER_HPP
#define IVP_PROBLEMS_ROBER_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct rober {
    R k1, k2, k3, a0;

    explicit rober(const parameter_values& p) : k1(p.get<R>("k1")), k2(p.get<R>("k2")), k3(p.get<R>("k3")), a0(p.get<R>("a0")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k1 * y[0] + k3 * y[1] * y[2];
        dydt[2] = k2 * y[1] * y[1];
        dydt[1] = -dydt[0] - dydt[2];
    }

    void initial(R* y) const
    {
        y[0] = a0;
        y[1] = R(0);
        y[2] = R(0);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"k1", "0.04", 0, "1e6", "rate of the slow reaction A -> B [1/s]"},
            {"k2", "3e7", 0, "1e12", "rate of the very fast reaction B + B -> C + B [1/s]"},
            {"k3", "1e4", 0, "1e12", "rate of the fast reaction B + C -> A + C [1/s]"},
            {"a0", 1, 0, "1e3", "initial concentration of A, as a fraction of the total [-]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "rober";
        i.title = "ROBER";
        i.form = form::ode;
        i.n = 3;
        i.t0 = 0;
        i.tend = "1e11";
        i.component_names = {"A", "B", "C"};
        i.logarithmic_time = true;
        i.quantity_of_interest = "the concentrations of all three species at the end, when almost everything has become C";
        i.contributor = "test set: Bari";
        i.tags = {"chemistry", "stiff", "small", "autonomous", "long-time"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1e-4, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
