// Whether a page is well-formed and made of nothing but our own elements and attributes.
#ifndef IVP_TESTS_FUZZ_MARKUP_HPP
#define IVP_TESTS_FUZZ_MARKUP_HPP

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace ivp::fuzz {

constexpr std::array elements{"a",        "blockquote", "br",   "code",   "div",        "em",     "h1",   "h2",      "h3",   "h4",
                              "h5",       "h6",         "hr",   "li",     "math",       "mfrac",  "mi",   "mn",      "mo",   "mover",
                              "mphantom", "mroot",      "mrow", "mspace", "msqrt",      "mstyle", "msub", "msubsup", "msup", "mtable",
                              "mtd",      "mtext",      "mtr",  "munder", "munderover", "ol",     "p",    "pre",     "span", "strong",
                              "table",    "tbody",      "td",   "th",     "thead",      "tr",     "ul"};

inline bool is_well_formed(std::string_view html)
{
    std::vector<std::string_view> open;
    for (std::size_t at = 0; (at = html.find('<', at)) != std::string_view::npos;) {
        const auto end = html.find('>', at);
        if (end == std::string_view::npos) return false;
        auto tag = html.substr(at + 1, end - at - 1);
        const bool closes = tag.starts_with('/');
        if (closes) tag.remove_prefix(1);
        const auto name = tag.substr(0, tag.find(' '));
        if (std::ranges::find(elements, name) == elements.end()) return false;
        if (tag.size() > name.size() && (closes || std::ranges::count(tag, '"') % 2 != 0)) return false;
        for (const char* dangerous : {" on", " style=", "javascript:"})
            if (tag.find(dangerous) != std::string_view::npos) {
                // Only inside the address of a link may a text stand that we did not write.
                const auto address = tag.find("href=\"");
                if (address == std::string_view::npos || tag.find(dangerous) < address) return false;
            }
        at = end + 1;
        if (name == "br" || name == "hr") continue;
        if (!closes) {
            open.push_back(name);
        } else {
            if (open.empty() || open.back() != name) return false;
            open.pop_back();
        }
    }
    return open.empty();
}

} // namespace ivp::fuzz

#endif
