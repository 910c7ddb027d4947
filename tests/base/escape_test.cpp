// Hostile text on its way to each of the places where characters have a meaning. The shell is asked itself what it reads.
#include "base/escape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace ivp {

namespace {

const std::vector<std::string> hostile{
    "plain", "two words", "it's", "$(touch gone)`id`",   "a;b|c&d>e<f*?[g]{h}~!#", "line\nbreak", "tab\there", "back\\slash\\", "\"double\"",
    "''",    "-n",        "",     "\u202Eright to left", "\xFF not UTF-8"};

std::string output_of(const std::string& command)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string all;
    std::array<char, 256> block{};
    while (const std::size_t n = std::fread(block.data(), 1, block.size(), pipe.get())) all.append(block.data(), n);
    return all;
}

} // namespace

TEST(escape, a_shell_reads_every_word_as_it_was)
{
    for (const auto& word : hostile) EXPECT_EQ(output_of("printf %s " + shell_word(word)), word);
    EXPECT_EQ(shell_word("a-b_c=d+e.f,g:h/i@j%k"), "a-b_c=d+e.f,g:h/i@j%k") << "no quotes where none are needed";
}

TEST(escape, a_comment_is_one_line)
{
    EXPECT_EQ(comment_text("a\nrm -rf x\r\u2028b"), "a rm -rf x  b");
    for (const auto& text : hostile) EXPECT_EQ(comment_text(text).find_first_of("\n\r"), std::string::npos);
}

TEST(escape, html_has_no_markup_and_no_controls_from_outside)
{
    EXPECT_EQ(html_escaped("<script>\"a\" & 'b'</script>"), "&lt;script&gt;&quot;a&quot; &amp; 'b'&lt;/script&gt;");
    EXPECT_EQ(html_escaped("\u202Ea\x1B[0m\u009B\xFF"), "\uFFFDa\uFFFD[0m\uFFFD\uFFFD");
    EXPECT_EQ(html_escaped("two\nlines\t\u00E9"), "two\nlines\t\u00E9");
}

TEST(escape, json_cannot_leave_its_element)
{
    EXPECT_EQ(json_in_html(R"({"a": "</script><!--<script>"})"), R"({"a": "\u003c/script>\u003c!--\u003cscript>"})");
    EXPECT_EQ(json_in_html("[\"\u202E\"]"), "[\"\uFFFD\"]");
}

TEST(escape, tex_text)
{
    EXPECT_EQ(tex_escaped("\\input{x}%"), "\\textbackslash{}input\\{x\\}\\%");
    EXPECT_EQ(tex_escaped("a\u202Eb\x1B[\xFF"), "a b {[}?");
    EXPECT_EQ(tex_escaped("a/b", "/"), "a/\\allowbreak{}b");
    EXPECT_EQ(tex_escaped("y₃ over y₁"), "y\\ensuremath{_3} over y\\ensuremath{_1}");
}

TEST(escape, gnuplot_strings_end_where_they_should)
{
    EXPECT_EQ(gnuplot_quoted("it's"), "'it''s'");
    EXPECT_EQ(gnuplot_quoted("a'\nsystem 'id'"), "'a'' system ''id'''");
}

TEST(escape, a_terminal_gets_lines_and_tabulators_only)
{
    EXPECT_EQ(terminal_text("a\x1B[2J\u009B\u202E\u2066\r\a\bz\n\t"), "a\uFFFD[2J\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDz\n\t");
    EXPECT_EQ(terminal_text("\xFFx"), "\uFFFDx");
    EXPECT_EQ(terminal_text("plain \u00E9 \u2212"), "plain \u00E9 \u2212");
}

TEST(escape, a_character_may_arrive_in_pieces)
{
    const std::string text = "a\u00E9\u2212\U0001D45F\u009Bz";
    for (std::size_t first = 0; first <= text.size(); ++first)
        for (std::size_t second = first; second <= text.size(); ++second) {
            terminal_filter filter;
            std::string out = filter.next(text.substr(0, first));
            out += filter.next(text.substr(first, second - first));
            out += filter.next(text.substr(second));
            EXPECT_EQ(out + filter.last(), "a\u00E9\u2212\U0001D45F\uFFFDz");
        }
    terminal_filter filter;
    EXPECT_EQ(filter.next("a\xE2\x88"), "a");
    EXPECT_EQ(filter.last(), "\uFFFD\uFFFD") << "a character that never came whole";
    EXPECT_EQ(filter.next("\x80\x80\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(escape, csv)
{
    EXPECT_EQ(csv_cell("plain"), "plain");
    EXPECT_EQ(csv_cell("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
}

} // namespace ivp
