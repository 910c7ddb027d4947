// DASSL: variable-order BDF with fixed leading coefficient for G(t, y, y') = 0.
#ifndef IVP_SRC_SOLVERS_DASSL_HPP
#define IVP_SRC_SOLVERS_DASSL_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_dassl();

} // namespace ivp::solvers

#endif
