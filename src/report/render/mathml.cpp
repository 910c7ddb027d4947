#include "mathml.hpp"

#include "base/escape.hpp"
#include "base/tex_symbols.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

namespace ivp {

namespace {

using tex::kind;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Letters of the styles that have code points of their own. The holes in Unicode's blocks are letters that existed before them.
struct alphabet {
    std::string_view command;
    std::uint32_t upper;
    std::uint32_t lower;
    std::uint32_t digit;    ///< 0: as they are
    std::string_view holes; ///< letters with a code point elsewhere, in the order of `elsewhere`
    std::array<std::uint32_t, 11> elsewhere;
};

constexpr alphabet italic{"mathit", 0x1D434, 0x1D44E, 0, "h", {0x210E}};
constexpr auto alphabets = std::to_array<alphabet>({
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
        else if (is_digit(c) && a.digit != 0)
            out += utf8(a.digit + static_cast<std::uint32_t>(c - '0'));
        else
            out += c;
    }
    return html_escaped(out);
}

/// A formula nested deeper than any that a person writes.
struct nested_too_deeply {};
constexpr int deepest = 120; ///< rows and atoms: a pair of braces is one of each

/// Words that chapters write without a command: one identifier, not a product of letters.
constexpr auto words = std::to_array<std::string_view>({"rtol", "atol", "tol", "mom", "scd", "mescd"});
constexpr auto upright_words = std::to_array<std::string_view>({"diag", "sign", "sgn", "rank", "span"});

struct environment {
    std::string_view name;
    std::string_view style; ///< class of the table
    std::string_view open;
    std::string_view close;
    bool display; ///< cells are set as formulas on lines of their own
};

constexpr auto environments = std::to_array<environment>({
    {"aligned", "aligned", "", "", true},     {"align", "aligned", "", "", true},     {"align*", "aligned", "", "", true},
    {"alignedat", "aligned", "", "", true},   {"split", "aligned", "", "", true},     {"gathered", "gathered", "", "", true},
    {"gather", "gathered", "", "", true},     {"gather*", "gathered", "", "", true},  {"equation", "gathered", "", "", true},
    {"equation*", "gathered", "", "", true},  {"cases", "cases", "{", "", false},     {"matrix", "matrix", "", "", false},
    {"smallmatrix", "matrix", "", "", false}, {"array", "matrix", "", "", false},     {"pmatrix", "matrix", "(", ")", false},
    {"bmatrix", "matrix", "[", "]", false},   {"Bmatrix", "matrix", "{", "}", false}, {"vmatrix", "matrix", "|", "|", false},
    {"Vmatrix", "matrix", "‖", "‖", false},
});

/// A piece of a row: its element, and how TeX would space it.
struct atom {
    std::string text;
    kind what = kind::ordinary;
    bool limits = false; ///< scripts go below and above in display style
    bool is_space = false;
};

class parser {
public:
    parser(std::string_view text, std::vector<std::string>& unknown, int depth = 0) : text_(text), unknown_(unknown), depth_(depth) {}

    std::string all()
    {
        std::string row;
        while (!at_end()) {
            row += parse_row(0);
            if (!at_end()) { // what closes nothing
                if (peek_command() == "\\" || text_[at_] == '&')
                    skip_separator();
                else
                    row += stray();
            }
        }
        return row;
    }

private:
    /// One level deeper as long as it lives.
    class level {
    public:
        explicit level(int& depth) : depth_(depth)
        {
            if (++depth_ > deepest) throw nested_too_deeply();
        }
        ~level() { --depth_; }
        level(const level&) = delete;
        level& operator=(const level&) = delete;

    private:
        int& depth_;
    };

    bool at_end()
    {
        skip_blanks();
        return at_ >= text_.size();
    }
    void skip_blanks()
    {
        while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '%')) {
            if (text_[at_] == '%')
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            else
                ++at_;
        }
    }
    /// The command that begins here, without its backslash; empty: none.
    [[nodiscard]] std::string_view peek_command() const
    {
        if (at_ >= text_.size() || text_[at_] != '\\' || at_ + 1 >= text_.size()) return {};
        std::size_t end = at_ + 1;
        while (end < text_.size() && is_letter(text_[end])) ++end;
        if (end == at_ + 1) ++end;
        return text_.substr(at_ + 1, end - at_ - 1);
    }
    std::string_view take_command()
    {
        const auto name = peek_command();
        at_ += 1 + name.size();
        return name;
    }
    void skip_separator() { at_ += text_[at_] == '&' ? 1 : 2; }

