// GAMD: generalised Adams methods of order 3, 5, 7 and 9 for M y' = f(t, y), index up to 3.
#ifndef IVP_SRC_SOLVERS_GAMD_HPP
#define IVP_SRC_SOLVERS_GAMD_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_gamd();

} // namespace ivp::solvers

#endif
