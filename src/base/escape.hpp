// Text from outside on its way to a place where characters have a meaning: one function for each place. SQL is not among them: values are bound to
// statements, and no text becomes part of one.
#ifndef IVP_SRC_BASE_ESCAPE_HPP
#define IVP_SRC_BASE_ESCAPE_HPP

#include <string>
#include <string_view>

namespace ivp {

/// A word as a shell takes it, byte for byte.
std::string shell_word(std::string_view word);

/// What stands behind the '#' or '%' of a comment: one line, whatever the text has.
std::string comment_text(std::string_view text);

/// A cell of a CSV file, quoted where it must be (RFC 4180), byte for byte.
std::string csv_cell(std::string_view text);

/// Text inside an element or a quoted attribute of HTML or SVG. Line breaks and tabulators stay; other controls, and what is not UTF-8, are U+FFFD.
std::string html_escaped(std::string_view text);

/// JSON inside a script element: no text of it ends the element or begins a comment.
std::string json_in_html(std::string_view json);

/// Text in a paragraph of LaTeX: what means something to TeX is written as a character, what its fonts do not have as its number. `breaks_after`: a
/// line may be broken behind each of these characters.
std::string tex_escaped(std::string_view text, std::string_view breaks_after = "");

/// A string of gnuplot, with its quotes.
std::string gnuplot_quoted(std::string_view text);

/// What a terminal may get: lines and tabulators. Other controls, and what is not UTF-8, are U+FFFD.
std::string terminal_text(std::string_view text);

/// The same for text that comes in pieces: a character may be divided between two of them.
class terminal_filter {
public:
    std::string next(std::string_view piece);
    /// The start of a character that never came whole.
    std::string last();

private:
    std::string waiting_;
};

} // namespace ivp

#endif
