// Small pieces of HTML that every page needs.
#ifndef IVP_SRC_REPORT_RENDER_HTML_HPP
#define IVP_SRC_REPORT_RENDER_HTML_HPP

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

} // namespace ivp

#endif
