// DETEST, stiff, class C: nonlinear coupling, autonomous.
//
//   C1        from the fast components to the slow ones
//   C2 ... C5 from the slow components to the fast ones, with strength beta = 0.1, 1, 10, 20
//
// Chapters: class_c.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_C_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_C_HPP

#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct c1 {
    R feed;
    explicit c1(const parameter_values& p) : feed(p.get<R>("feed")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T square2 = y[1] * y[1];
        const T square3 = y[2] * y[2];
        const T square4 = y[3] * y[3];
        dydt[0] = -y[0] + square2 + square3 + square4;
        dydt[1] = -10 * y[1] + 10 * (square3 + square4);
        dydt[2] = -40 * y[2] + 40 * square4;
        dydt[3] = -100 * y[3] + feed;
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static std::vector<parameter> parameters() { return {{"feed", 2, 0, "1e6", "inflow of y4 [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

/// tenths: ten times the strength of the coupling.
template <class R, int tenths>
struct coupling {
    R beta;
    explicit coupling(const parameter_values& p) : beta(p.get<R>("beta")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T square1 = y[0] * y[0];
        const T square2 = y[1] * y[1];
        const T square3 = y[2] * y[2];
        dydt[0] = -y[0] + 2;
        dydt[1] = -10 * y[1] + beta * square1;
        dydt[2] = -40 * y[2] + 4 * beta * (square1 + square2);
        dydt[3] = -100 * y[3] + 10 * beta * (square1 + square2 + square3);
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static std::vector<parameter> parameters()
    {
        return {{"beta", decimal(std::to_string(tenths / 10) + "." + std::to_string(tenths % 10)), 0, "1e3", "strength of the coupling [-]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.pictured = {1, 4};
    }
};

template <class R>
struct c2 : coupling<R, 1> {
    using coupling<R, 1>::coupling;
};

template <class R>
struct c3 : coupling<R, 10> {
    using coupling<R, 10>::coupling;
};

template <class R>
struct c4 : coupling<R, 100> {
    using coupling<R, 100>::coupling;
};

template <class R>
struct c5 : coupling<R, 200> {
    using coupling<R, 200>::coupling;
};

} // namespace ivp::problems::detest::stiff

#endif
