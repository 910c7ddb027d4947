// Chapters as text for the terminal. Expected texts are written by hand from what a reader of a terminal should see.
#include "base/text.hpp"
#include "report/render/formula_text.hpp"
#include "report/render/markdown_text.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <sstream>

namespace ivp {

namespace {

std::string line(std::string_view tex)
{
    const auto parsed = parse_formula(tex);
    EXPECT_TRUE(parsed.unknown.empty()) << joined(parsed.unknown, ", ");
    return formula_line(parsed.root);
}

std::string lines(std::string_view tex, std::size_t width = 76) { return joined(formula_lines(parse_formula(tex).root, width), "\n"); }

std::string text(std::string_view markdown, std::size_t width = 80) { return text_from_markdown(markdown, width); }

std::vector<std::string> lines_of(const std::string& all)
{
    std::vector<std::string> result;
    std::istringstream in(all);
    for (std::string l; std::getline(in, l);) result.push_back(l);
    return result;
}

std::string repeated(std::string_view part, std::size_t times)
{
    std::string all;
    for (std::size_t k = 0; k < times; ++k) all += part;
    return all;
}

} // namespace

TEST(formula_text, scripts_are_small_characters_if_there_are_such)
{
    EXPECT_EQ(line("y_1'"), "y₁′");
    EXPECT_EQ(line("x^{10}_i"), "xᵢ¹⁰");
    EXPECT_EQ(line("10^{-3}"), "10⁻³");
    EXPECT_EQ(line("u_{j+1}"), "uⱼ₊₁");
    EXPECT_EQ(line("u_{N+1}"), "u_(N+1)");
    EXPECT_EQ(line("u_N"), "u_N");
    EXPECT_EQ(line("10^{-(4+m/8)}"), "10^(-(4+m/8))");
    EXPECT_EQ(line("A^T"), "Aᵀ");
    EXPECT_EQ(line("y^{(4)}"), "y⁽⁴⁾");
    EXPECT_EQ(line("\\sum_{j=1}^n x_j"), "∑ⱼ₌₁ⁿ xⱼ");
}

TEST(formula_text, operators_stand_apart_and_signs_do_not)
{
    EXPECT_EQ(line("a+b"), "a + b");
    EXPECT_EQ(line("a=-b"), "a = -b");
    EXPECT_EQ(line("(-1,2)"), "(-1, 2)");
    EXPECT_EQ(line("2 \\cdot 10^{-3}"), "2 · 10⁻³");
    EXPECT_EQ(line("0 \\le t < \\infty"), "0 ≤ t < ∞");
}

TEST(formula_text, the_authors_blanks_stay_between_factors)
{
    EXPECT_EQ(line("k u v"), "k u v");
    EXPECT_EQ(line("dy/dt"), "dy/dt");
    EXPECT_EQ(line("\\partial u"), "∂u");
    EXPECT_EQ(line("\\Delta \\zeta"), "Δζ");
    EXPECT_EQ(line("r \\cos q"), "r cos q");
    EXPECT_EQ(line("\\sin (q)"), "sin(q)");
    EXPECT_EQ(line("a \\text{ for } b"), "a for b");
}

TEST(formula_text, a_sign_behind_a_backslash_is_shown_alone) { EXPECT_EQ(line(R"(\mathrm{Pfr\_X} + \text{a\_b 5\%})"), "Pfr_X + a_b 5%"); }

TEST(formula_text, fractions_and_roots_have_parentheses_where_they_need_them)
{
    EXPECT_EQ(line("\\frac{a}{b}"), "a/b");
    EXPECT_EQ(line("\\frac{a+b}{2 c}"), "(a + b)/(2 c)");
    EXPECT_EQ(line("\\frac{(a+b)}{c}"), "(a + b)/c");
    EXPECT_EQ(line("\\frac{a}{b}^2"), "(a/b)²");
    EXPECT_EQ(line("\\sqrt{x}"), "√x");
    EXPECT_EQ(line("\\sqrt{x+1}"), "√(x + 1)");
    EXPECT_EQ(line("\\bar y"), "y\u0304");
    EXPECT_EQ(line("\\mathbb{R}^n"), "ℝⁿ");
}

TEST(formula_text, systems_are_aligned)
{
    EXPECT_EQ(lines("\\begin{aligned} y_1' &= y_2 \\\\ a + b &= -c \\end{aligned}"), "  y₁′ = y₂\n"
                                                                                     "a + b = -c");
    // One that is too wide is broken at its blanks, and the others keep their places.
    EXPECT_EQ(lines("\\begin{aligned} y' &= a + b + c + d + e + f \\\\ x_1' &= 1 \\end{aligned}", 24), " y′ = a + b + c + d\n"
                                                                                                       "      + e + f\n"
                                                                                                       "x₁′ = 1");
}

TEST(formula_text, matrices_and_cases_have_the_height_of_their_rows)
{
    EXPECT_EQ(lines("M = \\begin{pmatrix} 1 & 0 \\\\ 0 & 10 \\\\ 1 & 1 \\end{pmatrix}, x"), "    ⎛ 1  0  ⎞\n"
                                                                                            "M = ⎜ 0  10 ⎟, x\n"
                                                                                            "    ⎝ 1  1  ⎠");
    EXPECT_EQ(lines("f = \\begin{cases} 0 & t < 1 \\\\ 1 & t = 1 \\\\ 22 & \\text{else} \\end{cases}"), "    ⎧ 0   t < 1\n"
                                                                                                        "f = ⎨ 1   t = 1\n"
                                                                                                        "    ⎩ 22  else");
    EXPECT_EQ(line("\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}"), "(1, 0; 0, 1)") << "in a line of text";
}

TEST(markdown_text, blocks)
{
    EXPECT_EQ(text("# A *title*\n\ntext\nof two lines\n"), "A title\n=======\n\ntext of two lines\n");
    EXPECT_EQ(text("- one\n  goes on\n- two\n"), "- one goes on\n- two\n");
    EXPECT_EQ(text("1. one\n2. two\n   - inner\n"), "1. one\n2. two\n   - inner\n");
    EXPECT_EQ(text("- one\n\n  more\n- two\n"), "- one\n\n  more\n\n- two\n");
    EXPECT_EQ(text("```sh\na  < b\n```\n"), "    a  < b\n");
    EXPECT_EQ(text("> said\n"), "  said\n");
    EXPECT_EQ(text("text\n$$\nx = y\n$$\nmore"), "text\n\n    x = y\n\nmore\n");
    EXPECT_EQ(text("it's **so** `a b` [x](https://x.org)"), "it’s so a b x <https://x.org>\n");
}

TEST(markdown_text, paragraphs_are_filled)
{
    EXPECT_EQ(text("one two three four five six\n", 20), "one two three four\nfive six\n");
    EXPECT_EQ(text("- one two three four five\n", 20), "- one two three four\n  five\n");
    EXPECT_EQ(text("one two three $x = 1$ four\n", 20), "one two three x = 1\nfour\n");
    EXPECT_EQ(text("one two three on $x = 1$ four\n", 20), "one two three on\nx = 1 four\n") << "a short formula stays whole";
}

TEST(markdown_text, tables_are_aligned_and_fit)
{
    EXPECT_EQ(text("| a | bcd |\n|---|--:|\n| $y_1$ | 1 |\n| `xyz` | 22 |\n"), "  a    bcd\n"
                                                                               "  ---  ---\n"
                                                                               "  y₁     1\n"
                                                                               "  xyz   22\n");
    EXPECT_EQ(text("| a | meaning |\n|--|--|\n| x | one two three four |\n", 20), "  a  meaning\n"
                                                                                  "  -  ---------------\n"
                                                                                  "  x  one two three\n"
                                                                                  "     four\n");
    EXPECT_EQ(text("| a | b |\n|--|--|\n| 1.173741304462833 | 6.8600948191191 |\n", 30), "  a: 1.173741304462833\n  b: 6.8600948191191\n");
}

// Every chapter there is, in two widths.
TEST(markdown_text, renders_every_chapter)
{
    std::vector<std::pair<std::string, std::string>> chapters;
    for (const auto& id : problem_ids()) chapters.emplace_back(id, open_problem(id).chapter().markdown);
    for (const auto& name : solver_names()) chapters.emplace_back(name, open_solver(name)->chapter().markdown);
    EXPECT_GE(chapters.size(), 90U);
    for (const auto& [name, markdown] : chapters)
        for (const std::size_t width : {60U, 80U}) {
            const std::string all = text(markdown, width);
            for (const char* mark : {"\\", "$", "**", "|-", "\u00A0", "\n\n\n"}) EXPECT_EQ(all.find(mark), std::string::npos) << name << ": " << mark;
            for (const auto& l : lines_of(all)) {
                const auto from = std::min(l.find_first_not_of(' '), l.size());
                const bool one_word = l.find(' ', from) == std::string::npos;
                EXPECT_TRUE(columns_of(l) <= width || one_word) << name << ": " << l;
                EXPECT_FALSE(l.ends_with(' ')) << name << ": " << l;
            }
        }
}

// ---- Hostile texts: none may crash, take long or grow out of proportion ----

TEST(markdown_text, time_and_size_grow_with_the_length_only)
{
    constexpr std::size_t many = 20'000;
    for (const char* part : {"[", "<", "*a ", "`", "$a ", "$$", "> ", "- ", "1. ", "| ", "\\", "#", "- - > ", "$x$ ", "a\n\n", "$$\\frac{$$\n"}) {
        const std::string all = repeated(part, many);
        EXPECT_LT(text(all).size(), 200 * all.size()) << part;
        EXPECT_LT(text(repeated(std::string(part) + "\n", many)).size(), 200 * all.size()) << part << " in lines";
    }
    const std::string wide = repeated("|a", many) + "\n" + repeated("|-", many) + "\n" + repeated("|\n", many);
    EXPECT_LT(text(wide).size(), 100 * wide.size());
    const std::string long_head = "|" + repeated("a", many) + "|b|\n|-|-|\n" + repeated("|c|\n", 10'000);
    EXPECT_LT(text(long_head).size(), 100 * long_head.size());
}

TEST(formula_text, time_and_size_grow_with_the_length_only)
{
    constexpr std::size_t many = 10'000;
    const auto size_of = [](const std::string& tex) { return formula_line(parse_formula(tex).root).size() + lines(tex).size(); };
    for (const char* part : {"\\begin{aligned} a &= b \\\\ ", "a & b \\\\ ", "x_", "\\frac{", "a ", "\\left( a \\right) "}) {
        const std::string tex = repeated(part, many);
        EXPECT_LT(size_of(tex), 200 * tex.size()) << part;
    }
    // One long line among many short ones: no line is padded to it.
    const std::string uneven = "\\begin{aligned}" + repeated("a + ", many) + "& b \\\\" + repeated("c & d \\\\", many) + "\\end{aligned}";
    EXPECT_LT(size_of(uneven), 50 * uneven.size());
    const std::string matrix = "M = \\begin{pmatrix}" + repeated("a + ", many) + "& b \\\\" + repeated("c & d \\\\", many) + "\\end{pmatrix}";
    EXPECT_LT(size_of(matrix), 50 * matrix.size());
}

TEST(markdown_text, foreign_controls_are_shown)
{
    EXPECT_EQ(text("a\x1B[2J `\x1B` $\x1B$"), "a\uFFFD[2J \uFFFD \uFFFD\n");
    EXPECT_EQ(text("```\n\x1B\n```\n$$\n\\text{\x1B}\n$$\n"), "    \uFFFD\n\n    \uFFFD\n");
}

} // namespace ivp
