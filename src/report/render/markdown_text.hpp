// Chapters as text for the terminal, at run time.
#ifndef IVP_SRC_REPORT_RENDER_MARKDOWN_TEXT_HPP
#define IVP_SRC_REPORT_RENDER_MARKDOWN_TEXT_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace ivp {

/// Lines of at most `width` columns; only a word or a line of code that is longer goes beyond. Takes time proportional to the length of the text.
std::string text_from_markdown(std::string_view markdown, std::size_t width);

} // namespace ivp

#endif
