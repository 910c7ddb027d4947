// RADAU5: three-stage Radau IIA of order 5 for M y' = f(t, y), index up to 3.
#ifndef IVP_SRC_SOLVERS_RADAU5_HPP
#define IVP_SRC_SOLVERS_RADAU5_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_radau5();

} // namespace ivp::solvers

#endif
