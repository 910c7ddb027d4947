#include "scaling_view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/book/view.hpp"
#include "report/columns.hpp"
#include "report/diagram.hpp"
#include "report/library_warnings.hpp"
#include "report/render/html.hpp"
#include "report/render/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace ivp {

namespace {

/// Of tables about size alone.
const run_column memory{
    "MiB", "", "", cell_style::digits, 6, [](const run_row& r) {
                            return cell{cell_style::digits, value_of(r.run, scaled_quantity::memory), ""}; }};

constexpr const run_column* of_sizes[] = {&column::dimension, &column::solver,         &column::scd, &column::mescd, &column::steps,  &column::f,
                                          &column::jacobians, &column::factorisations, &column::cpu, &memory,        &column::outcome};

/// What is fitted, and how the columns are called.
constexpr std::array<std::pair<scaled_quantity, std::string_view>, 5> fitted{{{scaled_quantity::cpu, "CPU"},
                                                                              {scaled_quantity::memory, "MiB"},
                                                                              {scaled_quantity::steps, "steps"},
                                                                              {scaled_quantity::f, "#f"},
                                                                              {scaled_quantity::lu, "#LU"}}};

/// The runs in the order of their size, those of one size in the order of the solvers.
std::vector<run_row> rows_of(const scaling& s, std::span<const run_record> records)
{
    std::vector<std::pair<std::size_t, const scaling_curve*>> runs;
    for (const auto& c : s.curves)
        for (const std::size_t k : c.runs) runs.emplace_back(k, &c);
    std::ranges::stable_sort(runs, {}, [&](const auto& r) { return records[r.first].dimension; });
    std::vector<run_row> rows;
    for (const auto& [k, curve] : runs) rows.push_back({records[k], curve->label});
    return rows;
}

std::string exponent_text(std::optional<double> p) { return p ? fmt::format("{:.2f}", *p) : "-"; }

std::string title_of(const scaling& s) { return fmt::format("{} at rtol = {}", s.problem, tolerance_number(medium::text, s.rtol)); }

/// A run that failed takes no part in a fit: why it did.
std::string reasons(const scaling& s, std::span<const run_record> records)
{
    std::string text;
    for (const auto& c : s.curves) {
        std::map<std::string, std::string> where; // by reason
        for (const std::size_t k : c.runs) {
            const auto& r = records[k];
            if (r.outcome == outcome::success) continue;
            auto& sizes = where[fmt::format("{}: {}", label(r.outcome), r.message)];
            sizes += (sizes.empty() ? "n = " : ", ") + std::to_string(r.dimension);
        }
        for (const auto& [reason, sizes] : where) text += "   " + wrapped(fmt::format("{} at {}: {}", c.label, sizes, reason), 94, 6) + "\n";
    }
    return text;
}

struct drawn_scaling {
    svg_plot plot;
    std::vector<svg_plot::legend_entry> legend;
};

drawn_scaling draw(const scaling& s, std::span<const run_record> records, scaled_quantity q)
{
    std::vector<double> sizes, values;
    for (const auto& c : s.curves)
        for (const std::size_t k : c.runs)
            if (const auto v = value_of(records[k], q)) {
                sizes.push_back(records[k].dimension);
                values.push_back(*v);
            }
    if (values.empty()) sizes = values = {1, 10};
    const auto [smallest, largest] = std::ranges::minmax(sizes);
    const auto [low, high] = std::ranges::minmax(values);
    drawn_scaling d{svg_plot({640, 400}, logarithmic_axis("equations n", smallest, largest), logarithmic_axis(std::string(title(q)), low, high)), {}};
    const auto looks = looks_of(curves_of(records));
    for (const auto& c : s.curves) {
        const curve_look look{looks.at(c.label)};
        std::vector<std::optional<std::pair<double, double>>> line;
        std::string markers;
        for (const std::size_t k : c.runs) {
            const auto v = value_of(records[k], q);
            if (!v) {
                line.emplace_back();
                continue;
            }
            line.emplace_back(std::pair{static_cast<double>(records[k].dimension), *v});
            markers += svg_plot::marker(look, d.plot.x(records[k].dimension), d.plot.y(*v), "", point_text(records[k]));
        }
        d.plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), d.plot.path(line), markers));
        const auto p = exponent_of(records, c, q);
        d.legend.push_back({p ? fmt::format("{} n^{:.2f}", c.label, *p) : c.label, look});
    }
    return d;
}

