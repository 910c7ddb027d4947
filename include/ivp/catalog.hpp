// The catalog: every problem and solver there is, by name. The lists are src/catalog/problems.def and solvers.def.
#ifndef IVP_CATALOG_HPP
#define IVP_CATALOG_HPP

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

std::vector<std::string> problem_ids();
/// Our own.
std::vector<std::string> solver_names();

/// A solver of a library behind a driver.
struct library_solver {
    std::string name;
    std::string library;
    bool available; ///< the library was there when this was built
};
std::vector<library_solver> library_solvers();

/// Named parameters of a problem, with defaults and ranges. Throws bad_request for an unknown id.
std::vector<parameter> problem_parameters(std::string_view id);

/// Throws bad_request for an unknown id (offering the nearest) and for faults in the parameters.
problem open_problem(std::string_view id, const std::map<std::string, std::string>& parameters = {});
/// The same to be measured: a text is compiled if there is a compiler.
problem open_fast_problem(std::string_view id, const std::map<std::string, std::string>& parameters = {});

/// Plug-ins and problem files are given by a path: it has a '/' or ends in ".so", perhaps with ":name" behind it, or in ".ivp".
bool names_a_file(std::string_view name);
/// A file with code of somebody else, which must not run in this process. A text (".ivp") has only arithmetic.
bool is_foreign(std::string_view name);

/// A name of the catalog, or the path of a plug-in ("./mine.so"). Throws bad_request as above, and missing_component for a solver of a library that
/// was not installed when ivp was built.
std::unique_ptr<const solver> open_solver(std::string_view name_or_path);

} // namespace ivp

#endif
