// Every place that text is escaped for.
#include "fuzz.hpp"

#include "base/escape.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    const auto text = fuzz::view(data, size);
    fuzz::require(fuzz::is_shown_safely(terminal_text(text)), "a terminal gets controls");
    fuzz::require(fuzz::is_shown_safely(html_escaped(text)) && html_escaped(text).find_first_of("<>\"") == std::string::npos, "HTML gets markup");
    fuzz::require(json_in_html(text).find('<') == std::string::npos, "a script element gets markup");
    fuzz::require(comment_text(text).find_first_of("\n\r") == std::string::npos, "a comment gets a second line");
    fuzz::require(plain_line(text, 50).size() <= 50 * 4, "a cut text is long");
    fuzz::require(plain_line(plain_line(text)) == plain_line(text), "a clean text is changed");
    fuzz::require(repaired_utf8(repaired_utf8(text)) == repaired_utf8(text), "a repaired text is changed");

    terminal_filter filter;
    const std::size_t middle = size / 2;
    std::string in_pieces = filter.next(text.substr(0, middle));
    in_pieces += filter.next(text.substr(middle));
    fuzz::require(in_pieces + filter.last() == terminal_text(text), "a text in pieces is another text");

    const std::string quoted = gnuplot_quoted(text);
    std::size_t quotes = 0;
    for (const char c : quoted) quotes += c == '\'' ? 1 : 0;
    fuzz::require(quotes % 2 == 0 && quoted.find('\n') == std::string::npos, "a string of gnuplot has no end");
    for (const std::string tex = tex_escaped(text, "/"); const char c : tex)
        fuzz::require(static_cast<unsigned char>(c) >= 0x20, "LaTeX gets controls");
    (void)shell_word(text);
    (void)csv_cell(text);
    return 0;
}
