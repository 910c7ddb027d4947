#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/render/numbers.hpp"
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

std::string course_plot(const behaviour& b, const ivp::problem& p, std::size_t k)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (const double v : b.y[k])
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (!(low <= high)) return "";
    const plot_axis time = b.logarithmic_time ? logarithmic_axis("t", std::max(b.t.front(), 1e-300), b.t.back())
                                              : plot_axis{"t", p.info().t0.value(), p.info().tend.value(), false};
    svg_plot plot({400, 230}, time, linear_axis("", low, high));
    std::vector<pixel> points;
    std::string d;
    for (std::size_t i = 0; i < b.t.size(); ++i) {
        if (std::isfinite(b.y[k][i])) {
            points.emplace_back(plot.x(b.t[i]), plot.y(b.y[k][i]));
        } else {
            d += thinned_path(points);
            points.clear();
        }
    }
    d += thinned_path(points);
    plot.raw(fmt::format("<g class=\"series c{}\"><path class=\"line\" d=\"{}\"/></g>", k % 7, d));
    return plot.element("", fmt::format("component {} over time", b.components[k] + 1));
}

} // namespace

std::string diagram_figure(const view& v, const problem_runs& runs, work_kind work, precision_kind precision)
{
    const auto reach = v.reach.find(runs.problem);
    const diagram d = diagram_of(v, runs, work, precision);
    std::vector<curve_name> curves;
    for (const auto& c : d.curves) curves.push_back({c.label, "", c.look});
    std::ranges::sort(curves, {}, &curve_name::look);
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
    std::string text = "<figure class=\"courses\"><div class=\"tiles\">";
    for (std::size_t k = 0; k < b.components.size(); ++k)
        text += fmt::format("<div class=\"tile\"><p class=\"tile-title\">{}</p>{}</div>", component_name(p, b.components[k]), course_plot(b, p, k));
    return text + fmt::format("</div><figcaption>Computed with {} at rtol {} when this page was made.</figcaption></figure>\n", b.solver,
                              tolerance_number(medium::html, b.rtol));
}

std::string profile_figure(const performance_profile& p, const work_table& t, const view& v, double digits, work_kind kind)
{
    svg_plot plot({330, 240}, {"times the least work", 1, largest_ratio, true}, {"share of the problems", 0, 1, false});
    for (const auto& c : v.curves) {
        const auto at = std::ranges::find(t.solvers, c.label);
        if (at == t.solvers.end()) continue;
        const auto s = static_cast<std::size_t>(at - t.solvers.begin());
        // A staircase from the ratio 1 to the right edge.
        std::string d = fmt::format("M{:.1f} {:.1f}", plot.x(1), plot.y(p.share(s, 1)));
        for (const double ratio : p.ratios[s]) {
            if (ratio > largest_ratio) break;
            d += fmt::format("H{:.1f}V{:.1f}", plot.x(ratio), plot.y(p.share(s, ratio)));
        }
        d += fmt::format("H{:.1f}", plot.x(largest_ratio));
        const curve_look look{c.look};
        plot.raw(fmt::format("<g class=\"series {}\" data-s=\"{}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), c.look, d,
                             plot.marker(look, plot.x(1), plot.y(p.share(s, 1)), "", "")));
    }
    const std::string what = fmt::format("{:.0f} digits, {}", digits, title(kind));
    return fmt::format("<div class=\"tile\"><p class=\"tile-title\">{} <span class=\"quiet\">· {}</span></p>{}</div>", what,
                       counted(p.problems, "problem"),
                       plot.element(fmt::format(" data-plot=\"profile\" data-digits=\"{:.0f}\" data-work=\"{}\" tabindex=\"0\"", digits, label(kind)),
                                    "Performance profile: " + what));
}

} // namespace ivp::book_pages
