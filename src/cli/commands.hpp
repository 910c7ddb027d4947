// The commands: plain arguments in, exit code out. Parsing is in main.cpp.
#ifndef IVP_CLI_COMMANDS_HPP
#define IVP_CLI_COMMANDS_HPP

#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

/// What every command can end with.
enum exit_code { done = 0, not_successful = 1, wrong_use = 2, missing_component = 3 };

struct list_arguments {
    std::string kind;
    std::string form;
    std::string index;
    std::string tag;
    std::string sort; ///< empty: in the order of the catalog
    std::string format = "text";
};

struct show_arguments {
    std::string name;
    std::string format = "text";
};

struct check_arguments {
    std::string problem;
    std::vector<std::string> set;
    std::string format = "text";
};

/// All values as typed: numbers are read in one place, with one kind of message.
struct run_arguments {
    std::string problem;
    std::string solver;
    std::optional<std::string> rtol, atol, h0, hmax, max_steps, tend, repeat, threads, timeout, trajectory;
    std::string form;
    std::string jacobian = "exact";
    std::string algebra = "auto";
    std::vector<std::string> set;
    std::vector<std::string> opt;
    std::string format = "text";
    std::string command; ///< the command line that repeats this
};

struct demo_arguments {
    std::string directory = "ivp-demo";
};

int list(const list_arguments& a);
int show(const show_arguments& a);
int check(const check_arguments& a);
int run(const run_arguments& a);
int demo(const demo_arguments& a);

} // namespace ivp::cli

#endif
