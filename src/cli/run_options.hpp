// What a user can say of a run, in `ivp run` and `ivp wp` alike.
#ifndef IVP_CLI_RUN_OPTIONS_HPP
#define IVP_CLI_RUN_OPTIONS_HPP

#include "arguments.hpp"
#include "reading.hpp"

#include <ivp/run.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

/// As typed: numbers are read in one place, with one kind of message.
struct run_options {
    /// Declares them: of the settings and options all, or those of a command that finds tolerance and options of solvers itself.
    enum class extent { all, problem };
    explicit run_options(command& c, extent which = extent::all);

    std::map<std::string, std::optional<std::string>> settings; ///< by the names of settings.def
    std::string form;
    std::string formulation; ///< of a mechanical system; empty: as the problem is written
    std::string boundary = "own";
    std::vector<std::string> set;
    std::vector<std::string> y0;
    std::vector<std::string> opt;
};

/// All but the tolerances and the options of solvers.
run_settings read_settings(const run_options& o, reader& read);

/// The options of solvers as typed, by name.
using option_texts = std::map<std::string, std::string>;
/// Their values for one solver, which says what its words mean. An option that it does not have is left to solve_options::validate.
std::map<std::string, double> read_solver_options(const option_texts& typed, const solver_info& solver, reader& read);

/// As it is written, or in the form that --form asks for.
problem in_asked_form(problem p, const std::string& asked, reader& read);

/// With the parameters and in the form that the options ask for. content: that of the problem when it was opened, for a store.
problem read_problem(const std::string& id, const run_options& o, reader& read, std::string& content);

/// One case of a sweep: with these values of the parameters.
run_options with_values(run_options o, const std::map<std::string, std::string>& values);

/// The command that repeats a run with these settings, but for the tolerances.
std::string command_of(const std::string& problem, const std::string& solver, const run_options& o, const run_settings& s);

} // namespace ivp::cli

#endif
