#include "tables.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/published.hpp"
#include "report/render/numbers.hpp"
#include "report/render/tex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace ivp::tex {

namespace {

constexpr std::size_t longest_name = 14; // characters that the first column has room for; a longer name gets a line of its own
constexpr std::size_t block = 13;        // rows that stay on one page, below the name of their solver
constexpr std::size_t matrix_width = 15; // solvers beside each other

struct table_frame {
    std::string columns;
    int count; ///< of the columns
    std::string caption;
    std::string label;
    std::string head;

    [[nodiscard]] std::string around(const std::string& rows) const
    {
        return fmt::format("\\begingroup\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\\setlength{{\\LTcapwidth}}{{\\linewidth}}%\n"
                           "\\begin{{longtable}}{{{0}}}\n\\caption{{{1}}}\\label{{{2}}}\\\\\n\\toprule\n{3}\\midrule\n\\endfirsthead\n"
                           "\\multicolumn{{{4}}}{{@{{}}l@{{}}}}{{\\emph{{Table~\\ref{{{2}}}, continued}}}}\\\\\n\\toprule\n{3}\\midrule\n\\endhead\n"
                           "\\midrule\n\\endfoot\n\\bottomrule\n\\endlastfoot\n{5}\\end{{longtable}}%\n\\endgroup\n",
                           columns, caption, label, head, count, rows);
    }
};

constexpr const run_column* run_columns_shown[] = {&column::rtol,      &column::atol,           &column::h0,       &column::mescd,
                                                   &column::scd,       &column::steps,          &column::accepted, &column::f,
                                                   &column::jacobians, &column::factorisations, &column::cpu};

constexpr const run_column* before_drifts[] = {&column::rtol, &column::mescd};

std::string head_of(run_columns columns)
{
    std::string text(column::solver.heading_in(medium::tex));
    for (const auto* c : columns) text += fmt::format(" & {}", c->heading_in(medium::tex));
    return text + "\\\\\n";
}

bool differs_by_component(const std::vector<double>& t)
{
    return std::ranges::any_of(t, [&t](double v) { return v != t.front(); });
}

std::string cells_of(const run_record& r, run_columns columns)
{
    const run_row row{.run = r, .name = ""};
    std::string text;
    for (const auto* column : columns) text += " & " + cell_text(medium::tex, column->of(row));
    return text + " ";
}

/// A name that is too long for its column; in lines that are not wider than the rest of the table.
std::string name_lines(const std::string& name, int columns)
{
    std::string text;
    std::istringstream lines(wrapped(name, 70, 0));
    for (std::string line; std::getline(lines, line);) text += fmt::format("\\multicolumn{{{}}}{{@{{}}l@{{}}}}{{{}}}\\\\*\n", columns, code(line));
    return text;
}

/// The runs among the chosen ones that succeeded, below the name of their solver. `width`: in columns of TeX.
std::string rows_by_solver(const book_pages::view& v, const problem_runs& p, std::span<const std::size_t> chosen, run_columns columns, int width)
{
    std::string rows;
    for (const auto& curve : p.curves) {
        std::vector<std::size_t> good;
        for (const std::size_t k : curve.runs)
            if (v.records[k].outcome == outcome::success && std::ranges::find(chosen, k) != chosen.end()) good.push_back(k);
        if (good.empty()) continue;
        if (!rows.empty()) rows += "\\addlinespace\n";
        const bool short_name = curve.label.size() <= longest_name;
        if (!short_name) rows += name_lines(curve.label, width);
        const std::size_t blocks = (good.size() + block - 1) / block;
        const std::size_t height = (good.size() + blocks - 1) / blocks;
        for (std::size_t i = 0; i < good.size(); ++i) {
            const auto& r = v.records[good[i]];
            const bool last = i + 1 == good.size() || (i + 1) % height == 0;
            rows += fmt::format("{}{}{} {}\n", short_name && i % height == 0 ? code(curve.label) : "", cells_of(r, columns), last ? "\\\\" : "\\\\*",
                                comment(r.command));
        }
    }
    return rows;
}

/// "0, 3--7": neighbours are drawn together.
std::string with_ranges(std::vector<int> places)
{
    std::ranges::sort(places);
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < places.size();) {
        std::size_t end = k;
        while (end + 1 < places.size() && places[end + 1] == places[end] + 1) ++end;
        if (end >= k + 2) {
            parts.push_back(fmt::format("{}--{}", places[k], places[end]));
            k = end + 1;
        } else {
            parts.push_back(std::to_string(places[k++]));
        }
    }
    return joined(parts, ", ");
}

