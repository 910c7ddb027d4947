#include "view.hpp"

#include "base/escape.hpp"
#include "base/tex_symbols.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/render/numbers.hpp"
#include "report/render/palette.hpp"
#include "report/render/svg_plot.hpp"
#include "report/schematics/quantities.hpp"
#include "report/schematics/schematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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
    std::string html = fmt::format("y<sub>{}</sub>", component + 1);
    if (!names.empty()) html += ", " + pretty_name(names[static_cast<std::size_t>(component)]);
    if (const auto unit = unit_of_component(p, component); !unit.empty()) html += fmt::format(" <span class=\"quiet\">[{}]</span>", unit);
    return html;
}

/// t, with its unit.
std::string time_title(const ivp::problem& p)
{
    const auto unit = unit_of_time(p);
    return unit.empty() ? "t" : fmt::format("t [{}]", unit);
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

plot_axis value_axis(const value_range& r, bool logarithmic)
{
    constexpr double widest = 1e12; // what is smaller than this part of the largest is not drawn
    if (logarithmic) return logarithmic_axis("", std::max(r.least_positive, r.high / widest), r.high);
    return linear_axis("", r.low, r.high);
}

/// One component over time, from point `first` to point `last`.
std::string course_plot(const behaviour& b, std::size_t k, const plot_axis& time, std::size_t first, std::size_t last, std::string_view what)
{
    value_range range;
    for (std::size_t i = first; i <= last; ++i) range.add(b.y[k][i]);
    if (range.empty()) return "";
    const plot_axis values = value_axis(range, asks_for_logarithms(std::span(b.y[k]).subspan(first, last - first + 1)));
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
    const plot_axis time = b.logarithmic_time ? logarithmic_axis(time_title(p), std::max(b.t.front(), 1e-300), b.t.back())
                                              : plot_axis{time_title(p), p.info().t0.value(), p.info().tend.value(), false};
    std::string html = tile("", course_plot(b, k, time, 0, b.t.size() - 1, ""));
    if (const auto last = end_of_transient(b, k))
        html += tile(" <span class=\"quiet\">at the beginning</span>",
                     course_plot(b, k, {time_title(p), b.t.front(), b.t[*last], false}, 0, *last, ", at the beginning"));
    return html;
}

std::string subscript(int number)
{
    std::string text;
    for (const char c : std::to_string(number)) (text += "\xE2\x82") += static_cast<char>(0x80 + (c - '0')); // U+2080 and so on
    return text;
}

/// "U_in1" with its index below the line, as drawings have it.
std::string lowered_html(std::string_view words)
{
    std::string html;
    for (auto at = words.find('_'); at != std::string_view::npos; at = words.find('_')) {
        const std::string_view behind = words.substr(at + 1);
        const auto end = std::min(behind.find_first_of(" ,.)"), behind.size());
        html += fmt::format("{}<sub>{}</sub>", html_escaped(words.substr(0, at)), html_escaped(behind.substr(0, end)));
        words = behind.substr(end);
    }
    return html + html_escaped(words);
}

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
        {"plei", "The paths of the seven stars", stars, "x", "y", true, false, true},
        {"fekete", "The paths of the points, seen along the third axis", electrons, "first axis", "second axis", true},
        {"vdpol", "Phase plane: y₂ over y₁", {{1, 2}}},
        {"vdpolm", "Phase plane: y₂ over y₁", {{1, 2}}},
        {"orego", "Limit cycle: y₃ over y₁", {{1, 3}}, "", "", false, true},
        {"wheel", "The wheelset from above: yaw angle over lateral displacement", {{1, 4}}, "x [m]", "θ [rad]"},
        {"caraxis", "The paths of both ends of the chassis", {{1, 2}, {3, 4}}, "x [m]", "y [m]"},
        {"detest-n-b1", "Predator and prey: y₂ over y₁", {{1, 2}}},
        {"detest-n-d5", "The orbit", {{1, 2}}, "", "", true},
    };
    return all;
}

std::string phase_figure(const behaviour& b, const phase_plot& wanted)
{
    const auto courses = courses_of(b, wanted);
    value_range xs;
    value_range ys;
    for (const auto& [x, y] : courses) {
        for (const double v : *x) xs.add(v);
        for (const double v : *y) ys.add(v);
    }
    if (xs.empty() || ys.empty()) return "";
    const auto title = [](std::string_view given, int component) {
        return given.empty() ? fmt::format("y{}", subscript(component)) : std::string(given);
    };
    const std::string across = title(wanted.across, wanted.pairs.front().first);
    const std::string up = title(wanted.up, wanted.pairs.front().second);
    plot_axis ax = wanted.logarithmic ? logarithmic_axis(across, xs.least_positive, xs.high) : linear_axis(across, xs.low, xs.high);
    plot_axis ay = wanted.logarithmic ? logarithmic_axis(up, ys.least_positive, ys.high) : linear_axis(up, ys.low, ys.high);
    plot_size size{480, 360};
    if (wanted.same_scale) size.height = std::clamp(400 * (ay.to - ay.from) / (ax.to - ax.from) + 40, 200.0, 560.0);
    svg_plot plot(size, ax, ay);
    int k = 0;
    for (const auto& [x, y] : courses) {
        const auto& px = *x;
        const auto& py = *y;
        std::vector<pixel> points;
        for (std::size_t i = 0; i < px.size(); ++i)
            if (std::isfinite(px[i]) && std::isfinite(py[i]) && (!wanted.logarithmic || (px[i] > 0 && py[i] > 0)))
                points.emplace_back(plot.x(px[i]), plot.y(py[i]));
        if (points.empty()) continue;
        const curve_look look = curve_look::plain(k++);
        plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), thinned_path(points),
                             svg_plot::marker(look, points.back().first, points.back().second, "",
                                              fmt::format("{} at the end", wanted.pairs.size() == 1 ? "" : std::to_string(k)))));
        if (wanted.numbered)
            plot.raw(fmt::format("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", points.back().first + 7, points.back().second + 4, k));
    }
    return fmt::format("<div class=\"tile{}\"><p class=\"tile-title\">{}</p>{}</div>", wanted.same_scale ? " tall" : "", wanted.title,
                       plot.element("", wanted.title));
}

