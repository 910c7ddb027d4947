// The chapter of a model: what its author wrote, and what its text says.
#ifndef IVP_SRC_TEXT_CHAPTER_HPP
#define IVP_SRC_TEXT_CHAPTER_HPP

#include "text/model.hpp"

#include <string>

namespace ivp::text {

/// Markdown with TeX.
std::string chapter_of(const model& m, const problem_info& info);

} // namespace ivp::text

#endif
