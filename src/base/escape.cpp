#include "base/escape.hpp"

#include "base/tex_symbols.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace ivp {

namespace {

/// Calls `write(bytes, code)` for each character; those that a page or a terminal must not get arrive as U+FFFD.
template <class Write>
void for_each_shown(std::string_view text, Write&& write)
{
    static const std::string replacement = utf8(replacement_character);
    while (!text.empty()) {
        const code_point c = first_code_point(text);
        const bool stays = c.code == '\n' || c.code == '\t' || (c.code != replacement_character && !is_control(c.code));
        if (stays)
            write(c.bytes, c.code);
        else
            write(std::string_view(replacement), replacement_character);
        text.remove_prefix(c.bytes.size());
    }
}

std::string tex_ascii(char c, char before)
{
    switch (c) {
    case '\\': return "\\textbackslash{}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "\\char34{}"; // upright in the fonts of T1; babel makes the character itself a command in some languages
    case '[':
    case ']': return std::string("{") + c + "}"; // after a line of a table it would be an argument
    case '*': return "{*}";
    default: break;
    }
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) return std::string("\\") + c;
    // Two of these would become one other character.
    if (c == before && std::string_view("-'`,!?").find(c) != std::string_view::npos) return std::string("{}") + c;
    return std::string(1, c);
}

std::string tex_wide(const code_point& c)
{
    constexpr char32_t minus = 0x2212;
    if (c.code == minus) return "\\ensuremath{-}";
    constexpr char32_t lowered_zero = 0x2080;
    if (c.code >= lowered_zero && c.code <= lowered_zero + 9) return fmt::format("\\ensuremath{{_{}}}", static_cast<int>(c.code - lowered_zero));
    if (c.code == replacement_character) return "?";
    if (const auto s = tex::find_symbol_of(c.bytes)) return fmt::format("\\ensuremath{{\\{}}}", s->name);
    const bool latin = c.code >= 0xA0 && c.code <= 0xFF;
    static constexpr std::array<char32_t, 7> marks{0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026}; // dashes, quotes, dots
    if (latin || std::ranges::find(marks, c.code) != marks.end()) return std::string(c.bytes);
    return fmt::format("{{[}}U+{:04X}{{]}}", static_cast<std::uint32_t>(c.code));
}

} // namespace

std::string shell_word(std::string_view word)
{
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string comment_text(std::string_view text) { return plain_line(text); }

std::string csv_cell(std::string_view text)
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

std::string html_escaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for_each_shown(text, [&out](std::string_view bytes, char32_t code) {
        switch (code) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += bytes;
        }
    });
    return out;
}

std::string json_in_html(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    for_each_shown(json, [&out](std::string_view bytes, char32_t code) { out += code == '<' ? std::string_view("\\u003c") : bytes; });
    return out;
}

std::string tex_escaped(std::string_view text, std::string_view breaks_after)
{
    std::string out;
    char before = ' ';
    while (!text.empty()) {
        const code_point c = first_code_point(text);
        const char own = c.code < 0x80 && !is_control(c.code) ? static_cast<char>(c.code) : ' ';
        out += c.code < 0x80 || is_control(c.code) ? tex_ascii(own, before) : tex_wide(c);
        if (breaks_after.find(own) != std::string_view::npos) out += "\\allowbreak{}";
        before = own;
        text.remove_prefix(c.bytes.size());
    }
    return out;
}

std::string gnuplot_quoted(std::string_view text)
{
    std::string quoted = "'"; // in these nothing has a meaning but the quote itself
    for (const char c : plain_line(text)) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

std::string terminal_text(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for_each_shown(text, [&out](std::string_view bytes, char32_t) { out += bytes; });
    return out;
}

std::string terminal_filter::next(std::string_view piece)
{
    std::string text = std::exchange(waiting_, {}) + std::string(piece);
    // What may still become a character: a first byte with fewer behind it than it asks for.
    constexpr std::size_t longest = 4;
    for (std::size_t back = 1; back < longest && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0U) == 0x80) continue;
        const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        if (wanted > back) {
            waiting_ = text.substr(text.size() - back);
            text.resize(text.size() - back);
        }
        break;
    }
    return terminal_text(text);
}

std::string terminal_filter::last() { return terminal_text(std::exchange(waiting_, {})); }

} // namespace ivp
