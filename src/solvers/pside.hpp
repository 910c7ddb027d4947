// PSIDE: four-stage Radau IIA of order 7 for G(t, y, y') = 0, M y' = f and y' = f, index up to 3, on up to four threads.
#ifndef IVP_SRC_SOLVERS_PSIDE_HPP
#define IVP_SRC_SOLVERS_PSIDE_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_pside();

} // namespace ivp::solvers

#endif
