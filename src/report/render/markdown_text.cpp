#include "markdown_text.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "formula_text.hpp"
#include "markdown_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ivp {

namespace {

constexpr std::string_view hard_blank = "\u00A0"; ///< at which no line is broken; a blank when all is written
constexpr std::size_t narrowest = 20;             ///< that indents leave

std::string with_hard_blanks(std::string_view text)
{
    std::string out;
    for (const char c : text) c == ' ' ? out += hard_blank : out += c;
    return out;
}

std::string with_soft_blanks(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = std::min(text.find(hard_blank, at), text.size());
        out += text.substr(at, next - at);
        if (next < text.size()) out += ' ';
        at = next + hard_blank.size();
    }
    return out;
}

/// Text whose lines are those of the file, in lines of `width`.
std::vector<std::string> filled(std::string_view text, std::size_t width)
{
    std::vector<std::string> all;
    for (const auto& part : lines_of(text)) {
        for (auto& line : lines_of(wrapped(part, width, 0))) {
            while (line.ends_with(' ')) line.pop_back(); // of two blanks at which the line was broken
            all.push_back(std::move(line));
        }
    }
    return all;
}

class text_writer final : public markdown_writer {
public:
    explicit text_writer(std::size_t width) : width_(width) {}

    std::string text(std::string_view characters) override { return characters == "\n" ? " " : terminal_text(characters); }
    std::string line_break() override { return "\n"; }
    std::string code(std::string_view characters) override
    {
        std::string one(characters);
        std::ranges::replace(one, '\n', ' ');
        return terminal_text(columns_of(one) <= longest_unbroken ? with_hard_blanks(one) : one);
    }
    std::string formula(std::string_view tex, bool /*display_style*/) override
    {
        const std::string line = terminal_text(formula_line(parse_formula(tex).root));
        return columns_of(line) <= longest_unbroken ? with_hard_blanks(line) : line;
    }
    std::string emphasis(const std::string& inside, bool /*strong*/) override { return inside; }
    std::string link(std::string_view address, const std::string& inside) override
    {
        const std::string shown = terminal_text(address);
        return shown == inside || address.starts_with('#') ? inside : inside + " <" + shown + ">";
    }

    void add(std::string& blocks, const std::string& block) override
    {
        if (!blocks.empty() && (open_.empty() || open_.back().apart)) blocks += "\n";
        blocks += block;
    }
    std::string heading(int level, const std::string& inside) override
    {
        std::string all;
        std::size_t longest = 0;
        for (const auto& line : filled(inside, width_)) {
            all += line + "\n";
            longest = std::max(longest, columns_of(line));
        }
        return level > 2 ? all : all + std::string(longest, level == 1 ? '=' : '-') + "\n";
    }
    std::string paragraph(const std::string& inside) override { return joined_lines(filled(inside, width_)); }
    std::string code_block(const markdown_lines& lines) override
    {
        std::string all;
        for (const auto line : lines) all += "    " + terminal_text(line) + "\n";
        return all;
    }
    std::string display(std::string_view tex) override
    {
        constexpr std::size_t indent = 4;
        std::string all;
        for (const auto& line : formula_lines(parse_formula(tex).root, width_ - indent)) all += blanks(indent) + terminal_text(line) + "\n";
        return all;
    }
    std::string rule() override { return std::string(width_, '-') + "\n"; }

    void enter_quote() override { enter(2, true, false); }
    std::string quote(const std::string& inside) override
    {
        leave();
        return indented(inside, "  ", "  ");
    }
    void enter_list(bool numbered, bool loose, std::size_t items) override
    {
        enter(numbered ? std::to_string(items).size() + 2 : 2, loose, numbered);
    }
    std::string list(const std::vector<std::string>& inside) override
    {
        const bool numbered = open_.back().numbered;
        const bool apart = open_.back().apart;
        const std::size_t indent = open_.back().indent;
        leave();
        std::string all;
        for (std::size_t k = 0; k < inside.size(); ++k) {
            std::string marker = numbered ? std::to_string(k + 1) + "." : "-";
            marker += blanks(indent > marker.size() ? indent - marker.size() : 1);
            if (k > 0 && apart) all += "\n";
            all += indented(inside[k].empty() ? "\n" : inside[k], marker, blanks(indent));
        }
        return all;
    }

