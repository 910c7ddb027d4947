// Pieces of LaTeX: text from outside (base/escape.hpp) in typewriter and comments, numbers.
#ifndef IVP_SRC_REPORT_RENDER_TEX_HPP
#define IVP_SRC_REPORT_RENDER_TEX_HPP

#include <string>
#include <string_view>

namespace ivp::tex {

/// Any text in typewriter, with places where a line may break.
std::string code(std::string_view text);

/// One line after a '%', whatever the text holds. Without a line break at its end.
std::string comment(std::string_view text);

} // namespace ivp::tex

#endif
