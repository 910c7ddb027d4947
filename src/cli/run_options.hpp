// What a user can say of a run, in `ivp run` and `ivp wp` alike.
#ifndef IVP_CLI_RUN_OPTIONS_HPP
#define IVP_CLI_RUN_OPTIONS_HPP

#include "reading.hpp"

#include <ivp/run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

/// As typed: numbers are read in one place, with one kind of message.
struct run_options {
    std::optional<std::string> h0, hmax, max_steps, tend, repeat, min_time, threads, timeout;
    std::string form;
    std::string jacobian = "exact";
    std::string algebra = "auto";
    std::string restart = "yes";
    std::string boundary = "own";
    std::vector<std::string> set;
    std::vector<std::string> opt;
};

/// All but the tolerances.
run_settings read_settings(const run_options& o, reader& read);

/// With the parameters and in the form that the options ask for.
problem read_problem(const std::string& id, const run_options& o, reader& read);

/// The options as they stand on a command line, each with a blank before it; of `opt` those that the solver has.
std::string command_line_of(const run_options& o, const solver_info& solver);

} // namespace ivp::cli

#endif
