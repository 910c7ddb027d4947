// What a person sees: foreign text never commands the terminal.
#ifndef IVP_CLI_TERMINAL_HPP
#define IVP_CLI_TERMINAL_HPP

#include <cstddef>
#include <string_view>

namespace ivp::cli {

/// From here on everything that is printed to a terminal, by std::cout, std::cerr or the C library, goes through `terminal_filter`. Where a stream is
/// a file or a pipe nothing changes: data arrive there byte for byte.
void guard_terminals();

/// Our own commands to the terminal at standard error (a line that is written again and again), past the guard.
void command_terminal(std::string_view text);

/// Columns of the terminal at standard output, `otherwise` if it is a file or a pipe.
std::size_t terminal_width(std::size_t otherwise);

} // namespace ivp::cli

#endif
