#include "formula_text.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace ivp {

namespace {

using tex::kind;
using type = formula::type;
using replacement = std::pair<std::string_view, std::string_view>;

/// Characters that every font of a terminal has, in place of those that print has.
constexpr auto everyday = std::to_array<replacement>({
    {"−", "-"},
    {"∗", "*"},
    {"⋆", "*"},
    {"⋅", "·"},
    {"∙", "·"},
    {"∼", "~"},
    {"∣", "|"},
    {"⋯", "…"},
    {"⟶", "→"},
    {"⟵", "←"},
    {"ϕ", "φ"},
    {"ϵ", "ε"},
    {"⩽", "≤"},
    {"⩾", "≥"},
});
constexpr auto below = std::to_array<replacement>({
    {"0", "₀"}, {"1", "₁"}, {"2", "₂"}, {"3", "₃"}, {"4", "₄"}, {"5", "₅"}, {"6", "₆"}, {"7", "₇"}, {"8", "₈"}, {"9", "₉"},
    {"+", "₊"}, {"-", "₋"}, {"=", "₌"}, {"a", "ₐ"}, {"e", "ₑ"}, {"i", "ᵢ"}, {"j", "ⱼ"}, {"k", "ₖ"}, {"l", "ₗ"}, {"m", "ₘ"},
    {"n", "ₙ"}, {"o", "ₒ"}, {"p", "ₚ"}, {"r", "ᵣ"}, {"s", "ₛ"}, {"t", "ₜ"}, {"u", "ᵤ"}, {"v", "ᵥ"}, {"x", "ₓ"},
});
constexpr auto above = std::to_array<replacement>({
    {"0", "⁰"}, {"1", "¹"}, {"2", "²"}, {"3", "³"}, {"4", "⁴"}, {"5", "⁵"}, {"6", "⁶"}, {"7", "⁷"}, {"8", "⁸"}, {"9", "⁹"},
    {"+", "⁺"}, {"-", "⁻"}, {"=", "⁼"}, {"(", "⁽"}, {")", "⁾"}, {"i", "ⁱ"}, {"j", "ʲ"}, {"k", "ᵏ"}, {"m", "ᵐ"}, {"n", "ⁿ"},
    {"p", "ᵖ"}, {"s", "ˢ"}, {"t", "ᵗ"}, {"x", "ˣ"}, {"T", "ᵀ"}, {"⊤", "ᵀ"}, {"*", "*"}, {"′", "′"}, {"°", "°"}, {"∘", "°"},
});
/// Marks that stand above or below the character before them.
constexpr auto marks = std::to_array<replacement>({
    {"bar", "\u0304"},
    {"hat", "\u0302"},
    {"tilde", "\u0303"},
    {"vec", "\u20D7"},
    {"dot", "\u0307"},
    {"ddot", "\u0308"},
    {"check", "\u030C"},
    {"overline", "\u0305"},
    {"widehat", "\u0302"},
    {"widetilde", "\u0303"},
    {"underline", "\u0332"},
});
/// Delimiters of several lines: first, inner, last line, and the one in the middle.
struct tall {
    std::string_view of;
    std::array<std::string_view, 4> lines;
};
constexpr auto tall_delimiters = std::to_array<tall>({
    {"(", {"⎛", "⎜", "⎝", "⎜"}},
    {")", {"⎞", "⎟", "⎠", "⎟"}},
    {"[", {"⎡", "⎢", "⎣", "⎢"}},
    {"]", {"⎤", "⎥", "⎦", "⎥"}},
    {"{", {"⎧", "⎪", "⎩", "⎨"}},
    {"}", {"⎫", "⎪", "⎭", "⎬"}},
    {"|", {"│", "│", "│", "│"}},
    {"‖", {"‖", "‖", "‖", "‖"}},
});

template <std::size_t N>
std::optional<std::string_view> replaced(const std::array<replacement, N>& table, std::string_view text)
{
    const auto found = std::ranges::find(table, text, &replacement::first);
    if (found == table.end()) return std::nullopt;
    return found->second;
}

std::string usual(std::string_view text) { return std::string(replaced(everyday, text).value_or(text)); }

bool is_word(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

/// As small characters if all are to be had, else behind its mark.
template <std::size_t N>
std::string script(const std::string& text, const std::array<replacement, N>& small, char mark)
{
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
        const auto c = first_code_point(rest).bytes;
        const auto one = replaced(small, c);
        if (!one) return mark + (is_word(text) || c.size() == text.size() ? text : "(" + text + ")");
        out += *one;
        rest.remove_prefix(c.size());
    }
    return out;
}

/// A sum, product or quotient, unless parentheses hold it together.
bool is_composed(std::string_view text)
{
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '(') ++depth;
        if (text[k] == ')') --depth;
        if (depth == 0 && (std::string_view(" +-/").find(text[k]) != std::string_view::npos || text.substr(k).starts_with("·"))) return true;
    }
    return false;
}

