// Solvers compared over many problems: one large profile, the ranking with its uncertainty, and the pages of the families.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/render/html.hpp"
#include "report/render/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace ivp::book_pages {

namespace {

constexpr double first_digits = 6; ///< shown until the reader chooses others
constexpr std::size_t coloured_curves = 8;

/// The first letter of a heading.
std::string capitalised(std::string_view words)
{
    std::string text(words);
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string_view work_words(work_kind kind) { return kind == work_kind::cpu ? "CPU time" : "evaluations of f"; }

std::string profile_figure(const view& v, std::span<const curve_name> curves, std::span<const problem_runs> runs)
{
    const work_table t = work_for_digits(v.records, runs, v.limits, first_digits, work_kind::cpu);
    const performance_profile p = profile_of(t);
    std::set<std::string> coloured;
    for (const auto& r : ranking(t))
        if (r.score > 0 && coloured.size() < coloured_curves) coloured.insert(t.solvers[r.solver]);
    svg_plot plot({900, 440}, {"times the least work", 1, largest_ratio, true}, {"share of the problems", 0, 1, false}, 0, end_label_room(curves));
    plot.text(plot.box().left + 8, plot.box().top + 16, "↖ better", " class=\"note\"");
    for (const auto& c : curves) {
        const auto at = std::ranges::find(t.solvers, c.label);
        const auto s = static_cast<std::size_t>(at - t.solvers.begin());
        const bool known = at != t.solvers.end();
        // A staircase from the ratio 1 to the right edge.
        const double left = known ? p.share(s, 1) : 0;
        std::string d = fmt::format("M{:.1f} {:.1f}", plot.x(1), plot.y(left));
        if (known)
            for (const double ratio : p.ratios[s]) {
                if (ratio > largest_ratio) break;
                d += fmt::format("H{:.1f}V{:.1f}", plot.x(ratio), plot.y(p.share(s, ratio)));
            }
        d += fmt::format("H{:.1f}", plot.x(largest_ratio));
        const curve_look look{c.look};
        plot.raw(fmt::format("<g class=\"series {}{}\" data-s=\"{}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(),
                             coloured.contains(c.label) ? "" : " grey", c.look, d, svg_plot::marker(look, plot.x(1), plot.y(left), "", "")));
    }
    const std::string what = fmt::format("{:.0f} digits, {} · {}", first_digits, work_words(work_kind::cpu), counted(p.problems, "problem"));
    return fmt::format("<p class=\"tile-title\">{}</p><div class=\"canvas\">{}</div>", what,
                       plot.element(fmt::format(" data-plot=\"profile\" data-digits=\"{:.0f}\" data-work=\"cpu\" tabindex=\"0\"", first_digits),
                                    "Performance profile: " + what));
}

} // namespace

std::vector<problem_runs> runs_of_curves(const view& v, std::span<const curve_name> curves)
{
    std::vector<problem_runs> runs;
    for (const auto& p : v.runs) {
        problem_runs& own = runs.emplace_back(problem_runs{p.problem, p.variant, {}});
        for (const auto& c : p.curves)
            if (std::ranges::find(curves, c.label, &curve_name::label) != curves.end()) own.curves.push_back(c);
    }
    return runs;
}

std::size_t taken(const view& v, const work_table& t, std::span<const problem_runs> runs, const std::string& label)
{
    std::size_t n = 0;
    for (const auto& problem : t.problems) {
        const auto own = std::ranges::find_if(runs, [&](const problem_runs& r) { return r.variant.empty() && r.problem == problem; });
        const auto curve = std::ranges::find(own->curves, label, &run_curve::label);
        n += curve != own->curves.end() && is_taken(v, *curve);
    }
    return n;
}

double end_label_room(std::span<const curve_name> curves)
{
    std::size_t longest = 5;
    for (const auto& c : curves) longest = std::max(longest, c.label.size());
    return 16 + 6.3 * static_cast<double>(std::min<std::size_t>(longest, 24));
}

std::string profiles(const view& v, std::span<const curve_name> curves)
{
    const auto runs = runs_of_curves(v, curves);
    return fmt::format(
        "<figure class=\"profiles\" data-curves=\"{}\">{}{}<figcaption>A point (τ, s) of a curve says: the solver delivered that many "
        "digits with at most τ times the least work of all shown solvers on the share s of the problems. Left end: how often it was "
        "the best. Height at the right: how often it delivered at all within a factor of 100. The eight best are in colour. A click on "
        "a name takes a solver out of the comparison, here and on all pages.</figcaption></figure>\n",
        joined_looks(curves), profile_figure(v, curves, runs),
        legend(std::vector<curve_name>(curves.begin(), curves.end()), "Solvers that are compared"));
}

std::string ranking_table(const view& v, std::span<const curve_name> curves, work_kind kind)
{
    const auto runs = runs_of_curves(v, curves);
    std::vector<std::pair<work_table, std::vector<rank_row>>> columns;
    for (const double digits : compared_digits) {
        work_table t = work_for_digits(v.records, runs, v.limits, digits, kind);
        auto rows = ranking(t);
        columns.emplace_back(std::move(t), std::move(rows));
    }
    std::string text =
        fmt::format("<div class=\"scroll\"><table class=\"ranking sortable\" data-work=\"{}\"><caption>By {}; “12 of 13”: delivered on 12 of the "
                    "13 problems that the solver takes</caption>\n<thead><tr><th scope=\"col\" rowspan=\"2\">solver</th>",
                    label(kind), work_words(kind));
    std::string below;
    for (const double digits : compared_digits) {
        text += fmt::format("<th scope=\"colgroup\" colspan=\"3\">{:.0f} digits</th>", digits);
        below += "<th scope=\"col\">rank</th><th scope=\"col\">score</th><th scope=\"col\">delivered</th>";
    }
    text += "</tr><tr>" + below + "</tr></thead>\n<tbody>\n";

    // In the order of the middle column, then as the solvers are listed.
    std::vector<curve_name> order(curves.begin(), curves.end());
    const auto rank_in = [&](const std::string& label_text, std::size_t column) {
        const auto& [t, rows] = columns[column];
        for (const auto& r : rows)
            if (t.solvers[r.solver] == label_text) return r.rank;
        return 1000;
    };
    std::ranges::stable_sort(order, {}, [&](const curve_name& c) { return rank_in(c.label, 1); });
    for (const auto& c : order) {
        text += fmt::format("<tr data-s=\"{}\"><th scope=\"row\"><a href=\"#solver-{}\">{}</a></th>", c.look, id_of(c.solver),
                            curve_key(c.label, c.look));
        for (const auto& [t, rows] : columns) {
            const auto found = std::ranges::find_if(rows, [&t = t, &c](const rank_row& r) { return t.solvers[r.solver] == c.label; });
            if (found == rows.end()) {
                text += "<td></td><td></td><td></td>";
                continue;
            }
            text += fmt::format(
                "<td data-v=\"{0}\"><b>{0}</b> <span class=\"quiet\">{1}–{2}</span></td><td data-v=\"{3:.4f}\" title=\"nine of ten draws: {4:.2f} to "
                "{5:.2f}\">{3:.2f}<span class=\"whisker\" aria-hidden=\"true\"><i style=\"left:{6:.0f}%;width:{7:.0f}%\"></i><b "
                "style=\"left:{8:.0f}%\"></b></span></td><td data-v=\"{9}\">{9} of {10}</td>",
                found->rank, found->rank_low, found->rank_high, found->score, found->score_low, found->score_high, 100 * found->score_low,
                100 * (found->score_high - found->score_low), 100 * found->score, found->solved, taken(v, t, runs, c.label));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

namespace {

std::string comparison_page(const view& v, std::string_view id, std::string_view kicker, std::string_view title, const std::string& lead,
                            std::span<const curve_name> curves)
{
    return fmt::format(
        "<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n{}<div class=\"filters-here\"></div>\n<div class=\"pair\">\n{}"
        "<section><h2>Ranking, with its uncertainty</h2>\n{}<details><summary>The same by evaluations of f</summary>\n{}</details>\n"
        "</section>\n</div>\n</article>\n",
        id, kicker, html_escaped(title), lead, profiles(v, curves), ranking_table(v, curves, work_kind::cpu), ranking_table(v, curves, work_kind::f));
}

} // namespace

std::vector<compared_family> compared_families(const view& v)
{
    const work_table t = work_for_digits(v.records, v.runs, v.limits, first_digits, work_kind::cpu);
    const auto ranks = ranking(t);
    std::vector<compared_family> families;
    for (const auto& f : solver_families()) {
        compared_family& one = families.emplace_back(compared_family{&f, {}, {}});
        for (const auto& c : v.curves)
            if (c.family == f.family) one.curves.push_back(c);
        for (const auto& r : ranks) {
            const auto own = std::ranges::find(one.curves, t.solvers[r.solver], &curve_name::label);
            if (!(r.score > 0) || own == one.curves.end()) continue;
            one.best = *own;
            break;
        }
    }
    return families;
}

std::vector<book_page> family_pages(const view& v)
{
    std::vector<book_page> pages;
    std::vector<curve_name> best;
    std::vector<std::string> words;
    for (const auto& [family, own, first] : compared_families(v)) {
        const family_info& f = *family;
        if (first) {
            best.push_back(*first);
            words.push_back(fmt::format("<a href=\"#solver-{}\">{}</a> ({})", id_of(best.back().solver), html_escaped(best.back().label), f.title));
        }
        if (own.size() < 2) continue;
        std::vector<std::string> names;
        for (const auto& c : own) names.push_back(link_to_solver(c.solver));
        std::ranges::sort(names);
        names.erase(std::unique(names.begin(), names.end()), names.end());
        const std::string id = fmt::format("family-{}", f.id);
        pages.push_back(
            {{id, std::string(f.title), "family compare " + std::string(f.about), false},
             comparison_page(v, id, "Family of solvers", fmt::format("{} solvers compared", capitalised(f.title)),
                             fmt::format("<p class=\"lead\">{}</p>\n<p>In this family: {}. Everything on this page is computed among these "
                                         "alone.</p>\n",
                                         html_escaped(f.about), joined(names, ", ")),
                             own)});
    }
    if (best.size() > 1)
        pages.insert(pages.begin(),
                     {{"family-best", "Best of each family", "family families compare best", false},
                      comparison_page(v, "family-best", "Families of solvers", "The best of each family",
                                      fmt::format("<p>From each family the solver with the highest score among all solvers at {:.0f} digits: {}. If "
                                                  "intervals of ranks overlap inside a family, another member could be here.</p>\n",
                                                  first_digits, joined(words, ", ")),
                                      best)});
    return pages;
}

} // namespace ivp::book_pages
