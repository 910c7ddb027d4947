// The options of a solver as its page and its chapter show them, made from their descriptions.
#ifndef IVP_SRC_REPORT_SOLVER_OPTIONS_HPP
#define IVP_SRC_REPORT_SOLVER_OPTIONS_HPP

#include <ivp/solver.hpp>

#include <string>

namespace ivp {

/// For a terminal; empty: it has none.
std::string options_text(const solver_info& i);

/// The chapter of a solver in Markdown, with the section "Options" before the one about counters.
std::string chapter_with_options(const solver& s);

} // namespace ivp

#endif
