// Other programs: started, waited for, and what they said.
#ifndef IVP_SRC_BASE_COMMAND_HPP
#define IVP_SRC_BASE_COMMAND_HPP

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

/// Whether the search path has it.
bool command_exists(const std::string& name);

} // namespace ivp

#endif
