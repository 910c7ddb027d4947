#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/render/html.hpp"
#include "report/render/numbers.hpp"
#include "stats/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ivp::book_pages {

namespace {

constexpr const run_column* columns[] = {&column::solver, &column::rtol,     &column::atol, &column::h0,        &column::mescd,          &column::scd,
                                         &column::steps,  &column::accepted, &column::f,    &column::jacobians, &column::factorisations, &column::cpu,
                                         &column::outcome};
constexpr const run_column* before_drifts[] = {&column::solver, &column::rtol, &column::mescd, &column::outcome};

/// Columns that a narrow page leaves out.
bool is_minor(const run_column& c)
{
    return &c == &column::atol || &c == &column::h0 || &c == &column::scd || &c == &column::steps || &c == &column::accepted || &c == &column::f ||
           &c == &column::jacobians || &c == &column::factorisations;
}

/// The best of the successful runs of a problem at one tolerance, column by column.
using best_values = std::map<std::pair<double, const run_column*>, double>;

bool is_heated(const run_column& c) { return &c == &column::cpu || &c == &column::f || &c == &column::steps; }

best_values best_of(const view& v, std::span<const std::size_t> runs, run_columns shown)
{
    best_values best;
    for (const std::size_t k : runs) {
        const auto& r = v.records[k];
        if (r.outcome != outcome::success) continue;
        for (const auto* c : shown) {
            const auto value = c->of({.run = r, .name = ""}).value;
            if (!is_heated(*c) || !value || !(*value > 0)) continue;
            const auto [at, is_new] = best.try_emplace({r.ladder_rtol(), c}, *value);
            if (!is_new) at->second = std::min(at->second, *value);
        }
    }
    return best;
}

/// How a value compares with the best at the same tolerance: h0 the best, then up to 2, 5, 20 times, more.
std::string heat_of(const run_column& column, const run_row& row, const best_values& best)
{
    const auto value = column.of(row).value;
    const auto least = best.find({row.run.ladder_rtol(), &column});
    if (!value || least == best.end() || row.run.outcome != outcome::success) return "";
    const double ratio = *value / least->second;
    return fmt::format("h{}", ratio <= 1 ? 0 : ratio <= 2 ? 1 : ratio <= 5 ? 2 : ratio <= 20 ? 3 : 4);
}

std::string html_cell(const run_column& column, const run_row& row, const best_values& best)
{
    const cell c = column.of(row);
    const std::string text = cell_text(medium::html, c);
    std::string kind = is_minor(column) ? "minor" : "";
    if (const auto heat = heat_of(column, row, best); !heat.empty()) kind += (kind.empty() ? "" : " ") + heat;
    if (!kind.empty()) kind = fmt::format(" class=\"{}\"", kind);
    if (c.style == cell_style::words) return fmt::format("<td{}>{}</td>", &column == &column::outcome ? " class=\"outcome\"" : "", text);
    if (text.empty()) return fmt::format("<td{}></td>", kind);
    if (c.style == cell_style::count || !c.value) return fmt::format("<td{}>{}</td>", kind, text); // sorted by what it shows
    return fmt::format("<td{} data-v=\"{:.6g}\">{}</td>", kind, *c.value, text);
}

std::string label_of(const view& v, std::size_t run)
{
    for (const auto& p : v.runs)
        if (p.problem == v.records[run].full_problem())
            for (const auto& c : p.curves)
                if (std::ranges::find(c.runs, run) != c.runs.end()) return c.label;
    return v.records[run].full_solver();
}

std::string row(const view& v, std::size_t run, bool with_problem, run_columns shown, const best_values& best, const std::string& label, bool first)
{
    const auto& r = v.records[run];
    const run_row row{.run = r, .name = label};
    std::string kinds = r.outcome == outcome::success ? "" : "failed";
    if (first) kinds += kinds.empty() ? "first" : " first";
    std::string text = fmt::format("<tr data-r=\"{}\"{}>", run, kinds.empty() ? "" : fmt::format(" class=\"{}\"", kinds));
    if (with_problem) text += fmt::format("<th scope=\"row\">{}</th>", link_to_problem(r.full_problem()));
    for (const auto* c : shown)
        text += c == &column::solver && !with_problem ? fmt::format("<th scope=\"row\">{}</th>", cell_text(medium::html, c->of(row)))
                                                      : html_cell(*c, row, best);
    return text + "</tr>\n";
}

std::string heads_of(run_columns shown)
{
    std::string heads;
    for (const auto* c : shown)
        heads += fmt::format("<th scope=\"col\"{}>{}</th>", is_minor(*c) ? " class=\"minor\"" : "", c->heading_in(medium::html));
    return heads;
}

/// What a table of runs means besides its heads.
std::string remarks_of(bool compares, bool vectors)
{
    return std::string(compares ? "<p class=\"remark\">Bold: the best at its tolerance. Shades: up to 2, 5, 20 times the best, and more. A click on "
                                  "a row shows the command that repeats the run.</p>\n"
                                : "") +
           (vectors ? "<p class=\"remark\">*: the tolerance differs from component to component; the number is the one asked for.</p>\n" : "");
}

std::string table(const view& v, std::span<const std::size_t> runs, bool with_problem, run_columns shown, std::string_view caption)
{
    const std::string heads = (with_problem ? column_heads({column::problem.heading_in(medium::html)}) : "") + heads_of(shown);
    std::string rows;
    const best_values best = best_of(v, runs, shown);
    std::string before;
    for (const std::size_t k : runs) { // grouped by solver
        const std::string label = label_of(v, k);
        rows += row(v, k, with_problem, shown, best, label, label != before);
        before = label;
    }
    const bool vectors = rows.find("*</td>") != std::string::npos;
    return html_table("runs sortable", heads, rows, caption) + remarks_of(!best.empty(), vectors);
}

} // namespace

