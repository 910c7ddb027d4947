#include "formula.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace ivp {

namespace {

using tex::kind;
using type = formula::type;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Commands that set letters in an alphabet of their own.
constexpr auto alphabets =
    std::to_array<std::string_view>({"mathit", "mathbf", "boldsymbol", "bm", "mathbb", "mathcal", "mathscr", "mathfrak", "mathsf", "mathtt"});

/// A formula nested deeper than any that a person writes.
struct nested_too_deeply {};
constexpr double thin_space = 0.1667; ///< em
constexpr int deepest = 120;          ///< rows and atoms: a pair of braces is one of each

/// Words that chapters write without a command: one identifier, not a product of letters.
constexpr auto words_of_measures = std::to_array<std::string_view>({"rtol", "atol", "tol", "mom", "scd", "mescd"});
constexpr auto upright_words = std::to_array<std::string_view>({"diag", "sign", "sgn", "rank", "span"});

struct environment {
    std::string_view name;
    std::string_view style;
    std::string_view open;
    std::string_view close;
};

constexpr auto environments = std::to_array<environment>({
    {"aligned", "aligned", "", ""},    {"align", "aligned", "", ""},      {"align*", "aligned", "", ""},   {"alignedat", "aligned", "", ""},
    {"split", "aligned", "", ""},      {"gathered", "gathered", "", ""},  {"gather", "gathered", "", ""},  {"gather*", "gathered", "", ""},
    {"equation", "gathered", "", ""},  {"equation*", "gathered", "", ""}, {"cases", "cases", "{", ""},     {"matrix", "matrix", "", ""},
    {"smallmatrix", "matrix", "", ""}, {"array", "matrix", "", ""},       {"pmatrix", "matrix", "(", ")"}, {"bmatrix", "matrix", "[", "]"},
    {"Bmatrix", "matrix", "{", "}"},   {"vmatrix", "matrix", "|", "|"},   {"Vmatrix", "matrix", "‖", "‖"},
});

/// Words as they are shown: a sign of TeX that is meant as itself stands behind a backslash.
std::string unescaped(std::string_view text)
{
    std::string shown;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '\\' && k + 1 < text.size() && std::string_view("_%&#$").find(text[k + 1]) != std::string_view::npos) ++k;
        shown += text[k];
    }
    return shown;
}

/// A part of a row while it is read.
struct atom {
    formula node;
    bool limits = false; ///< scripts go below and above in display style
    [[nodiscard]] bool is_space() const { return node.what == type::space; }
};

formula leaf(type what, std::string_view text, kind spacing = kind::ordinary)
{
    formula f;
    f.what = what;
    f.text = text;
    f.spacing = spacing;
    return f;
}

formula with_parts(type what, std::vector<formula> parts, kind spacing = kind::ordinary, std::string_view style = {})
{
    formula f;
    f.what = what;
    f.parts = std::move(parts);
    f.spacing = spacing;
    f.style = style;
    return f;
}

formula group(formula row)
{
    row.flag = true;
    return row;
}

formula letter(std::string_view text, std::string_view style = {}, kind spacing = kind::ordinary)
{
    formula f = leaf(type::letter, text, spacing);
    f.style = style;
    return f;
}

formula delimiter_of(std::string_view text, std::string_view form)
{
    formula f = leaf(type::delimiter, text);
    f.style = form;
    return f;
}

formula space_of(double em)
{
    formula f = leaf(type::space, "");
    f.size = em;
    return f;
}

class parser {
public:
    parser(std::string_view text, std::vector<std::string>& unknown, int depth = 0) : text_(text), unknown_(unknown), depth_(depth) {}