std::string caption(const scaling& s, std::span<const run_record> records)
{
    const auto& r = records[s.curves.front().runs.front()];
    return fmt::format("Problem {}. {}, {}. Exponents are fitted to the runs with at least a tenth of the largest n. {}", title_of(s), r.machine.cpu,
                       r.build.compiler, diagram_warning);
}

std::string exponent_table(const scaling& s, std::span<const run_record> records)
{
    std::string rows;
    for (const auto& c : s.curves) {
        rows += fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(c.label));
        for (const auto& [q, heading] : fitted) rows += fmt::format("<td>{}</td>", exponent_text(exponent_of(records, c, q)));
        rows += "</tr>\n";
    }
    std::string heads = column_heads({"solver"});
    for (const auto& [q, heading] : fitted) heads += column_heads({heading});
    return html_table("runs", heads, rows, "p such that the quantity follows n<sup>p</sup>");
}

std::string all_runs(const scaling& s, std::span<const run_record> records)
{
    std::string heads, rows;
    for (const auto* c : of_sizes) heads += column_heads({c->heading_in(medium::html)});
    for (const auto& row : rows_of(s, records)) {
        rows += "<tr>";
        for (const auto* c : of_sizes) rows += fmt::format("<td>{}</td>", cell_text(medium::html, c->of(row)));
        rows += "</tr>\n";
    }
    return html_table("runs", heads, rows);
}

} // namespace

std::string scaling_text(const scaling& s, std::span<const run_record> records)
{
    text_table runs(of_sizes);
    const auto rows = rows_of(s, records);
    for (const auto& row : rows) runs.add(row);
    std::string text = title_of(s) + "\n" + runs.head();
    for (std::size_t k = 0; k < runs.size(); ++k) text += runs.row(k);
    text += reasons(s, records);
    std::size_t widest = std::string_view("solver").size();
    for (const auto& c : s.curves) widest = std::max(widest, shown_width(c.label));
    text += fmt::format("\nIt grows like n^p; p is fitted to the runs with at least a tenth of the largest n:\n{:<{}}", "solver", widest);
    for (const auto& [q, heading] : fitted) text += fmt::format(" {:>6}", heading);
    text += "\n";
    for (const auto& c : s.curves) {
        text += c.label + std::string(widest - shown_width(c.label), ' ');
        for (const auto& [q, heading] : fitted) text += fmt::format(" {:>6}", exponent_text(exponent_of(records, c, q)));
        text += "\n";
    }
    return text;
}

std::string scaling_svg(const scaling& s, std::span<const run_record> records, scaled_quantity q)
{
    const drawn_scaling d = draw(s, records, q);
    return d.plot.file(fmt::format("{} against n: {}", title(q), s.problem), caption(s, records), d.legend);
}

std::string scaling_section(const scaling& s, std::span<const run_record> records, scaled_quantity q, std::string_view heading)
{
    const drawn_scaling d = draw(s, records, q);
    std::string keys;
    for (const auto& e : d.legend) keys += " " + book_pages::curve_key(e.label, e.look.number);
    return fmt::format("<{0}>Work against size, rtol = {1}</{0}>\n{2}<p>{3}</p>\n{4}<details><summary>All {5}</summary>\n{6}</details>\n", heading,
                       tolerance_number(medium::html, s.rtol), figure(d.plot, html_escaped(caption(s, records))), keys, exponent_table(s, records),
                       counted(rows_of(s, records).size(), "run"), all_runs(s, records));
}

std::string scaling_page(const scaling& s, std::span<const run_record> records, scaled_quantity q)
{
    const auto v = book_pages::view_of(records, {}, {}, book_pages::curve_order::as_run);
    const std::string page =
        fmt::format("<article class=\"page\" id=\"scaling\">\n<p class=\"kicker\">Work and size</p>\n<h1>{}</h1>\n{}{}</article>\n",
                    html_escaped(s.problem), library_warnings(records).html(), scaling_section(s, records, q, "h2"));
    return book_pages::html_file("ivp: work and size", {{"Problems", {{"scaling", s.problem, "scaling size", false}}}}, page, v);
}

} // namespace ivp
