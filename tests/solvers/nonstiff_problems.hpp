// Small problems that are not stiff, for tests of explicit codes (Hairer, Nørsett, Wanner: Solving ODEs I; Hull et al.: DETEST).
#ifndef IVP_TESTS_SOLVERS_NONSTIFF_PROBLEMS_HPP
#define IVP_TESTS_SOLVERS_NONSTIFF_PROBLEMS_HPP

#include <ivp/problem_of.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace ivp::testing_support {

inline problem_info nonstiff_info(const char* id, int n, decimal tend)
{
    problem_info i;
    i.id = id;
    i.title = id;
    i.n = n;
    i.tend = std::move(tend);
    return i;
}

/// What the problems below have in common: no parameters.
struct without_parameters {
    static std::vector<parameter> parameters() { return {}; }
};

/// A closed orbit in the restricted three-body problem, with close encounters.
template <class R>
struct arenstorf : without_parameters {
    R mu = decimal("0.012277471").in<R>();
    R speed = decimal("-2.00158510637908252240537862224").in<R>();
    R start = decimal("0.994").in<R>();
    explicit arenstorf(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        const R rest = 1 - mu;
        const T to_earth = (y[0] + mu) * (y[0] + mu) + y[1] * y[1];
        const T to_moon = (y[0] - rest) * (y[0] - rest) + y[1] * y[1];
        const T d1 = to_earth * sqrt(to_earth);
        const T d2 = to_moon * sqrt(to_moon);
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = y[0] + 2 * y[3] - rest * (y[0] + mu) / d1 - mu * (y[0] - rest) / d2;
        dydt[3] = y[1] - 2 * y[2] - rest * y[1] / d1 - mu * y[1] / d2;
    }
    void initial(R* y) const
    {
        y[0] = start;
        y[1] = y[2] = R(0);
        y[3] = speed;
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("arenstorf", 4, decimal("17.0652165601579625588917206249")); }
};

/// Two bodies, eccentricity 0.9.
template <class R>
struct kepler : without_parameters {
    R eccentricity = decimal("0.9").in<R>();
    explicit kepler(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        using std::sqrt;
        const T square = y[0] * y[0] + y[1] * y[1];
        const T cube = square * sqrt(square);
        dydt[0] = y[2];
        dydt[1] = y[3];
        dydt[2] = -y[0] / cube;
        dydt[3] = -y[1] / cube;
    }
    void initial(R* y) const
    {
        using std::sqrt;
        y[0] = 1 - eccentricity;
        y[1] = y[2] = R(0);
        y[3] = sqrt((1 + eccentricity) / (1 - eccentricity));
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("kepler", 4, decimal("20")); }
};

/// Euler's equations of a rigid body.
template <class R>
struct rigid_body : without_parameters {
    R start = decimal("0.9").in<R>();
    explicit rigid_body(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -2 * y[1] * y[2];
        dydt[1] = R(5) / 4 * y[0] * y[2];
        dydt[2] = -(y[0] * y[1]) / 2;
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(0);
        y[2] = start;
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("rigid_body", 3, decimal("20")); }
};

template <class R>
struct brusselator : without_parameters {
    explicit brusselator(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T production = y[0] * y[0] * y[1];
        dydt[0] = 1 + production - 4 * y[0];
        dydt[1] = 3 * y[0] - production;
    }
    void initial(R* y) const
    {
        y[0] = R(3) / 2;
        y[1] = R(3);
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("brusselator", 2, decimal("20")); }
};

template <class R>
struct lorenz : without_parameters {
    explicit lorenz(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = 10 * (y[1] - y[0]);
        dydt[1] = y[0] * (28 - y[2]) - y[1];
        dydt[2] = y[0] * y[1] - R(8) / 3 * y[2];
    }
    void initial(R* y) const
    {
        y[0] = R(-8);
        y[1] = R(8);
        y[2] = R(27);
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("lorenz", 3, decimal("16")); }
};

/// y' = y cos t, solution e^(sin t): not autonomous.
template <class R>
struct swing : without_parameters {
    explicit swing(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        using std::cos;
        dydt[0] = y[0] * cos(t);
    }
    void initial(R* y) const { y[0] = R(1); }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("swing", 1, decimal("20")); }
};

std::vector<problem> nonstiff_problems(); // small_problems.cpp

} // namespace ivp::testing_support

#endif
