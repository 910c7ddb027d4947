// Formulas as text that a person reads in a terminal.
#ifndef IVP_SRC_REPORT_RENDER_FORMULA_TEXT_HPP
#define IVP_SRC_REPORT_RENDER_FORMULA_TEXT_HPP

#include "formula.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ivp {

/// In one line: fractions with a slash, scripts as small characters if there are such, else with _ and ^.
std::string formula_line(const formula& f);

/// On lines of its own, of at most `width` columns as far as its words allow: systems are aligned, matrices and cases have the height of their rows.
std::vector<std::string> formula_lines(const formula& f, std::size_t width);

} // namespace ivp

#endif
