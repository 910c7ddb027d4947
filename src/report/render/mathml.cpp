#include "mathml.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ivp {

namespace {

using tex::kind;
using type = formula::type;

/// Letters of the styles that have code points of their own. The holes in Unicode's blocks are letters that existed before them.
struct alphabet {
    std::string_view command;
    std::uint32_t upper;
    std::uint32_t lower;
    std::uint32_t digit;    ///< 0: as they are
    std::string_view holes; ///< letters with a code point elsewhere, in the order of `elsewhere`
    std::array<std::uint32_t, 11> elsewhere;
};

constexpr auto mathml_alphabets = std::to_array<alphabet>({
    {"mathit", 0x1D434, 0x1D44E, 0, "h", {0x210E}},
    {"mathbf", 0x1D400, 0x1D41A, 0x1D7CE, "", {}},
    {"boldsymbol", 0x1D468, 0x1D482, 0x1D7CE, "", {}},
    {"bm", 0x1D468, 0x1D482, 0x1D7CE, "", {}},
    {"mathbb", 0x1D538, 0x1D552, 0x1D7D8, "CHNPQRZ", {0x2102, 0x210D, 0x2115, 0x2119, 0x211A, 0x211D, 0x2124}},
    {"mathcal", 0x1D49C, 0x1D4B6, 0, "BEFHILMRego", {0x212C, 0x2130, 0x2131, 0x210B, 0x2110, 0x2112, 0x2133, 0x211B, 0x212F, 0x210A, 0x2134}},
    {"mathscr", 0x1D49C, 0x1D4B6, 0, "BEFHILMRego", {0x212C, 0x2130, 0x2131, 0x210B, 0x2110, 0x2112, 0x2133, 0x211B, 0x212F, 0x210A, 0x2134}},
    {"mathfrak", 0x1D504, 0x1D51E, 0, "CHIRZ", {0x212D, 0x210C, 0x2111, 0x211C, 0x2128}},
    {"mathsf", 0x1D5A0, 0x1D5BA, 0x1D7E2, "", {}},
    {"mathtt", 0x1D670, 0x1D68A, 0x1D7F6, "", {}},
});

std::string in_alphabet(const alphabet& a, std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto hole = a.holes.find(c);
        if (hole != std::string_view::npos)
            out += utf8(a.elsewhere[hole]);
        else if (c >= 'A' && c <= 'Z')
            out += utf8(a.upper + static_cast<std::uint32_t>(c - 'A'));
        else if (c >= 'a' && c <= 'z')
            out += utf8(a.lower + static_cast<std::uint32_t>(c - 'a'));
        else if (c >= '0' && c <= '9' && a.digit != 0)
            out += utf8(a.digit + static_cast<std::uint32_t>(c - '0'));
        else
            out += c;
    }
    return html_escaped(out);
}

std::string element(const formula& f);

std::string row_of(const std::vector<formula>& parts)
{
    std::string row;
    for (const auto& p : parts) row += element(p);
    return row;
}

std::string letter(const formula& f)
{
    if (f.style == "mathrm") return fmt::format("<mi mathvariant=\"normal\">{}</mi>", html_escaped(f.text));
    const auto* const a = std::ranges::find(mathml_alphabets, f.style, &alphabet::command);
    return fmt::format("<mi>{}</mi>", a == mathml_alphabets.end() ? html_escaped(f.text) : in_alphabet(*a, f.text));
}

