// What the original's files call their problems.
#ifndef IVP_SRC_CATALOG_ORIGINAL_NAMES_HPP
#define IVP_SRC_CATALOG_ORIGINAL_NAMES_HPP

#include <ivp/problem.hpp>

#include <string>
#include <string_view>

namespace ivp {

/// "Problem HIRES", as its listing has it; our title where the problem has no file there, or its name is not known.
std::string original_full_name(const problem_info& info);

/// At most 8 characters: "chemakzo" of "chemakzo_dae".
std::string original_short_name(std::string_view id);

} // namespace ivp

#endif
