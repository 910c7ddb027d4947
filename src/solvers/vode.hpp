// VODE: variable-order, variable-coefficient multistep methods for y' = f(t, y), after the code of Brown, Byrne and Hindmarsh.
#ifndef IVP_SRC_SOLVERS_VODE_HPP
#define IVP_SRC_SOLVERS_VODE_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

/// BDF of orders 1 to 5 with Newton's iteration, for stiff problems.
std::unique_ptr<const solver> make_vode();
/// Adams methods of orders 1 to 12 with functional iteration, for problems that are not stiff.
std::unique_ptr<const solver> make_vode_adams();

} // namespace ivp::solvers

#endif
