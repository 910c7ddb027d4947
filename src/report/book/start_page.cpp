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
    const std::size_t refused = outcomes[outcome::unsupported] + outcomes[outcome::unavailable];
    const auto figure = [](std::size_t n, std::string_view what, std::string_view kind) {
        return fmt::format("<li class=\"{}\"><strong>{}</strong> {}</li>", kind, count_number(medium::html, n), what);
    };
    return "<ul class=\"figures\">" + figure(problems.size(), noun(problems.size(), "problem"), "") +
           figure(solvers.size(), noun(solvers.size(), "solver"), "") + figure(v.records.size(), noun(v.records.size(), "run"), "") +
           figure(good, "succeeded", "good") + figure(v.records.size() - good - wrong - refused, "failed", "bad") +
           figure(wrong, "claimed success wrongly", "lied") + (refused == 0 ? "" : figure(refused, "not taken by the solver", "")) + "</ul>\n";
}

std::string matrix_cell(const view& v, const problem_runs& p, const run_curve& c)
{
    const curve_summary summary = summary_of(v, p, c);
    if (summary.refused) return fmt::format("<td class=\"refused\" title=\"{}\">·</td>", html_escaped(v.records[c.runs.front()].message));
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
    std::string text =
        "<p class=\"remark\">The most digits each solver delivered (mescd, over all tolerances); the small numbers say how many of its "
        "runs failed.</p>\n"
        "<div class=\"scroll\"><table class=\"matrix sortable\">\n<thead><tr><th scope=\"col\">problem</th>";
    for (const auto& c : v.curves)
        text += fmt::format("<th scope=\"col\" class=\"slanted\" data-s=\"{}\"><span><a href=\"#solver-{}\">{}</a></span></th>", c.look,
                            id_of(c.solver), html_escaped(c.label));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& p : v.runs) {
        if (!p.variant.empty()) continue;
        text += fmt::format("<tr data-problem=\"{}\"><th scope=\"row\">{}</th>", html_escaped(p.problem), link_to_problem(p.problem));
        for (const auto& c : v.curves) {
            const auto own = std::ranges::find(p.curves, c.label, &run_curve::label);
            text += own == p.curves.end() ? empty_cell(v, p.problem, c.solver) : matrix_cell(v, p, *own);
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n<p class=\"remark\">✕ every run failed · ! claimed success without a correct digit · a dot: the solver "
                  "does not take the "
                  "problem · empty: not run. The stronger the colour, the more digits.</p>\n";
}

std::string story(const view& v)
{
    std::string text = "<ul class=\"story\" id=\"story\">";
    for (const auto& sentence : story_of(v)) text += fmt::format("<li>{}</li>", html_escaped(sentence));
    return text + "</ul>\n";
}

} // namespace

std::string start_page(const view& v, const book_content& c)
{
    std::string text = "<article class=\"page\" id=\"start\">\n<h1>Solvers of initial value problems, measured</h1>\n";
    if (v.records.empty()) {
        return text +
               "<p class=\"lead\">This store holds no runs. The chapters of problems and solvers are here; <code>ivp campaign --preset "
               "quick</code> fills the "
               "tables.</p>\n" +
               (c.assessments.empty() ? "" : "<p>It holds assessments (DETEST): they are first in the contents.</p>\n") + "</article>\n";
    }
    text += "<div class=\"filters-here\"></div>\n<div class=\"opening\">\n" + story(v);
    text += profiles(v, v.curves) + "<div class=\"provenance\">\n";
    text += fmt::format("<p>Every run in this book was made{}{}. A failure is a result too: this book shows it with its reason.</p>\n", where(v),
                        when(c.runs));
    text += figures(v);
    text += library_warnings(v.records).html();
    for (const auto& remark : c.remarks) text += fmt::format("<p class=\"remark\">{}</p>\n", html_escaped(remark));
    text += "</div>\n</div>\n<div class=\"pair\">\n<section><h2 id=\"summary\">What each solver delivers</h2>\n" + matrix(v) + "</section>\n";
    text += "<section><h2 id=\"ranking\">Ranking, with its uncertainty</h2>\n<p>The score is the area below a solver’s profile between the ratios 1 "
            "and 100: 1 means always the best, 0 never within a factor of 100. How far would ranks move with other problems? The tool draws the "
            "problems a thousand "
            "times, with replacement; each rank is followed by the ranks between which nine of ten draws fell. If these overlap, the order "
            "says nothing.</p>\n";
    text += ranking_table(v, v.curves, work_kind::cpu);
    text += fmt::format("<details><summary>The same by evaluations of f, which no machine influences</summary>\n{}</details>\n",
                        ranking_table(v, v.curves, work_kind::f));
    text += fmt::format("<p class=\"remark\">{}</p>\n</section>\n</div>\n", diagram_warning);
    return text + "</article>\n";
}

} // namespace ivp::book_pages
