// BIMD: blended implicit methods of orders 4 to 12 for M y' = f(t, y), index up to 3.
#ifndef IVP_SRC_SOLVERS_BIMD_HPP
#define IVP_SRC_SOLVERS_BIMD_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_bimd();

} // namespace ivp::solvers

#endif
