// Several assessed solvers side by side: how often each was deceived, how its errors are distributed, and what reliability costs.
#include "view.hpp"

#include "base/escape.hpp"
#include "report/assessment_comparison.hpp"
#include "report/render/html.hpp"
#include "report/render/numbers.hpp"
#include "report/render/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace ivp::book_pages {

namespace {

std::string share_cell(const std::optional<double>& v, std::string_view kind)
{
    if (!v) return "<td></td>";
    return fmt::format("<td data-v=\"{:.10g}\" class=\"bars\"><span class=\"bar {}\" style=\"width:{:.0f}%\"></span>{:.2f} %</td>", *v, kind,
                       std::min(100.0, 100 * *v), 100 * *v);
}

std::string cells_of(const reliability& r)
{
    const auto count = [](double n) { return count_cell(static_cast<std::uint64_t>(n)); };
    return fmt::format("<td>{}</td><td>{}</td>", r.runs, r.failed) + count(r.evaluations) + count(r.assessed) +
           share_cell(r.fraction(r.deceived), "") + share_cell(r.fraction(r.badly), "worse") + share_cell(r.fraction_without_truth(), "");
}

std::string table(std::string_view first, std::string_view rows)
{
    const auto heads = column_heads({"solver", first, "runs", "failed", "#f", "assessed steps", "deceived", "badly", "without a truth"});
    return html_table("sortable", heads, rows);
}

/// The solver's own look; strangers get those of their family in turn.
curve_look look_in(std::span<const compared_assessment> all, std::size_t k)
{
    family_place place = family_of_solver(all[k].solver);
    if (place.family == solver_family::outside)
        for (std::size_t i = 0; i < k; ++i) place.number += family_of_solver(all[i].solver).family == solver_family::outside;
    return look_of(place);
}

std::string key(std::span<const compared_assessment> all)
{
    std::string html = "<p class=\"facts\">";
    for (std::size_t k = 0; k < all.size(); ++k) html += curve_key(all[k].solver, look_in(all, k).number) + " ";
    return html + "</p>\n";
}

/// A share of the steps against tolerance.
struct tolerance_figure {
    std::string_view axis;
    std::optional<double> (*share)(const reliability& r);
    std::string of_class; ///< empty: of all classes
    plot_size size;
    std::string caption;
};

std::optional<double> share_deceived(const reliability& r) { return r.fraction(r.deceived); }
std::optional<double> share_badly_deceived(const reliability& r) { return r.fraction(r.badly); }
std::optional<double> share_without_truth(const reliability& r) { return r.fraction_without_truth(); }

const std::map<double, reliability>& shown_by(const compared_assessment& a, const tolerance_figure& f)
{
    static const std::map<double, reliability> none;
    if (f.of_class.empty()) return a.by_tolerance;
    const auto found = a.by_class_and_tolerance.find(f.of_class);
    return found != a.by_class_and_tolerance.end() ? found->second : none;
}

std::string against_tolerance(std::span<const compared_assessment> all, const tolerance_figure& f)
{
    double low = INFINITY, high = -INFINITY, most = 0.05;
    for (const auto& s : all)
        for (const auto& [tol, r] : shown_by(s, f)) {
            low = std::min(low, -std::log10(tol));
            high = std::max(high, -std::log10(tol));
            most = std::max(most, 100 * f.share(r).value_or(0));
        }
    svg_plot plot(f.size, {"digits asked for: −log₁₀ TOL", low - 0.5, high + 0.5, false}, linear_axis(std::string(f.axis), 0, most));
    for (std::size_t k = 0; k < all.size(); ++k) {
        const curve_look look = look_in(all, k);
        std::vector<std::optional<std::pair<double, double>>> path;
        std::string markers;
        const auto& shown = shown_by(all[k], f);
        for (auto i = shown.rbegin(); i != shown.rend(); ++i) {
            const auto fraction = f.share(i->second);
            if (!fraction) continue;
            const double x = -std::log10(i->first);
            path.emplace_back(std::pair{x, 100 * *fraction});
            markers += svg_plot::marker(look, plot.x(x), plot.y(100 * *fraction), "",
                                        fmt::format("{} at {:.0e}: {:.2f} %", all[k].solver, i->first, 100 * *fraction));
        }
        plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), plot.path(path), markers));
    }
    return figure(plot, f.caption);
}

constexpr plot_size large_figure{640, 360};
constexpr plot_size small_figure{640, 300};

