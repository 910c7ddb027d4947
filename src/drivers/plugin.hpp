// Solvers and problems from outside: shared libraries that follow the contract of ivp/plugin.h.
#ifndef IVP_SRC_DRIVERS_PLUGIN_HPP
#define IVP_SRC_DRIVERS_PLUGIN_HPP

#include <ivp/plugin.h>
#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ivp {

/// A plug-in does what its contract forbids. What it did can be trusted in nothing.
class contract_breach : public bad_request {
public:
    using bad_request::bad_request;
};

/// Loads the library and keeps it loaded as long as the solver lives. Of a library with several solvers one is named: "./lib.so:name". A label before
/// it, "label=./lib.so", is its name in tables and records, so that two builds of one library can be compared. Throws bad_request, naming the file
/// and each fault.
///
/// A plug-in may use static memory: solve() of one library from one thread at a time. solve() throws contract_breach where the
/// plug-in breaks the contract during the run, and lets exceptions of the observer and of the problem through.
std::unique_ptr<const solver> load_plugin_solver(const std::string& path);
/// "./lib.so" of "label=./lib.so:name".
std::string file_of_plugin(const std::string& path);

/// A solver of this process that follows the same contract: what a library would export, as it is. label names it in messages.
using solve_function = std::function<void(const ivp_task*, ivp_result*)>;
std::unique_ptr<const solver> solver_of(const std::string& label, const ivp_solver_description& description, solve_function solve);

/// The same solver as a plug-in has it: it sees of the problem what an ivp_task says and reaches it through the callbacks only, so that it can be
/// compared with codes behind that boundary. Its origin is "plug-in boundary". solve() from one thread at a time.
std::unique_ptr<const solver> behind_plugin_boundary(std::unique_ptr<const solver> inner);

/// Loads the library, which stays loaded as long as the problem or a copy of it lives. Throws bad_request, naming the file and each fault, also
/// those of the parameter values. Without a Jacobian of its own the problem has none (solvers use differences); it has no quad precision.
problem load_plugin_problem(const std::string& path, const std::map<std::string, std::string>& parameters = {});
std::vector<parameter> plugin_problem_parameters(const std::string& path);
/// Is it a problem rather than a solver? Throws bad_request where it cannot be loaded.
bool exports_problem(const std::string& path);

} // namespace ivp

#endif
