// DVERK: Verner's explicit Runge-Kutta pair of orders 6 and 5 for y' = f(t, y), after the code of Hull, Enright and Jackson.
#ifndef IVP_SRC_SOLVERS_DVERK_HPP
#define IVP_SRC_SOLVERS_DVERK_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_dverk();

} // namespace ivp::solvers

#endif