/// Which tolerances: by their places on the ladder, those beside it by their value.
std::string places(const book_pages::view& v, std::span<const std::size_t> runs, const protocol* ladder)
{
    std::vector<int> on;
    std::vector<std::string> beside;
    for (const std::size_t k : runs) {
        const double rtol = v.records[k].ladder_rtol();
        if (const auto m = ladder != nullptr ? ladder->ladder_place(rtol) : std::nullopt)
            on.push_back(*m);
        else
            beside.push_back(tolerance_number(medium::tex, rtol));
    }
    std::string text = with_ranges(on);
    if (beside.empty()) return text;
    return text + (text.empty() ? "" : "; ") + (ladder != nullptr ? "rtol " : "") + joined(beside, ", ");
}

std::string in_words(outcome o)
{
    std::string text(label(o));
    std::ranges::replace(text, '_', ' ');
    return text;
}

/// In the head of a column; a long one in several lines.
std::string upright_name(const std::string& label)
{
    constexpr std::size_t one_line = 26;
    return label.size() <= one_line ? code(label) : "\\parbox{40mm}{\\raggedright " + code(label) + "}";
}

std::string matrix_cell(const book_pages::view& v, const problem_runs& p, const book_pages::curve_name& c)
{
    const auto own = std::ranges::find(p.curves, c.label, &run_curve::label);
    if (own == p.curves.end()) return book_pages::refusal_of(v, p.problem, c.solver) ? "$\\cdot$" : "";
    const auto s = book_pages::summary_of(v, p, *own);
    if (s.all_failed) return s.lied() ? "!" : "$\\times$";
    const char* const mark = s.failures == 0 ? "" : s.lied() ? "\\rlap{\\textsuperscript{!}}" : "\\rlap{\\textsuperscript{$\\times$}}";
    return (s.best ? digits_number(medium::tex, s.best, 1) : "ok") + mark;
}

} // namespace

std::string problem_name(const problem_runs& p) { return code(p.problem) + (p.variant.empty() ? "" : " with " + tex_escaped(p.variant)); }

bool has_further_runs(const book_pages::view& v, const problem_runs& p) { return book_pages::all_of(p).size() > book_pages::tabulated(v, p).size(); }

std::string run_table(const book_pages::view& v, const problem_runs& p, const std::string& key, bool all)
{
    constexpr int width = 13; // the CPU time has two
    const auto chosen = all ? book_pages::all_of(p) : book_pages::tabulated(v, p);
    std::string rows = rows_by_solver(v, p, chosen, run_columns_shown, width);
    const bool vectors = std::ranges::any_of(chosen, [&v](std::size_t k) {
        const auto& r = v.records[k];
        return r.outcome == outcome::success && (differs_by_component(r.rtol) || differs_by_component(r.atol));
    });
    std::string caption = fmt::format("{} for {}", all ? "All successful runs" : "Run characteristics", problem_name(p));
    if (!all && has_further_runs(v, p)) caption += ": the runs nearest to $\\mathrm{rtol} = 10^{-4}$, $10^{-7}$, $10^{-10}$ that succeeded";
    caption += vectors ? ". *: the tolerance differs by component." : ".";
    if (rows.empty()) rows = fmt::format("\\multicolumn{{{}}}{{@{{}}l@{{}}}}{{no run succeeded}}\\\\\n", width);
    return table_frame{"@{}llllrrrrrrrr@{.}l@{}", width, caption, fmt::format("tab:ivp-{}-{}", key, all ? "all" : "runs"), head_of(run_columns_shown)}
        .around(rows);
}

