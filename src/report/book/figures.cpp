#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/render/numbers.hpp"
#include "report/render/palette.hpp"
#include "report/render/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::book_pages {

namespace {

using pixel = std::pair<double, double>;

/// Leaves out what no eye can see: points less than a quarter of a pixel off the line between their neighbours (Douglas and Peucker).
void thin_out(const std::vector<pixel>& p, std::size_t first, std::size_t last, std::vector<bool>& keep)
{
    constexpr double invisible = 0.25;
    if (last <= first + 1) return;
    const double dx = p[last].first - p[first].first;
    const double dy = p[last].second - p[first].second;
    const double length = std::hypot(dx, dy);
    double farthest = 0;
    std::size_t at = first;
    for (std::size_t k = first + 1; k < last; ++k) {
        const double off = length > 0 ? std::abs(dy * (p[k].first - p[first].first) - dx * (p[k].second - p[first].second)) / length
                                      : std::hypot(p[k].first - p[first].first, p[k].second - p[first].second);
        if (off > farthest) {
            farthest = off;
            at = k;
        }
    }
    if (farthest <= invisible) return;
    keep[at] = true;
    thin_out(p, first, at, keep);
    thin_out(p, at, last, keep);
}

std::string thinned_path(const std::vector<pixel>& points)
{
    if (points.empty()) return "";
    std::vector<bool> keep(points.size());
    keep.front() = keep.back() = true;
    thin_out(points, 0, points.size() - 1, keep);
    std::string d;
    for (std::size_t k = 0; k < points.size(); ++k)
        if (keep[k]) d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", points[k].first, points[k].second);
    return d;
}

std::string component_name(const ivp::problem& p, int component)
{
    const auto& names = p.info().component_names;
    return names.empty() ? fmt::format("y<sub>{}</sub>", component + 1)
                         : fmt::format("y<sub>{}</sub>, {}", component + 1, html_escaped(names[static_cast<std::size_t>(component)]));
}

struct value_range {
    double low = INFINITY;
    double high = -INFINITY;
    double least_positive = INFINITY;
    void add(double v)
    {
        if (!std::isfinite(v)) return;
        low = std::min(low, v);
        high = std::max(high, v);
        if (v > 0) least_positive = std::min(least_positive, v);
    }
    [[nodiscard]] bool empty() const { return !(low <= high); }
};

/// A logarithmic axis where a component that is never negative spans many powers of ten; what is smaller than 10^-12 of the largest is not drawn.
plot_axis value_axis(const value_range& r)
{
    constexpr double wide = 1e4;
    constexpr double widest = 1e12;
    if (!r.empty() && r.low >= 0 && r.high > 0 && r.high / r.least_positive > wide)
        return logarithmic_axis("", std::max(r.least_positive, r.high / widest), r.high);
    return linear_axis("", r.low, r.high);
}

/// One component over time, from point `first` to point `last`.
std::string course_plot(const behaviour& b, std::size_t k, const plot_axis& time, std::size_t first, std::size_t last, std::string_view what)
{
    value_range range;
    for (std::size_t i = first; i <= last; ++i) range.add(b.y[k][i]);
    if (range.empty()) return "";
    const plot_axis values = value_axis(range);
    svg_plot plot({400, 230}, time, values);
    std::vector<pixel> points;
    std::string d;
    for (std::size_t i = first; i <= last; ++i) {
        const double v = b.y[k][i];
        if (std::isfinite(v) && b.t[i] >= (time.logarithmic ? time.from : -INFINITY) && (!values.logarithmic || v >= values.from * (1 - 1e-9))) {
            points.emplace_back(plot.x(b.t[i]), plot.y(v));
        } else {
            d += thinned_path(points);
            points.clear();
        }
    }
    d += thinned_path(points);
    plot.raw(fmt::format("<g class=\"series c{}\"><path class=\"line\" d=\"{}\"/></g>", k % plain_colors, d));
    return plot.element("", fmt::format("component {} over time{}", b.components[k] + 1, what));
}

/// The beginning of the interval, where a component does most of what it ever does there; none where it does not.
std::optional<std::size_t> end_of_transient(const behaviour& b, std::size_t k)
{
    constexpr double beginning = 0.02; // of the interval
    constexpr double most = 0.6;       // of all its ups and downs
    if (b.logarithmic_time || b.t.size() < 100) return std::nullopt;
    const double until = b.t.front() + beginning * (b.t.back() - b.t.front());
    double early = 0;
    double all = 0;
    std::size_t last = 0;
    for (std::size_t i = 1; i < b.t.size(); ++i) {
        const double change = std::abs(b.y[k][i] - b.y[k][i - 1]);
        if (!std::isfinite(change)) return std::nullopt;
        all += change;
        if (b.t[i] > until) continue;
        early += change;
        last = i;
    }
    return all > 0 && early > most * all && last > 5 ? std::optional(last) : std::nullopt;
}

std::string course_tiles(const behaviour& b, const ivp::problem& p, std::size_t k)
{
    const std::string name = component_name(p, b.components[k]);
    const auto tile = [&name](std::string_view suffix, const std::string& plot) {
        return plot.empty() ? "" : fmt::format("<div class=\"tile\"><p class=\"tile-title\">{}{}</p>{}</div>", name, suffix, plot);
    };
    const plot_axis time = b.logarithmic_time ? logarithmic_axis("t", std::max(b.t.front(), 1e-300), b.t.back())
                                              : plot_axis{"t", p.info().t0.value(), p.info().tend.value(), false};
    std::string html = tile("", course_plot(b, k, time, 0, b.t.size() - 1, ""));
    if (const auto last = end_of_transient(b, k))
        html += tile(" <span class=\"quiet\">at the beginning</span>",
                     course_plot(b, k, {"t", b.t.front(), b.t[*last], false}, 0, *last, ", at the beginning"));
    return html;
}

/// Two components against each other; several pairs in one plot are bodies or points that move.
struct phase_plot {
    std::string_view problem;
    std::string_view title;
    std::vector<std::pair<int, int>> pairs; ///< components, counted from 1
    bool same_scale = false;                ///< lengths: a circle is to look like one
    bool logarithmic = false;
};

const std::vector<phase_plot>& phase_plots()
{
    static const auto stars = [] {
        std::vector<std::pair<int, int>> pairs;
        for (int k = 1; k <= 7; ++k) pairs.emplace_back(k, 7 + k);
        return pairs;
    }();
    static const auto electrons = [] {
        std::vector<std::pair<int, int>> pairs;
        for (int k = 0; k < 20; ++k) pairs.emplace_back(3 * k + 1, 3 * k + 2);
        return pairs;
    }();
    static const std::vector<phase_plot> all{
        {"plei", "The paths of the seven stars", stars, true},
        {"fekete", "The paths of the points, seen along the third axis", electrons, true},
        {"vdpol", "Phase plane: y₂ over y₁", {{1, 2}}},
        {"vdpolm", "Phase plane: y₂ over y₁", {{1, 2}}},
        {"orego", "Limit cycle: y₃ over y₁", {{1, 3}}, false, true},
        {"wheel", "The wheelset from above: yaw angle over lateral displacement", {{1, 4}}},
        {"caraxis", "The paths of the ends of the axis", {{1, 2}, {3, 4}}, false},
        {"detest-n-b1", "Predator and prey: y₂ over y₁", {{1, 2}}},
        {"detest-n-d5", "The orbit", {{1, 2}}, true},
    };
    return all;
}

std::string phase_figure(const behaviour& b, const phase_plot& wanted)
{
    const auto place = [&b](int component) { return std::ranges::find(b.components, component - 1) - b.components.begin(); };
    value_range xs;
    value_range ys;
    for (const auto& [x, y] : wanted.pairs) {
        const auto kx = static_cast<std::size_t>(place(x));
        const auto ky = static_cast<std::size_t>(place(y));
        if (kx >= b.y.size() || ky >= b.y.size()) return "";
        for (const double v : b.y[kx]) xs.add(v);
        for (const double v : b.y[ky]) ys.add(v);
    }
    if (xs.empty() || ys.empty()) return "";
    plot_axis ax = wanted.logarithmic ? logarithmic_axis("", xs.least_positive, xs.high) : linear_axis("", xs.low, xs.high);
    plot_axis ay = wanted.logarithmic ? logarithmic_axis("", ys.least_positive, ys.high) : linear_axis("", ys.low, ys.high);
    plot_size size{480, 360};
    if (wanted.same_scale) size.height = std::clamp(400 * (ay.to - ay.from) / (ax.to - ax.from) + 40, 200.0, 560.0);
    svg_plot plot(size, ax, ay);
    int k = 0;
    for (const auto& [x, y] : wanted.pairs) {
        const auto& px = b.y[static_cast<std::size_t>(place(x))];
        const auto& py = b.y[static_cast<std::size_t>(place(y))];
        std::vector<pixel> points;
        for (std::size_t i = 0; i < px.size(); ++i)
            if (std::isfinite(px[i]) && std::isfinite(py[i]) && (!wanted.logarithmic || (px[i] > 0 && py[i] > 0)))
                points.emplace_back(plot.x(px[i]), plot.y(py[i]));
        if (points.empty()) continue;
        const curve_look look = curve_look::plain(k++);
        plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), thinned_path(points),
                             plot.marker(look, points.back().first, points.back().second, "",
                                         fmt::format("{} at the end", wanted.pairs.size() == 1 ? "" : std::to_string(k)))));
    }
    return fmt::format("<div class=\"tile\"><p class=\"tile-title\">{}</p>{}</div>", wanted.title, plot.element("", wanted.title));
}

