// DOP853: explicit Runge-Kutta method of order 8(5,3) of Dormand and Prince for y' = f(t, y).
#ifndef IVP_SRC_SOLVERS_DOP853_HPP
#define IVP_SRC_SOLVERS_DOP853_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_dop853();

} // namespace ivp::solvers

#endif