    std::string stray()
    {
        const std::string name(peek_command());
        unknown_.push_back(name.empty() ? std::string(1, text_[at_]) : "\\" + name);
        at_ += name.empty() ? 1 : 1 + name.size();
        return fmt::format("<mtext class=\"unknown\">{}</mtext>", html_escaped(unknown_.back()));
    }

    /// Whether something here ends the row: a brace, a cell, a line, the end of an environment or of \left.
    bool ends_row()
    {
        if (at_end()) return true;
        if (text_[at_] == '}' || text_[at_] == '&') return true;
        const auto c = peek_command();
        return c == "\\" || c == "end" || c == "right" || c == "middle" || c == "cr";
    }

    /// A row up to what ends it. `cell`: its position in a line of a table; an operator at the start of a later one is a binary one.
    std::string parse_row(int cell)
    {
        const level deeper(depth_); // every way down leads through here or through parse_atom
        const bool script = script_level_ > 0;
        std::string row;
        std::optional<kind> before;
        if (cell > 0) before = kind::ordinary;
        while (!ends_row()) {
            if (peek_command() == "displaystyle" || peek_command() == "textstyle" || peek_command() == "rm" || peek_command() == "nonumber" ||
                peek_command() == "notag" || peek_command() == "limits" || peek_command() == "nolimits") {
                take_command();
                continue;
            }
            const bool may_be_sign = !before || *before == kind::binary || *before == kind::relation || *before == kind::open ||
                                     *before == kind::punctuation || *before == kind::function || *before == kind::limits || *before == kind::large;
            sign_ = may_be_sign;
            atom a = parse_scripted();
            if (a.is_space) {
                row += a.text;
                continue;
            }
            if (!script && before && needs_thin_space(*before, a.what)) row += "<mspace width=\"0.1667em\"></mspace>";
            row += a.text;
            before = a.what == kind::binary && may_be_sign ? kind::ordinary : a.what;
        }
        return row;
    }

    static bool is_operator_name(kind k) { return k == kind::function || k == kind::limits || k == kind::large; }
    /// TeX's rule for names of functions and large operators; all other spaces are those of <mo>.
    static bool needs_thin_space(kind before, kind now)
    {
        if (before == kind::large) return is_operator_name(now) && now != kind::large; // <mo> has its own space
        if (now == kind::large) return false;
        if (is_operator_name(before)) return now == kind::ordinary || now == kind::inner || is_operator_name(now);
        if (is_operator_name(now)) return before == kind::ordinary || before == kind::close || before == kind::inner;
        if (before == kind::inner) return now == kind::ordinary || now == kind::open;
        return now == kind::inner && (before == kind::ordinary || before == kind::close);
    }

    /// An atom with its primes, subscript and superscript.
    atom parse_scripted()
    {
        atom base = parse_atom();
        std::string sub;
        std::string sup;
        std::string primes;
        while (!at_end()) {
            const char c = text_[at_];
            if (c == '\'') {
                ++at_;
                primes += "′";
            } else if ((c == '_' && sub.empty()) || (c == '^' && sup.empty())) {
                ++at_;
                (c == '_' ? sub : sup) = argument(true);
            } else if (peek_command() == "limits" || peek_command() == "nolimits") {
                base.limits = take_command() == "limits";
            } else {
                break;
            }
        }
        if (!primes.empty()) {
            const std::string marks = fmt::format("<mo class=\"prime\" lspace=\"0\" rspace=\"0\">{}</mo>", primes);
            sup = sup.empty() ? marks : "<mrow>" + marks + sup + "</mrow>";
        }
        if (sub.empty() && sup.empty()) return base;
        const char* const with_both = base.limits ? "munderover" : "msubsup";
        const char* const with_sub = base.limits ? "munder" : "msub";
        const char* const with_sup = base.limits ? "mover" : "msup";
        if (!sub.empty() && !sup.empty())
            base.text = fmt::format("<{0}>{1}{2}{3}</{0}>", with_both, base.text, sub, sup);
        else if (!sub.empty())
            base.text = fmt::format("<{0}>{1}{2}</{0}>", with_sub, base.text, sub);
        else
            base.text = fmt::format("<{0}>{1}{2}</{0}>", with_sup, base.text, sup);
        return base;
    }

