// Chapters as HTML, at run time: Markdown (headings, paragraphs, lists, tables, code, quotes, emphasis, links) with TeX mathematics.
#ifndef IVP_SRC_REPORT_RENDER_MARKDOWN_HPP
#define IVP_SRC_REPORT_RENDER_MARKDOWN_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct html_text {
    std::string html;
    std::vector<std::string> unknown; ///< TeX commands that could not be rendered
};

/// What is raw HTML in the text is shown as it stands, never taken over. Headings come out `heading_shift` levels lower.
/// Takes time proportional to the length of the text, whatever it is; marks and blocks nested deeper than any person writes them are plain text.
html_text html_from_markdown(std::string_view markdown, int heading_shift = 0);
/// The same for text that is no block: a title.
std::string html_from_line(std::string_view markdown);

/// A part of a chapter: what follows a heading of level 2, without the subsections that are listed apart.
struct chapter_section {
    std::string title;                        ///< as written
    std::string text;                         ///< Markdown
    std::vector<chapter_section> subsections; ///< headings of level 3
};

struct chapter_outline {
    std::string title; ///< heading of level 1; empty: none
    std::string lead;  ///< what stands before the first section
    std::vector<chapter_section> sections;
};

chapter_outline outline_of(std::string_view markdown);

} // namespace ivp

#endif
