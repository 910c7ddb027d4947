// MEBDFDAE: modified extended BDF for M y' = f(t, y), index up to 3.
#ifndef IVP_SRC_SOLVERS_MEBDFDAE_HPP
#define IVP_SRC_SOLVERS_MEBDFDAE_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_mebdfdae();

} // namespace ivp::solvers

#endif
