// Chapters as HTML and MathML. Expected texts are written by hand from the rules of Markdown and of TeX's spacing.
#include "base/text.hpp"
#include "report/render/markdown.hpp"
#include "report/render/mathml.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

namespace ivp {

namespace {

std::string row(std::string_view tex)
{
    const mathml m = mathml_from_tex(tex, false);
    EXPECT_TRUE(m.unknown.empty()) << joined(m.unknown, ", ");
    const std::string open = "<math>";
    const std::string close = "</math>";
    return m.text.substr(open.size(), m.text.size() - open.size() - close.size());
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string html(std::string_view markdown) { return html_from_markdown(markdown).html; }

} // namespace

TEST(mathml, letters_numbers_and_scripts)
{
    EXPECT_EQ(row("x"), "<mi>x</mi>");
    EXPECT_EQ(row("321.8122"), "<mn>321.8122</mn>");
    EXPECT_EQ(row("y_1"), "<msub><mi>y</mi><mn>1</mn></msub>");
    EXPECT_EQ(row("x^{10}_i"), "<msubsup><mi>x</mi><mi>i</mi><mrow><mn>10</mn></mrow></msubsup>");
    EXPECT_EQ(row("y_1'"), "<msubsup><mi>y</mi><mn>1</mn><mo class=\"prime\" lspace=\"0\" rspace=\"0\">′</mo></msubsup>");
    EXPECT_EQ(row("x^23"), "<msup><mi>x</mi><mn>2</mn></msup><mn>3</mn>") << "a script without braces takes one digit";
    EXPECT_EQ(row("\\alpha\\Omega"), "<mi>α</mi><mi mathvariant=\"normal\">Ω</mi>");
    EXPECT_EQ(row("rtol"), "<mi>𝑟𝑡𝑜𝑙</mi>");
    EXPECT_EQ(row("ab"), "<mi>a</mi><mi>b</mi>");
}

TEST(mathml, a_minus_is_a_sign_where_tex_takes_it_for_one)
{
    const std::string sign = "<mo form=\"prefix\" lspace=\"0\" rspace=\"0\">−</mo>";
    const std::string minus = "<mo form=\"infix\" lspace=\"0.2222em\" rspace=\"0.2222em\">−</mo>";
    EXPECT_TRUE(contains(row("-x"), sign));
    EXPECT_TRUE(contains(row("a - b"), minus));
    EXPECT_TRUE(contains(row("a = -b"), sign));
    EXPECT_TRUE(contains(row("(-b)"), sign));
    EXPECT_TRUE(contains(row("1, -2"), sign));
    EXPECT_TRUE(contains(row("\\begin{aligned} a &= b \\\\ & - c \\end{aligned}"), minus)) << "a line that goes on";
    EXPECT_EQ(row("10^{-3}"), "<msup><mn>10</mn><mrow><mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">−</mo><mn>3</mn></mrow></msup>");
}

TEST(mathml, functions_stand_apart_from_letters_but_not_from_parentheses)
{
    const std::string thin = "<mspace width=\"0.1667em\"></mspace>";
    EXPECT_EQ(row("r \\cos q"), "<mi>r</mi>" + thin + "<mi>cos</mi>" + thin + "<mi>q</mi>");
    EXPECT_FALSE(contains(row("\\sin(q)"), thin));
}

TEST(mathml, fractions_roots_accents)
{
    EXPECT_EQ(row("\\frac{a}{b}"), "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>");
    EXPECT_EQ(row("\\frac12"), "<mfrac><mn>1</mn><mn>2</mn></mfrac>");
    EXPECT_EQ(row("\\sqrt{x}"), "<msqrt><mrow><mi>x</mi></mrow></msqrt>");
    EXPECT_EQ(row("\\sqrt[3]{x}"), "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>");
    EXPECT_EQ(row("\\bar y"), "<mover accent=\"true\"><mi>y</mi><mo stretchy=\"false\">¯</mo></mover>");
    EXPECT_EQ(row("\\mathbb{R}"), "<mi>ℝ</mi>");
    EXPECT_EQ(row("\\mathbf{A}"), "<mi>𝐀</mi>");
    EXPECT_EQ(row("\\text{for } x"), "<mtext>for\u00A0</mtext><mi>x</mi>");
}

TEST(mathml, sums_have_limits)
{
    EXPECT_EQ(row("\\sum_{j=1}^n"), "<munderover><mo largeop=\"true\" movablelimits=\"true\">∑</mo><mrow><mi>j</mi>"
                                    "<mo lspace=\"0\" rspace=\"0\" stretchy=\"false\">=</mo><mn>1</mn></mrow><mi>n</mi></munderover>");
    EXPECT_TRUE(row("\\int_0^1").starts_with("<msubsup>"));
    EXPECT_TRUE(row("\\max_i").starts_with("<munder>"));
}

TEST(mathml, tables)
{
    EXPECT_EQ(row("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}"),
              "<mtable class=\"aligned\" displaystyle=\"true\">"
              "<mtr><mtd class=\"r\"><mi>a</mi></mtd><mtd class=\"l\"><mo form=\"infix\" stretchy=\"false\" lspace=\"0.2778em\" "
              "rspace=\"0.2778em\">=</mo><mi>b</mi></mtd></mtr>"
              "<mtr><mtd class=\"r\"><mi>c</mi></mtd><mtd class=\"l\"><mo form=\"infix\" stretchy=\"false\" lspace=\"0.2778em\" "
              "rspace=\"0.2778em\">=</mo><mi>d</mi></mtd></mtr></mtable>");
    const std::string matrix = row("\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\\\ \\end{pmatrix}");
    EXPECT_TRUE(contains(matrix, "<mo form=\"prefix\" stretchy=\"true\" fence=\"true\">(</mo><mtable class=\"matrix\">"));
    EXPECT_EQ(matrix.find("<mtr>", matrix.find("<mtr>", matrix.find("<mtr>") + 1) + 1), std::string::npos) << "two rows, no empty third";
    EXPECT_TRUE(contains(row("\\begin{cases} 0 & x < 0 \\\\ 1 & \\text{else} \\end{cases}"), "<mtable class=\"cases\">"));
    EXPECT_TRUE(contains(row("\\left( \\frac ab \\right)"), "<mo form=\"postfix\" stretchy=\"true\" fence=\"true\">)</mo>"));
}

TEST(mathml, what_is_not_known_is_told_and_shown)
{
    const mathml m = mathml_from_tex("a \\frobnicate b < c", false);
    EXPECT_EQ(m.unknown, std::vector<std::string>{"\\frobnicate"});
    EXPECT_TRUE(contains(m.text, "<mtext class=\"unknown\">\\frobnicate</mtext>"));
    EXPECT_TRUE(contains(m.text, "&lt;"));
    for (const char* broken :
         {"\\begin{aligned} a", "{a", "a}", "\\left( a", "\\right)", "^2", "\\", "\\frac", "&", "\\\\", "\\begin", "\\sqrt[3", "\\not"})
        EXPECT_TRUE(mathml_from_tex(broken, true).text.ends_with("</math>")) << broken;
}

TEST(markdown, blocks)
{
    EXPECT_EQ(html("# A *title*\n\ntext\nof two lines\n"), "<h1>A <em>title</em></h1>\n<p>text\nof two lines</p>\n");
    EXPECT_EQ(html("- one\n  goes on\n- two\n"), "<ul>\n<li>one\ngoes on</li>\n<li>two</li>\n</ul>\n");
    EXPECT_EQ(html("1. one\n2. two\n   - inner\n"), "<ol>\n<li>one</li>\n<li>two\n<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>\n");
    EXPECT_EQ(html("```sh\na < b\n```\n"), "<pre><code>a &lt; b\n</code></pre>\n");
    EXPECT_EQ(html("| a | b |\n|---|--:|\n| $|x|$ | `1|2` |\n"),
              "<div class=\"scroll\"><table class=\"plain\">\n<thead><tr><th scope=\"col\">a</th><th scope=\"col\" "
              "class=\"r\">b</th></tr></thead>\n<tbody>\n"
              "<tr><td>" +
                  html_from_markdown("$|x|$").html.substr(3, html_from_markdown("$|x|$").html.size() - 8) +
                  "</td><td class=\"r\"><code>1|2</code></td></tr>\n</tbody></table></div>\n");
    EXPECT_TRUE(
        html("text\n$$\nx\n$$\nmore").starts_with("<p>text</p>\n<div class=\"display\"><math display=\"block\"><mi>x</mi></math></div>\n<p>more"));
    EXPECT_EQ(html_from_markdown("## x", 2).html, "<h4>x</h4>\n");
}

TEST(markdown, inline_marks)
{
    EXPECT_EQ(html("**b** _i_ snake_case_name 2*3*4"), "<p><strong>b</strong> <em>i</em> snake_case_name 2<em>3</em>4</p>\n");
    EXPECT_EQ(html("it's \"so\" -- 1---2..."), "<p>it’s “so” – 1—2…</p>\n");
    EXPECT_EQ(html("[a](https://x.org) [b](javascript:x) ![c](d.png)"), "<p><a href=\"https://x.org\">a</a> b c</p>\n");
    EXPECT_EQ(html("costs $5 or $6"), "<p>costs $5 or $6</p>\n");
    EXPECT_EQ(html("a\\*b"), "<p>a*b</p>\n");
}

TEST(markdown, foreign_html_is_text)
{
    EXPECT_EQ(html("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
    EXPECT_FALSE(contains(html("$\\text{<img src=x>}$ `</code>` [x](\"onclick)"), "<img"));
}

TEST(markdown, outline)
{
    const auto o = outline_of("# T\n\nlead\n\n## A\n\na\n\n### A1\n\na1\n\n#### deep\n\n## B\n\n```\n## no\n```\n");
    EXPECT_EQ(o.title, "T");
    EXPECT_EQ(o.lead, "\nlead\n\n");
    ASSERT_EQ(o.sections.size(), 2U);
    EXPECT_EQ(o.sections[0].title, "A");
    ASSERT_EQ(o.sections[0].subsections.size(), 1U);
    EXPECT_EQ(o.sections[0].subsections[0].text, "\na1\n\n#### deep\n\n");
    EXPECT_TRUE(contains(o.sections[1].text, "## no"));
}

// ---- Hostile texts. None of these may crash, take long or grow out of proportion ----

std::string repeated(std::string_view part, std::size_t times)
{
    std::string text;
    for (std::size_t k = 0; k < times; ++k) text += part;
    return text;
}

TEST(mathml, a_formula_nested_too_deeply_stands_as_it_was_written)
{
    for (const char* part : {"\\frac{", "{", "\\left(", "\\begin{matrix}", "\\sqrt[", "x^{", "\\not", "\\bar", "\\mathbf{\\alpha "}) {
        const mathml m = mathml_from_tex(repeated(part, 100'000), true);
        EXPECT_EQ(m.unknown, std::vector<std::string>{"a formula nested too deeply"}) << part;
        EXPECT_TRUE(contains(m.text, "<mtext class=\"unknown\">" + std::string(part))) << part;
    }
    EXPECT_TRUE(mathml_from_tex(repeated("{", 20) + "x" + repeated("}", 20), true).unknown.empty());
}

TEST(mathml, time_grows_with_the_length_only)
{
    constexpr std::size_t many = 300'000;
    for (const char* part : {"a", "\\\\[", "&", "}", "\\x", "%", "\\frobnicate", "1", "\\big", "\\left.\\right.", "'"}) {
        const std::string text = repeated(part, many);
        EXPECT_LT(mathml_from_tex(text, false).text.size(), 200 * text.size()) << part;
    }
}

TEST(mathml, characters_stay_whole_and_never_become_markup)
{
    EXPECT_EQ(row("\\text{\u00E9<b>}"), "<mtext>\u00E9&lt;b&gt;</mtext>");
    EXPECT_EQ(row("\\mathit{\u00E9&}"), "<mi>\u00E9&amp;</mi>");
    EXPECT_TRUE(contains(row("\\left& x \\right\u2016"), ">&amp;</mo>"));
    EXPECT_TRUE(contains(row("\\left& x \\right\u2016"), ">\u2016</mo>"));
    EXPECT_TRUE(contains(row("\xFF\x1B"), "\uFFFD"));
}

TEST(markdown, time_grows_with_the_length_only)
{
    constexpr std::size_t many = 300'000;
    for (const char* part : {"[",  "[a](", "![",  "<",  "*a ", "**a", "_a ", "`",  "`a``b",    "$a ", "$$",
                             "> ", "- ",   "1. ", "| ", "\\",  "*",   "a_",  "](", "<http://", "#",   "- - > "}) {
        const std::string text = repeated(part, many);
        EXPECT_LT(html(text).size(), 200 * text.size()) << part;
        EXPECT_LT(html(repeated(std::string(part) + "\n", many)).size(), 200 * text.size()) << part << " in lines";
        EXPECT_LT(html(text + "](x)").size(), 200 * text.size()) << part << " before the end of a link";
    }
    std::string growing; // each mark wider than the one before
    for (std::size_t k = 1; k < 1000; ++k) growing += std::string(k, '`') + "a";
    EXPECT_LT(html(growing).size(), 20 * growing.size());
}

TEST(markdown, short_lines_of_a_wide_table_do_not_multiply)
{
    const std::string wide = repeated("|a", 20'000) + "\n" + repeated("|-", 20'000) + "\n" + repeated("|\n", 20'000);
    EXPECT_LT(html(wide).size(), 100 * wide.size());
    EXPECT_TRUE(contains(html("|a|b|\n|-|-|\n|1|\n"), "<tr><td>1</td><td></td></tr>"));
}

TEST(markdown, characters_stay_whole_and_controls_are_shown)
{
    EXPECT_EQ(html("\u00E9 \u2212"), "<p>\u00E9 \u2212</p>\n");
    EXPECT_EQ(html("a\x1B[2J\u202E\xFF"), "<p>a\uFFFD[2J\uFFFD\uFFFD</p>\n");
}

TEST(markdown, a_title_is_not_a_block)
{
    EXPECT_EQ(html_from_line(""), "");
    EXPECT_EQ(html_from_line("- *a*"), "- <em>a</em>");
}

// Every chapter there is: no command left over, no mark left in the text.
TEST(markdown, renders_every_chapter)
{
    std::vector<std::pair<std::string, std::string>> chapters;
    for (const auto& id : problem_ids()) chapters.emplace_back(id, open_problem(id).chapter().markdown);
    for (const auto& name : solver_names()) chapters.emplace_back(name, open_solver(name)->chapter().markdown);
    for (const auto& l : library_solvers())
        if (l.available) chapters.emplace_back(l.name, open_solver(l.name)->chapter().markdown);
    EXPECT_GE(chapters.size(), 30U);
    for (const auto& [name, text] : chapters) {
        const auto result = html_from_markdown(text);
        EXPECT_TRUE(result.unknown.empty()) << name << ": " << joined(result.unknown, ", ");
        EXPECT_EQ(result.html.find('$'), std::string::npos) << name << ": a formula is not closed";
        for (const char* mark : {"**", "\\begin", "\\frac", "|--"}) EXPECT_EQ(result.html.find(mark), std::string::npos) << name << ": " << mark;
    }
}

} // namespace ivp
