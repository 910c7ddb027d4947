// DETEST, stiff, class A: linear with real eigenvalues, autonomous.
//
//   A1  four components without coupling          A3  upper triangular, eigenvalues -1e4 to -0.1
//   A2  heat equation with fast ends (n = 9)      A4  ten components without coupling, eigenvalues -i^5
//
// Chapters: class_a.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_A_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_A_HPP

#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct a1 {
    R lambda1, lambda2, lambda3, lambda4;
    explicit a1(const parameter_values& p)
        : lambda1(p.get<R>("lambda1")), lambda2(p.get<R>("lambda2")), lambda3(p.get<R>("lambda3")), lambda4(p.get<R>("lambda4"))
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -lambda1 * y[0];
        dydt[1] = -lambda2 * y[1];
        dydt[2] = -lambda3 * y[2];
        dydt[3] = -lambda4 * y[3];
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static std::vector<parameter> parameters()
    {
        return {{"lambda1", "0.5", 0, "1e6", "rate of y1 [1/s]"},
                {"lambda2", 1, 0, "1e6", "rate of y2 [1/s]"},
                {"lambda3", 100, 0, "1e6", "rate of y3 [1/s]"},
                {"lambda4", 90, 0, "1e6", "rate of y4 [1/s]"}};
    }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct a2 {
    R feed;
    explicit a2(const parameter_values& p) : feed(p.get<R>("feed")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -1800 * y[0] + 900 * y[1];
        for (int i = 1; i < 8; ++i) dydt[i] = y[i - 1] - 2 * y[i] + y[i + 1];
        dydt[8] = 1000 * y[7] - 2000 * y[8] + feed;
    }
    void initial(R* y) const { std::fill(y, y + 9, R(0)); }
    static std::vector<parameter> parameters() { return {{"feed", 1000, 0, "1e6", "inflow at the last line [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.jacobian_structure = structure::band(1, 1);
        i.pictured = {1, 5};
    }
};

template <class R>
struct a3 {
    R lambda4;
    explicit a3(const parameter_values& p) : lambda4(p.get<R>("lambda4")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -10000 * y[0] + 100 * y[1] - 10 * y[2] + y[3];
        dydt[1] = -1000 * y[1] + 10 * y[2] - 10 * y[3];
        dydt[2] = -y[2] + 10 * y[3];
        dydt[3] = -lambda4 * y[3];
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static std::vector<parameter> parameters() { return {{"lambda4", "0.1", 0, "1e6", "rate of y4, the slowest [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.pictured = {3, 4};
    }
};

template <class R>
struct a4 {
    R k;
    explicit a4(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        for (int i = 1; i <= 10; ++i) dydt[i - 1] = -k * (i * i * i * i * i) * y[i - 1];
    }
    void initial(R* y) const { std::fill(y, y + 10, R(1)); }
    static std::vector<parameter> parameters() { return {{"k", 1, 0, "1e6", "rate of y1; that of y_i is k i^5 [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

} // namespace ivp::problems::detest::stiff

#endif
