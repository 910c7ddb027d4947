// Small pieces of HTML that every page needs.
#ifndef IVP_SRC_REPORT_RENDER_HTML_HPP
#define IVP_SRC_REPORT_RENDER_HTML_HPP

#include "numbers.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ivp {

/// A name as an id of the page: letters, digits and '-'.
inline std::string id_of(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain || c == '_')
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out;
}

/// The heads of columns.
inline std::string column_heads(std::initializer_list<std::string_view> names)
{
    std::string html;
    for (const auto name : names) ((html += "<th scope=\"col\">") += name) += "</th>";
    return html;
}

/// A count in a table; sorted by the number, shown with thin spaces.
inline std::string count_cell(std::uint64_t n) { return "<td data-v=\"" + std::to_string(n) + "\">" + count_number(medium::html, n) + "</td>"; }

/// A table that scrolls by itself where the page is too narrow for it; kind: classes of style.
inline std::string html_table(std::string_view kind, std::string_view heads, std::string_view rows, std::string_view caption = {})
{
    std::string html = "<div class=\"scroll\"><table class=\"";
    (html += kind) += "\">";
    if (!caption.empty()) ((html += "<caption>") += caption) += "</caption>";
    ((html += "<thead><tr>") += heads) += "</tr></thead>\n<tbody>\n";
    return (html += rows) += "</tbody></table></div>\n";
}

} // namespace ivp

#endif
