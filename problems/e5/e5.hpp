// E5: chemical pyrolysis over a very long time, from STIFF DETEST (ODE, 4 equations, extremely stiff, autonomous, badly scaled).
//
//   y1' = -A y1 - B y1 y3
//   y2' =  A y1 - M C y2 y3
//   y4' =  B y1 y3 - C y4
//   y3' =  y2' - y4'
//
//   0 <= t <= 1e13,   y(0) = (1.76e-3, 0, 0, 0),   invariant y2 - y3 - y4 = 0
//
// Difficult because y1 begins at 2e-3 while the others never exceed 2e-10, and are 1e-22 at the end: one scalar tolerance of
// ordinary size does not see them.
// Origin: W. H. Enright, T. E. Hull, B. Lindberg, BIT 15 (1975) 10-48. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_E5_HPP
#define IVP_PROBLEMS_E5_HPP

#include "common/pyrolysis.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct e5 : pyrolysis<R> {
    R start;

    explicit e5(const parameter_values& p)
        : pyrolysis<R>{p.get<R>("A"), p.get<R>("B"), p.get<R>("M") * p.get<R>("C"), p.get<R>("C")}, start(p.get<R>("start"))
    {}

    void initial(R* y) const
    {
        y[0] = start;
        y[1] = R(0);
        y[2] = R(0);
        y[3] = R(0);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"A", "7.89e-10", 0, "1e6", "rate of A1 -> A2 + A3 [1/time]"},
            {"B", "1.1e7", 0, "1e15", "rate of A1 + A3 -> A4 [1/(concentration time)]"},
            {"C", "1.13e3", 0, "1e9", "rate of A4 -> A3 + A6 [1/time]"},
            {"M", "1e6", 0, "1e12", "rate of A2 + A3 -> A5 as a multiple of C [1/concentration]"},
            {"start", "1.76e-3", 0, "1e3", "initial concentration of A1 [concentration]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "e5";
        i.title = "E5";
        i.form = form::ode;
        i.n = 4;
        i.t0 = 0;
        i.tend = "1e13";
        i.component_names = {"A1", "A2", "A3", "A4"};
        i.quantity_of_interest = "the concentrations of A2 and A3 at the end, when nothing else is left";
        i.contributor = "test set: Bari";
        i.tags = {"chemistry", "stiff", "small", "autonomous", "long-time", "badly-scaled"};
        i.accuracy.scd_defined = false;
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 32, .h0_per_rtol = 1e-2, .fixed_atol = 1.1e-24};
        return i;
    }
};

} // namespace ivp::problems

#endif