std::string reliability_figures(std::span<const compared_assessment> all)
{
    return against_tolerance(all, {"deceived steps [%]", share_deceived, "", large_figure,
                                   "Steps whose true local error is larger than the bound that the solver kept its estimate below."}) +
           "<div class=\"tiles pairs\">\n" +
           against_tolerance(all, {"badly deceived steps [%]", share_badly_deceived, "", small_figure,
                                   "Steps whose true local error is more than five times that bound."}) +
           against_tolerance(all, {"steps without a truth [%]", share_without_truth, "", small_figure,
                                   "Steps whose true local error could not be computed. They are not among the others."}) +
           "</div>\n";
}

std::string class_figures(std::span<const compared_assessment> all)
{
    std::set<std::string> classes;
    for (const auto& s : all)
        for (const auto& [name, r] : s.by_class) classes.insert(name);
    std::string html = "<div class=\"tiles pairs\">\n";
    for (const auto& name : classes)
        html += against_tolerance(
            all, {"deceived steps [%]", share_deceived, name, small_figure, html_escaped(name.size() == 1 ? "Class " + name + "." : name + ".")});
    return html + "</div>\n";
}

/// How local errors are distributed, at one tolerance.
std::string distributions(std::span<const compared_assessment> all, double tol, bool told)
{
    constexpr double least = 1e-5;
    constexpr double most = 1e3;
    svg_plot plot({640, 300}, logarithmic_axis(told ? "local error / bound" : "local error / TOL", least, most), {"share of the steps", 0, 1, false});
    plot.raw(fmt::format("<path class=\"diagonal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plot.x(1), plot.y(0), plot.x(1), plot.y(1)));
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& counts = told ? all[k].by_bound : all[k].by_told_tol;
        const auto found = counts.find(tol);
        if (found == counts.end() || found->second.empty()) continue;
        const curve_look look = look_in(all, k);
        std::vector<std::optional<std::pair<double, double>>> path;
        double before = 0;
        for (const auto& [ratio, share] : distribution(found->second)) {
            const double x = std::clamp(ratio, least, most);
            path.emplace_back(std::pair{x, before});
            path.emplace_back(std::pair{x, share});
            before = share;
        }
        plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"><title>{}</title></path></g>", look.classes(), plot.path(path),
                             html_escaped(all[k].solver)));
    }
    return figure(plot, fmt::format("TOL = {}. Steps to the right of the dashed line are deceived{}.", tick_text(tol, true),
                                    told ? "" : ", if the tolerance itself is taken for the bound"));
}

/// Names beside points: each at the first height where it covers no point, no other name and no axis.
class name_places {
public:
    void add(double x, double y, const std::string& name) { points_.push_back({x, y, name}); }

    void write(svg_plot& plot) const
    {
        std::vector<box> taken{{0, plot.y(0), INFINITY, INFINITY}}; // below the axis are its numbers
        for (const auto& p : points_) taken.push_back({p.x - marker, p.y - marker, p.x + marker, p.y + marker});
        for (const auto& p : points_) {
            box place{};
            for (const double below : {-6.0, 14.0, -20.0, 28.0, -34.0, -48.0}) {
                place = {p.x + gap, p.y + below - height, p.x + gap + letter * static_cast<double>(p.name.size()), p.y + below};
                if (std::ranges::none_of(taken, [&](const box& b) { return place.meets(b); })) break;
            }
            plot.text(place.left, place.bottom, html_escaped(p.name), "");
            taken.push_back(place);
        }
    }

private:
    static constexpr double marker = 5, gap = 8, letter = 7, height = 11; // in the units of the drawing
    struct point {
        double x, y;
        std::string name;
    };
    struct box {
        double left, top, right, bottom;
        [[nodiscard]] bool meets(const box& o) const { return left < o.right && o.left < right && top < o.bottom && o.top < bottom; }
    };
    std::vector<point> points_;
};

/// From point to point of those that nobody beats, first to the right, then down.
std::vector<std::optional<std::pair<double, double>>> staircase(std::vector<std::pair<double, double>> points)
{
    std::ranges::sort(points);
    std::vector<std::optional<std::pair<double, double>>> path;
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (k > 0) path.emplace_back(std::pair{points[k].first, points[k - 1].second});
        path.emplace_back(points[k]);
    }
    return path;
}

