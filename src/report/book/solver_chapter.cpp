// A solver's chapter answers: what method is it, where is it the best choice, what does it deliver for what it is asked, and when does it fail.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/catalog_view.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/numbers.hpp"
#include "report/render/svg_plot.hpp"
#include "report/solver_options.hpp"
#include "stats/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::book_pages {

namespace {

std::string facts(const solver_info& i)
{
    std::string rows;
    const auto fact = [&rows](std::string_view name, const std::string& value) {
        if (!value.empty()) rows += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, figures_in_html(value));
    };
    fact("name", fmt::format("{} {}", i.name, i.version));
    fact("origin", fmt::format("{}, {}", i.origin, i.language));
    fact("takes", forms_text(i));
    fact("order", i.lowest_order == i.highest_order ? std::to_string(i.lowest_order) : fmt::format("{} to {}", i.lowest_order, i.highest_order));
    fact("threads", i.max_threads > 1 ? fmt::format("up to {}", i.max_threads) : "");
    fact("first step", first_step_text(i));
    fact("error norm", i.error_norm);
    fact("one LU is", i.lu_unit);
    fact("reference", i.reference);
    return "<dl class=\"facts-list\">" + rows + "</dl>\n";
}

std::vector<curve_name> curves_of_solver(const view& v, const std::string& name)
{
    std::vector<curve_name> own;
    for (const auto& c : v.curves)
        if (c.solver == name) own.push_back(c);
    return own;
}

std::vector<std::size_t> runs_of_curve(const view& v, const std::string& label)
{
    std::vector<std::size_t> all;
    for (const auto& p : v.runs)
        for (const auto& c : p.curves)
            if (c.label == label) all.insert(all.end(), c.runs.begin(), c.runs.end());
    return all;
}

/// Ratio to the least work of all solvers, at 4, 6 and 8 digits.
std::string where_it_is_best(const view& v, const std::string& curve)
{
    std::vector<work_table> tables;
    for (const double digits : compared_digits) tables.push_back(work_for_digits(v.records, v.runs, v.limits, digits, work_kind::cpu));
    std::string rows;
    std::vector<std::string> best_on;
    for (const auto& p : v.runs) {
        if (!p.variant.empty() || std::ranges::find(p.curves, curve, &run_curve::label) == p.curves.end()) continue;
        std::string cells;
        bool best_somewhere = false;
        for (const auto& t : tables) {
            const auto problem = std::ranges::find(t.problems, p.problem);
            const auto solver = std::ranges::find(t.solvers, curve);
            if (problem == t.problems.end() || solver == t.solvers.end()) {
                cells += "<td class=\"quiet\" data-v=\"1e9\">–</td>";
                continue;
            }
            const auto row = static_cast<std::size_t>(problem - t.problems.begin());
            const auto own = t.at(row, static_cast<std::size_t>(solver - t.solvers.begin()));
            std::optional<double> least;
            for (std::size_t s = 0; s < t.solvers.size(); ++s)
                if (const auto& w = t.at(row, s)) least = std::min(least.value_or(*w), *w);
            if (!own) {
                cells += "<td class=\"quiet\" data-v=\"1e8\">not delivered</td>";
                continue;
            }
            const double ratio = *own / *least;
            best_somewhere = best_somewhere || ratio <= 1;
            cells += fmt::format("<td data-v=\"{0:.6g}\"{1}>{2}</td>", ratio, ratio <= 1 ? " class=\"best\"" : "",
                                 ratio <= 1 ? std::string("best") : fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : 0));
        }
        if (best_somewhere) best_on.push_back(link_to_problem(p.problem));
        rows += fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", link_to_problem(p.problem), cells);
    }
    std::string text = best_on.empty() ? std::string("<p>It was not the fastest of all solvers in this book on any of these problems.</p>\n")
                                       : fmt::format("<p>It was the fastest of all solvers in this book, at one accuracy or another, on {}.</p>\n",
                                                     joined(best_on, ", "));
    return text +
           html_table("sortable", column_heads({"problem", "4 digits", "6 digits", "8 digits"}), rows,
                      "CPU time for this many digits, as a multiple of the fastest solver’s") +
           "<p class=\"remark\">–: the reference solution does not have this many digits.</p>\n";
}

