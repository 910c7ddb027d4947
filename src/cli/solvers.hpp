// Solvers as a user names them on the command line.
#ifndef IVP_CLI_SOLVERS_HPP
#define IVP_CLI_SOLVERS_HPP

#include "reading.hpp"
#include "run_options.hpp"

#include <ivp/record.hpp>
#include <ivp/solver.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ivp::cli {

struct named_solver {
    std::string typed; ///< name or path
    std::unique_ptr<const ivp::solver> solver;
    std::string content; ///< when it was opened

    /// As tables show it, with its origin where it is not of the catalog.
    [[nodiscard]] std::string name() const { return full_name(solver->info().name, solver->info().origin); }
};

/// "radau5,./mine.so": each once. What cannot be opened is a fault.
std::vector<named_solver> read_solvers(const std::string& list, reader& read);

/// "plug-in" puts all but plug-ins, which are there already, behind their contract. Anything but "own" and "plug-in" is a fault.
void set_boundary(const std::string& boundary, std::vector<named_solver>& solvers, reader& read);

/// An option goes to the solvers that have it; one that nobody has is left to all, and so refused.
std::map<std::string, double> options_of(const solver_info& info, const option_texts& given, const std::vector<named_solver>& solvers, reader& read);

} // namespace ivp::cli

#endif
