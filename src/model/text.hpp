// Small text pieces that every listing needs.
#ifndef IVP_SRC_MODEL_TEXT_HPP
#define IVP_SRC_MODEL_TEXT_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
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

/// Of a setting that is on or off.
inline std::string yes_or_no(bool b) { return b ? "yes" : "no"; }
inline std::optional<bool> yes_or_no_from_label(std::string_view text)
{
    if (text != "yes" && text != "no") return std::nullopt;
    return text == "yes";
}

/// "run" of one, "runs" of any other number.
inline std::string noun(std::uint64_t n, std::string_view one) { return std::string(one) + (n == 1 ? "" : "s"); }

/// "1 run", "2 runs".
inline std::string counted(std::uint64_t n, std::string_view one) { return std::to_string(n) + " " + noun(n, one); }

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

/// A word as a shell takes it.
inline std::string shell_word(const std::string& word)
{
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// Breaks a sentence into lines of at most `width` characters; all but the first are indented.
inline std::string wrapped(std::string_view sentence, std::size_t width, int indent)
{
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < sentence.size();) {
        const auto end = std::min(sentence.find(' ', at), sentence.size());
        const auto word = sentence.substr(at, end - at);
        if (column > 0 && column + 1 + word.size() > width) {
            text += "\n" + std::string(indent, ' ');
            column = 0;
        }
        if (column > 0) text += ' ';
        text += word;
        column += word.size() + (column > 0 ? 1 : 0);
        at = end + 1;
    }
    return text;
}

} // namespace ivp

#endif