std::string enclosed(std::string text) { return is_composed(text) ? "(" + std::move(text) + ")" : text; }

std::string_view without_blanks(std::string_view s)
{
    while (s.starts_with(' ')) s.remove_prefix(1);
    while (s.ends_with(' ')) s.remove_suffix(1);
    return s;
}

/// Text of one or more lines; `base` is the one that continues what stands beside it.
struct box {
    std::vector<std::string> lines{""};
    std::size_t base = 0;

    box() = default;
    explicit box(std::string line) : lines{std::move(line)} {}
    [[nodiscard]] bool is_line() const { return lines.size() == 1; }
    [[nodiscard]] std::size_t width() const
    {
        std::size_t widest = 0;
        for (const auto& l : lines) widest = std::max(widest, columns_of(l));
        return widest;
    }

    void append(const box& next)
    {
        if (is_line() && next.is_line()) {
            lines[0] += next.lines[0];
            return;
        }
        const std::size_t here = width();
        const std::size_t up = std::max(base, next.base);
        const std::size_t down = std::max(lines.size() - base, next.lines.size() - next.base);
        lines.insert(lines.begin(), up - base, "");
        base = up;
        lines.resize(up + down);
        for (std::size_t k = 0; k < next.lines.size(); ++k) {
            auto& line = lines[up - next.base + k];
            line += blanks(here - columns_of(line)) + next.lines[k];
        }
    }
};

/// A table that does not fit.
struct too_large {};
constexpr std::size_t highest = 60; ///< lines

class formula_writer {
public:
    /// `width` 0: everything in one line.
    explicit formula_writer(std::size_t width) : width_(width) {}

    box write(const formula& f)
    {
        switch (f.what) {
        case type::row: return row(f.parts);
        case type::scripts: return scripts(f);
        case type::fenced: return fenced(f);
        case type::table: return width_ == 0 ? box(flat_table(f)) : table(f);
        case type::styled: return write(f.parts[0]);
        default: return box(line(f));
        }
    }

    box row(const std::vector<formula>& parts)
    {
        box all;
        const formula* before = nullptr;
        for (const auto& p : parts) {
            const std::string& end = all.lines[all.base];
            const bool apart = end.empty() || end.ends_with(' ');
            if (!apart && before != nullptr && stands_apart(*before, p)) all.append(box(" "));
            box next = write(p);
            if (next.is_line() && (all.lines[all.base].empty() || all.lines[all.base].ends_with(' ')) && p.what != type::space)
                next.lines[0] = without_first_blank(next.lines[0]);
            if (!next.is_line() || !next.lines[0].empty()) all.append(next);
            if (!all.is_line()) must_fit(all);
            before = &p;
        }
        return all;
    }

    /// The columns of a row of a table, as they are aligned.
    std::vector<std::vector<box>> cells_of(const formula& table)
    {
        std::vector<std::vector<box>> rows;
        for (const auto& l : table.parts) {
            std::vector<box> cells;
            for (const auto& c : l.parts) {
                box b = write(c);
                if (b.is_line()) b.lines[0] = without_blanks(b.lines[0]);
                cells.push_back(std::move(b));
            }
            rows.push_back(std::move(cells));
        }
        return rows;
    }

