// A linear problem with a known solution: an iteration with the exact Jacobian solves each step exactly, so what remains is the
// error of the method itself.
//
//   y1' = -(y1 - sin t) + 2 (y2 - cos t) + cos t
//   y2' = -2 (y1 - sin t) - (y2 - cos t) - sin t        exact: y = (sin t, cos t) + e^-t (cos 2t, -sin 2t)
#ifndef IVP_TESTS_SOLVERS_LINEAR_PROBLEM_HPP
#define IVP_TESTS_SOLVERS_LINEAR_PROBLEM_HPP

#include <ivp/problem_of.hpp>

#include <cmath>

namespace ivp::testing_support {

template <class R>
struct linear_problem {
    explicit linear_problem(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::cos, std::sin;
        const T s = sin(t);
        const T c = cos(t);
        dydt[0] = -(y[0] - s) + 2 * (y[1] - c) + c;
        dydt[1] = -2 * (y[0] - s) - (y[1] - c) - s;
    }
    void initial(R* y) const
    {
        y[0] = R(1); // sin 0 + cos 0
        y[1] = R(1); // cos 0 - sin 0
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "linear";
        i.title = "Linear";
        i.n = 2;
        i.tend = 2;
        return i;
    }
    static double exact(int i, double t)
    {
        const double decay = std::exp(-t);
        return i == 0 ? std::sin(t) + decay * std::cos(2 * t) : std::cos(t) - decay * std::sin(2 * t);
    }
};

problem linear(); // small_problems.cpp

} // namespace ivp::testing_support

#endif
