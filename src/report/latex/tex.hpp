// Pieces of LaTeX: text from outside, comments, numbers.
#ifndef IVP_SRC_REPORT_LATEX_TEX_HPP
#define IVP_SRC_REPORT_LATEX_TEX_HPP

#include <string>
#include <string_view>

namespace ivp::tex {

/// Any text as text: what means something to TeX is written as a character, what the fonts of LaTeX do not have as its number.
std::string escaped(std::string_view text);
/// The same in typewriter, with places where a line may break.
std::string code(std::string_view text);

/// One line after a '%', whatever the text holds. Without a line break at its end.
std::string comment(std::string_view text);

} // namespace ivp::tex

#endif
