// Small text pieces that every listing needs.
#ifndef IVP_SRC_MODEL_TEXT_HPP
#define IVP_SRC_MODEL_TEXT_HPP

#include <string>
#include <string_view>

namespace ivp {

/// "a, b, c" of any range of strings.
template <class Range>
std::string joined(const Range& words, std::string_view separator)
{
    std::string text;
    bool first = true;
    for (const auto& w : words) {
        if (!first) text += separator;
        text += w;
        first = false;
    }
    return text;
}

/// A cell of a CSV file, quoted where it must be (RFC 4180).
inline std::string csv_cell(std::string_view text)
{
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    quoted += '"';
    return quoted;
}

} // namespace ivp

#endif