    formula all()
    {
        formula whole;
        while (!at_end()) {
            for (auto& part : parse_row(0).parts) whole.parts.push_back(std::move(part));
            if (!at_end()) { // what closes nothing
                if (peek_command() == "\\" || text_[at_] == '&')
                    skip_separator();
                else
                    whole.parts.push_back(stray());
            }
        }
        return whole;
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

    formula stray()
    {
        const std::string name(peek_command());
        unknown_.push_back(name.empty() ? std::string(1, text_[at_]) : "\\" + name);
        at_ += name.empty() ? 1 : 1 + name.size();
        return leaf(type::unknown, unknown_.back());
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
    formula parse_row(int cell)
    {
        const level deeper(depth_); // every way down leads through here or through parse_atom
        const bool script = script_level_ > 0;
        formula row;
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
            const bool blank_before = at_ > 0 && std::isspace(static_cast<unsigned char>(text_[at_ - 1])) != 0;
            atom a = parse_scripted();
            a.node.blank_before = blank_before;
            if (!a.is_space()) {
                const kind what = a.node.spacing;
                if (!script && before && needs_thin_space(*before, what)) row.parts.push_back(space_of(thin_space));
                before = what == kind::binary && may_be_sign ? kind::ordinary : what;
            }
            row.parts.push_back(std::move(a.node));
        }
        return row;
    }

    static bool is_operator_name(kind k) { return k == kind::function || k == kind::limits || k == kind::large; }
    /// TeX's rule for names of functions and large operators; all other spaces belong to the operators.
    static bool needs_thin_space(kind before, kind now)
    {
        if (before == kind::large) return is_operator_name(now) && now != kind::large;
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
        formula sub;
        formula sup;
        std::string primes;
        while (!at_end()) {
            const char c = text_[at_];
            if (c == '\'') {
                ++at_;
                primes += "′";
            } else if ((c == '_' && is_absent(sub)) || (c == '^' && is_absent(sup))) {
                ++at_;
                (c == '_' ? sub : sup) = argument(true);
            } else if (peek_command() == "limits" || peek_command() == "nolimits") {
                base.limits = take_command() == "limits";
            } else {
                break;
            }
        }
        if (is_absent(sub) && is_absent(sup) && primes.empty()) return base;
        const kind spacing = base.node.spacing;
        formula whole = leaf(type::scripts, primes, spacing);
        whole.flag = base.limits;
        for (formula* part : {&base.node, &sub, &sup}) whole.parts.push_back(std::move(*part));
        return {std::move(whole)};
    }

    static bool is_absent(const formula& f) { return f.what == type::row && f.parts.empty() && !f.flag; }

    /// One token or a group in braces, as one element.
    formula argument(bool script = false)
    {
        if (script) ++script_level_;
        formula f;
        if (at_end()) {
            f = group({});
        } else if (text_[at_] == '{') {
            ++at_;
            f = group(parse_row(0));
            close_brace();
        } else {
            sign_ = true;
            f = parse_atom(true).node;
        }
        if (script) --script_level_;
        return f;
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
        return {leaf(type::number, text_.substr(begin, at_ - begin))};
    }

    atom letters(bool single)
    {
        constexpr std::size_t longest_word = 5;
        std::size_t end = at_;
        while (end < text_.size() && end - at_ <= longest_word && is_letter(text_[end])) ++end;
        const auto run = text_.substr(at_, end - at_);
        if (!single) {
            if (std::ranges::find(words_of_measures, run) != words_of_measures.end()) {
                at_ = end;
                return {letter(run, "mathit")};
            }
            if (std::ranges::find(upright_words, run) != upright_words.end()) {
                at_ = end;
                return {letter(run, {}, kind::function)};
            }
        }
        return {letter(text_.substr(at_++, 1))};
    }

    [[nodiscard]] formula operation(std::string_view text, kind what) const
    {
        formula f = leaf(type::operation, text, what);
        f.flag = sign_ && what == kind::binary;
        f.in_script = script_level_ > 0;
        return f;
    }

    atom character()
    {
        const char c = text_[at_];
        const auto one = [&](std::string_view text, kind what) {
            ++at_;
            return atom{operation(text, what)};
        };
        switch (c) {
        case '+': return one("+", kind::binary);
        case '-': return one("−", kind::binary);
        case '*': return one("∗", kind::binary);
        case '=': return one("=", kind::relation);
        case '<': return one("<", kind::relation);
        case '>': return one(">", kind::relation);
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
        case '@': return one(text_.substr(at_, 1), kind::ordinary);
        default: break;
        }
        if (c == '~') {
            ++at_;
            return {space_of(*tex::space_width(" "))};
        }
        return {letter(take_character())};
    }

    /// With all its bytes.
    std::string_view take_character()
    {
        const auto whole = first_code_point(text_.substr(at_)).bytes;
        at_ += whole.size();
        return whole;
    }

    atom parse_atom(bool single = false)
    {
        const level deeper(depth_);
        const char c = text_[at_];
        if (c == '{') {
            ++at_;
            const bool sign = sign_;
            formula inside = group(parse_row(0));
            sign_ = sign;
            close_brace();
            return {std::move(inside)};
        }
        if (c == '\\' && at_ + 1 < text_.size()) return command();
        if (c == '^' || c == '_' || c == '\'') return {group({})}; // scripts of nothing
        if (c == '\\') return {stray()};
        if (is_digit(c)) {
            if (!single) return number();
            return {leaf(type::number, text_.substr(at_++, 1))};
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
            return {letter(s.text, upright ? "mathrm" : "")};
        }
        case kind::inner:
        case kind::function: return {letter(s.text, {}, s.what)};
        case kind::limits: return {self.operation(s.text, s.what), true};
        case kind::large: return {self.operation(s.text, s.what), s.text != "∫" && s.text != "∬" && s.text != "∮"};
        default: return {self.operation(s.text, s.what)};
        }
    }

