// DETEST, non-stiff, class D: the orbit of a planet on 0 <= t <= 20, with five eccentricities.
//
//   y1' = y3,  y3' = -y1 / r^3
//   y2' = y4,  y4' = -y2 / r^3,    r^2 = y1^2 + y2^2,    y(0) = (1 - e, 0, 0, sqrt((1 + e)/(1 - e)))
//
//   e = 0.1, 0.3, 0.5, 0.7, 0.9 for D1 ... D5
//
// Chapters: class_d.md. Data: data.def.
#ifndef IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_D_HPP
#define IVP_PROBLEMS_DETEST_NONSTIFF_CLASS_D_HPP

#include "detest/family.hpp"

namespace ivp::problems::detest::nonstiff {

/// tenths: ten times the eccentricity.
template <class R, int tenths>
struct orbit {
    R e;
    explicit orbit(const parameter_values& p) : e(p.get<R>("e")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        const T squared = y[0] * y[0] + y[1] * y[1];
        const T cube = sqrt(squared * squared * squared);
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = -y[0] / cube;
        dydt[3] = -y[1] / cube;
    }
    void initial(R* y) const
    {
        using std::sqrt;
        y[0] = 1 - e;
        y[1] = R(0);
        y[2] = R(0);
        y[3] = sqrt((1 + e) / (1 - e));
    }
    static std::vector<parameter> parameters() { return {{"e", decimal("0." + std::to_string(tenths)), 0, "0.99", "eccentricity of the orbit [-]"}}; }
    static void describe(problem_info& i)
    {
        autonomous(i);
        i.tags.emplace_back("mechanics");
        i.component_names = {"x", "y", "x'", "y'"};
    }
};

#define IVP_DETEST_ORBIT(name, tenths) \
    template <class R>                 \
    struct name : orbit<R, tenths> {   \
        using orbit<R, tenths>::orbit; \
    };
IVP_DETEST_ORBIT(d1, 1)
IVP_DETEST_ORBIT(d2, 3)
IVP_DETEST_ORBIT(d3, 5)
IVP_DETEST_ORBIT(d4, 7)
IVP_DETEST_ORBIT(d5, 9)
#undef IVP_DETEST_ORBIT

} // namespace ivp::problems::detest::nonstiff

#endif
