// Expressions as people read them.
#ifndef IVP_SRC_TEXT_FORMULA_HPP
#define IVP_SRC_TEXT_FORMULA_HPP

#include "text/model.hpp"

#include <string>

namespace ivp::text {

/// As it would be written in a file; indices that have a value are replaced by it.
std::string formula_text(const model& m, expr e, const index_values& env);
/// The same in TeX.
std::string formula_tex(const model& m, expr e, const index_values& env);
/// A name in TeX: letters upright if there are several, digits at the end as an index.
std::string name_tex(std::string_view name);
/// "2 A + B -> C"
std::string reaction_text(const model& m, const network_reaction& r);

} // namespace ivp::text

#endif
