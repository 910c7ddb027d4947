// The reader of TOML. Its assertions say what its own checks behind them refuse in words (a key that begins with a brace): they end a program without
// NDEBUG, and with it some compilers take them for granted. Both are switched off.
#ifndef IVP_SRC_CAMPAIGN_TOML_HPP
#define IVP_SRC_CAMPAIGN_TOML_HPP

#ifdef NDEBUG
#define IVP_HAS_NDEBUG
#undef NDEBUG
#endif
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#ifdef IVP_HAS_NDEBUG
#define NDEBUG
#undef IVP_HAS_NDEBUG
#endif

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace ivp {

/// Where the first character beyond ASCII is that lies neither in a string nor in a comment. TOML has none there.
inline std::optional<std::size_t> foreign_character(std::string_view text)
{
    const std::string_view order_mark = "\xEF\xBB\xBF";
    for (std::size_t k = text.starts_with(order_mark) ? order_mark.size() : 0; k < text.size();) {
        const std::string_view rest = text.substr(k);
        if (static_cast<unsigned char>(rest[0]) >= 0x80) return k;
        if (rest[0] == '#') {
            k += std::min(rest.find('\n'), rest.size());
        } else if (rest[0] == '"' || rest[0] == '\'') {
            const std::string three(3, rest[0]);
            const bool long_one = rest.starts_with(three);
            const std::string_view quotes = long_one ? std::string_view(three) : rest.substr(0, 1);
            std::size_t end = quotes.size();
            while (end < rest.size() && !rest.substr(end).starts_with(quotes) && (long_one || rest[end] != '\n'))
                end += rest[0] == '"' && rest[end] == '\\' ? 2 : 1;
            end += quotes.size();
            for (int extra = 0; long_one && extra < 2 && end < rest.size() && rest[end] == rest[0]; ++extra)
                ++end; // the text itself may end with two quotes
            k += std::min(end, rest.size());
        } else {
            ++k;
        }
    }
    return std::nullopt;
}

/// The table of a text. The library's test for spaces is undefined for some letters (Greek ones, for example), so those are refused before it sees
/// them. Throws toml::parse_error.
inline toml::table parse_toml(std::string_view text, const std::string& source)
{
    if (const auto at = foreign_character(text)) {
        const std::string_view before = text.substr(0, *at);
        const auto line = static_cast<toml::source_index>(std::count(before.begin(), before.end(), '\n') + 1);
        const auto column = static_cast<toml::source_index>(*at - (before.rfind('\n') + 1) + 1);
        throw toml::parse_error("a letter or sign beyond ASCII is allowed only inside quotes and comments", toml::source_position{line, column},
                                std::make_shared<const std::string>(source));
    }
    return toml::parse(text, source);
}

} // namespace ivp

#endif
