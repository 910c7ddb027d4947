// SECDER: second derivative multistep formulas of orders 3 to 9 for stiff y' = f(t, y), after the code of Addison and Enright.
#ifndef IVP_SRC_SOLVERS_SECDER_HPP
#define IVP_SRC_SOLVERS_SECDER_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_secder();

} // namespace ivp::solvers

#endif
