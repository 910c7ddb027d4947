// RODAS: Rosenbrock method of order 4(3) for M y' = f(t, y), index 1.
#ifndef IVP_SRC_SOLVERS_RODAS_HPP
#define IVP_SRC_SOLVERS_RODAS_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

std::unique_ptr<const solver> make_rodas();

} // namespace ivp::solvers

#endif
