// DETEST, stiff, class F: chemical kinetics, autonomous.
//
//   F1  catalytic fluidized bed           F4  Belousov's reaction (Oregonator)
//   F2  two substances                    F5  four species, very fast
//   F3  five species
//
// Chapters: class_f.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_STIFF_CLASS_F_HPP
#define IVP_PROBLEMS_DETEST_STIFF_CLASS_F_HPP

#include "detest/family.hpp"

#include <algorithm>

namespace ivp::problems::detest::stiff {

template <class R>
struct f1 {
    R k0, a, arrhenius, c1, tenth;
    explicit f1(const parameter_values& p)
        : k0(p.get<R>("k0")), a(p.get<R>("a")), arrhenius(number<R>("20.7")), c1(number<R>("1.3")), tenth(number<R>("0.1"))
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::exp;
        const T k = k0 * exp(arrhenius - a / y[0]);
        dydt[0] = c1 * (y[2] - y[0]) + 10400 * k * y[1];
        dydt[1] = 1880 * (y[3] - y[1] * (1 + k));
        dydt[2] = 1752 - 269 * y[2] + 267 * y[0];
        dydt[3] = tenth + 320 * y[1] - 321 * y[3];
    }
    void initial(R* y) const
    {
        y[0] = R(761);
        y[1] = R(0);
        y[2] = R(600);
        y[3] = tenth;
    }
    static std::vector<parameter> parameters()
    {
        return {{"k0", "0.006", 0, 1, "rate of the reaction at a reference temperature [-]"},
                {"a", 15000, 1000, "1e5", "temperature of activation [degrees]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
        i.component_names = {"temperature of the catalyst", "pressure at the catalyst", "temperature of the gas", "pressure in the gas"};
    }
};

template <class R>
struct f2 {
    R a, b;
    explicit f2(const parameter_values& p) : a(p.get<R>("a")), b(p.get<R>("b")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -y[0] - y[0] * y[1] + a * y[1];
        dydt[1] = y[0] * (1 - y[1]) / b - 3 * y[1];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"a", 294, 0, "1e6", "rate of the return from y2 to y1 [1/s]"}, {"b", 98, 1, "1e6", "ratio of the amounts of the two [-]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
    }
};

template <class R>
struct f3 {
    R k1, k3, k4, thousandth;
    explicit f3(const parameter_values& p) : k1(p.get<R>("k1")), k3(number<R>("1.001e4")), k4(number<R>("10.001")), thousandth(number<R>("1e-3")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T a = k1 * y[0] * y[1];
        const T b = k1 * y[1] * y[4];
        dydt[0] = -a + 10 * y[2];
        dydt[1] = -a - b + 10 * y[2] + 10 * y[3];
        dydt[2] = a - k3 * y[2] + thousandth * y[3];
        dydt[3] = 10000 * y[2] - k4 * y[3] + b;
        dydt[4] = 10 * y[3] - b;
    }
    void initial(R* y) const
    {
        std::fill(y, y + 5, R(0));
        y[0] = number<R>("4e-6");
        y[1] = number<R>("1e-6");
    }
    static std::vector<parameter> parameters() { return {{"k1", "1e7", 0, "1e12", "rate of the two reactions of second order [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
    }
};

template <class R>
struct f4 {
    R s, q, w, g;
    explicit f4(const parameter_values& p) : s(p.get<R>("s")), q(p.get<R>("q")), w(p.get<R>("w")), g(p.get<R>("f")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = s * (y[1] - y[0] * y[1] + y[0] - q * (y[0] * y[0]));
        dydt[1] = (-y[1] - y[0] * y[1] + g * y[2]) / s;
        dydt[2] = w * (y[0] - y[2]);
    }
    void initial(R* y) const
    {
        y[0] = R(4);
        y[1] = number<R>("1.1");
        y[2] = R(4);
    }
    static std::vector<parameter> parameters()
    {
        return {{"s", "77.27", 1, "1e4", "ratio of the time scales of HBrO2 and bromide [-]"},
                {"q", "8.375e-6", 0, 1, "ratio of rates [-]"},
                {"w", "0.161", 0, 10, "rate of cerium(IV) [-]"},
                {"f", 1, 0, 10, "stoichiometric factor [-]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("chemistry");
        i.tags.emplace_back("oscillating");
        i.component_names = {"HBrO2", "bromide", "cerium(IV)"};
    }
};

template <class R>
struct f5 {
    R k1, k2, k3, k4, k5;
    explicit f5(const parameter_values& p) : k1(p.get<R>("k1")), k2(p.get<R>("k2")), k3(p.get<R>("k3")), k4(p.get<R>("k4")), k5(k3 + k4) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T a = k1 * y[0] * y[1];
        const T b = k2 * y[0] * y[2];
        dydt[0] = -a - b + k5 * y[3];
        dydt[1] = -a + k3 * y[3];
        dydt[2] = -b + k4 * y[3];
        dydt[3] = a + b - k5 * y[3];
    }
    void initial(R* y) const
    {
        y[0] = number<R>("3.365e-7");
        y[1] = number<R>("8.261e-3");
        y[2] = number<R>("1.642e-3");
        y[3] = number<R>("9.380e-6");
    }
    static std::vector<parameter> parameters()
    {
        return {{"k1", "3e11", 0, "1e15", "rate of y1 with y2 [1/s]"},
                {"k2", "9e11", 0, "1e15", "rate of y1 with y3 [1/s]"},
                {"k3", "2e7", 0, "1e12", "rate of the return from y4 to y1 and y2 [1/s]"},
                {"k4", "1e8", 0, "1e12", "rate of the return from y4 to y1 and y3 [1/s]"}};
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
