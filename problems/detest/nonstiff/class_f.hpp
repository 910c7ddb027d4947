// DETEST, non-stiff, class F: right-hand sides that are not smooth, on 0 <= t <= 20.
//
//   F1  oscillator driven by a square wave      f jumps at every integer
//   F2  relaxation with a switched rate         f jumps at every integer
//   F3  oscillator driven by |sin(pi t)|        f has a kink at every integer
//   F4  a sharp peak of f at 5                  f jumps at 10
//   F5  sum of cube roots of t - i              f has an infinite slope at every integer
//
// At a jump the package takes the value of the interval that follows (F4: of the one that ends), and so does this.
// Chapters: class_f.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_F_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_F_HPP

#include "detest/family.hpp"

namespace ivp::problems::detest::nonstiff {

/// Whether the integer part of t >= 0 is even, decided without rounding t to double.
template <class T>
bool in_even_second(const T& t)
{
    if constexpr (std::is_same_v<T, recorder>)
        if (records_whole_formula()) return t - 2 * periods_before(t, 2) < 1;
    auto whole = static_cast<long>(std::lround(value_of(t)));
    if (value_of(t - static_cast<double>(whole)) < 0) --whole;
    return whole % 2 == 0;
}

template <class R>
struct f1 {
    R c1, damping;
    explicit f1(const parameter_values& p) : c1(p.get<R>("c1")), damping(number<R>("0.2")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        dydt[0] = y[1];
        dydt[1] = damping * y[1] - c1 * y[0] + (in_even_second(t) ? 1 : -1);
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"c1", "9.879604401089358", 1, 100, "square of the frequency, pi^2 + 0.01 [1/s^2]"}}; }
    static void describe(problem_info& i)
    {
        i.tags.emplace_back("oscillating");
        not_smooth_at(i, 1, 19);
    }
};

template <class R>
struct f2 {
    R feed, even_rate, odd_rate;
    explicit f2(const parameter_values& p) : feed(p.get<R>("feed")), even_rate(p.get<R>("even_rate")), odd_rate(p.get<R>("odd_rate")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        dydt[0] = feed - (in_even_second(t) ? even_rate : odd_rate) * y[0];
    }
    void initial(R* y) const { y[0] = R(110); }
    static std::vector<parameter> parameters()
    {
        return {{"feed", 55, 0, 1000, "what flows in [1/s]"},
                {"even_rate", "1.5", 0, 100, "rate of loss where the integer part of t is even [1/s]"},
                {"odd_rate", "0.5", 0, 100, "rate of loss where it is odd [1/s]"}};
    }
    static void describe(problem_info& i) { not_smooth_at(i, 1, 19); }
};

template <class R>
struct f3 {
    R mu, pi;
    explicit f3(const parameter_values& p) : mu(p.get<R>("mu")), pi(number<R>("3.1415926535897932")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::abs, std::sin;
        dydt[0] = y[1];
        dydt[1] = mu * y[1] * (1 - y[0] * y[0]) - y[0] - abs(sin(pi * t));
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(0);
    }
    static std::vector<parameter> parameters() { return {{"mu", "0.01", 0, 10, "strength of the damping and feeding [-]"}}; }
    static void describe(problem_info& i)
    {
        i.tags.emplace_back("oscillating");
        not_smooth_at(i, 1, 19);
    }
};

template <class R>
struct f4 {
    R k;
    explicit f4(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        if (t > 10) {
            dydt[0] = -k * y[0];
            return;
        }
        const T x = t - 5;
        T power = 1 + 4 * x * x;
        for (int squared = 0; squared < 4; ++squared) power *= power; // to the 16th
        dydt[0] = -R(2) / 21 - 120 * x / power;
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters() { return {{"k", 2, 0, 100, "rate of the decay after t = 10 [1/s]"}}; }
    static void describe(problem_info& i) { not_smooth_at(i, 10, 10); }
};

template <class R>
struct f5 {
    R y0, c2, third;
    explicit f5(const parameter_values& p) : y0(p.get<R>("y0")), c2(p.get<R>("c2")), third(number<R>("0.33333333333333333")) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::pow;
        T sum = 0;
        for (int i = 1; i <= 19; ++i) {
            const T x = t - i;
            // At x = 0 the root vanishes; its infinite slope must not touch df/dy.
            sum += piecewise([&]() -> T {
                if (is_positive(x)) return pow(x, third);
                if (is_positive(T(-x))) return -pow(-x, third);
                return T(0);
            });
        }
        dydt[0] = 4 * y[0] / (3 * c2) * sum;
    }
    void initial(R* y) const { y[0] = y0; }
    static std::vector<parameter> parameters()
    {
        return {{"y0", 1, 0, 100, "start value, and by symmetry end value [-]"},
                {"c2", "438.4461015267790", 1, "1e6", "sum of i^(4/3), i = 1 ... 19 [-]"}};
    }
    static void describe(problem_info& i) { not_smooth_at(i, 1, 19); }
};

} // namespace ivp::problems::detest::nonstiff

#endif
