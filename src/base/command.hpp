// Other programs: started, waited for, and what they said.
#ifndef IVP_SRC_BASE_COMMAND_HPP
#define IVP_SRC_BASE_COMMAND_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

struct command_result {
    int code = 0; ///< 128 + number of the signal that ended it, as a shell tells it
    std::string out;
    std::string err;
};

/// Runs a program of the search path with nothing on standard input. Throws std::system_error where it cannot be started or waited for.
command_result run_command(const std::vector<std::string>& words);

struct command_limits {
    double seconds;
    std::uint64_t memory; ///< bytes, of it and what it starts
    std::uint64_t file;   ///< bytes of each file that they write
};

/// The same in a child process (base/child.hpp), which is ended with all that it has started where it needs more time or memory. A file that grows
/// beyond the limit is the program's own fault. `ended`: why there is no result, in words.
std::optional<command_result> run_command(const std::vector<std::string>& words, const command_limits& limits, std::string& ended);

/// Whether the search path has it.
bool command_exists(const std::string& name);

} // namespace ivp

#endif