    /// One token or a group in braces, as one element.
    std::string argument(bool script = false)
    {
        if (script) ++script_level_;
        std::string text;
        if (at_end()) {
            text = "<mrow></mrow>";
        } else if (text_[at_] == '{') {
            ++at_;
            const std::string inside = parse_row(0);
            close_brace();
            text = "<mrow>" + inside + "</mrow>";
        } else {
            sign_ = true;
            text = parse_atom(true).text;
        }
        if (script) --script_level_;
        return text;
    }

    void close_brace()
    {
        if (!at_end() && text_[at_] == '}')
            ++at_;
        else
            unknown_.emplace_back("{ without }");
    }

    /// The text of a group as it stands.
    std::string_view raw_argument()
    {
        if (at_end()) return {};
        if (text_[at_] != '{') return text_.substr(at_++, 1);
        const std::size_t begin = ++at_;
        int depth = 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '{') ++depth;
            if (text_[at_] == '}' && --depth == 0) break;
            ++at_;
        }
        const auto inside = text_.substr(begin, at_ - begin);
        close_brace();
        return inside;
    }

    atom number()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_digit(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))) ++at_;
        return {fmt::format("<mn>{}</mn>", text_.substr(begin, at_ - begin))};
    }

    atom letters(bool single)
    {
        constexpr std::size_t longest_word = 5;
        std::size_t end = at_;
        while (end < text_.size() && end - at_ <= longest_word && is_letter(text_[end])) ++end;
        const auto run = text_.substr(at_, end - at_);
        if (!single) {
            if (std::ranges::find(words, run) != words.end()) {
                at_ = end;
                return {fmt::format("<mi>{}</mi>", in_alphabet(italic, run))};
            }
            if (std::ranges::find(upright_words, run) != upright_words.end()) {
                at_ = end;
                return {fmt::format("<mi>{}</mi>", run), kind::function};
            }
        }
        return {fmt::format("<mi>{}</mi>", text_[at_++])};
    }

    /// An operator with its spaces: none in scripts, those of a sign where it is one.
    [[nodiscard]] std::string operation(std::string_view text, kind what) const
    {
        if (script_level_ > 0) return fmt::format("<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">{}</mo>", text);
        switch (what) {
        case kind::binary:
            if (sign_) return fmt::format("<mo form=\"prefix\" lspace=\"0\" rspace=\"0\">{}</mo>", text);
            return fmt::format("<mo form=\"infix\" lspace=\"0.2222em\" rspace=\"0.2222em\">{}</mo>", text);
        case kind::relation: return fmt::format("<mo form=\"infix\" stretchy=\"false\" lspace=\"0.2778em\" rspace=\"0.2778em\">{}</mo>", text);
        case kind::punctuation: return fmt::format("<mo lspace=\"0\" rspace=\"0.1667em\" separator=\"true\">{}</mo>", text);
        case kind::open: return fmt::format("<mo form=\"prefix\" stretchy=\"false\">{}</mo>", text);
        case kind::close: return fmt::format("<mo form=\"postfix\" stretchy=\"false\">{}</mo>", text);
        default: return fmt::format("<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">{}</mo>", text);
        }
    }

    atom character()
    {
        const char c = text_[at_];
        const auto one = [&](std::string_view text, kind what) {
            ++at_;
            return atom{operation(text, what), what};
        };
        switch (c) {
        case '+': return one("+", kind::binary);
        case '-': return one("−", kind::binary);
        case '*': return one("∗", kind::binary);
        case '=': return one("=", kind::relation);
        case '<': return one("&lt;", kind::relation);
        case '>': return one("&gt;", kind::relation);
        case ':': return one(":", kind::relation);
        case ',': return one(",", kind::punctuation);
        case ';': return one(";", kind::punctuation);
        case '(':
        case '[': return one(text_.substr(at_, 1), kind::open);
        case ')':
        case ']': return one(text_.substr(at_, 1), kind::close);
        case '!': return one("!", kind::close);
        case '/':
        case '|':
        case '.':
        case '?':
        case '"':
        case '@': return one(html_escaped(text_.substr(at_, 1)), kind::ordinary);
        default: break;
        }
        if (c == '~') {
            ++at_;
            return space(0.3333);
        }
        return {fmt::format("<mi>{}</mi>", html_escaped(take_character()))};
    }

    /// With all its bytes.
    std::string_view take_character()
    {
        const auto whole = first_code_point(text_.substr(at_)).bytes;
        at_ += whole.size();
        return whole;
    }

    static atom space(double em)
    {
        atom a{fmt::format("<mspace width=\"{}em\"></mspace>", em)};
        a.is_space = true;
        return a;
    }

    atom parse_atom(bool single = false)
    {
        const level deeper(depth_);
        const char c = text_[at_];
        if (c == '{') {
            ++at_;
            const bool sign = sign_;
            const std::string inside = parse_row(0);
            sign_ = sign;
            close_brace();
            return {"<mrow>" + inside + "</mrow>"};
        }
        if (c == '\\' && at_ + 1 < text_.size()) return command();
        if (c == '^' || c == '_' || c == '\'') return {"<mrow></mrow>"}; // scripts of nothing
        if (c == '\\') return {stray()};
        if (is_digit(c)) {
            if (!single) return number();
            return {fmt::format("<mn>{}</mn>", text_[at_++])};
        }
        if (is_letter(c)) return letters(single);
        return character();
    }

    static atom from_symbol(const tex::symbol& s, const parser& self)
    {
        switch (s.what) {
        case kind::ordinary: {
            if (s.text == "|" || s.text == "‖" || s.text == "′") return {self.operation(s.text, kind::ordinary)};
            // TeX sets capital Greek letters upright.
            const bool upright = s.name[0] >= 'A' && s.name[0] <= 'Z' && s.name != "Re" && s.name != "Im";
            return {fmt::format("<mi{}>{}</mi>", upright ? " mathvariant=\"normal\"" : "", s.text)};
        }
        case kind::inner: return {fmt::format("<mi>{}</mi>", s.text), kind::inner};
        case kind::function: return {fmt::format("<mi>{}</mi>", s.text), kind::function};
        case kind::limits: return {fmt::format("<mo movablelimits=\"true\" lspace=\"0\" rspace=\"0\">{}</mo>", s.text), kind::limits, true};
        case kind::large: {
            const bool integral = s.text == "∫" || s.text == "∬" || s.text == "∮";
            return {fmt::format("<mo largeop=\"true\" movablelimits=\"{}\">{}</mo>", integral ? "false" : "true", s.text), kind::large, !integral};
        }
        default: return {self.operation(s.text, s.what), s.what};
        }
    }

    atom command()
    {
        const auto before = at_;
        const std::string_view name = take_command();
        if (const auto em = tex::space_width(name)) return space(*em);
        if (const auto s = tex::find_symbol(name)) return from_symbol(*s, *this);
        if (const auto a = tex::find_accent(name)) {
            const std::string base = argument();
            const char* const element = a->below ? "munder" : "mover";
            return {fmt::format("<{0} {3}=\"true\">{1}<mo stretchy=\"{4}\">{2}</mo></{0}>", element, base, a->text,
                                a->below ? "accentunder" : "accent", a->stretchy ? "true" : "false"),
                    kind::ordinary, name == "underbrace" || name == "overbrace"};
        }
        if (name == "frac" || name == "dfrac" || name == "tfrac" || name == "cfrac") return fraction(name);
        if (name == "binom") {
            const std::string top = argument();
            return {fmt::format("<mrow><mo>(</mo><mfrac linethickness=\"0\">{}{}</mfrac><mo>)</mo></mrow>", top, argument())};
        }
        if (name == "sqrt") return root();
        if (name == "text" || name == "mbox" || name == "textrm" || name == "textit" || name == "textbf") return words_of(raw_argument());
        if (name == "mathit") return {fmt::format("<mi>{}</mi>", in_alphabet(italic, trimmed(raw_argument())))};
        if (name == "mathrm" || name == "operatorname") {
            if (peek() == '*') ++at_;
            return {fmt::format("<mi mathvariant=\"normal\">{}</mi>", html_escaped(trimmed(raw_argument()))),
                    name == "operatorname" ? kind::function : kind::ordinary};
        }
        if (const auto a = std::ranges::find(alphabets, name, &alphabet::command); a != alphabets.end()) return styled(*a);
        if (name == "left") return fenced();
        if (name.starts_with("big") || name.starts_with("Big")) return big(name, before);
        if (name == "begin") return table();
        if (name == "pmod")
            return {fmt::format("<mrow><mspace width=\"0.5em\"></mspace><mo>(</mo><mi>mod</mi><mspace width=\"0.3em\"></mspace>{}<mo>)</mo></mrow>",
                                argument())};
        if (name == "not") return {fmt::format("<mrow>{}<mo≯</mo></mrow>", argument())};
        if (name == "overset" || name == "stackrel" || name == "underset") {
            const std::string mark = argument(true);
            const std::string base = argument();
            return {fmt::format("<{0}>{1}{2}</{0}>", name == "underset" ? "munder" : "mover", base, mark), kind::relation};
        }
        if (name == "phantom") return {fmt::format("<mphantom>{}</mphantom>", argument())};
        at_ = before;
        return {stray()};
    }

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    static std::string_view trimmed(std::string_view text)
    {
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
        return text;
    }

    atom fraction(std::string_view name)
    {
        const std::string top = argument();
        const std::string bottom = argument();
        if (name == "frac") return {fmt::format("<mfrac>{}{}</mfrac>", top, bottom), kind::inner};
        return {fmt::format("<mstyle displaystyle=\"{}\"><mfrac>{}{}</mfrac></mstyle>", name == "tfrac" ? "false" : "true", top, bottom),
                kind::inner};
    }

    atom root()
    {
        std::string degree;
        if (!at_end() && text_[at_] == '[') {
            const auto end = text_.find(']', at_);
            const auto inside = text_.substr(at_ + 1, end == std::string_view::npos ? end : end - at_ - 1);
            at_ = end == std::string_view::npos ? text_.size() : end + 1;
            degree = "<mrow>" + parser(inside, unknown_, depth_).all() + "</mrow>";
        }
        const std::string base = argument();
        return {degree.empty() ? "<msqrt>" + base + "</msqrt>" : "<mroot>" + base + degree + "</mroot>"};
    }

    /// Spaces at the ends of a text are kept, which an element would lose.
    static atom words_of(std::string_view text)
    {
        std::string out;
        for (const char c : text) out += c == ' ' || c == '~' || c == '\n' ? std::string("\u00A0") : std::string(1, c);
        return {"<mtext>" + html_escaped(out) + "</mtext>"};
    }

    atom styled(const alphabet& a)
    {
        const auto inside = trimmed(raw_argument());
        const bool plain = std::ranges::all_of(inside, [](char c) { return is_letter(c) || is_digit(c); });
        if (plain) return {fmt::format("<mi>{}</mi>", in_alphabet(a, inside))};
        // A group with commands in it: bold by style.
        const std::string content = parser(inside, unknown_, depth_).all();
        return {fmt::format("<mrow class=\"{}\">{}</mrow>",
                            a.command == "mathbf" || a.command == "boldsymbol" || a.command == "bm" ? "bold" : "styled", content)};
    }

    /// A delimiter after \left, \right or \big; empty for '.'.
    std::string delimiter()
    {
        if (at_end()) return "";
        if (text_[at_] == '\\') {
            const auto name = take_command();
            const auto s = tex::find_symbol(name);
            if (s) return std::string(s->text);
            unknown_.push_back("\\" + std::string(name));
            return "";
        }
        const auto c = take_character();
        if (c == ".") return "";
        if (c == "<") return "⟨";
        if (c == ">") return "⟩";
        return html_escaped(c);
    }

    static std::string fence(std::string_view text, const char* form)
    {
        if (text.empty()) return "";
        return fmt::format("<mo form=\"{}\" stretchy=\"true\" fence=\"true\">{}</mo>", form, text);
    }

    atom fenced()
    {
        std::string text = "<mrow>" + fence(delimiter(), "prefix");
        text += parse_row(0);
        while (peek_command() == "middle") {
            take_command();
            text += fence(delimiter(), "infix") + parse_row(0);
        }
        if (peek_command() == "right") {
            take_command();
            text += fence(delimiter(), "postfix");
        } else {
            unknown_.emplace_back("\\left without \\right");
        }
        return {text + "</mrow>", kind::inner};
    }

    atom big(std::string_view name, std::size_t before)
    {
        constexpr auto sizes = std::to_array<std::pair<std::string_view, double>>({{"big", 1.2}, {"Big", 1.8}, {"bigg", 2.4}, {"Bigg", 3}});
        std::string_view base = name;
        const char side = base.back();
        const bool sided = side == 'l' || side == 'r' || side == 'm';
        if (sided) base.remove_suffix(1);
        const auto size = std::ranges::find(sizes, base, &std::pair<std::string_view, double>::first);
        if (size == sizes.end()) {
            at_ = before;
            return {stray()};
        }
        const std::string text = delimiter();
        const bool opens = side == 'l' || text == "(" || text == "[" || text == "{";
        const kind what = opens ? kind::open : sided && side == 'm' ? kind::relation : kind::close;
        return {fmt::format("<mo stretchy=\"true\" form=\"{}\" minsize=\"{}em\" maxsize=\"{}em\">{}</mo>", opens ? "prefix" : "postfix", size->second,
                            size->second, text),
                what};
    }

    atom table()
    {
        const auto name = raw_argument();
        const auto known = std::ranges::find(environments, name, &environment::name);
        std::string columns;
        if (name == "array" || name == "alignedat") columns = std::string(raw_argument());
        std::erase_if(columns, [](char c) { return c != 'l' && c != 'c' && c != 'r'; });
        if (known == environments.end()) unknown_.push_back("\\begin{" + std::string(name) + "}");
        const environment e = known == environments.end() ? environment{name, "matrix", "", "", false} : *known;

        const int outer_script = std::exchange(script_level_, 0);
        std::string rows;
        int cell = 0;
        std::string line;
        const auto end_line = [&] {
            if (!line.empty()) rows += "<mtr>" + line + "</mtr>";
            line.clear();
            cell = 0;
        };
        for (;;) {
            while (!at_end() && peek_command() == "hline") take_command();
            const std::string content = parse_row(e.style == "aligned" ? cell : 0);
            const bool last = at_end() || peek_command() == "end";
            if (!(last && content.empty() && line.empty())) {
                line += fmt::format("<mtd class=\"{}\">{}</mtd>", cell_class(e, columns, cell), content);
                ++cell;
            }
            if (last) break;
            if (text_[at_] == '&') {
                ++at_;
            } else if (peek_command() == "\\" || peek_command() == "cr") {
                take_command();
                skip_row_gap();
                end_line();
            } else {
                line += stray(); // a brace or \right that closes nothing
            }
        }
        end_line();
        if (peek_command() == "end") {
            take_command();
            (void)raw_argument();
        } else {
            unknown_.push_back("\\begin{" + std::string(name) + "} without \\end");
        }
        script_level_ = outer_script;
        const std::string body = fmt::format("<mtable class=\"{}\"{}>{}</mtable>", e.style, e.display ? " displaystyle=\"true\"" : "", rows);
        if (e.open.empty()) return {body, kind::inner};
        return {fmt::format("<mrow>{}{}{}</mrow>", fence(e.open, "prefix"), body, fence(e.close, "postfix")), kind::inner};
    }

    /// \\[2ex]: the gap is left to the style of the page.
    void skip_row_gap()
    {
        if (peek() != '[') return;
        constexpr std::size_t longest_gap = 32;
        const auto end = text_.substr(at_, longest_gap).find(']');
        if (end != std::string_view::npos) at_ += end + 1;
    }

    static std::string cell_class(const environment& e, const std::string& columns, int cell)
    {
        if (e.style == "aligned") return cell % 2 == 0 ? (cell == 0 ? "r" : "r gap") : "l";
        if (e.style == "cases") return cell == 0 ? "l" : "l gap";
        if (cell < static_cast<int>(columns.size())) return std::string(1, columns[cell]);
        return "c";
    }

    std::string_view text_;
    std::vector<std::string>& unknown_;
    std::size_t at_ = 0;
    int depth_;
    int script_level_ = 0;
    bool sign_ = true; ///< an operator that follows is a sign
};

} // namespace

mathml mathml_from_tex(std::string_view tex, bool display)
{
    mathml m;
    std::string row;
    try {
        row = parser(tex, m.unknown).all();
    } catch (const nested_too_deeply&) {
        m.unknown = {"a formula nested too deeply"};
        row = fmt::format("<mtext class=\"unknown\">{}</mtext>", html_escaped(tex));
    }
    m.text = fmt::format("<math{}>{}</math>", display ? " display=\"block\"" : "", row);
    return m;
}

} // namespace ivp
