#include "campaign/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace ivp {

namespace {

/// Behind a text in quotes that begins at `at`. The reader stops at one that has no end, or whose line ends too early: then it is all that is left.
std::size_t behind_quoted(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    const std::string_view three = quote == '"' ? R"(""")" : "'''";
    const bool has_lines = text.substr(at).starts_with(three);
    for (std::size_t k = at + (has_lines ? 3 : 1); k < text.size(); ++k) {
        if (text[k] == '\\' && quote == '"')
            ++k;
        else if (!has_lines && text[k] == '\n')
            break;
        else if (!has_lines && text[k] == quote)
            return k + 1;
        else if (has_lines && text.substr(k).starts_with(three)) {
            const auto end = std::min(text.find_first_not_of(quote, k), text.size());
            return std::min(end, k + 5); // two quotes may stand before the three
        }
    }
    return text.size();
}

place_in_text place_of(std::string_view text, std::size_t at)
{
    const std::string_view before = text.substr(0, at);
    const auto line = before.substr(before.rfind('\n') + 1); // from 0 on if there is none
    const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return {1 + static_cast<std::size_t>(std::ranges::count(before, '\n')), 1 + static_cast<std::size_t>(std::ranges::count_if(line, is_first_byte))};
}

} // namespace

std::optional<place_in_text> where_too_deep(std::string_view text)
{
    std::vector<std::size_t> dots{0}; // since the last comma, in each bracket that is open
    std::size_t depth = 0;            // these brackets and dots
    const auto forget_dots = [&] {
        depth -= dots.back();
        dots.back() = 0;
    };
    for (std::size_t k = 0; k < text.size();) {
        switch (text[k]) {
        case '"':
        case '\'': k = behind_quoted(text, k); continue;
        case '#': k = std::min(text.find('\n', k), text.size()); continue;
        case '.':
            ++dots.back();
            ++depth;
            break;
        case '[':
        case '{':
            dots.push_back(0);
            ++depth;
            break;
        case ']':
        case '}':
            if (dots.size() == 1) break;
            forget_dots();
            dots.pop_back();
            --depth;
            break;
        case ',': forget_dots(); break;
        case '\n':
            if (dots.size() == 1) forget_dots();
            break;
        default: break;
        }
        if (depth > deepest_toml) return place_of(text, k);
        ++k;
    }
    return std::nullopt;
}

} // namespace ivp