    static std::size_t gap_before(const formula& table, std::size_t column)
    {
        if (column == 0) return 0;
        if (table.style == "aligned") return column % 2 == 1 ? 1 : 3;
        return 2;
    }

private:
    static std::string without_first_blank(std::string text)
    {
        if (text.starts_with(' ')) text.erase(0, 1);
        return text;
    }

    static const formula& base_of(const formula& f) { return f.what == type::scripts ? base_of(f.parts[0]) : f; }

    /// Whether the author's blank is one for the reader: not behind a sign, a differential or an opening parenthesis.
    static bool stands_apart(const formula& before, const formula& next)
    {
        if (!next.blank_before || next.in_script) return false;
        const formula& base = base_of(before);
        if (base.what == type::operation && base.in_script) return false;
        if (base.what == type::letter && (base.text == "∂" || base.text == "Δ" || base.text == "∇" || base.text == "δ")) return false;
        const auto quiet = [](kind k) {
            return k == kind::open || k == kind::close || k == kind::punctuation || k == kind::binary || k == kind::relation;
        };
        if (base.what == type::operation && (quiet(base.spacing) && base.spacing != kind::close)) return false;
        if (next.what == type::operation && quiet(next.spacing) && next.spacing != kind::open) return false;
        if (base.spacing == kind::function && (next.spacing == kind::open || next.what == type::fenced)) return false;
        return base.what != type::space && next.what != type::space;
    }

    void must_fit(const box& b) const
    {
        if (width_ > 0 && (b.lines.size() > highest || b.width() > width_)) throw too_large();
    }

    static std::string flat(const formula& f) { return std::string(without_blanks(formula_writer(0).write(f).lines[0])); }

    static std::string line(const formula& f)
    {
        switch (f.what) {
        case type::number:
        case type::unknown: return f.text;
        case type::letter: return letter(f);
        case type::words: return spaced_once(f.text);
        case type::operation: return operation(f);
        case type::space: return f.size <= 0 ? "" : f.in_script ? "" : blanks(f.size < 1 ? 1 : f.size < 2 ? 2 : 4);
        case type::accent: return accented(f);
        case type::fraction: return enclosed(flat(f.parts[0])) + "/" + enclosed(flat(f.parts[1]));
        case type::binomial: return "(" + flat(f.parts[0]) + " over " + flat(f.parts[1]) + ")";
        case type::root: return root(f);
        case type::delimiter: return usual(f.text);
        case type::modulus: return " (mod " + flat(f.parts[0]) + ")";
        case type::negated: return flat(f.parts[0]) + "\u0338";
        case type::stacked: {
            const std::string base = flat(f.parts[0]);
            return " " + base + (f.flag ? script(flat(f.parts[1]), below, '_') : script(flat(f.parts[1]), above, '^')) + " ";
        }
        default: return ""; // a phantom; the others are written by `write`
        }
    }

    /// Bold and script letters are letters; double ones have meanings of their own.
    static std::string letter(const formula& f)
    {
        constexpr auto sets = std::to_array<replacement>({{"C", "ℂ"}, {"N", "ℕ"}, {"Q", "ℚ"}, {"R", "ℝ"}, {"Z", "ℤ"}});
        if (f.style == "mathbb") return std::string(replaced(sets, f.text).value_or(f.text));
        return usual(f.text);
    }

    static std::string spaced_once(std::string_view text)
    {
        std::string out;
        for (const char c : text)
            if (const char shown = c == '\n' || c == '\t' ? ' ' : c; shown != ' ' || !out.ends_with(' ')) out += shown;
        return out;
    }

    static std::string operation(const formula& f)
    {
        std::string text = usual(f.text);
        if (f.in_script) return text;
        switch (f.spacing) {
        case kind::binary: return f.flag ? text : " " + text + " ";
        case kind::relation: return f.text == ":" ? ": " : " " + text + " ";
        case kind::punctuation: return text + " ";
        default: return text;
        }
    }

