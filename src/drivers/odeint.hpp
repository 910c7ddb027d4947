// Solvers of the library Boost.odeint. Only where it was there when this was built; the catalog knows.
#ifndef IVP_SRC_DRIVERS_ODEINT_HPP
#define IVP_SRC_DRIVERS_ODEINT_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::odeint {

std::unique_ptr<const solver> make_rosenbrock4();
std::unique_ptr<const solver> make_dopri5();
std::unique_ptr<const solver> make_bulirsch_stoer();

} // namespace ivp::odeint

#endif
