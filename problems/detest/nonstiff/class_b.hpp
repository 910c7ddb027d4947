// DETEST, non-stiff, class B: small systems on 0 <= t <= 20.
//
//   B1  two populations in conflict (Lotka-Volterra)    B4  curve on a torus
//   B2  linear exchange                                 B5  rigid body without forces (Euler)
//   B3  nonlinear chain of reactions
//
// Chapters: class_b.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_B_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_B_HPP

#include "detest/family.hpp"

namespace ivp::problems::detest::nonstiff {

template <class R>
struct b1 {
    R a, b;
    explicit b1(const parameter_values& p) : a(p.get<R>("a")), b(p.get<R>("b")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T met = y[0] * y[1];
        dydt[0] = a * (y[0] - met);
        dydt[1] = -b * (y[1] - met);
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(3);
    }
    static std::vector<parameter> parameters()
    {
        return {{"a", 2, 0, 100, "rate of growth of the prey [1/s]"}, {"b", 1, 0, 100, "rate of loss of the predators [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.component_names = {"prey", "predators"};
    }
};

template <class R>
struct b2 {
    R k;
    explicit b2(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = k * (-y[0] + y[1]);
        dydt[2] = k * (y[1] - y[2]);
        dydt[1] = -(dydt[0] + dydt[2]);
    }
    void initial(R* y) const
    {
        y[0] = R(2);
        y[1] = R(0);
        y[2] = R(1);
    }
    static std::vector<parameter> parameters() { return {{"k", 1, 0, 100, "rate of the exchange [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct b3 {
    R k2, k1;
    explicit b3(const parameter_values& p) : k2(p.get<R>("k2")), k1(p.get<R>("k1")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T first = k1 * y[0];
        const T second = k2 * (y[1] * y[1]);
        dydt[0] = -first;
        dydt[1] = first - second;
        dydt[2] = second;
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k2", 1, 0, 100, "rate of the second reaction, of second order [1/s]"}, {"k1", 1, 0, 100, "rate of the first reaction [1/s]"}};
    }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct b4 {
    R r0;
    explicit b4(const parameter_values& p) : r0(p.get<R>("r0")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        const T r = sqrt(y[0] * y[0] + y[1] * y[1]);
        dydt[0] = -y[1] - y[0] * y[2] / r;
        dydt[1] = y[0] - y[1] * y[2] / r;
        dydt[2] = y[0] / r;
    }
    void initial(R* y) const
    {
        y[0] = r0;
        y[1] = R(0);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"r0", 3, 2, 100, "distance from the axis at the start [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
    }
};

template <class R>
struct b5 {
    R m;
    explicit b5(const parameter_values& p) : m(p.get<R>("m")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = y[1] * y[2];
        dydt[1] = -y[0] * y[2];
        dydt[2] = -m * y[0] * y[1];
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(1);
        y[2] = R(1);
    }
    static std::vector<parameter> parameters() { return {{"m", "0.51", 0, 1, "squared modulus of the elliptic functions [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
        i.component_names = {"sn t", "cn t", "dn t"};
    }
};

} // namespace ivp::problems::detest::nonstiff

#endif
