#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/render/html.hpp"
#include "stats/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ivp::book_pages {

namespace {

constexpr const run_column* columns[] = {&column::solver, &column::rtol,     &column::atol, &column::h0,        &column::mescd,          &column::scd,
                                         &column::steps,  &column::accepted, &column::f,    &column::jacobians, &column::factorisations, &column::cpu,
                                         &column::outcome};
constexpr const run_column* before_drifts[] = {&column::solver, &column::rtol, &column::mescd, &column::outcome};

std::string html_cell(const run_column& column, const run_row& row)
{
    const cell c = column.of(row);
    const std::string text = cell_text(medium::html, c);
    if (c.style == cell_style::words) return fmt::format("<td{}>{}</td>", &column == &column::outcome ? " class=\"outcome\"" : "", text);
    if (text.empty()) return "<td></td>";
    if (c.style == cell_style::count || !c.value) return fmt::format("<td>{}</td>", text); // sorted by what it shows
    return fmt::format("<td data-v=\"{:.6g}\">{}</td>", *c.value, text);
}

std::string label_of(const view& v, std::size_t run)
{
    for (const auto& p : v.runs)
        if (p.problem == v.records[run].full_problem())
            for (const auto& c : p.curves)
                if (std::ranges::find(c.runs, run) != c.runs.end()) return c.label;
    return v.records[run].full_solver();
}

std::string row(const view& v, std::size_t run, bool with_problem, run_columns shown)
{
    const auto& r = v.records[run];
    const run_row row{.run = r, .name = label_of(v, run)};
    std::string text = fmt::format("<tr data-r=\"{}\"{}>", run, r.outcome == outcome::success ? "" : " class=\"failed\"");
    if (with_problem) text += fmt::format("<th scope=\"row\">{}</th>", link_to_problem(r.full_problem()));
    for (const auto* c : shown)
        text += c == &column::solver && !with_problem ? fmt::format("<th scope=\"row\">{}</th>", cell_text(medium::html, c->of(row)))
                                                      : html_cell(*c, row);
    return text + "</tr>\n";
}

std::string table(const view& v, std::span<const std::size_t> runs, bool with_problem, run_columns shown, std::string_view caption)
{
    std::string heads = with_problem ? column_heads({column::problem.heading_in(medium::html)}) : "";
    for (const auto* c : shown) heads += column_heads({c->heading_in(medium::html)});
    std::string rows;
    for (const std::size_t k : runs) rows += row(v, k, with_problem, shown);
    return html_table("runs sortable", heads, rows, caption);
}

} // namespace

std::string run_table(const view& v, std::span<const std::size_t> runs, bool with_problem, std::string_view caption)
{
    return table(v, runs, with_problem, columns, caption);
}

std::string drift_table(const view& v, std::span<const std::size_t> runs)
{
    const auto shown = with_drifts(before_drifts, [&](const run_column& c) {
        return std::ranges::any_of(runs, [&](std::size_t k) { return c.of({.run = v.records[k]}).value.has_value(); });
    });
    if (shown.size() == std::size(before_drifts)) return "";
    return table(v, runs, false, shown,
                 "Drift: the largest residual of the constraints (position) and of their derivatives after any step; "
                 "growth: <i>p</i> if it follows <i>t</i><sup><i>p</i></sup> (about 0: it stays, 1: it grows linearly); <i>h</i>: step size");
}

std::vector<failure_group> failure_groups(const view& v, std::span<const std::size_t> runs, bool by_problem)
{
    std::vector<failure_group> groups;
    for (const std::size_t k : runs) {
        const auto& r = v.records[k];
        if (r.outcome == outcome::success) continue;
        const std::string who = by_problem ? r.full_problem() : label_of(v, k);
        const auto same = std::ranges::find_if(groups, [&](const failure_group& g) {
            const auto& f = v.records[g.runs.front()];
            return g.who == who && f.outcome == r.outcome && f.message == r.message;
        });
        if (same == groups.end())
            groups.push_back({who, {k}});
        else
            same->runs.push_back(k);
    }
    return groups;
}

std::string_view reason_of(const run_record& r) { return r.message.empty() ? sentence(r.outcome) : std::string_view(r.message); }

std::string failure_table(const view& v, std::span<const std::size_t> runs, bool with_problem)
{
    const auto groups = failure_groups(v, runs, with_problem);
    if (groups.empty()) return "";
    std::string rows;
    for (const auto& g : groups) {
        const auto& f = v.records[g.runs.front()];
        std::vector<std::string> tolerances;
        std::set<std::string> reached;
        for (const std::size_t k : g.runs) {
            tolerances.push_back(cell_text(medium::html, column::rtol.of({.run = v.records[k], .name = ""})));
            reached.insert(fmt::format("{:.4g}", v.records[k].t_end_reached));
        }
        if (tolerances.size() > 6) tolerances = {tolerances[0], tolerances[1], "…", tolerances.back(), fmt::format("({} runs)", g.runs.size())};
        rows += fmt::format("<tr data-r=\"{}\"><th scope=\"row\">{}</th><td class=\"list\">{}</td><td class=\"outcome\">{}</td><td "
                            "class=\"words\">{}</td><td>{}</td></tr>\n",
                            g.runs.front(), with_problem ? link_to_problem(g.who) : html_escaped(g.who), joined(tolerances, ", "), label(f.outcome),
                            html_escaped(reason_of(f)), reached.size() == 1 ? *reached.begin() : fmt::format("{} values", reached.size()));
    }
    return html_table("failures sortable", column_heads({with_problem ? "problem" : "solver", "rtol", "outcome", "reason", "reached t"}), rows);
}

std::string speedup_section(const view& v, std::span<const std::size_t> runs)
{
    std::vector<run_record> own;
    std::set<std::string> parallel;
    int most = 0;
    for (const std::size_t k : runs) {
        own.push_back(v.records[k]);
        if (own.back().threads <= 1) continue;
        parallel.insert(own.back().full_solver());
        most = std::max(most, own.back().threads);
    }
    std::string text;
    for (const auto& solver : parallel) {
        std::string rows;
        for (const auto& r : speedup_of(own, solver))
            rows += fmt::format("<tr><td data-v=\"{:.6g}\">{}</td><td>{}</td><td data-v=\"{:.6g}\">{}</td><td>{}</td></tr>\n", r.rtol,
                                tolerance_number(medium::html, r.rtol), r.threads, r.wall_s, seconds_number(medium::html, r.wall_s),
                                digits_number(medium::html, r.speedup));
        text += fmt::format("<h4>Speed-up of {}</h4>\n", html_escaped(solver)) +
                html_table("sortable", column_heads({"rtol", "threads", "wall [s]", "speed-up"}), rows, "Time on the clock");
        const int cores = own.front().machine.cores;
        if (most > cores)
            text += fmt::format("<p class=\"remark\">More than {}: not measurable here, the machine has {}.</p>\n", counted(cores, "thread"),
                                counted(cores, "core"));
    }
    return text;
}

} // namespace ivp::book_pages
