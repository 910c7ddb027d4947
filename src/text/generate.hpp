// A program as C++.
#ifndef IVP_SRC_TEXT_GENERATE_HPP
#define IVP_SRC_TEXT_GENERATE_HPP

#include "text/program.hpp"

#include <string>
#include <string_view>

namespace ivp::text {

/// Dual numbers and functions: what stands before every generated program (embedded by the build).
extern const std::string_view arithmetic;

/// The functions that generated programs have.
inline constexpr auto name_in_double = "ivp_text_evaluate";
inline constexpr auto name_in_dual = "ivp_text_differentiate";

/// One text for both kinds of number. Nothing of the model's file is in it but the structure of its arithmetic: names are made here, and numbers are
/// handed over when it is called.
std::string generated(const program& p);

} // namespace ivp::text

#endif