std::string run_table(const view& v, std::span<const std::size_t> runs, bool with_problem, std::string_view caption)
{
    return table(v, runs, with_problem, columns, caption);
}

std::string all_runs_table(const view& v, const problem_runs& runs)
{
    const auto all = all_of(runs);
    const bool vectors = std::ranges::any_of(all, [&v](std::size_t k) {
        const run_row row{.run = v.records[k], .name = ""};
        return !column::rtol.of(row).words.empty() || !column::atol.of(row).words.empty();
    });
    return fmt::format("<details class=\"all-runs\" data-k=\"{}\"><summary>All {} runs</summary>\n<noscript><p>This table needs JavaScript; "
                       "<code>ivp records --csv</code> prints all runs of a store.</p></noscript>\n{}{}</details>\n",
                       &runs - v.runs.data(), all.size(), html_table("runs sortable", heads_of(columns), "", "All runs"), remarks_of(true, vectors));
}

std::string drift_table(const view& v, std::span<const std::size_t> runs)
{
    const auto shown = with_drifts(before_drifts, [&](const run_column& c) {
        return std::ranges::any_of(runs, [&](std::size_t k) { return c.of({.run = v.records[k]}).value.has_value(); });
    });
    if (shown.size() == std::size(before_drifts)) return "";
    return table(v, runs, false, shown,
                 "Drift: the largest residual of the constraints (position) and of their derivatives after any step; "
                 "growth: <i>p</i> if it grows like <i>t</i><sup><i>p</i></sup> (about 0: no growth, 1: linear growth); <i>h</i>: step size");
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
            reached.insert(figures_in_html(fmt::format("{:.4g}", v.records[k].t_end_reached)));
        }
        if (tolerances.size() > 6) tolerances = {tolerances[0], tolerances[1], "…", tolerances.back() + fmt::format(" ({} runs)", g.runs.size())};
        rows += fmt::format("<tr data-r=\"{}\"><th scope=\"row\">{}</th><td class=\"list\">{}</td><td class=\"outcome\">{}</td><td "
                            "class=\"words\">{}</td><td>{}</td></tr>\n",
                            g.runs.front(), with_problem ? link_to_problem(g.who) : html_escaped(g.who), joined(tolerances, ", "), label(f.outcome),
                            figures_in_html(with_rounded_figures(reason_of(f))),
                            reached.size() == 1 ? *reached.begin() : fmt::format("{} values", reached.size()));
    }
    return html_table("failures sortable", column_heads({with_problem ? "problem" : "solver", "rtol", "outcome", "reason", "reached t"}), rows);
}

namespace {

/// A method that treats its systems side by side reports what the busiest processor would do: its share of the work is the least time.
std::string estimated_parallel_table(const view& v, std::span<const std::size_t> runs)
{
    std::map<std::string, std::string> rows;
    for (const std::size_t k : runs) {
        const auto& r = v.records[k];
        const auto share = busiest_share(r);
        if (r.outcome != outcome::success || !share || !(r.cpu_s > 0)) continue;
        rows[r.full_solver()] +=
            fmt::format("<tr><td data-v=\"{:.6g}\">{}</td><td>{}</td><td data-v=\"{:.6g}\">{}</td><td data-v=\"{:.6g}\">{}</td></tr>\n",
                        r.ladder_rtol(), tolerance_number(medium::html, r.ladder_rtol()), digits_number(medium::html, r.mescd), r.cpu_s,
                        seconds_number(medium::html, r.cpu_s), *share * r.cpu_s, seconds_number(medium::html, *share * r.cpu_s));
    }
    std::string text;
    for (const auto& [solver, body] : rows)
        text += fmt::format(
            "<details><summary>{} on four processors, estimated</summary>\n<p class=\"remark\">Not measured: the CPU time on one processor, times "
            "the "
            "share of evaluations and factorisations that the busiest of four would do. The time for exchange and waiting would be "
            "added.</p>\n{}</details>\n",
            html_escaped(solver),
            html_table("sortable", column_heads({"rtol", "mescd", "measured on one", "estimated on four"}), body, "Estimated, not measured"));
    return text;
}

} // namespace

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
                html_table("sortable", column_heads({"rtol", "threads", "wall", "speed-up"}), rows, "Time on the clock");
        const int cores = own.front().machine.cores;
        if (most > cores)
            text += fmt::format("<p class=\"remark\">More than {}: not measurable here, the machine has {}.</p>\n", counted(cores, "thread"),
                                counted(cores, "core"));
    }
    return text + estimated_parallel_table(v, runs);
}

} // namespace ivp::book_pages
