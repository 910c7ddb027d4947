// Words to statements (docs/model-grammar.md).
#ifndef IVP_SRC_TEXT_PARSER_HPP
#define IVP_SRC_TEXT_PARSER_HPP

#include "text/document.hpp"
#include "text/lexer.hpp"

namespace ivp::text {

/// Faults are collected: a statement that is not understood is left out.
void parse(document& d, const words& w, fault_list& faults);

/// What every name stands for; what depends on t or a state; no circles. Faults are collected.
void bind_names(document& d, fault_list& faults);

bool is_reserved(std::string_view name);
/// A word of other languages for something that a text does not have (delay, event, ...): no name either.
bool is_refused(std::string_view name);

} // namespace ivp::text

#endif