    static std::string accented(const formula& f)
    {
        std::string base = flat(f.parts[0]);
        const auto mark = replaced(marks, f.style);
        if (!mark || base.empty()) return base;
        const auto first = first_code_point(base).bytes;
        if (first.size() == base.size()) return base + std::string(*mark);
        return std::string(f.style) + "(" + base + ")";
    }

    static std::string root(const formula& f)
    {
        const std::string base = flat(f.parts[0]);
        const bool simple = is_word(base) || columns_of(base) == 1;
        const std::string degree = f.parts.size() > 1 ? flat(f.parts[1]) : "";
        return (degree == "3" ? "∛" : degree.empty() ? "√" : script(degree, above, '^') + "√") + (simple ? base : "(" + base + ")");
    }

    box scripts(const formula& f)
    {
        box base = write(f.parts[0]);
        const std::string sub = flat(f.parts[1]);
        const std::string sup = flat(f.parts[2]);
        const std::string low = sub.empty() ? "" : script(sub, below, '_');
        const std::string high = f.text + (sup.empty() ? "" : script(sup, above, '^'));
        if (base.is_line()) {
            if (f.parts[0].what == type::fraction) base.lines[0] = enclosed(base.lines[0]);
            if (f.flag && f.parts[0].spacing == kind::large && !f.in_script) return box(base.lines[0] + low + high + " ");
            return box(base.lines[0] + low + high);
        }
        const std::size_t here = base.width();
        base.lines.front() += blanks(here - columns_of(base.lines.front())) + high;
        base.lines.back() += blanks(here - columns_of(base.lines.back())) + low;
        return base;
    }

    box fenced(const formula& f)
    {
        std::vector<box> inside;
        std::size_t height = 1;
        std::size_t base = 0;
        for (const auto& p : f.parts) {
            inside.push_back(p.what == type::delimiter ? box(usual(p.text)) : write(p));
            auto& b = inside.back();
            if (b.is_line()) b.lines[0] = without_blanks(b.lines[0]);
            if (b.lines.size() > height) {
                height = b.lines.size();
                base = b.base;
            }
        }
        box all;
        for (std::size_t k = 0; k < inside.size(); ++k) {
            const bool tall_one = height > 1 && f.parts[k].what == type::delimiter && !f.parts[k].text.empty();
            if (tall_one && f.parts[k].style != "prefix") all.append(box(" "));
            all.append(tall_one ? tall_delimiter(f.parts[k].text, height, base) : inside[k]);
            if (tall_one && f.parts[k].style != "postfix") all.append(box(" "));
            if (!all.is_line()) must_fit(all);
        }
        return all;
    }

    static box tall_delimiter(std::string_view text, std::size_t height, std::size_t base)
    {
        box b;
        b.base = base;
        b.lines.assign(height, std::string(text));
        const auto* const found = std::ranges::find(tall_delimiters, text, &tall::of);
        if (found == tall_delimiters.end()) return b;
        for (std::size_t k = 0; k < height; ++k)
            b.lines[k] = found->lines[k == 0 ? 0 : k + 1 == height ? 2 : k == height / 2 && height % 2 == 1 ? 3 : 1];
        return b;
    }

    std::string flat_table(const formula& f)
    {
        const bool matrix = f.style == "matrix";
        std::string all;
        for (const auto& cells : cells_of(f)) {
            std::string line;
            for (const auto& c : cells) line += (line.empty() || c.lines[0].empty() ? "" : matrix ? ", " : " ") + c.lines[0];
            all += (all.empty() ? "" : "; ") + line;
        }
        return all;
    }

    static char alignment(const formula& f, std::size_t column)
    {
        if (f.style == "aligned") return column % 2 == 0 ? 'r' : 'l';
        if (f.style != "matrix") return 'l';
        return column < f.text.size() ? f.text[column] : 'c';
    }