/// An operator with its spaces: none in scripts, those of a sign if it is one.
std::string operation(const formula& f)
{
    const std::string text = html_escaped(f.text);
    const bool integral = f.text == "∫" || f.text == "∬" || f.text == "∮";
    if (f.spacing == kind::limits) return fmt::format("<mo movablelimits=\"true\" lspace=\"0\" rspace=\"0\">{}</mo>", text);
    if (f.spacing == kind::large) return fmt::format("<mo largeop=\"true\" movablelimits=\"{}\">{}</mo>", !integral, text);
    if (f.in_script) return fmt::format("<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">{}</mo>", text);
    switch (f.spacing) {
    case kind::binary:
        if (f.flag) return fmt::format("<mo form=\"prefix\" lspace=\"0\" rspace=\"0\">{}</mo>", text);
        return fmt::format("<mo form=\"infix\" lspace=\"0.2222em\" rspace=\"0.2222em\">{}</mo>", text);
    case kind::relation: return fmt::format("<mo form=\"infix\" stretchy=\"false\" lspace=\"0.2778em\" rspace=\"0.2778em\">{}</mo>", text);
    case kind::punctuation: return fmt::format("<mo lspace=\"0\" rspace=\"0.1667em\" separator=\"true\">{}</mo>", text);
    case kind::open: return fmt::format("<mo form=\"prefix\" stretchy=\"false\">{}</mo>", text);
    case kind::close: return fmt::format("<mo form=\"postfix\" stretchy=\"false\">{}</mo>", text);
    default: return fmt::format("<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">{}</mo>", text);
    }
}

/// Spaces at the ends of a text are kept, which an element would lose.
std::string words_element(const std::string& text)
{
    std::string out;
    for (const char c : text) out += c == ' ' || c == '\n' ? std::string("\u00A0") : std::string(1, c);
    return "<mtext>" + html_escaped(out) + "</mtext>";
}

std::string scripts(const formula& f)
{
    const std::string base = element(f.parts[0]);
    const std::string sub = element(f.parts[1]);
    std::string sup = element(f.parts[2]);
    if (!f.text.empty()) {
        const std::string marks = fmt::format("<mo class=\"prime\" lspace=\"0\" rspace=\"0\">{}</mo>", f.text);
        sup = sup.empty() ? marks : "<mrow>" + marks + sup + "</mrow>";
    }
    if (!sub.empty() && !sup.empty()) return fmt::format("<{0}>{1}{2}{3}</{0}>", f.flag ? "munderover" : "msubsup", base, sub, sup);
    if (!sub.empty()) return fmt::format("<{0}>{1}{2}</{0}>", f.flag ? "munder" : "msub", base, sub);
    return fmt::format("<{0}>{1}{2}</{0}>", f.flag ? "mover" : "msup", base, sup);
}

std::string accented(const formula& f)
{
    const auto a = tex::find_accent(f.style);
    return fmt::format("<{0} {3}=\"true\">{1}<mo stretchy=\"{4}\">{2}</mo></{0}>", a->below ? "munder" : "mover", element(f.parts[0]), f.text,
                       a->below ? "accentunder" : "accent", a->stretchy);
}

std::string fraction(const formula& f)
{
    std::string whole = fmt::format("<mfrac>{}{}</mfrac>", element(f.parts[0]), element(f.parts[1]));
    if (f.style == "frac") return whole;
    return fmt::format("<mstyle displaystyle=\"{}\">{}</mstyle>", f.style != "tfrac", whole);
}

std::string delimiter(const formula& f)
{
    const std::string text = html_escaped(f.text);
    if (f.size > 0) return fmt::format("<mo stretchy=\"true\" form=\"{}\" minsize=\"{}em\" maxsize=\"{}em\">{}</mo>", f.style, f.size, f.size, text);
    return text.empty() ? "" : fmt::format("<mo form=\"{}\" stretchy=\"true\" fence=\"true\">{}</mo>", f.style, text);
}

std::string cell_class(const formula& table, std::size_t cell)
{
    if (table.style == "aligned") return cell % 2 == 0 ? (cell == 0 ? "r" : "r gap") : "l";
    if (table.style == "cases") return cell == 0 ? "l" : "l gap";
    if (cell < table.text.size()) return std::string(1, table.text[cell]);
    return "c";
}

std::string table(const formula& f)
{
    std::string rows;
    for (const auto& line : f.parts) {
        rows += "<mtr>";
        std::size_t cell = 0;
        for (const auto& c : line.parts) {
            if (c.what == type::unknown)
                rows += element(c);
            else
                rows += fmt::format("<mtd class=\"{}\">{}</mtd>", cell_class(f, cell++), element(c));
        }
        rows += "</mtr>";
    }
    const bool display = f.style == "aligned" || f.style == "gathered";
    return fmt::format("<mtable class=\"{}\"{}>{}</mtable>", f.style, display ? " displaystyle=\"true\"" : "", rows);
}

std::string element(const formula& f)
{
    const auto part = [&f](std::size_t k) { return element(f.parts[k]); };
    switch (f.what) {
    case type::row: return f.flag ? "<mrow>" + row_of(f.parts) + "</mrow>" : row_of(f.parts);
    case type::number: return "<mn>" + f.text + "</mn>";
    case type::letter: return letter(f);
    case type::operation: return operation(f);
    case type::words: return words_element(f.text);
    case type::unknown: return fmt::format("<mtext class=\"unknown\">{}</mtext>", html_escaped(f.text));
    case type::space: return fmt::format("<mspace width=\"{}em\"></mspace>", f.size);
    case type::scripts: return scripts(f);
    case type::accent: return accented(f);
    case type::fraction: return fraction(f);
    case type::binomial: return fmt::format("<mrow><mo>(</mo><mfrac linethickness=\"0\">{}{}</mfrac><mo>)</mo></mrow>", part(0), part(1));
    case type::root: return f.parts.size() == 1 ? "<msqrt>" + part(0) + "</msqrt>" : "<mroot>" + part(0) + part(1) + "</mroot>";
    case type::styled: {
        const bool bold = f.style == "mathbf" || f.style == "boldsymbol" || f.style == "bm";
        return fmt::format("<mrow class=\"{}\">{}</mrow>", bold ? "bold" : "styled", part(0));
    }
    case type::fenced: return "<mrow>" + row_of(f.parts) + "</mrow>";
    case type::delimiter: return delimiter(f);
    case type::table: return table(f);
    case type::modulus:
        return fmt::format("<mrow><mspace width=\"0.5em\"></mspace><mo>(</mo><mi>mod</mi><mspace width=\"0.3em\"></mspace>{}<mo>)</mo></mrow>",
                           part(0));
    case type::negated: return "<mrow>" + part(0) + "<mo>\u0338</mo></mrow>";
    case type::stacked: return fmt::format("<{0}>{1}{2}</{0}>", f.flag ? "munder" : "mover", part(0), part(1));
    case type::phantom: return "<mphantom>" + part(0) + "</mphantom>";
    }
    return "";
}

} // namespace

mathml mathml_from_tex(std::string_view tex, bool display)
{
    parsed_formula parsed = parse_formula(tex);
    return {fmt::format("<math{}>{}</math>", display ? " display=\"block\"" : "", element(parsed.root)), std::move(parsed.unknown)};
}

} // namespace ivp
