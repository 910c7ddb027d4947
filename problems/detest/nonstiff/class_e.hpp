// DETEST, non-stiff, class E: equations of second order on 0 <= t <= 20, written with y1' = y2.
//
//   E1  y2' = -(y2/(t+1) + (1 - q/(t+1)^2) y1)      Bessel's equation of order 1/2, shifted
//   E2  y2' = mu (1 - y1^2) y2 - y1                 Van der Pol's oscillator
//   E3  y2' = y1^3/6 - y1 + a sin(w t)              Duffing's oscillator with a force
//   E4  y2' = g - c y2^2                            falling body
//   E5  y2' = sqrt(1 + y2^2)/(d - t)                pursuit on a line
//
// Chapters: class_e.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_E_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_E_HPP

#include "common/van_der_pol.hpp"
#include "detest/family.hpp"

namespace ivp::problems::detest::nonstiff {

template <class R>
struct e1 {
    R q;
    explicit e1(const parameter_values& p) : q(p.get<R>("q")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        const T x = t + 1;
        dydt[0] = y[1];
        dydt[1] = -(y[1] / x + (1 - q / (x * x)) * y[0]);
    }
    void initial(R* y) const
    {
        const R a = number<R>("0.79788456080286536"); // sqrt(2/pi)
        y[0] = a * number<R>("0.84147098480789651");  // sin 1
        y[1] = a * number<R>("0.11956681346419146");  // cos 1 - (sin 1)/2
    }
    static std::vector<parameter> parameters() { return {{"q", "0.25", 0, 100, "square of the order [-]"}}; }
    static void describe(problem_info& i) { i.tags.emplace_back("oscillating"); }
};

template <class R>
struct e2 : van_der_pol<R> {
    using van_der_pol<R>::van_der_pol;

    static std::vector<parameter> parameters() { return {{"mu", 1, 0, 10, "strength of the damping and feeding [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("oscillating");
    }
};

template <class R>
struct e3 {
    R w, a;
    explicit e3(const parameter_values& p) : w(p.get<R>("w")), a(p.get<R>("a")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::sin;
        dydt[0] = y[1];
        dydt[1] = y[0] * y[0] * y[0] / 6 - y[0] + a * sin(w * t);
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters()
    {
        return {{"w", "2.78535", 0, 100, "frequency of the force [1/s]"}, {"a", 2, 0, 3, "amplitude of the force [1/s^2]"}};
    }
    static void describe(problem_info& i) { i.tags.emplace_back("oscillating"); }
};

template <class R>
struct e4 {
    R c, g;
    explicit e4(const parameter_values& p) : c(p.get<R>("c")), g(p.get<R>("g")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = y[1];
        dydt[1] = g - c * y[1] * y[1];
    }
    void initial(R* y) const
    {
        y[0] = R(30);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"c", "0.4", 0, 100, "drag [-]"}, {"g", "0.032", 0, 100, "acceleration without drag [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("mechanics");
    }
};

template <class R>
struct e5 {
    R d;
    explicit e5(const parameter_values& p) : d(p.get<R>("d")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::sqrt;
        dydt[0] = y[1];
        dydt[1] = sqrt(1 + y[1] * y[1]) / (d - t);
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"d", 25, 21, 1000, "distance at the start: the pursuit ends at t = d [-]"}}; }
    static void describe(problem_info& i) { i.tags.emplace_back("mechanics"); }
};

} // namespace ivp::problems::detest::nonstiff

#endif