std::string drift_table(const book_pages::view& v, const problem_runs& p, const std::string& key)
{
    const auto chosen = book_pages::tabulated(v, p);
    const auto columns = with_drifts(before_drifts, [&](const run_column& c) {
        return std::ranges::any_of(
            chosen, [&](std::size_t k) { return v.records[k].outcome == outcome::success && c.of({.run = v.records[k]}).value.has_value(); });
    });
    if (columns.size() == std::size(before_drifts)) return "";
    const int width = static_cast<int>(columns.size()) + 1;
    const std::string caption = fmt::format("Drift for {}: the largest residual of the constraints (position) and of their derivatives after any "
                                            "step; growth: $p$ if it grows like $t^p$ "
                                            "(about 0: no growth, 1: linear growth); $h$: step size.",
                                            problem_name(p));
    return table_frame{"@{}l" + std::string(columns.size(), 'r') + "@{}", width, caption, "tab:ivp-" + key + "-drift", head_of(columns)}.around(
        rows_by_solver(v, p, chosen, columns, width));
}

std::string failed_table(const book_pages::view& v, const problem_runs& p, const std::string& key)
{
    const auto groups = book_pages::failure_groups(v, book_pages::all_of(p), false);
    if (groups.empty()) return "";
    const auto* known = v.problem(p.problem);
    const protocol* const ladder = known == nullptr ? nullptr : &known->problem.info().protocol;
    std::string rows;
    std::string before;
    for (const auto& g : groups) {
        const auto& r = v.records[g.runs.front()];
        if (!rows.empty() && g.who != before) rows += "\\addlinespace\n";
        rows += fmt::format("{} & {} & {}: {}\\\\ {}\n", g.who == before ? "" : code(g.who), places(v, g.runs, ladder), in_words(r.outcome),
                            tex_escaped(book_pages::reason_of(r)), comment(r.command));
        before = g.who;
    }
    std::string caption = fmt::format("Failed runs for {}", problem_name(p));
    if (ladder != nullptr) caption += fmt::format("; $\\mathrm{{rtol}} = 10^{{-({:g}+m/{})}}$", ladder->ladder_start, ladder->ladder_per_decade);
    const std::string ragged = ">{\\raggedright\\arraybackslash}";
    return table_frame{fmt::format("@{{}}{0}p{{0.19\\linewidth}}{0}p{{0.15\\linewidth}}{0}p{{0.6\\linewidth}}@{{}}", ragged), 3, caption + ".",
                       "tab:ivp-" + key + "-failed", fmt::format("solver & {} & reason\\\\\n", ladder != nullptr ? "$m$" : "rtol")}
        .around(rows);
}

std::string summary_table(const book_pages::view& v)
{
    std::vector<book_pages::curve_name> curves;
    for (const auto& c : v.curves)
        if (std::ranges::any_of(v.runs, [&c](const problem_runs& p) {
                return p.variant.empty() && std::ranges::find(p.curves, c.label, &run_curve::label) != p.curves.end();
            }))
            curves.push_back(c);
    if (curves.empty()) return "";
    const std::size_t parts = (curves.size() + matrix_width - 1) / matrix_width;
    const std::size_t width = (curves.size() + parts - 1) / parts;
    std::string text;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto first = curves.begin() + static_cast<std::ptrdiff_t>(part * width);
        const std::span<const book_pages::curve_name> own(first, std::min(width, curves.size() - part * width));
        std::string head = "problem";
        for (const auto& c : own) head += fmt::format(" & \\multicolumn{{1}}{{c}}{{\\rotatebox{{90}}{{{}}}}}", upright_name(c.label));
        std::string columns = "@{}l";
        for (std::size_t k = 0; k < own.size(); ++k) columns += "r@{\\hspace{1.1em}}"; // room for the raised marks
        std::string rows;
        for (const auto& p : v.runs) {
            if (!p.variant.empty()) continue;
            rows += code(p.problem);
            for (const auto& c : own) rows += " & " + matrix_cell(v, p, c);
            rows += "\\\\\n";
        }
        std::string caption =
            part == 0 ? "The most digits (mescd) that each solver delivered, over all tolerances. Raised: some of its runs failed ($\\times$), or "
                        "claimed success without a correct digit (!); alone: all of them. A dot: the solver does not take the problem; empty: "
                        "not run."
                      : "The most digits (mescd) that each solver delivered: further solvers, as in Table~\\ref{tab:ivp-summary}.";
        const std::string label = part == 0 ? "tab:ivp-summary" : fmt::format("tab:ivp-summary-{}", part + 1);
        text += table_frame{columns, static_cast<int>(own.size()) + 1, caption, label, head + "\\\\\n"}.around(rows);
    }
    return text;
}