/// Of large problems: the components that say most, counted from 1.
const std::vector<int>& chosen_components(std::string_view problem)
{
    static const std::map<std::string_view, std::vector<int>> chosen{
        {"andrews", {1, 2, 3, 4, 5, 6, 7}},
        {"beam", {10, 20, 30, 40, 80}},
        {"crank", {1, 2, 3, 4, 5, 6, 7, 22, 23, 24}},
        {"emep", {1, 2, 3, 14, 15, 37}},
        {"fekete", {1, 2, 3, 61, 62, 63}},
        {"medakzo", {79, 80, 133, 134, 199, 200}},
        {"plei", {1, 8, 7, 14}},
        {"tba", {224, 305, 323}},
        {"water", {1, 4, 7, 12, 18, 25, 37, 38, 41}},
    };
    static const std::vector<int> none;
    const auto found = chosen.find(problem);
    return found == chosen.end() ? none : found->second;
}

} // namespace

std::string pretty_name(std::string_view name)
{
    const auto letters = static_cast<std::size_t>(
        std::ranges::find_if_not(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }) - name.begin());
    const std::string_view word = name.substr(0, letters);
    const auto greek = word.size() > 1 ? tex::find_symbol(word) : std::nullopt;
    const bool is_letter = greek && greek->what == tex::kind::ordinary;
    std::string_view rest = name.substr(letters);
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::string html = html_escaped(is_letter ? greek->text : word);
    if (rest.starts_with('_')) return fmt::format("{}<sub>{}</sub>", html, html_escaped(rest.substr(1)));
    if (digits > 0 && (digits == rest.size() || rest[digits] == '\''))
        html += fmt::format("<sub>{}</sub>", rest.substr(0, digits));
    else
        html += html_escaped(rest.substr(0, digits));
    for (const char c : rest.substr(digits)) html += c == '\'' ? std::string("′") : html_escaped(std::string(1, c));
    return html;
}

bool asks_for_logarithms(std::span<const double> values)
{
    constexpr double wide = 1e4;
    constexpr double share = 0.1; // so many of the values are small: a start at zero alone is none
    std::vector<double> positive;
    for (const double v : values) {
        if (v < 0) return false;
        if (v > 0 && std::isfinite(v)) positive.push_back(v);
    }
    if (positive.empty()) return false;
    std::ranges::sort(positive);
    return positive.back() / positive[static_cast<std::size_t>(share * static_cast<double>(positive.size()))] > wide;
}

std::vector<int> tile_components(const ivp::problem& p)
{
    constexpr int small = 20;
    std::vector<int> components;
    if (p.info().origin == "own")
        for (const int k : chosen_components(p.id()))
            if (k <= p.n()) components.push_back(k - 1);
    if (!components.empty()) return components;
    for (int k = 0; k < (p.n() <= small ? p.n() : 0); ++k) components.push_back(k);
    if (!components.empty()) return components;
    for (const int k : p.info().pictured) components.push_back(k - 1);
    if (components.empty()) components = {0, 1, 2, 3};
    return components;
}

std::vector<const phase_plot*> phase_plots_of(const ivp::problem& p)
{
    std::vector<const phase_plot*> own;
    if (name_of(p) == p.id())
        for (const auto& plot : phase_plots())
            if (plot.problem == p.id()) own.push_back(&plot);
    return own;
}

std::vector<std::pair<const std::vector<double>*, const std::vector<double>*>> courses_of(const behaviour& b, const phase_plot& wanted)
{
    const auto course = [&b](int component) {
        const auto at = std::ranges::find(b.components, component - 1);
        return at == b.components.end() ? nullptr : &b.y[static_cast<std::size_t>(at - b.components.begin())];
    };
    std::vector<std::pair<const std::vector<double>*, const std::vector<double>*>> all;
    for (const auto& [x, y] : wanted.pairs) {
        all.emplace_back(course(x), course(y));
        if (all.back().first == nullptr || all.back().second == nullptr) return {};
    }
    return all;
}

