// What a person sees: foreign text never commands the terminal.
#ifndef IVP_CLI_TERMINAL_HPP
#define IVP_CLI_TERMINAL_HPP

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace ivp::cli {

/// Gives the standard streams that are closed a file: otherwise the next file to be opened, a store for example, would be one of them. What is
/// written to standard output fails as before.
void open_standard_streams();

/// Says something to a person, at standard error. Where nobody can hear it, nothing else happens: what was said is worth less than what is under way.
void tell(std::string_view text);
template <class First, class... Others>
void tell(fmt::format_string<First, Others...> format, First&& first, Others&&... others)
{
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), format, std::forward<First>(first), std::forward<Others>(others)...);
    tell(std::string_view(text.data(), text.size()));
}

/// From here on everything that is printed to a terminal, by std::cout, std::cerr or the C library, goes through `terminal_filter`. Where a stream is
/// a file or a pipe nothing changes: data arrive there byte for byte.
void guard_terminals();

/// Our own commands to the terminal at standard error (a line that is written again and again), past the guard.
void command_terminal(std::string_view text);

/// Columns of the terminal at standard output, `otherwise` if it is a file or a pipe.
std::size_t terminal_width(std::size_t otherwise);

} // namespace ivp::cli

#endif
