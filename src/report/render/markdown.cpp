#include "markdown.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "markdown_reader.hpp"
#include "mathml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace ivp {

namespace {

using lines = markdown_lines;

lines source_lines(std::string_view text)
{
    lines all;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        all.push_back(line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return all;
}

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Level of a heading, 0: none.
int heading_level(std::string_view line)
{
    const auto level = std::min(line.find_first_not_of('#'), line.size());
    return level >= 1 && level <= 6 && level < line.size() && line[level] == ' ' ? static_cast<int>(level) : 0;
}

bool is_fence(std::string_view line) { return trimmed(line).starts_with("```") || trimmed(line).starts_with("~~~"); }

/// Width of a list marker ("- ", "12. ") with its blanks; 0: none.
std::size_t marker_width(std::string_view line)
{
    const auto indent = indent_of(line);
    const auto rest = line.substr(indent);
    if (rest.size() >= 2 && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+') && rest[1] == ' ') return indent + 1 + indent_of(rest.substr(1));
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits >= 1 && digits <= 4 && digits + 1 < rest.size() && (rest[digits] == '.' || rest[digits] == ')') && rest[digits + 1] == ' ')
        return indent + digits + 1 + indent_of(rest.substr(digits + 1));
    return 0;
}

bool is_rule(std::string_view line)
{
    const auto t = trimmed(line);
    if (t.size() < 3 || (t[0] != '-' && t[0] != '*' && t[0] != '_')) return false;
    return std::ranges::all_of(t, [&t](char c) { return c == t[0] || c == ' '; });
}

/// The second line of a table: dashes, bars and colons only.
bool is_table_rule(std::string_view line)
{
    const auto t = trimmed(line);
    return t.find('-') != std::string_view::npos && t.find('|') != std::string_view::npos && t.find_first_not_of("-|: ") == std::string_view::npos;
}

// A text may be hostile: blocks and marks nest only so deep, and marks may look for their partners only so far; what is beyond is plain text. No
// chapter that a person wrote comes near.
constexpr int deepest_block = 30;
constexpr std::size_t effort_per_character = 40;
constexpr std::size_t effort_at_least = 100'000;
constexpr std::size_t effort_of_a_cell = 20; ///< that is added to a short line of a table

class reader {
public:
    reader(std::size_t size, markdown_writer& writer) : effort_(effort_at_least + size * effort_per_character), writer_(writer) {}

    std::string blocks(const lines& all_lines)
    {
        const nested one(depth_);
        std::string all;
        std::size_t at = 0;
        while (at < all_lines.size()) {
            if (is_blank(all_lines[at]))
                ++at;
            else
                block(all_lines, at, all);
        }
        return all;
    }

    std::string inline_text(std::string_view s)
    {
        const nested one(depth_);
        if (depth_ > deepest_block) return writer_.text(s);
        std::string out;
        for (std::size_t k = 0; k < s.size();) {
            if (const auto end = end_of_verbatim(s, k); end > k) {
                out += s[k] == '`' ? code(s.substr(k, end - k)) : formula(s.substr(k, end - k));
                k = end;
            } else if (const auto used = emphasis(s, k, out); used > 0) {
                k += used;
            } else if (const auto link_size = link(s, k, out); link_size > 0) {
                k += link_size;
            } else {
                k += plain(s, k, out);
            }
        }
        return out;
    }

private:
    class nested {
    public:
        explicit nested(int& depth) : depth_(depth) { ++depth_; }
        ~nested() { --depth_; }
        nested(const nested&) = delete;
        nested& operator=(const nested&) = delete;

    private:
        int& depth_;
    };

    /// Whether there was effort left.
    bool spend(std::size_t effort)
    {
        const bool enough = effort_ > 0;
        effort_ -= std::min(effort_, effort);
        return enough;
    }

    /// The next place of `mark`, from `from`; npos also where the effort is used up.
    std::size_t find(std::string_view s, std::string_view mark, std::size_t from)
    {
        if (effort_ == 0) return std::string_view::npos;
        const auto found = s.find(mark, from);
        spend(std::min(found, s.size()) - std::min(from, s.size()));
        return found;
    }

    /// Where the mathematics or code that begins at `at` ends (behind its closing mark); `at` itself: none begins here.
    std::size_t end_of_verbatim(std::string_view s, std::size_t at)
    {
        if (effort_ == 0) return at;
        if (s[at] == '`') {
            const auto width = std::min(s.find_first_not_of('`', at), s.size()) - at;
            spend(width);
            const auto close = find(s, s.substr(at, width), at + width);
            return close == std::string_view::npos ? at : close + width;
        }
        if (s[at] != '$') return at;
        if (s.substr(at).starts_with("$$")) {
            const auto close = find(s, "$$", at + 2);
            return close == std::string_view::npos ? at : close + 2;
        }
        // Of a formula in the line neither end may touch a blank, and no digit may follow: "$5 and $6" are prices.
        if (at + 1 >= s.size() || std::isspace(static_cast<unsigned char>(s[at + 1])) != 0) return at;
        for (std::size_t k = at + 1; k < s.size() && spend(1); ++k) {
            if (s[k] == '\\') {
                ++k;
                continue;
            }
            if (s[k] != '$') continue;
            const bool price = k + 1 < s.size() && std::isdigit(static_cast<unsigned char>(s[k + 1])) != 0;
            return std::isspace(static_cast<unsigned char>(s[k - 1])) != 0 || price ? at : k + 1;
        }
        return at;
    }

    std::vector<std::string_view> cells_of(std::string_view line)
    {
        auto t = trimmed(line);
        if (t.starts_with('|')) t.remove_prefix(1);
        if (t.ends_with('|') && !t.ends_with("\\|")) t.remove_suffix(1);
        std::vector<std::string_view> cells;
        std::size_t begin = 0;
        for (std::size_t k = 0; k < t.size(); ++k) {
            if (t[k] == '\\') {
                ++k;
                continue;
            }
            if (const auto end = end_of_verbatim(t, k); end > k) {
                k = end - 1;
                continue;
            }
            if (t[k] != '|') continue;
            cells.push_back(trimmed(t.substr(begin, k - begin)));
            begin = k + 1;
        }
        cells.push_back(trimmed(t.substr(begin)));
        return cells;
    }

    void block(const lines& all, std::size_t& at, std::string& out)
    {
        const auto line = all[at];
        if (const int level = heading_level(line)) {
            ++at;
            writer_.add(out, writer_.heading(level, inline_text(trimmed(line.substr(static_cast<std::size_t>(level))))));
        } else if (is_fence(line)) {
            writer_.add(out, fenced_code(all, at));
        } else if (trimmed(line).starts_with("$$")) {
            display(all, at, out);
        } else if (is_rule(line)) {
            ++at;
            writer_.add(out, writer_.rule());
        } else if (depth_ < deepest_block && line.starts_with(">")) {
            writer_.add(out, quote(all, at));
        } else if (depth_ < deepest_block && marker_width(line) > 0) {
            writer_.add(out, list(all, at));
        } else if (at + 1 < all.size() && line.find('|') != std::string_view::npos && is_table_rule(all[at + 1])) {
            writer_.add(out, table(all, at));
        } else {
            paragraph(all, at, out);
        }
    }

    std::string fenced_code(const lines& all, std::size_t& at)
    {
        const auto indent = indent_of(all[at]);
        lines inside;
        for (++at; at < all.size() && !is_fence(all[at]); ++at) inside.push_back(all[at].substr(std::min(indent, indent_of(all[at]))));
        if (at < all.size()) ++at;
        return writer_.code_block(inside);
    }

    /// A formula on lines of its own; what follows its end in the same line is a paragraph.
    void display(const lines& all, std::size_t& at, std::string& out)
    {
        std::string text(trimmed(all[at]).substr(2));
        auto end = text.find("$$");
        while (end == std::string::npos && ++at < all.size()) {
            end = all[at].find("$$");
            if (end != std::string::npos) end += text.size() + 1;
            text += "\n" + std::string(all[at]);
        }
        if (at < all.size()) ++at;
        writer_.add(out, writer_.display(std::string_view(text).substr(0, end)));
        if (end != std::string::npos && !is_blank(std::string_view(text).substr(end + 2)))
            writer_.add(out, writer_.paragraph(inline_text(trimmed(std::string_view(text).substr(end + 2)))));
    }

    std::string quote(const lines& all, std::size_t& at)
    {
        lines inside;
        for (; at < all.size() && all[at].starts_with(">"); ++at) {
            auto line = all[at].substr(1);
            if (line.starts_with(' ')) line.remove_prefix(1);
            inside.push_back(line);
        }
        writer_.enter_quote();
        return writer_.quote(blocks(inside));
    }

    std::string list(const lines& all, std::size_t& at)
    {
        const auto outer = indent_of(all[at]);
        const bool numbered = std::isdigit(static_cast<unsigned char>(all[at][outer])) != 0;
        std::vector<lines> items;
        bool loose = false;
        while (at < all.size() && marker_width(all[at]) > 0 && indent_of(all[at]) == outer) {
            const auto width = marker_width(all[at]);
            lines item{all[at].substr(width)};
            for (++at; at < all.size(); ++at) {
                const auto line = all[at];
                if (is_blank(line)) {
                    const bool goes_on = at + 1 < all.size() && !is_blank(all[at + 1]) && indent_of(all[at + 1]) > outer;
                    if (!goes_on) break;
                    loose = true;
                    item.push_back("");
                    continue;
                }
                if (marker_width(line) > 0 && indent_of(line) <= outer) break;
                if (indent_of(line) <= outer && (heading_level(line) > 0 || is_fence(line))) break;
                item.push_back(line.substr(std::min(width, indent_of(line))));
            }
            items.push_back(std::move(item));
            std::size_t next = at;
            while (next < all.size() && is_blank(all[next])) ++next;
            if (next < all.size() && next > at && marker_width(all[next]) > 0 && indent_of(all[next]) == outer) at = next;
        }
        writer_.enter_list(numbered, loose, items.size());
        std::vector<std::string> written;
        ++list_depth_;
        for (const auto& item : items) written.push_back(blocks(item));
        --list_depth_;
        return writer_.list(written);
    }

    std::string table(const lines& all, std::size_t& at)
    {
        markdown_table t;
        const auto head = cells_of(all[at]);
        for (const auto cell : head) t.head.push_back(inline_text(cell));
        for (const auto rule : cells_of(all[at + 1])) t.alignment.push_back(rule.ends_with(':') ? (rule.starts_with(':') ? 'c' : 'r') : 'l');
        for (at += 2; at < all.size() && !is_blank(all[at]) && all[at].find('|') != std::string_view::npos; ++at) {
            auto cells = cells_of(all[at]);
            if (cells.size() > head.size() || spend((head.size() - cells.size()) * effort_of_a_cell)) cells.resize(head.size());
            auto& row = t.rows.emplace_back();
            for (const auto cell : cells) row.push_back(inline_text(cell));
        }
        return writer_.table(t);
    }

    void paragraph(const lines& all, std::size_t& at, std::string& out)
    {
        std::string text;
        const auto flush = [&] {
            if (!text.empty()) writer_.add(out, writer_.paragraph(inline_text(text)));
            text.clear();
        };
        for (; at < all.size(); ++at) {
            const auto line = all[at];
            if (is_blank(line) || heading_level(line) > 0 || is_fence(line)) break;
            if (list_depth_ > 0 && !text.empty() && marker_width(line) > 0) break; // a list inside an item needs no blank line
            if (trimmed(line).starts_with("$$")) {
                flush();
                display(all, at, out);
                --at;
                continue;
            }
            text += (text.empty() ? "" : "\n") + std::string(trimmed(line));
        }
        flush();
    }

    std::string code(std::string_view marked)
    {
        const auto width = marked.find_first_not_of('`');
        return writer_.code(trimmed(marked.substr(width, marked.size() - 2 * width)));
    }

    std::string formula(std::string_view marked)
    {
        const std::size_t width = marked.starts_with("$$") ? 2 : 1;
        return writer_.formula(marked.substr(width, marked.size() - 2 * width), width == 2);
    }

    /// *emphasis* and **strong**, also with underscores at the ends of words; how much was used.
    std::size_t emphasis(std::string_view s, std::size_t k, std::string& out)
    {
        const char mark = s[k];
        if (mark != '*' && mark != '_') return 0;
        const std::size_t width = k + 1 < s.size() && s[k + 1] == mark ? 2 : 1;
        const std::size_t begin = k + width;
        if (begin >= s.size() || std::isspace(static_cast<unsigned char>(s[begin])) != 0) return 0;
        if (mark == '_' && k > 0 && std::isalnum(static_cast<unsigned char>(s[k - 1])) != 0) return 0;
        for (std::size_t e = begin; e + width <= s.size() && spend(1); ++e) {
            if (s[e] == '\\') {
                ++e;
                continue;
            }
            if (const auto end = end_of_verbatim(s, e); end > e) {
                e = end - 1;
                continue;
            }
            if (s[e] != mark) continue;
            std::size_t run = 1;
            while (e + run < s.size() && s[e + run] == mark) ++run;
            spend(run);
            const bool closes = run >= width && (width == 2 || run != 2) && std::isspace(static_cast<unsigned char>(s[e - 1])) == 0;
            const bool inside_word = mark == '_' && e + run < s.size() && std::isalnum(static_cast<unsigned char>(s[e + run])) != 0;
            if (!closes || inside_word || e == begin) {
                e += run - 1;
                continue;
            }
            out += writer_.emphasis(inline_text(s.substr(begin, e - begin)), width == 2);
            return e + width - k;
        }
        return 0;
    }

    static bool is_safe_address(std::string_view a)
    {
        return a.starts_with("https://") || a.starts_with("http://") || a.starts_with("mailto:") || a.starts_with("#");
    }

    /// [text](address) and <address>; an address of another kind is left out, an image is its description.
    std::size_t link(std::string_view s, std::size_t k, std::string& out)
    {
        if (s[k] == '<') {
            const auto end = find(s, ">", k);
            if (end == std::string_view::npos) return 0;
            const auto address = s.substr(k + 1, end - k - 1);
            if (!is_safe_address(address) || address.find(' ') != std::string_view::npos) return 0;
            out += writer_.link(address, writer_.text(address));
            return end + 1 - k;
        }
        const std::size_t begin = s[k] == '!' && k + 1 < s.size() ? k + 1 : k;
        if (s[begin] != '[') return 0;
        const auto middle = find(s, "](", begin);
        if (middle == std::string_view::npos) return 0;
        const auto end = find(s, ")", middle);
        if (end == std::string_view::npos) return 0;
        const std::string text = inline_text(s.substr(begin + 1, middle - begin - 1));
        const auto address = trimmed(s.substr(middle + 2, end - middle - 2));
        out += begin == k && is_safe_address(address) ? writer_.link(address, text) : text;
        return end + 1 - k;
    }

    /// One character, in the typography of print: curved quotes, dashes, dots.
    std::size_t plain(std::string_view s, std::size_t k, std::string& out)
    {
        const auto rest = s.substr(k);
        const char before = k > 0 ? s[k - 1] : ' ';
        const bool opens = std::isspace(static_cast<unsigned char>(before)) != 0 || before == '(' || before == '[';
        if (rest.starts_with("\\\n")) {
            out += writer_.line_break();
            return 2;
        }
        if (rest[0] == '\\' && rest.size() > 1 && std::ispunct(static_cast<unsigned char>(rest[1])) != 0) {
            out += writer_.text(rest.substr(1, 1));
            return 2;
        }
        if (rest.starts_with("---")) {
            out += "—";
            return 3;
        }
        if (rest.starts_with("--")) {
            out += "–";
            return 2;
        }
        if (rest.starts_with("...")) {
            out += "…";
            return 3;
        }
        const auto whole = first_code_point(rest).bytes;
        if (whole == "\"")
            out += opens ? "“" : "”";
        else if (whole == "'")
            out += opens ? "‘" : "’";
        else
            out += writer_.text(whole);
        return whole.size();
    }

    std::size_t effort_; ///< that is left
    markdown_writer& writer_;
    int depth_ = 0;
    int list_depth_ = 0;
};

class html_writer final : public markdown_writer {
public:
    html_writer(int shift, std::vector<std::string>& unknown) : shift_(shift), unknown_(unknown) {}

    std::string text(std::string_view characters) override { return html_escaped(characters); }
    std::string line_break() override { return "<br>\n"; }
    std::string code(std::string_view characters) override { return "<code>" + html_escaped(characters) + "</code>"; }
    std::string formula(std::string_view tex, bool display_style) override
    {
        mathml m = mathml_from_tex(tex, display_style);
        unknown_.insert(unknown_.end(), m.unknown.begin(), m.unknown.end());
        constexpr std::size_t wide = 44; // characters of TeX: wider than a phone
        return display_style || tex.size() < wide ? std::move(m.text) : "<span class=\"long\">" + m.text + "</span>";
    }
    std::string emphasis(const std::string& inside, bool strong) override { return fmt::format("<{0}>{1}</{0}>", strong ? "strong" : "em", inside); }
    std::string link(std::string_view address, const std::string& inside) override
    {
        return fmt::format("<a href=\"{}\">{}</a>", html_escaped(address), inside);
    }

    void add(std::string& blocks, const std::string& block) override { blocks += block; }
    std::string heading(int level, const std::string& inside) override
    {
        return fmt::format("<h{0}>{1}</h{0}>\n", std::clamp(level + shift_, 1, 6), inside);
    }
    std::string paragraph(const std::string& inside) override { return "<p>" + inside + "</p>\n"; }
    std::string code_block(const markdown_lines& inside) override
    {
        std::string text;
        for (const auto line : inside) text += html_escaped(line) + "\n";
        return "<pre><code>" + text + "</code></pre>\n";
    }
    std::string display(std::string_view tex) override { return "<div class=\"display\">" + formula(tex, true) + "</div>\n"; }
    std::string rule() override { return "<hr>\n"; }
    void enter_quote() override {}
    std::string quote(const std::string& inside) override { return "<blockquote>\n" + inside + "</blockquote>\n"; }
    void enter_list(bool numbered, bool loose, std::size_t /*items*/) override { lists_.emplace_back(numbered, loose); }
    std::string list(const std::vector<std::string>& items) override
    {
        const auto [numbered, loose] = lists_.back();
        lists_.pop_back();
        const char* const tag = numbered ? "ol" : "ul";
        std::string html = fmt::format("<{}>\n", tag);
        for (const auto& item : items) html += "<li>" + (loose ? item : without_first_paragraph(item)) + "</li>\n";
        return html + fmt::format("</{}>\n", tag);
    }
    std::string table(const markdown_table& t) override
    {
        const auto align = [&t](std::size_t k) { return t.side(k) == 'r' ? " class=\"r\"" : t.side(k) == 'c' ? " class=\"c\"" : ""; };
        std::string html = "<div class=\"scroll\"><table class=\"plain\">\n";
        if (t.has_head()) {
            html += "<thead><tr>";
            for (std::size_t k = 0; k < t.head.size(); ++k) html += fmt::format("<th scope=\"col\"{}>{}</th>", align(k), t.head[k]);
            html += "</tr></thead>\n";
        }
        html += "<tbody>\n";
        for (const auto& row : t.rows) {
            html += "<tr>";
            for (std::size_t k = 0; k < row.size(); ++k) html += fmt::format("<td{}>{}</td>", align(k), row[k]);
            html += "</tr>\n";
        }
        return html + "</tbody></table></div>\n";
    }

private:
    /// An item of a tight list is no paragraph.
    static std::string without_first_paragraph(std::string html)
    {
        if (!html.starts_with("<p>")) return html;
        const auto end = html.find("</p>\n");
        html.erase(end, end + 5 == html.size() ? 5 : 4);
        return html.substr(3);
    }

    int shift_;
    std::vector<std::string>& unknown_;
    std::vector<std::pair<bool, bool>> lists_; ///< that are open: numbered, loose
};

/// A formula and the comma or bracket behind it stay on one line: a browser may break a line behind every formula.
std::string with_kept_punctuation(const std::string& html)
{
    constexpr std::string_view opening = "<math";
    constexpr std::string_view closing = "</math>";
    std::string out;
    std::size_t written = 0;
    for (auto at = html.find(opening); at != std::string::npos; at = html.find(opening, at + 1)) {
        const auto close = html.find(closing, at);
        if (close == std::string::npos) break;
        const auto end = close + closing.size();
        const auto behind = std::min(html.find_first_not_of(".,;:!?)", end), html.size());
        if (behind > end) {
            out += html.substr(written, at - written) + "<span class=\"kept\">" + html.substr(at, behind - at) + "</span>";
            written = behind;
        }
        at = end - 1;
    }
    return out + html.substr(written);
}

} // namespace

std::string write_markdown(std::string_view markdown, markdown_writer& writer)
{
    return reader(markdown.size(), writer).blocks(source_lines(markdown));
}

html_text html_from_markdown(std::string_view markdown, int heading_shift)
{
    html_text result;
    html_writer writer(heading_shift, result.unknown);
    result.html = with_kept_punctuation(write_markdown(markdown, writer));
    return result;
}

std::string html_from_line(std::string_view markdown)
{
    std::vector<std::string> unknown;
    html_writer writer(0, unknown);
    return reader(markdown.size(), writer).inline_text(markdown);
}

chapter_outline outline_of(std::string_view markdown)
{
    chapter_outline outline;
    std::string* text = &outline.lead;
    bool in_code = false;
    for (const auto line : source_lines(markdown)) {
        if (is_fence(line)) in_code = !in_code;
        const int level = in_code ? 0 : heading_level(line);
        const std::string title(level > 0 ? trimmed(line.substr(static_cast<std::size_t>(level))) : "");
        if (level == 1 && outline.title.empty()) {
            outline.title = title;
        } else if (level == 2 || (level == 3 && outline.sections.empty())) {
            outline.sections.push_back({title, "", {}});
            text = &outline.sections.back().text;
        } else if (level == 3) {
            outline.sections.back().subsections.push_back({title, "", {}});
            text = &outline.sections.back().subsections.back().text;
        } else {
            *text += std::string(line) + "\n";
        }
    }
    return outline;
}

} // namespace ivp
