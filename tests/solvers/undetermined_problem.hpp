// A problem with a variable that stands in no equation.
#ifndef IVP_TESTS_SOLVERS_UNDETERMINED_PROBLEM_HPP
#define IVP_TESTS_SOLVERS_UNDETERMINED_PROBLEM_HPP

#include <ivp/problem_of.hpp>

namespace ivp::testing_support {

/// No iteration matrix is regular.
template <class R>
struct undetermined_problem {
    explicit undetermined_problem(const parameter_values& /*p*/) {}
    template <class T>
    void g(const T& /*t*/, const T* y, const T* yp, T* out) const
    {
        out[0] = yp[0] + y[0];
        out[1] = y[0];
    }
    void initial(R* y) const { y[0] = y[1] = R(0); }
    void initial_derivative(R* yp) const { yp[0] = yp[1] = R(0); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "undetermined";
        i.title = "Undetermined";
        i.form = form::ide;
        i.n = 2;
        i.tend = 1;
        i.highest_index = 1;
        return i;
    }
};

problem undetermined(); // small_problems.cpp

} // namespace ivp::testing_support

#endif
