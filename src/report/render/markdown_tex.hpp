// Chapters for print: Markdown as LaTeX.
#ifndef IVP_SRC_REPORT_RENDER_MARKDOWN_TEX_HPP
#define IVP_SRC_REPORT_RENDER_MARKDOWN_TEX_HPP

#include <string>
#include <string_view>

namespace ivp {

/// Formulas stand in it as they were written, so the text must be one that we trust. Headings of level 2 become subsections without a number, those
/// of level 1 are left out.
std::string tex_from_markdown(std::string_view markdown);

} // namespace ivp

#endif
