// Solvers of the library SUNDIALS. Only where it was there when this was built; the catalog knows.
#ifndef IVP_SRC_DRIVERS_SUNDIALS_HPP
#define IVP_SRC_DRIVERS_SUNDIALS_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::sundials {

std::unique_ptr<const solver> make_cvode();
std::unique_ptr<const solver> make_cvode_adams();
std::unique_ptr<const solver> make_ida();
std::unique_ptr<const solver> make_arkode();
std::unique_ptr<const solver> make_arkode_3();
std::unique_ptr<const solver> make_arkode_5();
std::unique_ptr<const solver> make_arkode_erk();

} // namespace ivp::sundials

#endif
