// 0 = y1 + y2 twice: c M − J is singular for every c.
#ifndef IVP_TESTS_SOLVERS_SINGULAR_PENCIL_HPP
#define IVP_TESTS_SOLVERS_SINGULAR_PENCIL_HPP

#include <ivp/problem_of.hpp>

namespace ivp::testing_support {

template <class R>
struct singular_pencil {
    mass_matrix<R> m = mass_matrix<R>::diagonal({R(0), R(0)});
    explicit singular_pencil(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        out[0] = out[1] = y[0] + y[1];
    }
    [[nodiscard]] mass_matrix<R> mass() const { return m; }
    void initial(R* y) const { y[0] = y[1] = R(0); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "singular";
        i.title = "Singular";
        i.form = form::dae;
        i.n = 2;
        i.tend = 1;
        i.highest_index = 1;
        return i;
    }
};

} // namespace ivp::testing_support

#endif
