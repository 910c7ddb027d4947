// DOPRI5: explicit Runge-Kutta method of order 5(4) of Dormand and Prince for y' = f(t, y).
#ifndef IVP_SRC_SOLVERS_DOPRI5_HPP
#define IVP_SRC_SOLVERS_DOPRI5_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_dopri5();

} // namespace ivp::solvers

#endif
