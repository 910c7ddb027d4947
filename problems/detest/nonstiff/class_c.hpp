// DETEST, non-stiff, class C: moderate systems on 0 <= t <= 20.
//
//   C1, C2  chains of radioactive decay (n = 10)        C5  the five outer planets (n = 30)
//   C3, C4  heat equation by the method of lines (n = 10, 51)
//
// Chapters: class_c.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_C_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_C_HPP

#include "detest/family.hpp"

#include <algorithm>
#include <array>

namespace ivp::problems::detest::nonstiff {

/// The first of n components is 1, the others are 0.
template <int n, class R>
void all_in_the_first(R* y)
{
    std::fill(y, y + n, R(0));
    y[0] = R(1);
}

template <class R>
struct c1 {
    R k;
    explicit c1(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k * y[0];
        for (int i = 1; i < 9; ++i) dydt[i] = k * (y[i - 1] - y[i]);
        dydt[9] = k * y[8];
    }
    void initial(R* y) const { all_in_the_first<10>(y); }
    static std::vector<parameter> parameters() { return {{"k", 1, 0, 100, "rate of every decay [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.pictured = {5, 10};
    }
};

template <class R>
struct c2 {
    R k;
    explicit c2(const parameter_values& p) : k(p.get<R>("k")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -k * y[0];
        for (int i = 1; i < 9; ++i) dydt[i] = k * (i * y[i - 1] - (i + 1) * y[i]);
        dydt[9] = k * (9 * y[8]);
    }
    void initial(R* y) const { all_in_the_first<10>(y); }
    static std::vector<parameter> parameters() { return {{"k", 1, 0, 100, "rate of the first decay; that of the i-th is i k [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.pictured = {5, 10};
    }
};

template <class R, int n>
struct heat {
    R d;
    explicit heat(const parameter_values& p) : d(p.get<R>("d")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = d * (-2 * y[0] + y[1]);
        for (int i = 1; i < n - 1; ++i) dydt[i] = d * (y[i - 1] - 2 * y[i] + y[i + 1]);
        dydt[n - 1] = d * (y[n - 2] - 2 * y[n - 1]);
    }
    void initial(R* y) const { all_in_the_first<n>(y); }
    static std::vector<parameter> parameters() { return {{"d", 1, 0, 100, "conductivity over the squared distance of the lines [1/s]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.jacobian_structure = structure::band(1, 1);
        i.pictured = {1, 5};
    }
};

template <class R>
struct c3 : heat<R, 10> {
    using heat<R, 10>::heat;
};

template <class R>
struct c4 : heat<R, 51> {
    using heat<R, 51>::heat;
};

/// Positions of the five bodies (x, y, z of the first, then of the second, …), then their velocities in the same order.
template <class R>
struct c5 {
    static constexpr int bodies = 5;
    static constexpr int coordinates = 3 * bodies;
    R k2, m0;
    std::array<R, bodies> m;

    explicit c5(const parameter_values& p) : k2(p.get<R>("k2")), m0(p.get<R>("m0"))
    {
        constexpr std::array text{"0.954786104043e-3", "0.285583733151e-3", "0.437273164546e-4", "0.517759138449e-4", "0.277777777778e-5"};
        for (int j = 0; j < bodies; ++j) m[j] = number<R>(text[j]);
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        const auto cube_of_length = [](const T& a, const T& b, const T& c) {
            const T squared = a * a + b * b + c * c;
            return T(squared * sqrt(squared));
        };
        std::array<T, bodies> from_sun;
        for (int j = 0; j < bodies; ++j) from_sun[j] = cube_of_length(y[3 * j], y[3 * j + 1], y[3 * j + 2]);
        std::array<std::array<T, bodies>, bodies> between;
        for (int j = 0; j < bodies; ++j)
            for (int k = 0; k < j; ++k)
                between[j][k] = between[k][j] = cube_of_length(y[3 * k] - y[3 * j], y[3 * k + 1] - y[3 * j + 1], y[3 * k + 2] - y[3 * j + 2]);

        for (int j = 0; j < bodies; ++j)
            for (int x = 0; x < 3; ++x) {
                const T& here = y[3 * j + x];
                T pull = -(m0 + m[j]) * here / from_sun[j];
                for (int k = 0; k < bodies; ++k)
                    if (k != j) pull += m[k] * ((y[3 * k + x] - here) / between[j][k] - y[3 * k + x] / from_sun[k]);
                dydt[3 * j + x] = y[coordinates + 3 * j + x];
                dydt[coordinates + 3 * j + x] = k2 * pull;
            }
    }
    void initial(R* y) const
    {
        // clang-format off
        constexpr std::array start{
            "3.42947415189", "3.35386959711", "1.35494901715",
            "6.64145542550", "5.97156957878", "2.18231499728",
            "11.2630437207", "14.6952576794", "6.27960525067",
            "-30.1552268759", "1.65699966404", "1.43785752721",
            "-21.1238353380", "28.4465098142", "15.3882659679",
            "-0.557160570446", "0.505696783289", "0.230578543901",
            "-0.415570776342", "0.365682722812", "0.169143213293",
            "-0.325325669158", "0.189706021964", "0.0877265322780",
            "-0.0240476254170", "-0.287659532608", "-0.117219543175",
            "-0.176860753121", "-0.216393453025", "-0.0148647893090",
        };
        // clang-format on
        static_assert(start.size() == 2 * coordinates);
        for (std::size_t i = 0; i < start.size(); ++i) y[i] = number<R>(start[i]);
    }
    static std::vector<parameter> parameters()
    {
        return {{"k2", "2.95912208286", 0, 100, "constant of gravity, for a time unit of 100 days [AU^3/(solar masses (100 d)^2)]"},
                {"m0", "1.00000597682", 0, 100, "mass of the sun and the inner planets [solar masses]"}};
    }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("mechanics");
        i.quantity_of_interest = "positions and velocities of the five outer planets after 2000 days";
    }
};

} // namespace ivp::problems::detest::nonstiff

#endif
