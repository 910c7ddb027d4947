// A problem of index 3 with a known solution, to measure the orders of a Runge-Kutta method in the components of each index.
//
//   y1' = 2 y1 y2 z1 z2        z1' = (y1 y2 + z1 z2) u        0 = y1 y2^2 - 1
//   y2' = -y1 y2 z2^2          z2' = -y1 y2^2 z2^2 u          all 1 at t = 0
//
// exact: y = z = (e^2t, e^-t), u = e^t; y is of index 1, z of index 2, u of index 3.
#ifndef IVP_TESTS_SOLVERS_INDEX3_PROBLEM_HPP
#define IVP_TESTS_SOLVERS_INDEX3_PROBLEM_HPP

#include <ivp/problem_of.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ivp::testing_support {

template <class R>
struct index3_problem {
    explicit index3_problem(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        const T &y1 = y[0], &y2 = y[1], &z1 = y[2], &z2 = y[3], &u = y[4];
        out[0] = 2 * y1 * y2 * z1 * z2;
        out[1] = -y1 * y2 * z2 * z2;
        out[2] = (y1 * y2 + z1 * z2) * u;
        out[3] = -y1 * y2 * y2 * z2 * z2 * u;
        out[4] = y1 * y2 * y2 - 1;
    }
    mass_matrix<R> mass() const { return mass_matrix<R>::diagonal({R(1), R(1), R(1), R(1), R(0)}); }
    void initial(R* y) const { std::fill_n(y, 5, R(1)); }
    void initial_derivative(R* yp) const
    {
        for (int i = 0; i < 5; ++i) yp[i] = R(i == 4 ? 1 : i % 2 == 0 ? 2 : -1);
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "index3";
        i.title = "Index 3";
        i.form = form::dae;
        i.n = 5;
        i.tend = 1;
        i.highest_index = 3;
        i.index = {1, 1, 2, 2, 3};
        return i;
    }
    static R exact(int i, const R& t)
    {
        using std::exp;
        return i == 4 ? exp(t) : i % 2 == 0 ? exp(2 * t) : exp(-t);
    }
};

problem index3(); // small_problems.cpp

/// Largest errors at t in the components of index 1, 2 and 3.
template <class R>
std::array<double, 3> index3_errors(const std::vector<R>& y, const R& t)
{
    using std::abs;
    std::array<double, 3> largest{};
    for (int i = 0; i < 5; ++i) {
        double& e = largest[i / 2];
        e = std::max(e, value_of(R(abs(y[i] - index3_problem<R>::exact(i, t)))));
    }
    return largest;
}

} // namespace ivp::testing_support

#endif