std::vector<std::pair<double, drawing>> frames_of(const behaviour& b, const motion& m)
{
    std::vector<const std::vector<double>*> courses;
    for (const int c : m.components) {
        const auto at = std::ranges::find(b.components, c);
        if (at == b.components.end()) return {};
        courses.push_back(&b.y[static_cast<std::size_t>(at - b.components.begin())]);
    }
    std::vector<std::pair<double, drawing>> frames;
    for (const double share : m.times) {
        const double wanted = b.t.front() + share * (b.t.back() - b.t.front());
        const auto i = static_cast<std::size_t>(std::min<std::ptrdiff_t>(
            std::ranges::lower_bound(b.t, wanted - 1e-9 * std::abs(wanted)) - b.t.begin(), static_cast<std::ptrdiff_t>(b.t.size()) - 1));
        std::vector<double> y;
        for (const auto* course : courses) y.push_back((*course)[i]);
        frames.emplace_back(b.t[i], m.picture(b.t[i], y));
    }
    return frames;
}

std::string schematic_figure(const ivp::problem& p)
{
    const auto s = schematic_of(p);
    if (!s) return "";
    return fmt::format("<figure class=\"schematic\">{}<figcaption>{}</figcaption></figure>\n", s->picture.svg_element("Drawing: " + p.info().title),
                       lowered_html(s->caption));
}

namespace {

/// In one measure or another; failed runs alone say something too.
bool can_show_something(const view& v, const problem_runs& runs)
{
    const auto runs_fail = std::ranges::any_of(all_of(runs), [&v](std::size_t k) { return v.records[k].outcome != outcome::success; });
    return runs_fail || std::ranges::any_of(std::array{precision_kind::mescd, precision_kind::scd, precision_kind::path, precision_kind::rms},
                                            [&](precision_kind p) { return why_empty(v.records, runs, work_kind::f, p).empty(); });
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
        for (const precision_kind kind : {precision_kind::mescd, precision_kind::path, precision_kind::rms, precision_kind::scd})
            if (const auto limit = limit_of(reach->second, kind)) limits += fmt::format(" data-limit-{}=\"{:.6g}\"", label(kind), *limit);
    }
    if (!can_show_something(v, runs)) return fmt::format("<p class=\"remark\">{}</p>\n", html_escaped(d.empty_because));
    std::string caption = d.empty_because.empty() ? "" : html_escaped(d.empty_because) + " ";
    if (std::ranges::any_of(d.curves, [](const diagram_curve& c) { return c.points.size() > 1; }))
        caption +=
            "A line joins the runs of a solver that no other of its runs beats in both digits and work; those off the line are small and pale. ";
    const auto has_failure = [&d](bool lied) {
        return std::ranges::any_of(
            d.curves, [lied](const diagram_curve& c) { return std::ranges::find(c.failures, lied, &diagram_failure::lied) != c.failures.end(); });
    };
    if (has_failure(false)) caption += "Crosses in the band at the left: failed runs. ";
    if (has_failure(true)) caption += "Triangles with an exclamation mark: success claimed with a wrong answer. ";
    if (!d.estimates.empty())
        caption += "Dotted, without marks: not measured, but estimated from the share of the work that the busiest of four processors would do. ";
    if (shows_limit(d))
        caption += fmt::format("The reference is {} to {:.1f} digits in this measure; hatched is what lies beyond. ",
                               d.estimated ? "estimated, not proven," : "confirmed", *d.limit);
    caption += estimated_remark(d);
    return fmt::format("<figure class=\"diagram\" data-k=\"{}\"{}>{}<div class=\"canvas\">{}</div><figcaption>{}{}</figcaption></figure>\n",
                       &runs - v.runs.data(), limits, legend(curves, "Solvers shown in the diagram"), diagram_svg_element(d, v.records), caption,
                       diagram_warning);
}

std::string behaviour_figure(const behaviour& b, const ivp::problem& p)
{
    const auto tiles = tile_components(p);
    const bool own = name_of(p) == p.id();
    std::string text;
    if (const auto m = own ? motion_of(p) : std::nullopt) {
        std::string frames;
        for (const auto& [t, picture] : frames_of(b, *m)) frames += picture.svg_element(fmt::format("{} at t = {:.3g}", p.info().title, t));
        if (!frames.empty())
            text +=
                fmt::format("<figure class=\"motion\"><p class=\"tile-title\">{}</p><div class=\"frames\">{}</div></figure>\n", m->caption, frames);
    }
    text += "<figure class=\"courses\"><div class=\"tiles\">";
    for (const auto* wanted : phase_plots_of(p)) text += phase_figure(b, *wanted);
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
    for (const auto* wanted : book_pages::phase_plots_of(p))
        for (const auto& [x, y] : wanted->pairs)
            for (const int c : {x, y})
                if (std::ranges::find(components, c - 1) == components.end()) components.push_back(c - 1);
    if (const auto m = motion_of(p))
        for (const int c : m->components)
            if (std::ranges::find(components, c) == components.end()) components.push_back(c);
    std::erase_if(components, [&p](int k) { return k < 0 || k >= p.n(); });
    return components;
}

} // namespace ivp