/// Components that are shown one by one: all of a small problem.
std::vector<int> tile_components(const ivp::problem& p)
{
    constexpr int small = 17;
    constexpr int angles_of_andrews = 7;
    std::vector<int> components;
    const int all = p.n() <= small ? p.n() : p.id() == "andrews" ? angles_of_andrews : 0;
    for (int k = 0; k < all; ++k) components.push_back(k);
    if (!components.empty()) return components;
    for (const int k : p.info().pictured) components.push_back(k - 1);
    if (components.empty()) components = {0, 1, 2, 3};
    return components;
}

} // namespace

std::string diagram_figure(const view& v, const problem_runs& runs, work_kind work, precision_kind precision)
{
    const auto reach = v.reach.find(runs.problem);
    const diagram d = diagram_of(v, runs, work, precision);
    std::vector<curve_name> curves;
    for (const auto& c : d.curves) curves.push_back({c.label, "", c.look});
    std::string limits;
    if (runs.variant.empty() && reach != v.reach.end()) {
        if (reach->second.mescd) limits += fmt::format(" data-limit-mescd=\"{:.6g}\"", *reach->second.mescd);
        if (reach->second.path) limits += fmt::format(" data-limit-path=\"{:.6g}\"", *reach->second.path);
        if (reach->second.scd) limits += fmt::format(" data-limit-scd=\"{:.6g}\"", *reach->second.scd);
    }
    std::string caption = d.empty_because.empty() ? "" : html_escaped(d.empty_because) + " ";
    if (std::ranges::any_of(d.curves, [](const diagram_curve& c) { return !c.failures.empty(); }))
        caption += "Crosses in the band at the left: failed runs. Triangles with an exclamation mark: success claimed with a wrong answer. ";
    if (shows_limit(d))
        caption += fmt::format("The reference is confirmed to {:.1f} digits in this measure; hatched is what lies beyond. ", *d.limit);
    return fmt::format("<figure class=\"diagram\" data-k=\"{}\"{}>{}<div class=\"canvas\">{}</div><figcaption>{}{}</figcaption></figure>\n",
                       &runs - v.runs.data(), limits, legend(curves, "Solvers shown in the diagram"), diagram_svg_element(d, v.records), caption,
                       diagram_warning);
}

