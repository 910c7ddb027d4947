// DETEST, stiff, class E: nonlinear with complex eigenvalues, autonomous.
//
//   E1  control of fourth order            E4  four components, turned against each other
//   E2  Van der Pol's oscillator, mu = 5   E5  pyrolysis
//   E3  kinetics of three variables
//
// Chapters: class_e.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_E_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_E_HPP

#include "common/pyrolysis.hpp"
#include "common/van_der_pol.hpp"
#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct e1 {
    R a, a2, a3, a4;
    explicit e1(const parameter_values& p) : a(p.get<R>("a")), a2(a * a), a3(a2 * a), a4(a3 * a) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::exp, std::sin;
        dydt[0] = y[1];
        dydt[1] = y[2];
        dydt[2] = y[3];
        dydt[3] = (y[0] * y[0] - sin(y[0]) - a4) * y[0] + (y[1] * y[2] / (y[0] * y[0] + 1) - 4 * a3) * y[1] + (1 - 6 * a2) * y[2] +
                  (10 * exp(-y[3] * y[3]) - 4 * a) * y[3] + 1;
    }
    void initial(R* y) const { std::fill(y, y + 4, R(0)); }
    static std::vector<parameter> parameters() { return {{"a", 100, 1, "1e4", "the eigenvalues are about -a [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct e2 : van_der_pol<R> {
    using van_der_pol<R>::van_der_pol;

    static std::vector<parameter> parameters() { return {{"mu", 5, 0, "1e6", "strength of the damping and feeding [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
    }
};

template <class R>
struct e3 {
    R b, k, c;
    explicit e3(const parameter_values& p) : b(p.get<R>("b")), k(p.get<R>("k")), c(p.get<R>("c")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -(55 + y[2]) * y[0] + b * y[1];
        dydt[1] = k * (y[0] - y[1]);
        dydt[2] = c * y[0];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(1);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"b", 65, 0, "1e3", "feeding of y1 by y2 [1/s]"},
                {"k", "0.0785", 0, "1e3", "rate at which y2 follows y1 [1/s]"},
                {"c", "0.1", 0, "1e3", "rate of the accumulation in y3 [1/s]"}};
    }
    static void describe(problem_info& i) { autonomous(i); }
};

/// z' = G(z) - B z with z = U y; U is -1/2 on the diagonal and 1/2 elsewhere, its own inverse.
template <class R>
struct e4 {
    R d, c;
    explicit e4(const parameter_values& p) : d(p.get<R>("d")), c(p.get<R>("c")) {}

    template <class T>
    static void turn(const T* a, T* out)
    {
        const T half = (a[0] + a[1] + a[2] + a[3]) / 2;
        for (int i = 0; i < 4; ++i) out[i] = half - a[i];
    }
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        T z[4];
        T slope[4];
        turn(y, z);
        slope[0] = (z[0] * z[0] - z[1] * z[1]) / 2 + 10 * z[0] + 10 * z[1];
        slope[1] = z[0] * z[1] - 10 * z[0] + 10 * z[1];
        slope[2] = z[2] * z[2] - c * z[2];
        slope[3] = z[3] * z[3] - d * z[3];
        turn(slope, dydt);
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(-2);
        y[2] = R(-1);
        y[3] = R(-1);
    }
    static std::vector<parameter> parameters()
    {
        return {{"d", "0.01", 0, 1, "the slowest rate [1/s]"}, {"c", 1000, 0, "1e6", "the fastest rate [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
    }
};

template <class R>
struct e5 : pyrolysis<R> {
    explicit e5(const parameter_values& p) : pyrolysis<R>{p.get<R>("A"), p.get<R>("B"), p.get<R>("C"), p.get<R>("M")} {}

    void initial(R* y) const
    {
        std::fill(y, y + 4, R(0));
        y[0] = number<R>("1.76e-3");
    }
    static std::vector<parameter> parameters()
    {
        return {{"A", "7.89e-10", 0, "1e9", "rate of the decay of y1 alone [1/s]"},
                {"B", "1.1e7", 0, "1e12", "rate of y1 with y3 [1/s]"},
                {"C", "1.13e9", 0, "1e12", "rate of y2 with y3 [1/s]"},
                {"M", "1.13e3", 0, "1e9", "rate of the decay of y4 [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
        i.pictured = {1, 2};
    }
};

} // namespace ivp::problems::detest::stiff

#endif
