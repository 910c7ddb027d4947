// RADAU: Radau IIA of order 5, 9 and 13 for M y' = f(t, y), index up to 3.
#ifndef IVP_SRC_SOLVERS_RADAU_HPP
#define IVP_SRC_SOLVERS_RADAU_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_radau();

} // namespace ivp::solvers

#endif
