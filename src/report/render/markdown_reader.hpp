// One reader of Markdown for all that it is written as. It takes time proportional to the length of the text, whatever it is.
#ifndef IVP_SRC_REPORT_RENDER_MARKDOWN_READER_HPP
#define IVP_SRC_REPORT_RENDER_MARKDOWN_READER_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

using markdown_lines = std::vector<std::string_view>;

/// Cells are written already.
struct markdown_table {
    std::vector<std::string> head;
    std::vector<char> alignment; ///< 'l', 'c', 'r'
    std::vector<std::vector<std::string>> rows;

    [[nodiscard]] bool has_head() const
    {
        return std::ranges::any_of(head, [](const std::string& c) { return !c.empty(); });
    }
    [[nodiscard]] char side(std::size_t column) const { return column < alignment.size() ? alignment[column] : 'l'; }
};

/// What becomes of each part of a text. Arguments called `inside` have been written already; all others are as they stand in the text.
class markdown_writer {
public:
    virtual ~markdown_writer() = default;

    virtual std::string text(std::string_view characters) = 0;
    virtual std::string line_break() = 0;
    virtual std::string code(std::string_view characters) = 0;
    virtual std::string formula(std::string_view tex, bool display_style) = 0;
    virtual std::string emphasis(const std::string& inside, bool strong) = 0;
    virtual std::string link(std::string_view address, const std::string& inside) = 0;

    /// A block behind those that are there.
    virtual void add(std::string& blocks, const std::string& block) = 0;
    virtual std::string heading(int level, const std::string& inside) = 0;
    virtual std::string paragraph(const std::string& inside) = 0;
    virtual std::string code_block(const markdown_lines& lines) = 0;
    virtual std::string display(std::string_view tex) = 0;
    virtual std::string rule() = 0;
    /// The blocks that follow belong to a quotation, until `quote` gets them.
    virtual void enter_quote() = 0;
    virtual std::string quote(const std::string& inside) = 0;
    /// The blocks that follow belong to items of a list, until `list` gets them. `loose`: with blank lines between paragraphs.
    virtual void enter_list(bool numbered, bool loose, std::size_t items) = 0;
    virtual std::string list(const std::vector<std::string>& inside) = 0;
    virtual std::string table(const markdown_table& t) = 0;
};

std::string write_markdown(std::string_view markdown, markdown_writer& writer);

} // namespace ivp

#endif
