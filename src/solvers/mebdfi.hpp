// MEBDFI: modified extended BDF for G(t, y, y') = 0, index up to 3.
#ifndef IVP_SRC_SOLVERS_MEBDFI_HPP
#define IVP_SRC_SOLVERS_MEBDFI_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_mebdfi();

} // namespace ivp::solvers

#endif