    atom command()
    {
        const auto before = at_;
        const std::string_view name = take_command();
        if (const auto em = tex::space_width(name)) return {space_of(*em)};
        if (const auto s = tex::find_symbol(name)) return from_symbol(*s, *this);
        if (const auto a = tex::find_accent(name)) {
            formula f = with_parts(type::accent, {argument()}, kind::ordinary, a->name);
            f.text = a->text;
            return {std::move(f), name == "underbrace" || name == "overbrace"};
        }
        if (name == "frac" || name == "dfrac" || name == "tfrac" || name == "cfrac") return fraction(name);
        if (name == "binom") return {two_arguments(type::binomial)};
        if (name == "sqrt") return root();
        if (name == "text" || name == "mbox" || name == "textrm" || name == "textit" || name == "textbf") return words_of(raw_argument());
        if (name == "mathrm" || name == "operatorname") {
            if (peek() == '*') ++at_;
            return {letter(unescaped(trimmed(raw_argument())), "mathrm", name == "operatorname" ? kind::function : kind::ordinary)};
        }
        if (const auto* const a = std::ranges::find(alphabets, name); a != alphabets.end()) return styled(*a);
        if (name == "left") return fenced();
        if (name.starts_with("big") || name.starts_with("Big")) return big(name, before);
        if (name == "begin") return table();
        if (name == "pmod") return {with_parts(type::modulus, {argument()})};
        if (name == "not") return {with_parts(type::negated, {argument()})};
        if (name == "overset" || name == "stackrel" || name == "underset") {
            formula mark = argument(true);
            formula f = with_parts(type::stacked, {argument(), std::move(mark)}, kind::relation);
            f.flag = name == "underset";
            return {std::move(f)};
        }
        if (name == "phantom") return {with_parts(type::phantom, {argument()})};
        at_ = before;
        return {stray()};
    }

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    formula two_arguments(type what)
    {
        formula f = with_parts(what, {argument()});
        f.parts.push_back(argument());
        return f;
    }

    atom fraction(std::string_view name)
    {
        formula f = two_arguments(type::fraction);
        f.spacing = kind::inner;
        f.style = name == "frac" ? "frac" : name == "tfrac" ? "tfrac" : "dfrac";
        return {std::move(f)};
    }

    atom root()
    {
        std::vector<formula> degree;
        if (!at_end() && text_[at_] == '[') {
            const auto end = text_.find(']', at_);
            const auto inside = text_.substr(at_ + 1, end == std::string_view::npos ? end : end - at_ - 1);
            at_ = end == std::string_view::npos ? text_.size() : end + 1;
            degree.push_back(group(parser(inside, unknown_, depth_).all()));
        }
        formula f = with_parts(type::root, {argument()});
        for (auto& d : degree) f.parts.push_back(std::move(d));
        return {std::move(f)};
    }

    static atom words_of(std::string_view text)
    {
        formula f = leaf(type::words, unescaped(text));
        std::ranges::replace(f.text, '~', ' ');
        return {std::move(f)};
    }

    atom styled(std::string_view alphabet)
    {
        const auto inside = trimmed(raw_argument());
        const bool plain = std::ranges::all_of(inside, [](char c) { return is_letter(c) || is_digit(c); });
        if (plain || alphabet == "mathit") return {letter(inside, alphabet)};
        return {with_parts(type::styled, {parser(inside, unknown_, depth_).all()}, kind::ordinary, alphabet)};
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
        return std::string(c);
    }