std::string behaviour_figure(const behaviour& b, const ivp::problem& p)
{
    const auto tiles = tile_components(p);
    std::string text = "<figure class=\"courses\"><div class=\"tiles\">";
    for (const auto& wanted : phase_plots())
        if (wanted.problem == p.id() && name_of(p) == p.id()) text += phase_figure(b, wanted);
    for (std::size_t k = 0; k < b.components.size(); ++k)
        if (std::ranges::find(tiles, b.components[k]) != tiles.end()) text += course_tiles(b, p, k);
    return text + fmt::format("</div><figcaption>Computed with {}{} at rtol {} when this page was made.</figcaption></figure>\n", b.solver,
                              p.info().form == form::ide ? " as a DAE" : "", tolerance_number(medium::html, b.rtol));
}

} // namespace ivp::book_pages

namespace ivp {

std::vector<int> pictured_in_book(const problem& p)
{
    std::vector<int> components = book_pages::tile_components(p);
    for (const auto& wanted : book_pages::phase_plots())
        if (wanted.problem == p.id())
            for (const auto& [x, y] : wanted.pairs)
                for (const int c : {x, y})
                    if (std::ranges::find(components, c - 1) == components.end()) components.push_back(c - 1);
    std::erase_if(components, [&p](int k) { return k < 0 || k >= p.n(); });
    return components;
}

} // namespace ivp
