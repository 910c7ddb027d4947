// Foreign code met with care: a child tries it first.
#ifndef IVP_SRC_CATALOG_FOREIGN_HPP
#define IVP_SRC_CATALOG_FOREIGN_HPP

#include <ivp/solver.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// Like open_solver, but a plug-in is loaded and asked in a child process; its code never runs in this one. Throws bad_request where it crashes or
/// hangs there. The solver is to be run where a crash does no harm: in a process of its own (src/run/executor.hpp). Where the file has
/// changed until then, that is a machine_fault.
std::unique_ptr<const solver> open_contained_solver(const std::string& name_or_path);

/// Like open_problem, but a plug-in is loaded, described and evaluated once in a child process; its functions run in child processes only, also that
/// for its tolerances. To evaluate it elsewhere is a std::logic_error. Throws bad_request where it does not survive.
problem open_contained_problem(const std::string& id_or_path, const std::map<std::string, std::string>& parameters = {});
std::vector<parameter> contained_problem_parameters(const std::string& id_or_path);

/// Does the plug-in export a problem? Asked in a child.
bool is_problem_file(const std::string& path);

/// Work whose only result is text, done in a child where foreign code takes part in it. Throws bad_request, also where the code breaks down.
/// `seconds`: what the work itself may take; none: as long as it takes to describe something.
std::string contained_text(bool foreign, const std::string& name, const std::function<std::string()>& work, std::optional<double> seconds = {});

/// A description as text and back.
std::string to_json(const solver_info& info);
solver_info solver_info_from_json(const std::string& text);

} // namespace ivp

#endif
