#include "symbols.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace ivp::schematics {

namespace {

/// Along the way from a to b, with the origin in the middle.
struct frame {
    drawn_point middle, along, across;
    frame(drawn_point a, drawn_point b) : middle(0.5 * (a + b)), along(direction(a, b)), across(turned(along)) {}
    [[nodiscard]] drawn_point at(double x, double y) const { return middle + x * along + y * across; }
};

/// Wires from both ends to a body of this length.
frame wired(drawing& d, drawn_point a, drawn_point b, double body)
{
    const frame f(a, b);
    d.line({a, f.at(-body / 2, 0)}).line({f.at(body / 2, 0), b});
    return f;
}

void name_beside(drawing& d, const frame& f, std::string_view name, side where, double distance)
{
    const drawn_point out = (where == side::right ? 1.0 : -1.0) * f.across;
    const drawn_point at = f.middle + distance * out;
    if (std::abs(out.x) > 0.7)
        d.symbol(at + drawn_point{0, 4}, name, out.x > 0 ? anchor::start : anchor::end);
    else
        d.symbol(at + drawn_point{0, out.y > 0 ? 9.0 : -1.0}, name);
}

} // namespace

void resistor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where)
{
    const frame f = wired(d, a, b, 28);
    d.polygon({f.at(-14, -5), f.at(14, -5), f.at(14, 5), f.at(-14, 5)});
    name_beside(d, f, name, where, 9);
}

void capacitor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where)
{
    const frame f = wired(d, a, b, 6);
    d.line({f.at(-3, -10), f.at(-3, 10)}, ink::bold).line({f.at(3, -10), f.at(3, 10)}, ink::bold);
    name_beside(d, f, name, where, 13);
}

void inductor(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where)
{
    constexpr int turns = 4;
    constexpr double radius = 4.5;
    const frame f = wired(d, a, b, 2 * turns * radius);
    std::vector<drawn_point> bows;
    for (int k = 0; k < turns; ++k)
        for (int i = 0; i <= 8; ++i) {
            const double angle = std::numbers::pi * (1 - i / 8.0);
            bows.push_back(f.at((2 * k + 1 - turns) * radius + radius * std::cos(angle), -1.4 * radius * std::sin(angle)));
        }
    d.line(bows);
    name_beside(d, f, name, where, 9);
}

void diode(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where)
{
    const frame f = wired(d, a, b, 14);
    d.polygon({f.at(-7, -7), f.at(-7, 7), f.at(7, 0)}, ink::plain, fill::shade).line({f.at(7, -7), f.at(7, 7)});
    name_beside(d, f, name, where, 11);
}

void source(drawing& d, drawn_point a, drawn_point b, std::string_view name, side where)
{
    constexpr double radius = 13;
    const frame f = wired(d, a, b, 2 * radius);
    d.circle(f.middle, radius);
    std::vector<drawn_point> wave;
    for (int k = -8; k <= 8; ++k) wave.push_back(f.middle + drawn_point{k * 0.9, -4 * std::sin(k * std::numbers::pi / 8)});
    d.line(wave);
    name_beside(d, f, name, where, radius + 5);
}

void ground(drawing& d, drawn_point at)
{
    d.line({at, at + drawn_point{0, 6}});
    for (const auto& [half, down] : {std::pair{9.0, 6.0}, std::pair{5.5, 9.5}, std::pair{2.0, 13.0}})
        d.line({at + drawn_point{-half, down}, at + drawn_point{half, down}});
}

void node(drawing& d, drawn_point at, std::string_view name, drawn_point name_at)
{
    d.circle(at, 3, ink::accent, fill::solid);
    d.symbol(at + name_at, name, name_at.x > 2 ? anchor::start : name_at.x < -2 ? anchor::end : anchor::middle, ink::accent);
}

void joint(drawing& d, drawn_point at) { d.circle(at, 2, ink::plain, fill::solid); }

transistor_ends transistor(drawing& d, drawn_point at, std::string_view name)
{
    const transistor_ends ends{at + drawn_point{-26, 0}, at + drawn_point{0, -24}, at + drawn_point{0, 24}};
    d.line({ends.gate, at + drawn_point{-16, 0}});
    d.line({at + drawn_point{-16, -11}, at + drawn_point{-16, 11}}, ink::bold)
        .line({at + drawn_point{-11, -13}, at + drawn_point{-11, 13}}, ink::bold);
    d.line({at + drawn_point{-11, -9}, at + drawn_point{0, -9}, ends.drain});
    d.line({at + drawn_point{-11, 9}, at + drawn_point{0, 9}, ends.source}).head(at + drawn_point{-11, 9}, at + drawn_point{0, 9});
    if (!name.empty()) d.symbol(at + drawn_point{8, 4}, name, anchor::start);
    return ends;
}

void bearing(drawing& d, drawn_point at)
{
    d.polygon({at, at + drawn_point{-8, 13}, at + drawn_point{8, 13}});
    fixed_wall(d, at + drawn_point{12, 13}, at + drawn_point{-12, 13});
    hinge(d, at);
}

void hinge(drawing& d, drawn_point at) { d.circle(at, 3.5, ink::plain, fill::paper); }

void spring(drawing& d, drawn_point a, drawn_point b, ink pen)
{
    constexpr int teeth = 7;
    const frame f(a, b);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    std::vector<drawn_point> zigzag{a};
    for (int k = 0; k <= 2 * teeth; ++k)
        zigzag.push_back(f.at(length * (-0.36 + 0.72 * k / (2 * teeth)), k == 0 || k == 2 * teeth ? 0 : k % 2 == 0 ? -5 : 5));
    zigzag.push_back(b);
    d.line(zigzag, pen);
}

void fixed_wall(drawing& d, drawn_point a, drawn_point b)
{
    const frame f(a, b);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    d.line({a, b});
    for (int k = 0; 3 + 6 * k < length; ++k) {
        const drawn_point on = a + (3 + 6 * k) * f.along;
        d.line({on, on - 6 * f.across + 5 * f.along}, ink::quiet);
    }
}

} // namespace ivp::schematics
