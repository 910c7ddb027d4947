// Networks: reactions, read off the equations, the tubes of the water, the tissue that an antibody enters.
#include "schematics.hpp"
#include "symbols.hpp"

#include "text/reactions.hpp"
#include "water/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp::schematics {

namespace {

using p = drawn_point;

/// The problems whose unknowns are amounts of substances.
constexpr std::array chemistry{"hires", "pollu", "rober", "e5", "orego", "chemakzo_ode", "chemakzo_dae"};

std::optional<schematic> reactions(const problem& m)
{
    const auto graph = text::species_graph_of(m);
    if (!graph) return std::nullopt;
    std::string caption = "Which species becomes which, read from the equations.";
    const auto any = [&](auto&& is) { return std::ranges::any_of(graph->arrows, is); };
    if (any([](const text::graph_arrow& a) { return !a.label.empty(); })) caption += " A label names the other reactants";
    if (any([](const text::graph_arrow& a) { return a.label == "+ …"; })) caption += "; + …: in several ways, with different partners";
    if (!caption.ends_with('.')) caption += '.';
    if (any([](const text::graph_arrow& a) { return a.makes; })) caption += " Dashed: the species at the beginning of the arrow is not used up.";
    return schematic{text::graph_drawing(*graph), caption};
}

schematic water_tubes()
{
    const std::array<p, 14> at{p{},        {70, 50},   {160, 50},  {250, 50},  {520, 50},  {350, 120}, {160, 130},
                               {520, 330}, {350, 260}, {200, 260}, {425, 190}, {160, 330}, {290, 330}, {70, 330}};
    drawing d(600, 385);
    int number = 0;
    for (const auto& [from, to] : problems::water_network) {
        const p a = at[static_cast<std::size_t>(from)];
        const p b = at[static_cast<std::size_t>(to)];
        const p along = direction(a, b);
        const auto gap = [&along](int node) { // to a circle, or to the square around it
            return node == 5 || node == 8 ? 18 / std::max(std::abs(along.x), std::abs(along.y)) : 13.0;
        };
        d.arrow(a + gap(from) * along, b - gap(to) * along);
        d.text(0.5 * (a + b) + (-9.0) * turned(along) + p{0, 4}, std::to_string(++number), anchor::middle, ink::quiet);
    }
    for (int k = 1; k <= 13; ++k) {
        const p here = at[static_cast<std::size_t>(k)];
        const bool buffer = k == 5 || k == 8;
        if (buffer) d.polygon({here + p{-17, -17}, here + p{17, -17}, here + p{17, 17}, here + p{-17, 17}}, ink::accent, fill::paper);
        d.circle(here, 12, ink::plain, buffer ? fill::shade : fill::paper).text(here + p{0, 4}, std::to_string(k));
    }
    d.arrow({12, 50}, {57, 50}, ink::accent).symbol({34, 40}, "e_1", anchor::middle, ink::accent);
    d.arrow({12, 330}, {57, 330}, ink::accent).symbol({34, 320}, "e_13", anchor::middle, ink::accent);
    d.arrow({438, 190}, {474, 190}, ink::accent).symbol({480, 194}, "e_10", anchor::start, ink::accent);
    return {std::move(d), "Thirteen nodes and eighteen tubes, each numbered as the components are and drawn in the direction in which its flow is "
                          "counted. Water enters at "
                          "the nodes 1 and 13 and leaves at node 10; the nodes 5 and 8, in squares, have buffers."};
}

schematic tissue()
{
    drawing d(520, 170);
    d.polygon({{130, 35}, {500, 35}, {500, 120}, {130, 120}}, ink::quiet, fill::shade);
    d.line({{130, 25}, {130, 130}}, ink::bold);
    // Substrate everywhere, antibody near the surface.
    for (int k = 0; k < 24; ++k) d.circle({145.0 + 15 * k, 50.0 + (k * 37) % 60}, 3, ink::plain, fill::paper);
    for (int k = 0; k < 9; ++k) d.circle({142.0 + 3.2 * k * k / 2.2, 46.0 + (k * 29) % 64}, 3, ink::accent, fill::solid);
    d.arrow({40, 78}, {122, 78}, ink::accent).symbol({78, 68}, "u(0, t) = ϕ(t)", anchor::middle, ink::accent);
    d.text({60, 100}, "antibody A", anchor::middle).text({315, 28}, "tissue with the substrate B: A + B → C");
    d.arrow({130, 145}, {500, 145}, ink::quiet).symbol({506, 149}, "x", anchor::start).text({130, 162}, "x = 0, ζ = 0").text({470, 162}, "ζ → 1");
    return {std::move(d),
            "The antibody (filled) enters the tissue at its surface, diffuses and is bound by the substrate (hollow), which does not move."};
}

} // namespace

std::optional<schematic> network(const problem& m)
{
    if (std::ranges::find(chemistry, m.id()) != chemistry.end()) return reactions(m);
    if (m.id() == "water") return water_tubes();
    if (m.id() == "medakzo") return tissue();
    return std::nullopt;
}

} // namespace ivp::schematics

namespace ivp {

std::optional<schematic> schematic_of(const problem& m)
{
    if (m.info().origin != "own") return std::nullopt; // somebody else's, with the same name
    auto s = schematics::circuit(m.id());
    if (!s) s = schematics::mechanism(m);
    if (!s) s = schematics::network(m);
    if (s) s->picture.fit();
    return s;
}

} // namespace ivp