    box table(const formula& f)
    {
        if (f.parts.size() > highest) throw too_large();
        const auto rows = cells_of(f);
        std::vector<std::size_t> widths;
        for (const auto& cells : rows) {
            widths.resize(std::max(widths.size(), cells.size()));
            for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], cells[k].width());
        }
        std::size_t total = 0;
        for (std::size_t k = 0; k < widths.size(); ++k) total += widths[k] + gap_before(f, k);
        if (total > width_) throw too_large();
        box all;
        all.lines.clear();
        for (const auto& cells : rows) {
            box line;
            for (std::size_t k = 0; k < cells.size(); ++k) {
                const std::size_t free = widths[k] - cells[k].width();
                const char side = alignment(f, k);
                const std::size_t left = side == 'r' ? free : side == 'c' ? free / 2 : 0;
                line.append(box(blanks(widths[k] > 0 ? gap_before(f, k) + left : 0)));
                line.append(cells[k]);
                if (k + 1 < cells.size()) line.append(box(blanks(free - left)));
            }
            all.lines.insert(all.lines.end(), line.lines.begin(), line.lines.end());
        }
        if (all.lines.empty()) all.lines.emplace_back();
        all.base = (all.lines.size() - 1) / 2;
        must_fit(all);
        return all;
    }

    std::size_t width_;
};

/// The system of equations that a formula is, apart from blanks and punctuation.
const formula* only_table(const formula& f)
{
    const formula* found = nullptr;
    for (const auto& p : f.parts) {
        if (p.what == type::table && (p.style == "aligned" || p.style == "gathered") && found == nullptr)
            found = &p;
        else if (p.what != type::space)
            return nullptr;
    }
    return found;
}

void add_broken(std::vector<std::string>& lines, std::string_view text, std::size_t width, std::size_t indent)
{
    const std::size_t inner = width - std::min(indent, width / 3);
    std::string all = wrapped(text, inner, static_cast<int>(width - inner));
    for (std::size_t at = 0; at <= all.size();) {
        const auto end = std::min(all.find('\n', at), all.size());
        lines.push_back(all.substr(at, end - at));
        at = end + 1;
    }
}

/// A system too wide to be aligned in all its columns: each equation for itself.
std::vector<std::string> equation_by_equation(const formula& table, std::size_t width)
{
    formula_writer flat(0);
    const auto rows = flat.cells_of(table);
    std::size_t left = 0;
    const std::size_t widest = width / 4;
    for (const auto& cells : rows)
        if (!cells.empty() && cells[0].width() <= widest) left = std::max(left, cells[0].width());
    std::vector<std::string> lines;
    for (const auto& cells : rows) {
        std::string text;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const std::string& cell = cells[k].lines[0];
            if (cell.empty()) continue;
            if (k > 0 && !text.empty()) text += blanks(formula_writer::gap_before(table, k));
            text += cell;
        }
        if (cells.empty()) continue;
        const std::size_t first = table.style == "aligned" ? cells[0].width() : 0;
        const std::size_t lead = table.style != "aligned" || first > left ? 0 : left - first;
        const std::size_t from = lines.size();
        add_broken(lines, text, width - std::min(lead, width / 2), first + 3);
        for (std::size_t k = from; k < lines.size(); ++k) lines[k].insert(0, blanks(lead + (first == 0 && cells.size() > 1 && k == from ? 1 : 0)));
    }
    return lines;
}

} // namespace

std::string formula_line(const formula& f) { return std::string(without_blanks(formula_writer(0).write(f).lines[0])); }

namespace {

std::vector<std::string> lines_within(const formula& f, std::size_t width)
{
    try {
        box all = formula_writer(width).write(f);
        if (all.width() <= width) return all.lines;
    } catch (const too_large&) { // written in another way below
    }
    if (const formula* table = only_table(f)) return equation_by_equation(*table, width);
    std::vector<std::string> lines;
    add_broken(lines, formula_line(f), width, 4);
    return lines;
}

} // namespace

std::vector<std::string> formula_lines(const formula& f, std::size_t width)
{
    std::vector<std::string> lines = lines_within(f, width);
    for (auto& line : lines)
        while (line.ends_with(' ')) line.pop_back();
    return lines;
}

} // namespace ivp
