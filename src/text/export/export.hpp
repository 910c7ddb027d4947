// A problem as a program text: its equations as a function, with start, interval, mass matrix and reference.
#ifndef IVP_SRC_TEXT_EXPORT_EXPORT_HPP
#define IVP_SRC_TEXT_EXPORT_EXPORT_HPP

#include <ivp/problem.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ivp::text {

enum class export_language { c, cpp, fortran, python, julia, latex, sbml, ivp };
std::optional<export_language> export_language_from_label(std::string_view text);
constexpr auto export_languages_allowed = "c, c++, fortran, python, julia, latex, sbml, ivp";

/// `command`: how it was made, for the first comment. Throws bad_request: the formula is not known, or the language does not have what it needs.
std::string exported(const problem& p, export_language to, const std::string& command);

/// A text with reactions as SBML with species, reactions and named parameters. None: it has no reactions, or something that SBML says as rules only.
std::optional<std::string> network_in_sbml(const problem& p, const std::string& path, const std::map<std::string, std::string>& parameters,
                                           const std::string& command);

} // namespace ivp::text

#endif
