// Whether a contributed problem or solver is complete: the rules of CONTRIBUTING.md, tried on the files of a source tree.
#ifndef IVP_SRC_CHECK_CONTRIBUTION_HPP
#define IVP_SRC_CHECK_CONTRIBUTION_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace ivp {

struct contribution_part {
    std::string what;                 ///< "chapter"
    std::string where;                ///< the file that has it
    std::vector<std::string> missing; ///< in words; none: it is complete
};

struct contribution_report {
    std::string kind; ///< "problem hires", "solver radau5"
    std::vector<contribution_part> parts;
    [[nodiscard]] bool complete() const;
};

/// `given` is problems/ID, or src/solvers/FAMILY with one or several solvers. Throws bad_request if it is neither.
std::vector<contribution_report> check_contribution(const std::filesystem::path& given);

} // namespace ivp

#endif