std::string ranking_table(const book_pages::view& v, std::span<const book_pages::curve_name> curves, const std::string& caption,
                          const std::string& label)
{
    constexpr int width = 10; // in columns of TeX
    const auto runs = book_pages::runs_of_curves(v, curves);
    struct column {
        work_table table;
        std::vector<rank_row> rows;
        [[nodiscard]] const rank_row* of(const std::string& name) const
        {
            const auto at = std::ranges::find_if(rows, [&](const rank_row& r) { return table.solvers[r.solver] == name; });
            return at == rows.end() ? nullptr : &*at;
        }
    };
    std::vector<column> columns;
    std::string head;
    std::string below = "solver";
    int at = 2;
    std::string rules;
    for (const double digits : book_pages::compared_digits) {
        work_table t = work_for_digits(v.records, runs, v.limits, digits, work_kind::cpu);
        auto rows = ranking(t);
        columns.push_back({std::move(t), std::move(rows)});
        head += fmt::format(" & \\multicolumn{{3}}{{c}}{{{:.0f} digits}}", digits);
        rules += fmt::format("\\cmidrule(lr){{{}-{}}}", at, at + 2);
        at += 3;
        below += " & rank & score & delivered";
    }
    std::vector<book_pages::curve_name> order(curves.begin(), curves.end());
    std::ranges::stable_sort(order, {}, [&](const book_pages::curve_name& c) {
        const auto* r = columns[1].of(c.label); // at 6 digits
        return r == nullptr ? 1000 : r->rank;
    });
    std::string rows;
    for (const auto& c : order) {
        rows += c.label.size() <= longest_name ? code(c.label) : name_lines(c.label, width);
        for (const auto& k : columns) {
            const auto* r = k.of(c.label);
            rows += r == nullptr ? " & & &"
                                 : fmt::format(" & {} ({}--{}) & {:.2f} & {} of {}", r->rank, r->rank_low, r->rank_high, r->score, r->solved,
                                               book_pages::taken(v, k.table, runs, c.label));
        }
        rows += "\\\\\n";
    }
    return table_frame{"@{}lrrrrrrrrr@{}", width, caption, label, head + "\\\\\n" + rules + "\n" + below + "\\\\\n"}.around(rows);
}

std::string published_table(const book_pages::view& v, const ivp::problem& p, const std::string& key)
{
    if (book_pages::name_of(p) != p.id()) return ""; // of somebody else, with the same name
    const auto all = beside_ours(p.id(), v.records);
    if (all.empty()) return "";
    const auto cells = [](const auto& counts, const auto& printed) {
        std::string text;
        for (std::size_t k = 0; k < counts.size(); ++k) text += counts[k] && printed[k] ? fmt::format(" & {}", *counts[k]) : " &";
        return text;
    };
    std::string rows;
    for (const auto& c : all) {
        const auto& q = c.published;
        rows += fmt::format("{} {} & {} & {} & {}{} & {}\\\\\n", code(q.solver), q.source, tolerance_number(medium::tex, q.rtol),
                            digits_number(medium::tex, q.mescd), digits_number(medium::tex, q.scd), cells(q.counts, q.counts),
                            c.ours == nullptr ? "not repeated"
                            : c.equal         ? "equal"
                                              : tex_escaped(c.difference));
        if (c.ours == nullptr || c.equal) continue;
        rows += fmt::format("\\quad\\emph{{ours}} & & {} & {}{} & {}\\\\\n", digits_number(medium::tex, c.ours->mescd),
                            digits_number(medium::tex, c.ours->scd), cells(c.counts, q.counts),
                            c.reason.empty() ? "no reason is known" : tex_escaped(c.reason));
    }
    return table_frame{"@{}>{\\raggedright\\arraybackslash}p{0.17\\linewidth}rrrrrrrr>{\\raggedright\\arraybackslash}p{0.27\\linewidth}@{}", 10,
                       fmt::format("Published runs for {} and ours. {}", code(p.id()), tex_escaped(published_summary(all))),
                       "tab:ivp-" + key + "-published", "solver, report & rtol & mescd & scd & steps & accept & \\#f & \\#Jac & \\#LU & ours\\\\\n"}
        .around(rows);
}

} // namespace ivp::tex
