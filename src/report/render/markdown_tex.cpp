#include "markdown_tex.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "markdown_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ivp {

namespace {

class tex_writer final : public markdown_writer {
public:
    std::string text(std::string_view characters) override { return characters == "\n" ? "\n" : tex_escaped(characters); }
    std::string line_break() override { return "\\\\\n"; }
    std::string code(std::string_view characters) override { return "\\texttt{" + tex_escaped(characters) + "}"; }
    std::string formula(std::string_view tex, bool display_style) override
    {
        std::string one = without_blank_lines(tex);
        while (one.ends_with('\n')) one.pop_back();
        return fmt::format("${}{}$", display_style ? "\\displaystyle " : "", one);
    }
    std::string emphasis(const std::string& inside, bool strong) override { return (strong ? "\\textbf{" : "\\emph{") + inside + "}"; }
    std::string link(std::string_view /*address*/, const std::string& inside) override { return inside; }

    void add(std::string& blocks, const std::string& block) override
    {
        if (!blocks.empty() && !block.empty()) blocks += "\n";
        blocks += block;
    }
    std::string heading(int level, const std::string& inside) override
    {
        if (level == 1) return ""; // the section has it
        return fmt::format("\\{}*{{{}}}\n", level == 2 ? "subsection" : "subsubsection", inside);
    }
    std::string paragraph(const std::string& inside) override { return inside + "\n"; }
    std::string code_block(const markdown_lines& lines) override
    {
        std::string all = "\\begin{quote}\\small\\ttfamily\n";
        for (const auto line : lines) all += "\\mbox{" + blanks_kept(line) + "}\\\\\n";
        return all + "\\end{quote}\n";
    }
    std::string display(std::string_view tex) override { return "\\[\n" + without_blank_lines(tex) + "\\]\n"; }
    std::string rule() override { return "\\medskip\\hrule\\medskip\n"; }
    void enter_quote() override {}
    std::string quote(const std::string& inside) override { return "\\begin{quote}\n" + inside + "\\end{quote}\n"; }
    void enter_list(bool numbered, bool /*loose*/, std::size_t /*items*/) override { numbered_.push_back(numbered); }
    std::string list(const std::vector<std::string>& inside) override
    {
        const char* const kind = numbered_.back() ? "enumerate" : "itemize";
        numbered_.pop_back();
        std::string all = fmt::format("\\begin{{{}}}\n", kind);
        for (const auto& item : inside) all += "\\item " + item;
        return all + fmt::format("\\end{{{}}}\n", kind);
    }
    std::string table(const markdown_table& t) override
    {
        // Columns of long texts get lines of their own width, so that the table fits the page.
        constexpr std::size_t long_text = 36;
        constexpr std::size_t page = 92; // characters
        std::vector<std::size_t> widest(t.head.size(), 1);
        const auto note = [&](const std::vector<std::string>& cells) {
            for (std::size_t k = 0; k < std::min(widest.size(), cells.size()); ++k) widest[k] = std::max(widest[k], cells[k].size());
        };
        note(t.head);
        for (const auto& row : t.rows) note(row);
        std::size_t fixed = 0;
        std::size_t flexible = 0;
        constexpr std::size_t gap = 3; // between two columns
        for (const auto w : widest) {
            fixed += gap;
            if (w > long_text)
                ++flexible;
            else
                fixed += w;
        }
        const double share =
            flexible == 0 ? 0 : static_cast<double>(page - std::min(page - 20, fixed)) / static_cast<double>(page) / static_cast<double>(flexible);
        std::string columns;
        for (std::size_t k = 0; k < widest.size(); ++k)
            columns +=
                widest[k] > long_text ? fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.2f}\\linewidth}}", share) : std::string(1, t.side(k));
        const auto row = [&](const std::vector<std::string>& cells) {
            std::string all;
            for (std::size_t k = 0; k < widest.size(); ++k) all += (k > 0 ? " & " : "") + (k < cells.size() ? cells[k] : "");
            return all + " \\\\\n";
        };
        std::string all = fmt::format("\\begingroup\\small\n\\begin{{longtable}}[l]{{{}}}\n\\toprule\n", columns);
        if (t.has_head()) all += row(t.head) + "\\midrule\n\\endhead\n";
        for (const auto& cells : t.rows) all += row(cells);
        return all + "\\bottomrule\n\\end{longtable}\n\\endgroup\n";
    }

private:
    /// A blank line would end the formula.
    static std::string without_blank_lines(std::string_view tex)
    {
        std::string out;
        for (const auto& line : lines_of(tex))
            if (line.find_first_not_of(" \t\r") != std::string::npos) out += line + "\n";
        return out;
    }
    static std::string blanks_kept(std::string_view line)
    {
        std::string out;
        for (const char c : tex_escaped(line)) c == ' ' ? out += "\\ " : out += c;
        return out;
    }

    std::vector<bool> numbered_; ///< lists around what is being written
};

} // namespace

std::string tex_from_markdown(std::string_view markdown)
{
    tex_writer writer;
    return write_markdown(markdown, writer);
}

} // namespace ivp
