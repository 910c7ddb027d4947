// Solvers of the library PETSc (TS). Only where they were asked for when this was built; the catalog knows.
#ifndef IVP_SRC_DRIVERS_PETSC_HPP
#define IVP_SRC_DRIVERS_PETSC_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::petsc {

std::unique_ptr<const solver> make_bdf();
std::unique_ptr<const solver> make_arkimex();
std::unique_ptr<const solver> make_rosw();

} // namespace ivp::petsc

#endif
