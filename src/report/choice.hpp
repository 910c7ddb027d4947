// The answer to "which solver?", for a person and for a program.
#ifndef IVP_SRC_REPORT_CHOICE_HPP
#define IVP_SRC_REPORT_CHOICE_HPP

#include "choose/choose.hpp"

#include <string>
#include <vector>

namespace ivp {

/// A solver that did not take part, and why.
struct left_out_solver {
    std::string name;
    std::string why;
    bool available = true; ///< it is there, but cannot take the problem
};

std::string choice_text(const choice& c, const std::vector<left_out_solver>& left_out);
/// One object on one line.
std::string choice_json(const choice& c, const std::vector<left_out_solver>& left_out);

} // namespace ivp

#endif
