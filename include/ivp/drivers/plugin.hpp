// Solvers from outside: a shared library that follows the contract of ivp/plugin.h, seen as a solver.
#ifndef IVP_DRIVERS_PLUGIN_HPP
#define IVP_DRIVERS_PLUGIN_HPP

#include <ivp/model/parameter.hpp>
#include <ivp/model/solver.hpp>

#include <memory>
#include <string>

namespace ivp {

/// A plug-in does what its contract forbids. What it did can be trusted in nothing.
class contract_breach : public bad_request {
public:
    using bad_request::bad_request;
};

/// Loads the library and keeps it loaded as long as the solver lives. Throws bad_request, naming the file and each fault.
///
/// A plug-in may use static memory: solve() of one library from one thread at a time. solve() throws contract_breach where the
/// plug-in breaks the contract during the run, and lets exceptions of the observer and of the problem through.
std::unique_ptr<const solver> load_plugin_solver(const std::string& path);

} // namespace ivp

#endif
