#include "drawing.hpp"

#include "escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp {

namespace {

constexpr double font_size = 12;
constexpr double lowered_by = 3;

constexpr std::string_view class_of(ink pen)
{
    constexpr std::array names{"", "bold", "quiet", "dashed", "accent"};
    return names[static_cast<std::size_t>(pen)];
}

constexpr std::string_view class_of(fill inside)
{
    constexpr std::array names{"", "paper", "shade", "solid"};
    return names[static_cast<std::size_t>(inside)];
}

std::string attribute(ink pen, fill inside = fill::none)
{
    std::string names(class_of(pen));
    if (inside != fill::none) names += (names.empty() ? "" : " ") + std::string(class_of(inside));
    return names.empty() ? "" : fmt::format(" class=\"{}\"", names);
}

std::string tikz_style(ink pen, fill inside)
{
    constexpr std::array pens{"draw", "draw, line width=1.4pt", "draw=black!45", "draw, dashed", "draw=blue!60!black"};
    constexpr std::array fills{"", ", fill=white", ", fill=black!12", ", fill"};
    std::string style = pens[static_cast<std::size_t>(pen)];
    style += fills[static_cast<std::size_t>(inside)];
    if (pen == ink::accent && inside == fill::solid) style += "=blue!60!black";
    if (pen == ink::quiet && inside == fill::solid) style += "=black!45";
    return style;
}

/// Pieces of a text: as it is, lowered, as it is, ...
std::vector<std::string> pieces_of(std::string_view words)
{
    std::vector<std::string> pieces{""};
    bool low = false;
    for (const char c : words) {
        const bool ends = c == ' ' || c == ',' || c == ')' || c == '(' || c == '\'';
        if (!low && c == '_') {
            low = true;
            pieces.emplace_back();
            continue;
        }
        if (low && ends) {
            low = false;
            pieces.emplace_back();
        }
        pieces.back() += c;
    }
    return pieces;
}

} // namespace

drawn_point direction(drawn_point a, drawn_point b)
{
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    return length > 0 ? (1 / length) * (b - a) : drawn_point{1, 0};
}

drawing& drawing::line(std::vector<drawn_point> points, ink pen)
{
    shapes_.push_back({kind::line, std::move(points), 0, pen});
    return *this;
}

drawing& drawing::polygon(std::vector<drawn_point> points, ink pen, fill inside)
{
    shapes_.push_back({kind::polygon, std::move(points), 0, pen, inside});
    return *this;
}

drawing& drawing::circle(drawn_point centre, double radius, ink pen, fill inside)
{
    shapes_.push_back({kind::circle, {centre}, radius, pen, inside});
    return *this;
}

drawing& drawing::curve(drawn_point from, drawn_point control, drawn_point to, ink pen)
{
    shapes_.push_back({kind::curve, {from, control, to}, 0, pen});
    return *this;
}

drawing& drawing::head(drawn_point from, drawn_point tip, ink pen)
{
    constexpr double length = 8;
    constexpr double half_width = 3;
    const drawn_point along = direction(from, tip);
    const drawn_point across = turned(along);
    const drawn_point base = tip - length * along;
    // A dashed outline of so small a shape would be noise.
    return polygon({tip, base + half_width * across, base - half_width * across}, pen == ink::dashed ? ink::plain : pen, fill::solid);
}

drawing& drawing::arrow(drawn_point from, drawn_point tip, ink pen) { return line({from, tip}, pen).head(from, tip, pen); }

drawing& drawing::curved_arrow(drawn_point from, drawn_point control, drawn_point tip, ink pen)
{
    return curve(from, control, tip, pen).head(control, tip, pen);
}

drawing& drawing::text(drawn_point at, std::string_view words, anchor where, ink pen)
{
    shapes_.push_back({kind::text, {at}, 0, pen, fill::none, {std::string(words)}, where});
    return *this;
}

drawing& drawing::symbol(drawn_point at, std::string_view words, anchor where, ink pen)
{
    shapes_.push_back({kind::text, {at}, 0, pen, fill::none, pieces_of(words), where});
    return *this;
}

