// DETEST, stiff, class B: linear with complex eigenvalues, autonomous.
//
//   B1        eigenvalues -1 +- 10i, -100 +- 100i
//   B2 ... B5 eigenvalues -10 +- alpha i with alpha = 3, 8, 25, 100, and -4, -1, -0.5, -0.1
//
// Chapters: class_b.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_B_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_B_HPP

#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct b1 {
    R a, b;
    explicit b1(const parameter_values& p) : a(p.get<R>("a")), b(p.get<R>("b")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -y[0] + y[1];
        dydt[1] = -a * y[0] - y[1];
        dydt[2] = -100 * y[2] + y[3];
        dydt[3] = -b * y[2] - 100 * y[3];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
        y[2] = R(1);
        y[3] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"a", 100, 0, "1e6", "square of the slow frequency [1/s^2]"}, {"b", 10000, 0, "1e8", "square of the fast frequency [1/s^2]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
    }
};

template <class R, int frequency>
struct oscillation {
    R slowest, alpha;
    explicit oscillation(const parameter_values& p) : slowest(p.get<R>("slowest")), alpha(p.get<R>("alpha")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -10 * y[0] + alpha * y[1];
        dydt[1] = -alpha * y[0] - 10 * y[1];
        dydt[2] = -4 * y[2];
        dydt[3] = -y[3];
        dydt[4] = -y[4] / 2;
        dydt[5] = -slowest * y[5];
    }
    void initial(R* y) const { std::fill(y, y + 6, R(1)); }
    static std::vector<parameter> parameters()
    {
        return {{"slowest", "0.1", 0, "1e6", "rate of y6 [1/s]"}, {"alpha", frequency, 0, "1e6", "frequency of y1 and y2 [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
        i.pictured = {1, 6};
    }
};

template <class R>
struct b2 : oscillation<R, 3> {
    using oscillation<R, 3>::oscillation;
};

template <class R>
struct b3 : oscillation<R, 8> {
    using oscillation<R, 8>::oscillation;
};

template <class R>
struct b4 : oscillation<R, 25> {
    using oscillation<R, 25>::oscillation;
};

template <class R>
struct b5 : oscillation<R, 100> {
    using oscillation<R, 100>::oscillation;
};

} // namespace ivp::problems::detest::stiff

#endif
