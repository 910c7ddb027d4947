// Solvers of libraries. Only those whose library was there when this was built can be called; the catalog knows.
#ifndef IVP_SRC_DRIVERS_DRIVERS_HPP
#define IVP_SRC_DRIVERS_DRIVERS_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp {

#define IVP_DRIVER(library, function, name)   \
    namespace library {                       \
    std::unique_ptr<const solver> function(); \
    }
#include "drivers.def"
#undef IVP_DRIVER

} // namespace ivp

#endif