std::string calibration_section(const view& v, const curve_name& curve)
{
    const calibration c = calibrate(v.records, runs_of_curve(v, curve.label));
    if (c.points.empty()) return "<p>No successful run with known digits.</p>\n";
    double low = c.points.front().asked;
    double high = low;
    double bottom = low;
    double top = high;
    for (const auto& p : c.points) {
        low = std::min(low, p.asked);
        high = std::max(high, p.asked);
        bottom = std::min(bottom, p.achieved);
        top = std::max(top, p.achieved);
    }
    svg_plot plot({640, 360}, {"digits asked for: −log₁₀ rtol", std::floor(low - 0.1), std::ceil(high + 0.1), false},
                  {"digits achieved (mescd)", std::floor(std::min(bottom, low) - 0.1), std::ceil(std::max(top, high) + 0.1), false});
    const double from = std::floor(low - 0.1);
    const double to = std::ceil(high + 0.1);
    plot.raw(fmt::format("<path class=\"diagonal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plot.x(from), plot.y(from), plot.x(to), plot.y(to)));
    const curve_look look{curve.look};
    std::string marks;
    for (const auto& p : c.points)
        marks += svg_plot::marker(look, plot.x(p.asked), plot.y(p.achieved), fmt::format(" data-r=\"{}\"", p.run), v.records[p.run].problem);
    std::string line;
    if (c.slope)
        line = fmt::format("<path class=\"line\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plot.x(low), plot.y(*c.slope * low + *c.offset), plot.x(high),
                           plot.y(*c.slope * high + *c.offset));
    plot.raw(fmt::format("<g class=\"series faint {}\" data-s=\"{}\">{}{}</g>", look.classes(), curve.look, marks, line));

    std::string words = fmt::format("<p>Of {}, half delivered at least {} digits {} than asked for; {} {} more than one digit short.",
                                    counted(c.points.size(), "run"), digits_number(medium::html, std::abs(*c.median_surplus), 1),
                                    *c.median_surplus >= 0 ? "more" : "fewer", c.short_of_it, c.short_of_it == 1 ? "was" : "were");
    if (*c.median_surplus < 0)
        words = fmt::format("<p>Of {}, half fell short by {} digits or more; {} {} more than one digit short.", counted(c.points.size(), "run"),
                            digits_number(medium::html, -*c.median_surplus, 1), c.short_of_it, c.short_of_it == 1 ? "was" : "were");
    if (c.slope) words += fmt::format(" One more digit asked for gives {} on average.", digits_number(medium::html, *c.slope));
    return words + fmt::format("</p>\n<figure><div class=\"canvas\">{}</div><figcaption>Each point is a run; on the dashed line a run delivers what "
                               "it was asked for.</figcaption></figure>\n",
                               plot.element(" data-plot=\"calibration\" tabindex=\"0\"", "Digits achieved against digits asked for, " + curve.label));
}

std::string measured(const view& v, const std::string& name, const std::string& id)
{
    const auto curves = curves_of_solver(v, name);
    if (curves.empty()) return v.records.empty() ? "" : "<p class=\"remark\">No runs of this solver are in the store.</p>\n";
    std::string text;
    std::vector<std::size_t> all;
    for (const auto& c : curves) {
        const std::string suffix = curves.size() > 1 ? ": " + html_escaped(c.label) : "";
        text += fmt::format("<div class=\"pair\">\n<section><h2{}>Where it is best{}</h2>\n{}</section>\n",
                            &c == &curves.front() ? fmt::format(" id=\"{}-best\"", id) : "", suffix, where_it_is_best(v, c.label));
        text += fmt::format("<section><h2{}>Digits asked for and delivered{}</h2>\n{}</section>\n</div>\n",
                            &c == &curves.front() ? fmt::format(" id=\"{}-calibration\"", id) : "", suffix, calibration_section(v, c));
        const auto own = runs_of_curve(v, c.label);
        all.insert(all.end(), own.begin(), own.end());
    }
    const std::string failures = failure_table(v, all, true);
    return text + fmt::format("<section><h2 id=\"{}-failures\">Failures</h2>\n{}</section>\n", id, failures.empty() ? "<p>None.</p>\n" : failures);
}

} // namespace

std::string solver_chapter(const view& v, const ivp::solver& s)
{
    const auto& i = s.info();
    const std::string name = name_of(s);
    const std::string id = "solver-" + id_of(name);
    std::string text = fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Solver</p>\n<h1>{}</h1>\n{}", id,
                                   html_escaped(i.title.empty() ? name : full_name(i.title, i.origin)), facts(i));
    const auto outline = outline_of(chapter_with_options(s));
    if (!curves_of_solver(v, name).empty())
        text += fmt::format(
            "<nav class=\"local\" aria-label=\"Sections of {1}\"><a href=\"#{0}-best\">Where it is best</a> <a href=\"#{0}-calibration\">Asked and "
            "achieved</a> <a href=\"#{0}-failures\">Failures</a></nav>\n",
            id, html_escaped(name));
    text += html_from_markdown(outline.lead, 1).html + "<div class=\"chapter\">\n";
    for (const auto& section : outline.sections) {
        text += fmt::format("<section><h2>{}</h2>\n{}", html_escaped(section.title), html_from_markdown(section.text, 1).html);
        for (const auto& sub : section.subsections)
            text += fmt::format("<h3>{}</h3>\n{}", html_escaped(sub.title), html_from_markdown(sub.text, 1).html);
        text += "</section>\n";
    }
    return text + "</div>\n" + measured(v, name, id) + "</article>\n";
}

std::string unknown_solver_chapter(const view& v, const std::string& name)
{
    const std::string id = "solver-" + id_of(name);
    return fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Solver</p>\n<h1>{}</h1>\n<p>This solver is not part of the test set. "
                       "<code>ivp report "
                       "--plug-in FILE</code> adds its description; FILE is the file of the plug-in.</p>\n{}</article>\n",
                       id, html_escaped(name), measured(v, name, id));
}

} // namespace ivp::book_pages