/// Work at equal achieved error against deception: nobody wants to be above and to the right of another.
std::string costs(std::span<const compared_assessment> all)
{
    double most_work = 1;
    double most = 0.5;
    for (const auto& s : all) {
        most_work = std::max(most_work, s.work_factor.value_or(1));
        most = std::max(most, 100 * s.total.fraction(s.total.deceived).value_or(0));
    }
    svg_plot plot({640, 360}, logarithmic_axis("work at equal achieved error, the best = 1", 1, most_work * 1.2),
                  linear_axis("deceived steps [%]", 0, most * 1.1));
    std::string rows;
    std::vector<std::pair<double, double>> unbeaten;
    name_places names;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& s = all[k];
        const auto deceived = s.total.fraction(s.total.deceived);
        if (!s.work_factor || !deceived) continue;
        const bool beaten = std::ranges::any_of(all, [&](const compared_assessment& o) {
            const auto d = o.total.fraction(o.total.deceived);
            return o.work_factor && d && *o.work_factor <= *s.work_factor && *d <= *deceived && (*o.work_factor < *s.work_factor || *d < *deceived);
        });
        if (!beaten) unbeaten.emplace_back(*s.work_factor, 100 * *deceived);
        const curve_look look = look_in(all, k);
        const double x = plot.x(*s.work_factor);
        const double y = plot.y(100 * *deceived);
        plot.raw(
            fmt::format("<g class=\"series {}\">{}</g>", look.classes(),
                        svg_plot::marker(look, x, y, "",
                                         fmt::format("{}: {:.2f} times the work, {:.2f} % deceived", s.solver, *s.work_factor, 100 * *deceived))));
        names.add(x, y, s.solver);
        rows += fmt::format("<tr><th scope=\"row\">{}</th><td data-v=\"{:.10g}\">{:.2f}</td><td data-v=\"{:.10g}\">{:.2f} %</td><td>{}</td></tr>\n",
                            html_escaped(s.solver), *s.work_factor, *s.work_factor, *deceived, 100 * *deceived, beaten ? "yes" : "no");
    }
    plot.raw(fmt::format("<path class=\"diagonal\" d=\"{}\"/>", plot.path(staircase(std::move(unbeaten)))));
    names.write(plot);
    if (rows.empty()) return "<p>There is no problem on which all these solvers reached the same accuracy.</p>\n";
    return figure(plot,
                  "Each solver is a point: the geometric mean of its evaluations over the least of all, problem by problem at equal achieved error, "
                  "against the deceived steps. No solver is better than those on the dashed line: none has less of one and no more of the other.") +
           html_table("sortable", column_heads({"solver", "work", "deceived", "another solver is better"}), rows);
}

} // namespace

std::string assessments_page(std::span<const stored_assessment* const> stored, const std::string& id)
{
    std::vector<std::string> texts;
    for (const auto* a : stored) texts.push_back(a->json);
    const auto all = compared_assessments(texts);
    std::string html =
        fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Assessments (DETEST)</p>\n<h1>{} solvers on the {} problems</h1>\n", id,
                    all.size(), html_escaped(stored.front()->set));
    html += "<p>A step is <em>deceived</em> when its true local error is larger than the bound the solver kept its estimate below, <em>badly</em> so "
            "when it "
            "is more than five times larger. Steps whose true local error could not be computed are a separate class. Only runs that reached the end "
            "count.</p>\n";
    std::string by_tolerance, by_class, overall;
    for (const auto& s : all) {
        const std::string name = fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(s.solver));
        overall += name + "<td>all</td>" + cells_of(s.total) + "</tr>\n";
        for (auto i = s.by_tolerance.rbegin(); i != s.by_tolerance.rend(); ++i)
            by_tolerance += name + fmt::format("<td data-v=\"{:.6g}\">{}</td>", i->first, tolerance_number(medium::html, i->first)) +
                            cells_of(i->second) + "</tr>\n";
        for (const auto& [c, r] : s.by_class) by_class += name + fmt::format("<td>{}</td>", html_escaped(c)) + cells_of(r) + "</tr>\n";
    }
    html += "<section><h2>Reliability</h2>\n" + key(all) + reliability_figures(all) + table("tolerance", overall + by_tolerance) + "</section>\n";
    html += "<section><h2>By class</h2>\n" + key(all) + class_figures(all) + table("class", by_class) + "</section>\n";
    html += "<section><h2>What reliability costs</h2>\n" + costs(all) + "</section>\n";
    html += "<section><h2>Distribution of local errors</h2>\n" + key(all) + "<div class=\"tiles pairs\">\n";
    for (const double tol : all.front().tolerances) html += distributions(all, tol, true) + distributions(all, tol, false);
    return html + "</div>\n</section>\n</article>\n";
}

} // namespace ivp::book_pages