    atom fenced()
    {
        std::vector<formula> parts;
        parts.push_back(delimiter_of(delimiter(), "prefix"));
        parts.push_back(parse_row(0));
        while (peek_command() == "middle") {
            take_command();
            parts.push_back(delimiter_of(delimiter(), "infix"));
            parts.push_back(parse_row(0));
        }
        if (peek_command() == "right") {
            take_command();
            parts.push_back(delimiter_of(delimiter(), "postfix"));
        } else {
            unknown_.emplace_back("\\left without \\right");
        }
        return {with_parts(type::fenced, std::move(parts), kind::inner)};
    }

    atom big(std::string_view name, std::size_t before)
    {
        constexpr auto sizes = std::to_array<std::pair<std::string_view, double>>({{"big", 1.2}, {"Big", 1.8}, {"bigg", 2.4}, {"Bigg", 3}});
        std::string_view base = name;
        const char side = base.back();
        const bool sided = side == 'l' || side == 'r' || side == 'm';
        if (sided) base.remove_suffix(1);
        const auto* const size = std::ranges::find(sizes, base, &std::pair<std::string_view, double>::first);
        if (size == sizes.end()) {
            at_ = before;
            return {stray()};
        }
        const std::string text = delimiter();
        const bool opens = side == 'l' || text == "(" || text == "[" || text == "{";
        formula f = delimiter_of(text, opens ? "prefix" : "postfix");
        f.spacing = opens ? kind::open : sided && side == 'm' ? kind::relation : kind::close;
        f.size = size->second;
        return {std::move(f)};
    }

    atom table()
    {
        const auto name = raw_argument();
        const auto* const known = std::ranges::find(environments, name, &environment::name);
        std::string columns;
        if (name == "array" || name == "alignedat") columns = std::string(raw_argument());
        std::erase_if(columns, [](char c) { return c != 'l' && c != 'c' && c != 'r'; });
        if (known == environments.end()) unknown_.push_back("\\begin{" + std::string(name) + "}");
        const environment e = known == environments.end() ? environment{name, "matrix", "", ""} : *known;

        const int outer_script = std::exchange(script_level_, 0);
        std::vector<formula> rows;
        int cell = 0;
        formula line;
        const auto end_line = [&] {
            if (!line.parts.empty()) rows.push_back(std::exchange(line, {}));
            cell = 0;
        };
        for (;;) {
            while (!at_end() && peek_command() == "hline") take_command();
            formula content = parse_row(e.style == "aligned" ? cell : 0);
            const bool last = at_end() || peek_command() == "end";
            if (!(last && content.parts.empty() && line.parts.empty())) {
                line.parts.push_back(std::move(content));
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
                line.parts.push_back(stray()); // a brace or \right that closes nothing
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
        formula body = with_parts(type::table, std::move(rows), kind::inner, e.style);
        body.text = columns;
        if (e.open.empty()) return {std::move(body)};
        std::vector<formula> parts;
        parts.push_back(delimiter_of(e.open, "prefix"));
        parts.push_back(std::move(body));
        parts.push_back(delimiter_of(e.close, "postfix"));
        return {with_parts(type::fenced, std::move(parts), kind::inner)};
    }

    /// \\[2ex]: the gap is left to the style of the page.
    void skip_row_gap()
    {
        if (peek() != '[') return;
        constexpr std::size_t longest_gap = 32;
        const auto end = text_.substr(at_, longest_gap).find(']');
        if (end != std::string_view::npos) at_ += end + 1;
    }

    std::string_view text_;
    std::vector<std::string>& unknown_;
    std::size_t at_ = 0;
    int depth_;
    int script_level_ = 0;
    bool sign_ = true; ///< an operator that follows is a sign
};

} // namespace

parsed_formula parse_formula(std::string_view tex)
{
    parsed_formula parsed;
    try {
        parsed.root = parser(tex, parsed.unknown).all();
    } catch (const nested_too_deeply&) {
        parsed.unknown = {"a formula nested too deeply"};
        parsed.root = leaf(type::unknown, tex);
    }
    return parsed;
}

} // namespace ivp
