#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace ivp {

namespace {

constexpr auto replacement_bytes = "\xEF\xBF\xBD";
constexpr auto ellipsis = "…";

/// First and last of each group.
constexpr auto controls = std::to_array<std::pair<char32_t, char32_t>>({
    {0x0000, 0x001F},   // ASCII
    {0x007F, 0x009F},   // DEL, Latin-1
    {0x061C, 0x061C},   // Arabic letter mark
    {0x200B, 0x200F},   // no width; marks of direction
    {0x2028, 0x202E},   // separators; embeddings and overrides of direction
    {0x2060, 0x206F},   // no width; isolates of direction
    {0xFEFF, 0xFEFF},   // byte order mark
    {0xFFF9, 0xFFFB},   // annotations
    {0xE0000, 0xE007F}, // tags
});

} // namespace

code_point first_code_point(std::string_view text)
{
    const auto byte = [&text](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[k])); };
    const char32_t lead = byte(0);
    if (lead < 0x80) return {text.substr(0, 1), lead};
    const code_point broken{text.substr(0, 1), replacement_character};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return broken;
    char32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xC0U) != 0x80) return broken;
        code = code << 6U | (byte(k) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000}; // by length; a longer form of a smaller code is none
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < smallest[length] || surrogate || code > 0x10FFFF) return broken;
    return {text.substr(0, length), code};
}

std::string utf8(char32_t code)
{
    std::string text;
    const auto tail = [&text, code](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0U | (code >> 6U));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0U | (code >> 12U));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0U | (code >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
    return text;
}

bool is_control(char32_t code)
{
    return std::ranges::any_of(controls, [code](const auto& group) { return group.first <= code && code <= group.second; });
}

std::string repaired_utf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const code_point c = first_code_point(text);
        out += c.code == replacement_character ? std::string_view(replacement_bytes) : c.bytes;
        text.remove_prefix(c.bytes.size());
    }
    return out;
}

std::size_t columns_of(std::string_view text)
{
    std::size_t columns = 0;
    while (!text.empty()) {
        const auto c = first_code_point(text);
        constexpr char32_t first_mark = 0x300;
        constexpr char32_t last_mark = 0x36F;
        constexpr char32_t first_wide_mark = 0x20D0;
        constexpr char32_t last_wide_mark = 0x20FF;
        const bool mark = (c.code >= first_mark && c.code <= last_mark) || (c.code >= first_wide_mark && c.code <= last_wide_mark);
        if (!mark) ++columns;
        text.remove_prefix(c.bytes.size());
    }
    return columns;
}

std::string cut(std::string_view text, std::size_t longest)
{
    std::size_t characters = 0;
    std::size_t at = 0;
    std::size_t keep = 0; // one character less than allowed
    while (at < text.size()) {
        if (characters + 1 == longest) keep = at;
        if (characters == longest) return std::string(text.substr(0, keep)) + ellipsis;
        at += first_code_point(text.substr(at)).bytes.size();
        ++characters;
    }
    return std::string(text);
}

std::string plain_line(std::string_view text, std::size_t longest)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const code_point c = first_code_point(text);
        if (c.code == replacement_character)
            out += replacement_bytes;
        else if (is_control(c.code))
            out += ' ';
        else
            out += c.bytes;
        text.remove_prefix(c.bytes.size());
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return longest == std::string_view::npos ? out : cut(out, longest);
}

std::string noun(std::uint64_t n, std::string_view one) { return std::string(one) + (n == 1 ? "" : "s"); }

std::string counted(std::uint64_t n, std::string_view one) { return std::to_string(n) + " " + noun(n, one); }

std::string wrapped(std::string_view sentence, std::size_t width, int indent)
{
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < sentence.size();) {
        const auto end = std::min(sentence.find(' ', at), sentence.size());
        const auto word = sentence.substr(at, end - at);
        const auto columns = columns_of(word);
        if (column > 0 && column + 1 + columns > width) {
            text += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
            column = 0;
        }
        if (column > 0) text += ' ';
        text += word;
        column += columns + (column > 0 ? 1 : 0);
        at = end + 1;
    }
    return text;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

std::string nearest_name_hint(std::string_view typed, std::span<const std::string> names)
{
    const std::string* best = nullptr;
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 2); // farther than half the word is no help
    for (const auto& n : names) {
        const std::size_t d = n.starts_with(typed) && typed.size() >= 3 ? 1 : edit_distance(typed, n);
        if (d <= best_distance && (best == nullptr || d < best_distance)) {
            best = &n;
            best_distance = d;
        }
    }
    return best == nullptr ? std::string{} : "; did you mean '" + *best + "'?";
}

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string> lines_of(std::string_view text)
{
    if (text.empty()) return {};
    return split(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text, '\n');
}

std::string_view trimmed(std::string_view text)
{
    constexpr auto blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view indent, std::string_view gap)
{
    std::vector<std::size_t> width;
    for (const auto& row : rows) {
        width.resize(std::max(width.size(), row.size()));
        for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line(indent);
        for (std::size_t k = 0; k < row.size(); ++k) (line += row[k]).append(width[k] - row[k].size(), ' ') += gap;
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

} // namespace ivp
