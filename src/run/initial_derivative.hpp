// Consistent y0' for problems that come without it.
#ifndef IVP_SRC_RUN_INITIAL_DERIVATIVE_HPP
#define IVP_SRC_RUN_INITIAL_DERIVATIVE_HPP

#include <ivp/problem.hpp>

#include <vector>

namespace ivp {

/// y0' as the problem gives it, else computed: f(t0, y0) for an ODE; for index 1 the solution of the equations together with the
/// differentiated algebraic ones. Throws bad_request in words where that is not possible (higher index, y0 not consistent).
/// Not counted: these are evaluations of the platform.
std::vector<double> initial_derivative(const problem& p);

/// The same from the equations alone, also where the problem gives it: to compare.
std::vector<double> computed_initial_derivative(const problem& p);

} // namespace ivp

#endif
