#include "tex.hpp"

#include "report/text/tex_symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace ivp::tex {

namespace {

struct character {
    std::string_view bytes;
    std::uint32_t code; ///< of Unicode; U+FFFD where the bytes are none
};

constexpr std::uint32_t replacement = 0xFFFD;

/// The character at the front of a text that is not empty.
character first_of(std::string_view text)
{
    const auto byte = [&text](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {text.substr(0, 1), lead};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {text.substr(0, 1), replacement};
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xC0U) != 0x80) return {text.substr(0, 1), replacement};
        code = code << 6U | (byte(k) & 0x3FU);
    }
    return {text.substr(0, length), code};
}

std::string escaped_ascii(char c, char before)
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
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return " ";
    return std::string(1, c);
}

std::string escaped_wide(const character& c)
{
    if (c.code == 0x2212) return "\\ensuremath{-}";
    if (const auto s = find_symbol_of(c.bytes)) return fmt::format("\\ensuremath{{\\{}}}", s->name);
    const bool latin = c.code >= 0xA0 && c.code <= 0xFF;
    static constexpr std::array<std::uint32_t, 7> marks{0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026}; // dashes, quotes, dots
    if (latin || std::ranges::find(marks, c.code) != marks.end()) return std::string(c.bytes);
    return c.code == replacement ? "?" : fmt::format("{{[}}U+{:04X}{{]}}", c.code);
}

template <class After>
std::string translated(std::string_view text, After&& after)
{
    std::string out;
    char before = ' ';
    while (!text.empty()) {
        const character c = first_of(text);
        const char own = c.code < 0x80 ? static_cast<char>(c.code) : ' ';
        out += c.code < 0x80 ? escaped_ascii(own, before) : escaped_wide(c);
        out += after(own);
        before = own;
        text.remove_prefix(c.bytes.size());
    }
    return out;
}

} // namespace

std::string escaped(std::string_view text)
{
    return translated(text, [](char) { return ""; });
}

std::string code(std::string_view text)
{
    const auto breaks_after = [](char c) { return std::string_view("/_-=,.:;+").find(c) != std::string_view::npos; };
    return "\\texttt{" + translated(text, [&](char c) { return breaks_after(c) ? "\\allowbreak{}" : ""; }) + "}";
}

std::string comment(std::string_view text)
{
    std::string line = "% ";
    while (!text.empty()) {
        const character c = first_of(text);
        line += c.code == replacement ? "?" : c.code < 0x20 ? " " : std::string(c.bytes);
        text.remove_prefix(c.bytes.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

} // namespace ivp::tex
