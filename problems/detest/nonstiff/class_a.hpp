// DETEST, non-stiff, class A: single equations on 0 <= t <= 20.
//
//   A1  y' = -k y,           y(0) = 1     exponential decay
//   A2  y' = -k y^3,         y(0) = 1     algebraic decay
//   A3  y' = k y cos t,      y(0) = 1     oscillation
//   A4  y' = r y (1 - y/K),  y(0) = 1     logistic growth
//   A5  y' = (y - t)/(y + t), y(0) = 4    spiral
//
// Chapters: class_a.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_A_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_A_HPP

#include "detest/family.hpp"

namespace ivp::problems::detest::nonstiff {

template <class R>
struct a1 {
    R k;
    explicit a1(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k * y[0];
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters() { return {{"k", 1, 0, 100, "rate of the decay [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct a2 {
    R k;
    explicit a2(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k * (y[0] * y[0] * y[0]);
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters() { return {{"k", "0.5", 0, 100, "rate of the decay [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct a3 {
    R k;
    explicit a3(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::cos;
        dydt[0] = k * y[0] * cos(t);
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters() { return {{"k", 1, -10, 10, "strength of growth and decay [1/s]"}}; }
    static void describe(problem_info& i) { i.tags.emplace_back("oscillating"); }
};

template <class R>
struct a4 {
    R r, K;
    explicit a4(const parameter_values& p) : r(p.get<R>("r")), K(p.get<R>("K")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = r * y[0] * (1 - y[0] / K);
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters()
    {
        return {{"r", "0.25", 0, 100, "rate of growth [1/s]"}, {"K", 20, "1e-3", "1e6", "capacity, where growth ends [-]"}};
    }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct a5 {
    R y0;
    explicit a5(const parameter_values& p) : y0(p.get<R>("y0")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        dydt[0] = (y[0] - t) / (y[0] + t);
    }
    void initial(R* y) const { y[0] = y0; }
    static std::vector<parameter> parameters() { return {{"y0", 4, 3, 100, "start value; the spiral turns back at t = 7.46 y0 [-]"}}; }
    static void describe(problem_info& /*i*/) {}
};

} // namespace ivp::problems::detest::nonstiff

#endif
