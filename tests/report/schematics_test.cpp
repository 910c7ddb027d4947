// Drawings of the problems: each that has one, inside its frame, and the reactions as the equations have them.
#include "report/schematics/quantities.hpp"
#include "report/schematics/schematics.hpp"
#include "text/reactions.hpp"

#include <ivp/catalog.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

namespace ivp {

namespace {

const std::vector<std::string> drawn{"transamp", "ringmod", "nand", "tba",   "pump",         "andrews",      "crank",
                                     "caraxis",  "wheel",   "beam", "water", "plei",         "fekete",       "hires",
                                     "pollu",    "rober",   "e5",   "orego", "chemakzo_ode", "chemakzo_dae", "medakzo"};

/// Every coordinate of a drawing is a number inside its frame.
void expect_inside(const std::string& svg, const std::string& what)
{
    std::smatch box;
    ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9]+) ([0-9]+)\""))) << what;
    const double width = std::stod(box[1]);
    const double height = std::stod(box[2]);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << what;
    const auto check = [&](const std::string& x, const std::string& y) {
        EXPECT_GE(std::stod(x), 0) << what << " at " << x << " " << y;
        EXPECT_LE(std::stod(x), width) << what << " at " << x << " " << y;
        EXPECT_GE(std::stod(y), 0) << what << " at " << x << " " << y;
        EXPECT_LE(std::stod(y), height) << what << " at " << x << " " << y;
    };
    const std::regex pair("([-0-9.]+)[ ]([-0-9.]+)");
    const std::regex path(" d=\"([^\"]*)\"");
    std::size_t points = 0;
    for (std::sregex_iterator d(svg.begin(), svg.end(), path), none; d != none; ++d) {
        const std::string data = (*d)[1];
        for (std::sregex_iterator p(data.begin(), data.end(), pair); p != none; ++p, ++points) check((*p)[1], (*p)[2]);
    }
    const std::regex text("<text[^>]* x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"");
    for (std::sregex_iterator t(svg.begin(), svg.end(), text), none; t != none; ++t) check((*t)[1], (*t)[2]);
    EXPECT_GT(points, 5U) << what;
}

std::set<std::string> arrows_of(const std::string& id)
{
    const auto graph = text::species_graph_of(open_problem(id));
    std::set<std::string> all;
    if (!graph) return all;
    for (const auto& a : graph->arrows)
        all.insert((a.from < 0 ? "" : graph->nodes[static_cast<std::size_t>(a.from)]) + (a.makes ? " ~> " : " -> ") +
                   (a.to < 0 ? "" : graph->nodes[static_cast<std::size_t>(a.to)]) + (a.label.empty() ? "" : " (" + a.label + ")"));
    return all;
}

} // namespace

TEST(schematics, every_problem_that_has_one_is_drawn_inside_its_frame)
{
    for (const auto& id : drawn) {
        const auto s = schematic_of(open_problem(id));
        ASSERT_TRUE(s) << id;
        expect_inside(s->picture.svg_element("a drawing"), id);
        EXPECT_TRUE(s->caption.ends_with(".")) << id;
        EXPECT_NE(s->picture.tikz(16).find("\\end{tikzpicture}"), std::string::npos) << id;
    }
    EXPECT_FALSE(schematic_of(open_problem("vdpol")));
}

TEST(schematics, a_mechanism_moves)
{
    for (const std::string id : {"andrews", "crank", "caraxis", "beam"}) {
        const problem p = open_problem(id);
        const auto m = motion_of(p);
        ASSERT_TRUE(m) << id;
        const auto y0 = p.in<double>().initial_values();
        std::vector<double> here;
        std::vector<double> there;
        for (const int c : m->components) {
            here.push_back(y0[static_cast<std::size_t>(c)]);
            there.push_back(p.reference()->value[static_cast<std::size_t>(c)].value());
        }
        const std::string first = m->picture(0, here).svg_element(id);
        expect_inside(first, id);
        expect_inside(m->picture(p.info().tend.value(), there).svg_element("a drawing"), id);
        EXPECT_NE(m->picture(0, there).svg_element(id), first) << id;
    }
}

TEST(schematics, reactions_are_those_of_the_equations)
{
    EXPECT_EQ(arrows_of("rober"), (std::set<std::string>{"A -> B", "B -> A (+ C)", "B -> C (+ B)"}));
    EXPECT_EQ(arrows_of("hires"), (std::set<std::string>{" -> Pr", "Pr -> Pfr", "Pfr -> Pr", "PrX -> Pr", "Pfr -> PfrX", "PrX -> PfrX", "PfrX -> PrX",
                                                         "PrX' -> PrX", "PfrX -> PfrX'", "PrX' -> PfrX'", "PfrX' -> PrX'", "PfrX' -> PfrX'E (+ E)",
                                                         "E -> PfrX'E (+ PfrX')", "PfrX'E -> PfrX'", "PfrX'E -> PrX'", "PfrX'E -> E"}));
    const auto oregonator = arrows_of("orego");
    EXPECT_TRUE(oregonator.contains("HBrO2 ~> Ce(IV)")) << "made, and not used up";
    EXPECT_TRUE(oregonator.contains("Ce(IV) -> Br-"));
    EXPECT_TRUE(arrows_of("ringmod").empty()) << "its exponentials are no reactions";
    EXPECT_TRUE(arrows_of("medakzo").empty()) << "too many to be drawn";
}

TEST(schematics, units)
{
    const problem pump = open_problem("pump");
    EXPECT_EQ(unit_of_time(pump), "s");
    EXPECT_EQ(unit_of_component(pump, 4), "C");
    EXPECT_EQ(unit_of_component(pump, 5), "V");
    EXPECT_EQ(unit_of_component(pump, 8), "A");
    EXPECT_EQ(unit_of_component(open_problem("tba"), 0), "");
    EXPECT_EQ(unit_of_component(open_problem("tba"), 175), "V");
    EXPECT_EQ(unit_of_component(open_problem("vdpol"), 0), "");
}

TEST(drawing, text_from_outside_is_text_and_indices_are_lowered)
{
    drawing d(100, 50);
    d.text({10, 20}, "a_b <i>").symbol({10, 40}, "U_in1(t)").arrow({0, 0}, {50, 50}, ink::dashed);
    const std::string svg = d.svg_element("x < y");
    EXPECT_NE(svg.find(">a_b &lt;i&gt;</text>"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">U<tspan dy=\"3\" class=\"low\">in1</tspan><tspan dy=\"-3\">(t)</tspan></text>"), std::string::npos) << svg;
    EXPECT_NE(svg.find("aria-label=\"x &lt; y\""), std::string::npos);
    EXPECT_NE(d.svg_file("x").find("<title>x</title>"), std::string::npos);
    const std::string tikz = d.tikz(5);
    EXPECT_NE(tikz.find("U\\textsubscript{in1}(t)"), std::string::npos) << tikz;
    EXPECT_NE(tikz.find("a\\_b \\textless{}i\\textgreater{}"), std::string::npos) << tikz;
}

} // namespace ivp
