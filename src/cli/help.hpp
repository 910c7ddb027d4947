// What is made from the declarations of the commands: help, manual pages, completion for shells.
#ifndef IVP_CLI_HELP_HPP
#define IVP_CLI_HELP_HPP

#include "arguments.hpp"

#include <string>
#include <vector>

namespace ivp::cli {

/// Columns of the terminal, between 60 and 120; 100 where there is none.
std::size_t help_width();

std::string help_text(const tool& t, std::size_t width);
std::string help_text(const command& c, std::size_t width);

/// Manual page in section 1, for man(1): of the tool, with all commands.
std::string manual_page(const tool& t);

/// The same as docs/reference/command-line.md.
std::string markdown_page(const tool& t);

/// Names that a shell completes.
struct completion_names {
    std::vector<std::string> problems;
    std::vector<std::string> solvers;
};
std::string bash_completion(const tool& t, const completion_names& names);
std::string zsh_completion(const tool& t, const completion_names& names);
std::string fish_completion(const tool& t, const completion_names& names);

} // namespace ivp::cli

#endif
