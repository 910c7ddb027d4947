// The first page answers: what was run, who delivers, who is fast, and how sure is that.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/library_warnings.hpp"
#include "report/render/html.hpp"
#include "report/render/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ivp::book_pages {

namespace {

std::string when(const std::vector<stored_run>& runs)
{
    std::vector<std::string> times;
    for (const auto& r : runs) times.push_back(r.measured_at);
    const auto [first, last] = days_of(times);
    if (first.empty()) return "";
    if (first == last) return fmt::format(", on <time datetime=\"{0}\">{0}</time>", first);
    return fmt::format(", from <time datetime=\"{0}\">{0}</time> to <time datetime=\"{1}\">{1}</time>", first, last);
}

std::string where(const view& v)
{
    if (v.records.empty()) return "";
    const auto& m = v.records.front().machine;
    return fmt::format(" on {}, {}", html_escaped(m.cpu), counted(m.cores, "core"));
}

std::string figures(const view& v)
{
    std::map<outcome, std::size_t> outcomes;
    for (const auto& r : v.records) ++outcomes[r.outcome];
    std::set<std::string> problems;
    std::set<std::string> solvers;
    for (const auto& r : v.records) {
        problems.insert(r.full_problem());
        solvers.insert(r.full_solver());
    }
    const std::size_t good = outcomes[outcome::success];
    const std::size_t wrong = outcomes[outcome::wrong_answer];
    const auto figure = [](std::size_t n, std::string_view what, std::string_view kind) {
        return fmt::format("<li class=\"{}\"><strong>{}</strong> {}</li>", kind, count_number(medium::html, n), what);
    };
    return "<ul class=\"figures\">" + figure(problems.size(), noun(problems.size(), "problem"), "") +
           figure(solvers.size(), noun(solvers.size(), "solver"), "") + figure(v.records.size(), noun(v.records.size(), "run"), "") +
           figure(good, "succeeded", "good") + figure(v.records.size() - good - wrong, "failed", "bad") +
           figure(wrong, "claimed success wrongly", "lied") + "</ul>\n";
}

std::string matrix_cell(const view& v, const problem_runs& p, const run_curve& c)
{
    const curve_summary summary = summary_of(v, p, c);
    const auto& best = summary.best;
    std::vector<std::string> words{fmt::format("{} on {}: {}", c.label, p.problem, counted(c.runs.size(), "run"))};
    for (const auto& [o, n] : summary.failed) words.push_back(fmt::format("{} {}", n, label(o)));
    if (best) words.push_back(fmt::format("{} {:.1f} digits (mescd)", summary.capped ? "at least" : "at most", *best));
    std::string text;
    std::string kind;
    if (summary.all_failed) {
        kind = "none";
        text = summary.lied() ? "!" : "✕";
    } else {
        const int level = best ? std::clamp(static_cast<int>(std::floor(*best / 2)), 0, 5) : 0;
        kind = fmt::format("q{}", level);
        text = best ? digits_number(medium::html, best, 1) : "ok";
        if (summary.failures > 0) text += fmt::format("<sub>{}{}</sub>", summary.failures, summary.lied() ? "!" : "✕");
    }
    return fmt::format("<td class=\"{}\" data-v=\"{:.3g}\"><a href=\"#problem-{}\" title=\"{}\">{}</a></td>", kind, best.value_or(-99),
                       id_of(p.problem), html_escaped(joined(words, ", ")), text);
}

std::string empty_cell(const view& v, const std::string& problem, const std::string& solver)
{
    const auto why = refusal_of(v, problem, solver);
    if (why) return fmt::format("<td class=\"refused\" title=\"{}\">·</td>", html_escaped(*why));
    return "<td class=\"empty\"></td>";
}

std::string matrix(const view& v)
{
    std::string text = "<p class=\"remark\">The most digits each solver delivered (mescd, over all tolerances); small beside them, how many of its "
                       "runs failed.</p>\n"
                       "<div class=\"scroll\"><table class=\"matrix sortable\">\n<thead><tr><th scope=\"col\">problem</th>";
    for (const auto& c : v.curves)
        text += fmt::format("<th scope=\"col\" class=\"slanted\"><span><a href=\"#solver-{}\">{}</a></span></th>", id_of(c.solver),
                            html_escaped(c.label));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& p : v.runs) {
        if (!p.variant.empty()) continue;
        text += fmt::format("<tr><th scope=\"row\">{}</th>", link_to_problem(p.problem));
        for (const auto& c : v.curves) {
            const auto own = std::ranges::find(p.curves, c.label, &run_curve::label);
            text += own == p.curves.end() ? empty_cell(v, p.problem, c.solver) : matrix_cell(v, p, *own);
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n<p class=\"remark\">✕ every run failed · ! claimed success without one correct digit · a dot: the solver "
                  "does not take the "
                  "problem · empty: not run. The stronger the colour, the more digits.</p>\n";
}

std::string profiles(const view& v)
{
    std::string text = legend(v.curves, "Solvers that are compared");
    text += "<div class=\"tiles three\" id=\"profiles\">";
    for (const work_kind kind : {work_kind::cpu, work_kind::f})
        for (const double digits : compared_digits) {
            const work_table t = work_for_digits(v.records, v.runs, v.limits, digits, kind);
            text += profile_figure(profile_of(t), t, v, digits, kind);
        }
    return text + "</div>\n<p class=\"remark\">A point (τ, s) of a curve says: the solver delivered so many digits with at most τ times the least "
                  "work of all "
                  "shown solvers on the share s of the problems. Left end: how often it was the best. Height at the right: how often it delivered at "
                  "all within a factor of 100. Switch "
                  "solvers off in the legend, and everything is computed anew among the rest.</p>\n";
}

std::string ranking_table(const view& v, work_kind kind)
{
    std::vector<std::pair<work_table, std::vector<rank_row>>> columns;
    for (const double digits : compared_digits) {
        work_table t = work_for_digits(v.records, v.runs, v.limits, digits, kind);
        auto rows = ranking(t);
        columns.emplace_back(std::move(t), std::move(rows));
    }
    std::string text =
        fmt::format("<div class=\"scroll\"><table class=\"ranking sortable\" data-work=\"{}\"><caption>By {}</caption>\n<thead><tr><th "
                    "scope=\"col\" rowspan=\"2\">solver</th>",
                    label(kind), title(kind));
    std::string below;
    for (const double digits : compared_digits) {
        text += fmt::format("<th scope=\"colgroup\" colspan=\"3\">{:.0f} digits</th>", digits);
        below += "<th scope=\"col\">rank</th><th scope=\"col\">score</th><th scope=\"col\">delivered</th>";
    }
    text += "</tr><tr>" + below + "</tr></thead>\n<tbody>\n";

    // In the order of the middle column, then as the solvers are listed.
    std::vector<curve_name> order = v.curves;
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
            const auto problems = profile_of(t).problems;
            text += fmt::format(
                "<td data-v=\"{0}\"><b>{0}</b> <span class=\"quiet\">{1}–{2}</span></td><td data-v=\"{3:.4f}\" title=\"nine of ten draws: {4:.2f} to "
                "{5:.2f}\">{3:.2f}<span class=\"whisker\" aria-hidden=\"true\"><i style=\"left:{6:.0f}%;width:{7:.0f}%\"></i><b "
                "style=\"left:{8:.0f}%\"></b></span></td><td data-v=\"{9}\">{9}/{10}</td>",
                found->rank, found->rank_low, found->rank_high, found->score, found->score_low, found->score_high, 100 * found->score_low,
                100 * (found->score_high - found->score_low), 100 * found->score, found->solved, problems);
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

} // namespace

std::string start_page(const view& v, const book_content& c)
{
    std::string text = "<article class=\"page\" id=\"start\">\n<h1>Solvers of initial value problems, measured</h1>\n";
    if (v.records.empty()) {
        return text + "<p class=\"lead\">This store holds no runs. The chapters of problems and solvers are here; <code>ivp campaign --preset "
                      "quick</code> fills the "
                      "tables.</p>\n</article>\n";
    }
    text += fmt::format("<p class=\"lead\">Every run in this book was made{}{}. A failure is a result too: it stands here with its reason.</p>\n",
                        where(v), when(c.runs));
    text += figures(v);
    text += library_warnings(v.records).html();
    for (const auto& remark : c.remarks) text += fmt::format("<p class=\"remark\">{}</p>\n", html_escaped(remark));
    text += "<section><h2 id=\"summary\">Who delivers what</h2>\n" + matrix(v) + "</section>\n";
    text += "<section><h2 id=\"compared\">How fast, compared</h2>\n" + profiles(v) + "</section>\n";
    text += "<section><h2 id=\"ranking\">Ranking, with its uncertainty</h2>\n<p>The score is the area below a solver’s profile between the ratios 1 "
            "and 100: 1 "
            "means always the best, 0 never within a factor of 100. How far would ranks move with other problems? The problems are drawn anew, with "
            "replacement, a thousand times; behind each rank stand the ranks between which nine of ten draws fell. Where these overlap, the order "
            "says nothing.</p>\n";
    text += ranking_table(v, work_kind::cpu);
    text += fmt::format("<details><summary>The same by evaluations of f, which no machine influences</summary>\n{}</details>\n",
                        ranking_table(v, work_kind::f));
    text += fmt::format("<p class=\"remark\">{}</p>\n</section>\n", diagram_warning);
    return text + "</article>\n";
}

} // namespace ivp::book_pages
