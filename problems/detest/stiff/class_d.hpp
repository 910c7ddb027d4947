// DETEST, stiff, class D: nonlinear with real eigenvalues, autonomous.
//
//   D1  nuclear reactor                D4  chemistry (Gear)
//   D2  chemistry (Robertson)          D5  kinetics of a reactor
//   D3  chemistry, two equilibria      D6  chemistry, very fast
//
// Chapters: class_d.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_D_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_D_HPP

#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct d1 {
    R k, fifth;
    explicit d1(const parameter_values& p) : k(p.get<R>("k")), fifth(number<R>("0.2")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = fifth * (y[1] - y[0]);
        dydt[1] = 10 * y[0] - (60 - k * y[2]) * y[1] + k * y[2];
        dydt[2] = T(1);
    }
    void initial(R* y) const { std::fill(y, y + 3, R(0)); }
    static std::vector<parameter> parameters() { return {{"k", "0.125", 0, "0.149", "growth of the reactivity [1/s^2]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

/// Robertson's reaction with the intermediate 1e4 times as large.
template <class R>
struct d2 {
    R k1, k3, k2, k1_large, k3_large, k2_large;
    explicit d2(const parameter_values& p)
        : k1(p.get<R>("k1")), k3(p.get<R>("k3")), k2(p.get<R>("k2")), k1_large(10000 * k1), k3_large(10000 * k3), k2_large(100 * k2)
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k1 * y[0] + k3 * y[1] * y[2];
        dydt[1] = k1_large * y[0] - k3_large * y[1] * y[2] - k2_large * (y[1] * y[1]);
        dydt[2] = k2 * (y[1] * y[1]);
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k1", "0.04", 0, "1e3", "rate of A -> B [1/s]"},
                {"k3", "0.01", 0, "1e3", "rate of B + C -> A + C, of B times 1e-4 [1/s]"},
                {"k2", 30, 0, "1e6", "rate of B + B -> C + B, of B times 1e-4, in 100/s [-]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
        i.component_names = {"A", "1e4 B", "100 C"};
        i.pictured = {1, 3};
    }
};

template <class R>
struct d3 {
    R k1, k2;
    explicit d3(const parameter_values& p) : k1(p.get<R>("k1")), k2(p.get<R>("k2")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T first = y[2] - k1 * y[0] * y[1];
        const T second = y[3] - k2 * (y[1] * y[1]);
        dydt[0] = first;
        dydt[1] = first + 2 * second;
        dydt[2] = -first;
        dydt[3] = -second;
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(1);
        y[2] = R(0);
        y[3] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k1", 100, 0, "1e8", "rate of y1 + y2 -> y3 [1/s]"}, {"k2", 10000, 0, "1e10", "rate of y2 + y2 -> y4 [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
    }
};

template <class R>
struct d4 {
    R k1, k2, k3;
    explicit d4(const parameter_values& p) : k1(p.get<R>("k1")), k2(p.get<R>("k2")), k3(p.get<R>("k3")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k1 * y[0] - k2 * y[0] * y[2];
        dydt[1] = -k3 * y[1] * y[2];
        dydt[2] = dydt[0] + dydt[1];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(1);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k1", "0.013", 0, "1e3", "rate of the loss of y1 alone [1/s]"},
                {"k2", 1000, 0, "1e8", "rate of y1 with y3 [1/s]"},
                {"k3", 2500, 0, "1e8", "rate of y2 with y3 [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
    }
};

template <class R>
struct d5 {
    R q;
    explicit d5(const parameter_values& p) : q(p.get<R>("q")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T s = q + y[0] + y[1];
        dydt[0] = q - s * (1 + (y[0] + 1000) * (y[0] + 1));
        dydt[1] = q - s * (1 + y[1] * y[1]);
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"q", "0.01", 0, 1, "source [1/s]"}}; }
    static void describe(problem_info& i) { autonomous(i); }
};

template <class R>
struct d6 {
    R k1, k2;
    explicit d6(const parameter_values& p) : k1(p.get<R>("k1")), k2(p.get<R>("k2")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -y[0] + k1 * y[2] * (1 - y[0]);
        dydt[1] = -10 * y[1] + k2 * y[2] * (1 - y[1]);
        dydt[2] = -dydt[0] - dydt[1];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
        y[2] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k1", "1e8", 0, "1e12", "rate of y1's capture of y3 [1/s]"}, {"k2", "3e7", 0, "1e12", "rate of y2's capture of y3 [1/s]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
    }
};

} // namespace ivp::problems::detest::stiff

#endif
