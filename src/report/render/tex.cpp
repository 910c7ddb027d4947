#include "tex.hpp"

#include "base/escape.hpp"

#include <fmt/format.h>

namespace ivp::tex {

std::string code(std::string_view text) { return "\\texttt{" + tex_escaped(text, "/_-=,.:;+") + "}"; }

std::string comment(std::string_view text) { return "% " + comment_text(text); }

} // namespace ivp::tex
