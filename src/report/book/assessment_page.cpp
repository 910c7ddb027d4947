// What DETEST found out about a solver: does it deliver what it is asked, does it know its own errors, and what does an accuracy cost.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/assessment_comparison.hpp"
#include "report/render/html.hpp"
#include "report/render/numbers.hpp"
#include "report/render/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ivp::book_pages {

namespace {

/// A number of the assessment, where it has one.
std::optional<double> number(const json& j, const char* name)
{
    const auto found = j.find(name);
    if (found == j.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

std::string text(const json& j, const char* name)
{
    const auto found = j.find(name);
    return found != j.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string assessed_name(const json& problem)
{
    const std::string name = text(problem, "name").empty() ? text(problem, "id") : text(problem, "name");
    return problem.value("scaled", true) ? name : name + " (unscaled)";
}

std::string cell(const std::optional<double>& v, int digits = 3)
{
    return v ? fmt::format("<td data-v=\"{:.6g}\">{}</td>", *v, figures_in_html(fmt::format("{}{:.{}g}", *v < 0 ? "−" : "", std::abs(*v), digits)))
             : "<td></td>";
}

std::string percent_bar(const std::optional<double>& fraction, std::string_view kind)
{
    if (!fraction) return "<td></td>";
    return fmt::format("<td data-v=\"{:.6g}\" class=\"bars\"><span class=\"bar {}\" style=\"width:{:.0f}%\"></span>{:.1f} %</td>", *fraction, kind,
                       std::min(100.0, 100 * *fraction), 100 * *fraction);
}

/// "Class A: single equations", where all its problems are of one class; else the problems themselves.
std::string group_title(std::string_view set, const json& group)
{
    std::set<char> letters;
    std::vector<std::string> names;
    for (const auto& p : list_in(group, "problems")) {
        names.push_back(assessed_name(p));
        if (!names.back().empty()) letters.insert(names.back().front());
    }
    if (letters.size() == 1 && !class_meaning(set, *letters.begin()).empty())
        return fmt::format("Class {}: {}", *letters.begin(), class_meaning(set, *letters.begin()));
    return joined(names, ", ");
}

/// Which colour and shape stands for which group.
std::string group_key(const json& a)
{
    std::string html = "<p class=\"facts\">";
    int k = 0;
    for (const auto& g : list_in(a, "groups")) html += curve_key(group_title(text(a, "set"), g), curve_look::plain(k++).number) + " ";
    return html + "</p>\n";
}

/// Without repetitions the costs of an evaluation are not known, and there is no overhead to show.
bool shows_overhead(const json& a) { return number(a, "timing_s").value_or(1) > 0; }

std::string cost_heads(bool overhead)
{
    return column_heads({"time"}) + (overhead ? column_heads({"overhead"}) : "") +
           column_heads({"#f", "#Jac", "#LU", "steps", "deceived", "badly", "no truth", "end error", "largest", "local"});
}

std::string cost_cells(const json& row, bool overhead)
{
    std::string html;
    std::vector<std::optional<double>> times{number(row, "time_s")};
    if (overhead) times.push_back(number(row, "overhead_s"));
    for (const auto& t : times) html += t ? fmt::format("<td data-v=\"{:.6g}\">{}</td>", *t, seconds_number(medium::html, *t)) : "<td></td>";
    const auto count = [&row](const char* name) {
        const auto n = number(row, name);
        return n ? count_cell(static_cast<std::uint64_t>(*n)) : std::string("<td></td>");
    };
    for (const char* name : {"nfev", "njac", "nlu", "accepted"}) html += count(name);
    html += percent_bar(number(row, "fraction_deceived"), "") + percent_bar(number(row, "fraction_badly_deceived"), "worse") +
            count("steps_without_truth");
    for (const char* name : {"end_error", "max_global_error", "max_local_error"}) html += cell(number(row, name));
    return html;
}

/// A line for each tolerance, and one for all of them.
std::string summary_table(const json& by_tolerance, const json* total, bool overhead)
{
    std::string rows;
    const auto add = [&](const std::string& name, const json& line) {
        rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>{}</tr>\n", name, number(line, "runs").value_or(0),
                            number(line, "failed").value_or(0), cost_cells(line, overhead));
    };
    for (const auto& line : by_tolerance) add(tolerance_number(medium::html, number(line, "tol").value_or(0)), line);
    if (total != nullptr) add("all", *total);
    return html_table("sortable", column_heads({"tolerance", "runs", "failed"}) + cost_heads(overhead), rows);
}

std::string group_table(const json& group, bool overhead)
{
    std::string rows;
    for (const auto& p : list_in(group, "problems"))
        for (const auto& r : list_in(p, "rows")) {
            const std::string outcome_text = text(r, "outcome");
            rows +=
                fmt::format("<tr><th scope=\"row\">{}</th><td data-v=\"{:.6g}\">{}</td>{}<td class=\"outcome\" title=\"{}\">{}</td></tr>\n",
                            html_escaped(assessed_name(p)), number(r, "tol").value_or(0),
                            tolerance_number(medium::html, number(r, "tol").value_or(0)), cost_cells(r, overhead), html_escaped(text(r, "message")),
                            outcome_text != "success"                     ? html_escaped(outcome_text)
                            : r.value("rounding_decides", json()) == true ? "rounding decides"
                                                                          : "");
        }
    return html_table("sortable", column_heads({"problem", "tolerance"}) + cost_heads(overhead) + column_heads({"outcome"}), rows);
}

/// How evenly the error follows the tolerance: the fit error = c TOL^e of each problem.
std::string smoothness(const json& a)
{
    std::string rows;
    for (const auto& g : list_in(a, "groups"))
        for (const auto& p : list_in(g, "problems")) {
            const auto fit = p.find("fit");
            if (fit == p.end() || !fit->is_object()) continue;
            std::string cells;
            for (const char* which : {"end", "max"}) {
                const auto f = fit->find(which);
                const bool good = f != fit->end() && f->is_object() && number(*f, "values").value_or(0) >= 3;
                for (const char* name : {"c", "e", "residual"}) cells += good ? cell(number(*f, name)) : "<td></td>";
            }
            rows += fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", html_escaped(assessed_name(p)), cells);
        }
    if (rows.empty()) return "";
    return "<section><h2>Smoothness</h2>\n<p>The fit error = c · TOL<sup>e</sup>: with e = 1 a tenth of the tolerance gives a tenth of the error. "
           "The "
           "residual is the root mean square in powers of ten: 0.1 means that the error follows the tolerance within a quarter. At least three "
           "tolerances are needed.</p>\n" +
           html_table("sortable", column_heads({"problem", "c, end", "e, end", "residual, end", "c, largest", "e, largest", "residual, largest"}),
                      rows) +
           "</section>\n";
}

/// Each of the worst steps with those around it, folded.
std::string deceived_steps(const json& a)
{
    constexpr std::size_t most_components = 4;
    std::string html;
    for (const auto& g : list_in(a, "groups"))
        for (const auto& p : list_in(g, "problems"))
            for (const auto& r : list_in(p, "rows"))
                for (const auto& w : list_in(r, "worst_steps")) {
                    const json& around = list_in(w, "around");
                    const auto middle = static_cast<std::size_t>(number(w, "middle").value_or(0));
                    if (middle >= around.size()) continue;
                    std::string rows;
                    std::size_t components = 0;
                    for (std::size_t k = 0; k < around.size(); ++k) {
                        const json& s = around[k];
                        rows += k == middle ? "<tr class=\"chosen\">" : "<tr>";
                        for (const char* name : {"t", "h", "bound", "estimate", "error"}) rows += cell(number(s, name), 6);
                        const json& y = list_in(s, "y");
                        components = std::min(most_components, y.size());
                        for (std::size_t i = 0; i < components; ++i)
                            rows += cell(y[i].is_number() ? std::optional(y[i].get<double>()) : std::nullopt, 8);
                        rows += "</tr>\n";
                    }
                    std::string heads = column_heads({"t", "step size", "bound", "estimate / bound", "true error / bound"});
                    for (std::size_t i = 1; i <= components; ++i) heads += column_heads({fmt::format("y<sub>{}</sub>", i)});
                    html += fmt::format("<details class=\"deceived\"><summary>{} at {}: the step to t = {:.6g} has {} times its bound</summary>{}"
                                        "</details>\n",
                                        html_escaped(assessed_name(p)), tolerance_number(medium::html, number(r, "tol").value_or(0)),
                                        number(around[middle], "t").value_or(0),
                                        figures_in_html(fmt::format("{:#.3g}", number(around[middle], "error").value_or(0))),
                                        html_table("", heads, rows));
                }
    if (html.empty()) return "";
    return "<section><h2>Deceived steps</h2>\n<p>The worst three of each run, with the steps around them. Click one to open it.</p>\n" + html +
           "</section>\n";
}

struct point {
    double x;
    double y;
    std::string what;
};

/// Points and lines of the groups, each group with a look of its own.
std::string groups_figure(const std::vector<std::vector<std::vector<point>>>& groups, const plot_axis& x, const plot_axis& y, bool diagonal,
                          bool lines, std::string_view caption)
{
    svg_plot plot({640, 360}, x, y);
    if (diagonal) {
        const double from = std::max(x.from, y.from);
        const double to = std::min(x.to, y.to);
        plot.raw(fmt::format("<path class=\"diagonal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plot.x(from), plot.y(from), plot.x(to), plot.y(to)));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const curve_look look = curve_look::plain(static_cast<int>(g));
        std::string body;
        for (const auto& curve : groups[g]) {
            if (curve.empty()) continue;
            std::vector<std::optional<std::pair<double, double>>> path;
            for (const auto& p : curve) {
                path.emplace_back(std::pair{p.x, p.y});
                body += svg_plot::marker(look, plot.x(p.x), plot.y(p.y), "", p.what);
            }
            if (lines) body = fmt::format("<path class=\"line\" d=\"{}\"/>", plot.path(path)) + body;
        }
        plot.raw(fmt::format("<g class=\"series faint {}\">{}</g>", look.classes(), body));
    }
    return figure(plot, caption);
}

/// The points of each problem of each group, which `points_of` makes, and how far they reach.
struct grouped_points {
    std::vector<std::vector<std::vector<point>>> groups;
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;

    template <class PointsOf>
    grouped_points(const json& a, PointsOf points_of)
    {
        for (const auto& g : list_in(a, "groups")) {
            auto& group = groups.emplace_back();
            for (const auto& p : list_in(g, "problems")) {
                group.push_back(points_of(p));
                for (const point& at : group.back()) {
                    left = std::min(left, at.x);
                    right = std::max(right, at.x);
                    bottom = std::min(bottom, at.y);
                    top = std::max(top, at.y);
                }
            }
        }
    }
    [[nodiscard]] bool empty() const { return !(left <= right); }
};

std::string asked_and_achieved(const json& a)
{
    const grouped_points all(a, [](const json& p) {
        std::vector<point> points;
        for (const auto& r : list_in(p, "rows")) {
            const auto tol = number(r, "tol");
            const auto error = number(r, "end_error"); // divided by the tolerance
            if (!tol || !error || !(*tol > 0) || !(*error > 0)) continue;
            points.push_back({-std::log10(*tol), -std::log10(*error * *tol), fmt::format("{} at {:.0e}", assessed_name(p), *tol)});
        }
        return points;
    });
    if (all.empty()) return "";
    const plot_axis asked{"digits asked for: −log₁₀ TOL", std::floor(all.left - 0.2), std::ceil(all.right + 0.2), false};
    const plot_axis achieved{"digits achieved at the end", std::floor(std::min(all.bottom, all.left) - 0.2),
                             std::ceil(std::max(all.top, all.right) + 0.2), false};
    return "<section><h2>Asked and achieved</h2>\n" + group_key(a) +
           groups_figure(
               all.groups, asked, achieved, true, false,
               "Each point is a problem at a tolerance, each colour and shape a group. On the dashed line the error at the end is the one that was "
               "asked for.") +
           "</section>\n";
}

std::string work_at_equal_error(const json& a)
{
    const grouped_points all(a, [](const json& p) {
        std::vector<point> points;
        const auto normalized = p.find("normalized");
        if (normalized == p.end() || !normalized->is_object()) return points;
        for (const auto& line : list_in(*normalized, "lines")) {
            const auto digits = number(line, "digits");
            const auto work = number(line, "nfev");
            if (!digits || !work || !(*work > 0)) continue;
            points.push_back({*digits, *work, fmt::format("{}: {:.0f} evaluations", assessed_name(p), *work)});
        }
        return points;
    });
    if (all.empty()) return "";
    return "<section><h2>Work at equal achieved error</h2>\n" + group_key(a) +
           groups_figure(all.groups, {"digits achieved", all.left - 0.5, all.right + 0.5, false},
                         logarithmic_axis("evaluations of f", all.bottom, all.top), false, true,
                         "Each line is a problem: the evaluations that an error of 10 to the power −d takes, read between those of two tolerances.") +
           "</section>\n";
}

/// All steps of all problems: how large the solver thought its error was, and how large it was.
std::string scatter(const json& a)
{
    std::map<std::pair<int, int>, double> cells;
    double most = 0;
    int failed = 0;
    for (const auto& g : list_in(a, "groups"))
        for (const auto& p : list_in(g, "problems"))
            for (const auto& r : list_in(p, "rows")) {
                if (!reached_end(r)) { // as in the tables
                    ++failed;
                    continue;
                }
                const auto table = r.find("scatter");
                if (table == r.end() || !table->is_object()) continue;
                for (const auto& c : list_in(*table, "cells")) {
                    auto& n =
                        cells[{static_cast<int>(number(c, "estimate_class").value_or(0)), static_cast<int>(number(c, "error_class").value_or(0))}];
                    n += number(c, "count").value_or(0);
                    most = std::max(most, n);
                }
            }
    if (cells.empty()) return "";
    int low = cells.begin()->first.first;
    int high = low;
    for (const auto& [key, n] : cells) {
        low = std::min({low, key.first, key.second});
        high = std::max({high, key.first, key.second});
    }
    const bool extrapolated = a.value("extrapolated", false);
    svg_plot plot({480, 460}, {"class of the estimate", low - 0.5, high + 0.5, false},
                  {extrapolated ? "class of the true local error" : "class of the error of the estimate", low - 0.5, high + 0.5, false});
    plot.raw("<g class=\"heat\">");
    for (const auto& [key, n] : cells) {
        const double left = plot.x(key.first - 0.5);
        const double top = plot.y(key.second + 0.5);
        plot.raw(fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.2f}\"><title>estimate {}, error {}: {:.0f} "
            "steps</title></rect>",
            left, top, plot.x(key.first + 0.5) - left, plot.y(key.second - 0.5) - top, 0.08 + 0.87 * std::log1p(n) / std::log1p(most), key.first,
            key.second, n));
    }
    plot.raw("</g>");
    plot.raw(fmt::format("<path class=\"diagonal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plot.x(low - 0.5), plot.y(low - 0.5), plot.x(high + 0.5),
                         plot.y(high + 0.5)));
    return fmt::format(
        "<section><h2>Estimates and errors of single steps</h2>\n<figure><div class=\"canvas\">{}</div><figcaption>The assessed steps of all runs "
        "that "
        "reached the end{}. Class i has 2<sup>i−1</sup> to 2<sup>i</sup> bounds. {} Darker: more steps.</figcaption></figure></section>\n",
        plot.element("", "Steps by class of estimate and of its error"), failed == 0 ? "" : fmt::format(" ({} did not)", failed),
        extrapolated
            ? "The solution is the more accurate one of the two behind the estimate. Below the dashed line it is better than the estimate says; "
              "above, the solver believed its error to be smaller than it was."
            : "The error of the estimate is that of y − estimate, the more accurate of the two solutions, which the solver does not take. Far "
              "below the dashed line the estimate is close to the error of the step; above it the estimate says nothing.");
}

} // namespace

std::string_view class_meaning(std::string_view set, char letter)
{
    static constexpr std::array<std::string_view, 6> nonstiff{"single equations",          "small systems",
                                                              "systems of moderate size",  "equations of orbits",
                                                              "equations of higher order", "problems with discontinuities"};
    static constexpr std::array<std::string_view, 6> stiff{
        "linear, with real eigenvalues",    "linear, with complex eigenvalues",    "nonlinear coupling",
        "nonlinear, with real eigenvalues", "nonlinear, with complex eigenvalues", "chemical kinetics"};
    if (letter < 'A' || letter > 'F') return "";
    return (set == "stiff" ? stiff : nonstiff)[static_cast<std::size_t>(letter - 'A')];
}

std::string assessment_id(const stored_assessment& a)
{
    return fmt::format("assessment-{}-{}-{}", id_of(full_name(a.solver, a.solver_origin)), id_of(a.set), a.id);
}

std::string assessment_page(const stored_assessment& stored)
{
    std::string html =
        fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Assessment (DETEST)</p>\n<h1>{} on the {} problems</h1>\n",
                    assessment_id(stored), html_escaped(full_name(stored.solver, stored.solver_origin)), html_escaped(stored.set));
    const json a = json_or_discarded(stored.json);
    if (!a.is_object()) return html + "<p>This assessment in the store cannot be read.</p>\n</article>\n";
    std::string facts = fmt::format("level {}, norm {}", stored.level, html_escaped(stored.norm));
    if (const auto control = text(a, "error_control"); !control.empty()) facts += " · " + html_escaped(control);
    if (!stored.measured_at.empty()) facts += " · " + html_escaped(stored.measured_at.substr(0, 10));
    html += fmt::format(
        "<p class=\"facts\">{}</p>\n<p>Errors at the end and the largest ones are divided by the tolerance, local errors by the bound of the step. A "
        "step is <em>deceived</em> when its true local error is "
        "larger than the bound the "
        "solver kept to, <em>badly</em> so when it is more than five times larger; where its true local error could not be computed it has <em>no "
        "truth</em>.{}</p>\n<p><code>{}</code></p>\n",
        facts, shows_overhead(a) ? " Overhead is the time without evaluations, Jacobians and factorisations." : "", html_escaped(stored.command));
    const bool overhead = shows_overhead(a);
    if (const auto overall = a.find("overall"); overall != a.end() && overall->is_object())
        html += "<section><h2>Overall</h2>\n" +
                summary_table(list_in(*overall, "by_tolerance"), overall->contains("total") ? &overall->at("total") : nullptr, overhead) +
                "</section>\n";
    html += asked_and_achieved(a) + work_at_equal_error(a) + smoothness(a) + scatter(a);
    html += "<section><h2>Problem by problem</h2>\n";
    for (const auto& g : list_in(a, "groups"))
        html += fmt::format("<h3>{}</h3>\n", html_escaped(group_title(stored.set, g))) + group_table(g, overhead) + "<p>All of them together:</p>\n" +
                summary_table(list_in(g, "summary"), nullptr, overhead);
    return html + "</section>\n" + deceived_steps(a) + "</article>\n";
}

} // namespace ivp::book_pages
