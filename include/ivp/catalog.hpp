// The catalog: all problems and solvers, by name. The lists are src/catalog/problems.def and solvers.def.
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
/// The solvers of ivp itself, without those of other libraries.
std::vector<std::string> solver_names();

/// A solver of another library, which ivp runs through a driver.
struct library_solver {
    std::string name;
    std::string library;
    bool available; ///< the library was installed when ivp was built
};
std::vector<library_solver> library_solvers();

/// Named parameters of a problem, with defaults and ranges. Throws bad_request for an unknown id.
std::vector<parameter> problem_parameters(std::string_view id);

/// Throws bad_request for an unknown id (with the most similar ones) and for faults in the parameters.
problem open_problem(std::string_view id, const std::map<std::string, std::string>& parameters = {});
/// The same for measurements: a text is compiled if a compiler is installed.
problem open_fast_problem(std::string_view id, const std::map<std::string, std::string>& parameters = {});

/// Whether a name is the path of a plug-in or a problem file: it has a '/', or ends in ".so" (perhaps followed by ":name") or ".ivp".
bool names_a_file(std::string_view name);
/// Whether a file has foreign code, which must not run in this process. A text (".ivp") has only arithmetic.
bool is_foreign(std::string_view name);

/// A name of the catalog, or the path of a plug-in ("./mine.so"). Throws bad_request as above, and missing_component for a solver of a library that
/// was not installed when ivp was built.
std::unique_ptr<const solver> open_solver(std::string_view name_or_path);

} // namespace ivp

#endif
