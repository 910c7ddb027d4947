// MEBDFDAE: modified extended BDF for M y' = f(t, y), index up to 3.
#ifndef IVP_SOLVERS_MEBDFDAE_HPP
#define IVP_SOLVERS_MEBDFDAE_HPP

#include <ivp/model/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_mebdfdae();

} // namespace ivp::solvers

#endif