drawing& drawing::fit()
{
    constexpr double margin = 8;
    constexpr double letter = 7.8; // the width of a letter in a wide font of this size
    constexpr double ascent = 12;
    constexpr double descent = 5;
    double left = INFINITY;
    double right = -INFINITY;
    double top = INFINITY;
    double bottom = -INFINITY;
    const auto add = [&](double x, double y) {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    };
    for (const auto& s : shapes_) {
        double words = 0;
        for (const auto& piece : s.words)
            words +=
                letter * static_cast<double>(std::ranges::count_if(piece, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
        const double before = s.where == anchor::start ? 0 : s.where == anchor::middle ? words / 2 : words;
        for (const auto& p : s.points) {
            const bool text = s.what == kind::text;
            add(p.x - (text ? before : s.radius), p.y - (text ? ascent : s.radius));
            add(p.x + (text ? words - before : s.radius), p.y + (text ? descent : s.radius));
        }
    }
    if (!(left <= right)) return *this;
    for (auto& s : shapes_)
        for (auto& p : s.points) p = p + drawn_point{margin - left, margin - top};
    width_ = right - left + 2 * margin;
    height_ = bottom - top + 2 * margin;
    return *this;
}

std::string drawing::body() const
{
    std::string out;
    for (const auto& s : shapes_) {
        const auto& p = s.points;
        switch (s.what) {
        case kind::line:
        case kind::polygon: {
            std::string d;
            for (const auto& q : p) d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", q.x, q.y);
            out += fmt::format("<path{} d=\"{}{}\"/>", attribute(s.pen, s.inside), d, s.what == kind::polygon ? "Z" : "");
            break;
        }
        case kind::circle:
            out += fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", attribute(s.pen, s.inside), p[0].x, p[0].y, s.radius);
            break;
        case kind::curve:
            out += fmt::format("<path{} d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\"/>", attribute(s.pen), p[0].x, p[0].y, p[1].x, p[1].y, p[2].x,
                               p[2].y);
            break;
        case kind::text: {
            constexpr std::array anchors{"start", "middle", "end"};
            const auto& pieces = s.words;
            std::string words = html_escaped(pieces[0]);
            for (std::size_t k = 1; k < pieces.size(); ++k)
                words += k % 2 == 1 ? fmt::format("<tspan dy=\"{}\" class=\"low\">{}</tspan>", lowered_by, html_escaped(pieces[k]))
                                    : fmt::format("<tspan dy=\"-{}\">{}</tspan>", lowered_by, html_escaped(pieces[k]));
            out += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", attribute(s.pen), p[0].x, p[0].y,
                               anchors[static_cast<std::size_t>(s.where)], words);
            break;
        }
        }
    }
    return out;
}

std::string drawing::svg_element(std::string_view title) const
{
    return fmt::format(
        "<svg class=\"drawing\" viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{2:.2f}rem\" role=\"img\" aria-label=\"{3}\">{4}</svg>", width_,
        height_, 1.25 * width_ / 16, html_escaped(title), body());
}

std::string drawing::svg_file(std::string_view title) const
{
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"{2}\">\n<title>{3}</title>\n<style>path, circle {{ fill: none; stroke: #333; }} .bold {{ stroke-width: 2.5; }} .quiet {{ "
        "stroke: "
        "#888; }} .dashed {{ stroke-dasharray: 4 3; }} .accent {{ stroke: #0b5c92; }} .paper {{ fill: #fff; }} .shade {{ fill: #eee; }} .solid {{ "
        "fill: #333; }} .quiet.solid {{ fill: #888; }} .accent.solid {{ fill: #0b5c92; }} text {{ fill: #111; stroke: #fff; stroke-width: 3; "
        "paint-order: stroke; }} text.quiet, text.accent {{ stroke: #fff; }} text.quiet {{ fill: #666; font-size: 11px; }} text.accent {{ fill: "
        "#0b5c92; }} .low {{ font-size: 9px; "
        "}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{4}\n</svg>\n",
        width_, height_, font_size, html_escaped(title), body());
}

std::string drawing::tikz(double width_cm) const
{
    constexpr double most_scale = 0.026; // cm for each pixel: words keep their size, and a small drawing stays small
    const double scale = std::min(most_scale, width_cm / width_);
    std::string out = fmt::format("\\begin{{tikzpicture}}[x={0:.5f}cm, y=-{0:.5f}cm, font=\\footnotesize]\n", scale);
    const auto at = [](drawn_point p) { return fmt::format("({:.1f},{:.1f})", p.x, p.y); };
    for (const auto& s : shapes_) {
        const auto& p = s.points;
        switch (s.what) {
        case kind::line:
        case kind::polygon: {
            std::string path;
            for (const auto& q : p) path += (path.empty() ? "" : "--") + at(q);
            out += fmt::format("\\path[{}] {}{};\n", tikz_style(s.pen, s.inside), path, s.what == kind::polygon ? "--cycle" : "");
            break;
        }
        case kind::circle:
            out += fmt::format("\\path[{}] {} circle[radius={:.4f}cm];\n", tikz_style(s.pen, s.inside), at(p[0]), s.radius * scale);
            break;
        case kind::curve: { // a cubic with the same course
            const drawn_point c1 = p[0] + (2.0 / 3) * (p[1] - p[0]);
            const drawn_point c2 = p[2] + (2.0 / 3) * (p[1] - p[2]);
            out += fmt::format("\\path[{}] {}..controls {} and {}..{};\n", tikz_style(s.pen, fill::none), at(p[0]), at(c1), at(c2), at(p[2]));
            break;
        }
        case kind::text: {
            constexpr std::array anchors{"base west", "base", "base east"};
            constexpr std::array colours{"", "", ", text=black!60", "", ", text=blue!60!black"};
            const auto& pieces = s.words;
            std::string words = tex_escaped(pieces[0]);
            for (std::size_t k = 1; k < pieces.size(); ++k)
                words += k % 2 == 1 ? "\\textsubscript{" + tex_escaped(pieces[k]) + "}" : tex_escaped(pieces[k]);
            out += fmt::format("\\node[anchor={}, inner sep=0pt{}] at {} {{{}}};\n", anchors[static_cast<std::size_t>(s.where)],
                               colours[static_cast<std::size_t>(s.pen)], at(p[0]), words);
            break;
        }
        }
    }
    return out + "\\end{tikzpicture}%\n";
}

} // namespace ivp