    std::string table(const markdown_table& t) override
    {
        const std::size_t columns = t.head.size();
        std::vector<std::size_t> natural(columns, 1);
        std::vector<std::size_t> least(columns, 1);
        const auto note = [&](const std::vector<std::string>& cells) {
            for (std::size_t k = 0; k < std::min(columns, cells.size()); ++k) {
                natural[k] = std::max(natural[k], columns_of(cells[k]));
                least[k] = std::max(least[k], longest_word(cells[k]));
            }
        };
        note(t.head);
        for (const auto& row : t.rows) note(row);
        const auto fits = [&](std::size_t widest) {
            std::size_t total = indent_of_table;
            for (std::size_t k = 0; k < columns; ++k) total += std::min(natural[k], std::max(least[k], widest)) + (k > 0 ? gap_of_table : 0);
            return total <= width_;
        };
        std::size_t widest = width_;
        while (widest > 0 && !fits(widest)) --widest;
        if (widest == 0) return as_list(t);
        for (std::size_t k = 0; k < columns; ++k) natural[k] = std::min(natural[k], std::max(least[k], widest));
        std::string all;
        if (t.has_head()) {
            all += table_row(t, t.head, natural);
            std::vector<std::string> rule;
            for (const auto w : natural) rule.emplace_back(w, '-');
            all += table_row(t, rule, natural);
        }
        for (const auto& row : t.rows) all += table_row(t, row, natural);
        return all;
    }

private:
    static constexpr std::size_t longest_unbroken = 24; ///< a formula, or words of code, that stay in one line
    static constexpr std::size_t indent_of_table = 2;
    static constexpr std::size_t gap_of_table = 2;

    struct part {
        std::size_t indent;
        std::size_t width_outside;
        bool apart; ///< blocks have blank lines between them
        bool numbered;
    };

    void enter(std::size_t indent, bool apart, bool numbered)
    {
        open_.push_back({indent, width_, apart, numbered});
        width_ = std::max(narrowest, width_ - std::min(width_, indent));
    }
    void leave()
    {
        width_ = open_.back().width_outside;
        open_.pop_back();
    }

    static std::string joined_lines(const std::vector<std::string>& lines)
    {
        std::string all;
        for (const auto& line : lines) all += line + "\n";
        return all;
    }

    static std::string indented(const std::string& block, const std::string& first, const std::string& others)
    {
        std::string all;
        for (const auto& line : lines_of(block)) {
            const std::string& before = all.empty() ? first : others;
            all += (line.empty() ? "" : before + line) + "\n";
        }
        return all;
    }

    static std::size_t longest_word(const std::string& cell)
    {
        std::size_t longest = 1;
        for (const auto& word : lines_of(wrapped(cell, 1, 0))) longest = std::max(longest, columns_of(word));
        return longest;
    }

    static std::string table_row(const markdown_table& t, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths)
    {
        std::vector<std::vector<std::string>> broken;
        std::size_t height = 0;
        for (std::size_t k = 0; k < std::min(cells.size(), widths.size()); ++k) {
            broken.push_back(filled(cells[k], widths[k]));
            height = std::max(height, broken.back().size());
        }
        std::string all;
        for (std::size_t l = 0; l < height; ++l) {
            std::string line = blanks(indent_of_table);
            for (std::size_t k = 0; k < broken.size(); ++k) {
                const std::string text = l < broken[k].size() ? broken[k][l] : "";
                const std::size_t free = widths[k] - std::min(widths[k], columns_of(text));
                const std::size_t left = t.side(k) == 'r' ? free : t.side(k) == 'c' ? free / 2 : 0;
                line += blanks((k > 0 ? gap_of_table : 0) + left) + text + blanks(free - left);
            }
            while (line.ends_with(' ')) line.pop_back();
            all += line + "\n";
        }
        return all;
    }

    /// A table too wide for its lines: a paragraph for each row, a line for each cell.
    [[nodiscard]] std::string as_list(const markdown_table& t) const
    {
        constexpr std::size_t longest_name = 30;
        std::string all;
        for (const auto& row : t.rows) {
            if (!all.empty()) all += "\n";
            for (std::size_t k = 0; k < row.size(); ++k) {
                if (row[k].empty()) continue;
                const std::string name = k < t.head.size() && !t.head[k].empty() ? cut(t.head[k], longest_name) + ": " : "";
                all += indented(joined_lines(filled(name + row[k], std::max(narrowest, width_ - 4))), "  ", "    ");
            }
        }
        return all;
    }

    std::size_t width_;
    std::vector<part> open_; ///< quotations and lists around what is being written
};

} // namespace

std::string text_from_markdown(std::string_view markdown, std::size_t width)
{
    text_writer writer(std::max(narrowest, width));
    return with_soft_blanks(write_markdown(markdown, writer));
}

} // namespace ivp
