// The report for print: tables and diagrams as LaTeX files, each to be used alone by \input, and a document that holds them all.
#ifndef IVP_SRC_REPORT_LATEX_HPP
#define IVP_SRC_REPORT_LATEX_HPP

#include "base/output_directory.hpp"
#include "book.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// First line of every file, by which one of an earlier report is known.
constexpr std::string_view latex_mark = "% Written by 'ivp report --latex'; the next report replaces this file.";

/// Where the numbers come from, as told at the head of every file.
struct latex_origin {
    std::string store;
    std::string command; ///< writes the files again
};

/// The same content and origin give the same bytes. The first file is the document, report.tex. Throws bad_request where there are no runs.
std::vector<named_text> latex_report(const book_content& content, const latex_origin& origin);

} // namespace ivp

#endif
