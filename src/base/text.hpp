// Text as people read it: characters, lines and lists of words.
#ifndef IVP_SRC_BASE_TEXT_HPP
#define IVP_SRC_BASE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

// ---- Characters ----

constexpr char32_t replacement_character = 0xFFFD;

struct code_point {
    std::string_view bytes;
    char32_t code; ///< `replacement_character` where the bytes are not UTF-8; they are one byte then
};

/// The character at the front of a text that is not empty.
code_point first_code_point(std::string_view text);

std::string utf8(char32_t code);

/// What has no picture of its own but changes what stands around it: the controls of ASCII and of Latin-1 (ESC, U+009B), the marks and overrides of
/// writing direction (U+202E), separators of lines and paragraphs, characters of no width, tags.
bool is_control(char32_t code);

/// What is not UTF-8 becomes U+FFFD.
std::string repaired_utf8(std::string_view text);

/// How many columns of a terminal a text takes: marks that stand above or below the character before them take none.
std::size_t columns_of(std::string_view text);

/// At most `longest` characters; one that is cut ends with "…".
std::string cut(std::string_view text, std::size_t longest);

/// Foreign text as one line: repaired, each control a blank, no blanks at its end, cut.
std::string plain_line(std::string_view text, std::size_t longest = std::string_view::npos);

inline std::string blanks(std::size_t count) { return std::string(count, ' '); }

// ---- Words ----

/// "a, b, c" of any range of strings.
template <class Range>
std::string joined(const Range& words, std::string_view separator)
{
    std::string text;
    bool first = true;
    for (const auto& w : words) {
        if (!first) text += separator;
        text += w;
        first = false;
    }
    return text;
}

/// The words between separators; an empty text is one empty word.
std::vector<std::string> split(std::string_view text, char separator);

/// The lines of a text; the last one need not end.
std::vector<std::string> lines_of(std::string_view text);

/// Without blanks, tabulators and ends of lines around it.
std::string_view trimmed(std::string_view text);

/// Rows of words as lines, each column as wide as its widest word; no blanks at their ends.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view indent, std::string_view gap);

/// Of a setting that is on or off.
inline std::string yes_or_no(bool b) { return b ? "yes" : "no"; }
inline std::optional<bool> yes_or_no_from_label(std::string_view text)
{
    if (text != "yes" && text != "no") return std::nullopt;
    return text == "yes";
}

/// "run" of one, "runs" of any other number.
std::string noun(std::uint64_t n, std::string_view one);

/// "1 run", "2 runs".
std::string counted(std::uint64_t n, std::string_view one);

/// Breaks a sentence into lines of at most `width` columns (the indent comes on top); all but the first are indented. Words longer than that stand
/// alone.
std::string wrapped(std::string_view sentence, std::size_t width, int indent);

/// "; did you mean 'hires'?" if one of the names is close to what was typed, else an empty string.
std::string nearest_name_hint(std::string_view typed, std::span<const std::string> names);

} // namespace ivp

#endif
