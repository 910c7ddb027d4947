#include "report/sweep_table.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/text_plot.hpp"
#include "stats/curves.hpp"
#include "text/outputs.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ivp {

namespace {

constexpr std::size_t most_values = 8; ///< outputs or components in the table; a file has all

std::vector<std::string> values_of(const sweep& s)
{
    std::vector<std::string> all;
    for (const auto& r : s.runs)
        for (const auto& [name, value] : r.extra)
            if (name.starts_with(output_prefix))
                if (std::string output = name.substr(std::string_view(output_prefix).size()); std::ranges::find(all, output) == all.end())
                    all.push_back(output);
    return all.empty() ? s.components : all;
}

std::string parameter_of(const run_record& r, const std::string& name)
{
    const auto it = r.parameters.find(name);
    return it == r.parameters.end() ? std::string{} : it->second;
}

using point = std::pair<double, double>;

std::vector<point> points_of(const sweep& s, const sweep_series& series, const std::string& column)
{
    std::vector<point> all;
    for (const auto* r : series.runs) {
        const auto x = parameter_value(s, *r);
        const auto y = value_in(s, *r, column);
        if (x && y && std::isfinite(*y)) all.emplace_back(*x, *y);
    }
    return all;
}

/// "parameters but the first: a = 1, b = 2", of what tells curves apart.
std::string others_of(const sweep& s, const run_record& r)
{
    std::vector<std::string> words;
    for (std::size_t k = 1; k < s.names.size(); ++k) words.push_back(s.names[k] + " = " + parameter_of(r, s.names[k]));
    return joined(words, ", ");
}

/// The solver of each run, with the settings in which its runs differ.
std::vector<std::string> solvers_of(const sweep& s)
{
    std::vector<std::string> labels(s.runs.size());
    for (const auto& problem : curves_of(s.runs))
        for (const auto& c : problem.curves)
            for (const std::size_t k : c.runs) labels[k] = c.label;
    for (std::size_t k = 0; k < labels.size(); ++k)
        if (labels[k].empty()) labels[k] = s.runs[k].full_solver(); // the same run again
    return labels;
}

/// What tells the rows of a table apart besides the parameters.
struct row_heads {
    std::vector<std::string> solver; ///< empty: there is one
    bool several_tolerances = false;

    explicit row_heads(const sweep& s) : solver(solvers_of(s))
    {
        for (const auto& r : s.runs) several_tolerances = several_tolerances || !same_tolerance(r.ladder_rtol(), s.runs.front().ladder_rtol());
        if (std::ranges::count(solver, solver.empty() ? "" : solver.front()) == static_cast<std::ptrdiff_t>(solver.size())) solver.clear();
    }
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> all;
        if (!solver.empty()) all.emplace_back("solver");
        if (several_tolerances) all.emplace_back("rtol");
        return all;
    }
    [[nodiscard]] std::vector<std::string> of(const sweep& s, std::size_t k) const
    {
        std::vector<std::string> all;
        if (!solver.empty()) all.push_back(solver[k]);
        if (several_tolerances) all.push_back(to_text(s.runs[k].ladder_rtol()));
        return all;
    }
};

} // namespace

std::optional<double> parameter_value(const sweep& s, const run_record& r) { return parse_real(parameter_of(r, s.names.front())); }

bool is_logarithmic(const std::vector<double>& values)
{
    if (values.empty()) return false;
    const auto [low, high] = std::ranges::minmax(values);
    return low > 0 && high / low > 50;
}

std::vector<std::string> component_names_of(const problem& p)
{
    std::vector<std::string> names = p.info().component_names;
    if (names.empty())
        for (int i = 1; i <= p.n(); ++i) names.push_back("y" + std::to_string(i));
    return names;
}

std::vector<sweep_series> series_of(const sweep& s)
{
    std::vector<sweep_series> all;
    const auto solvers = solvers_of(s);
    std::vector<std::string> others;
    for (std::size_t k = 0; k < s.runs.size(); ++k) {
        const auto& r = s.runs[k];
        const std::string other = others_of(s, r);
        std::size_t at = 0;
        while (at < all.size() && !(all[at].solver == solvers[k] && same_tolerance(all[at].rtol, r.ladder_rtol()) && others[at] == other)) ++at;
        if (at == all.size()) {
            all.push_back({"", solvers[k], r.ladder_rtol(), {}});
            others.push_back(other);
        }
        all[at].runs.push_back(&r);
    }
    const row_heads heads(s);
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<std::string> words;
        if (!heads.solver.empty()) words.push_back(all[k].solver);
        if (heads.several_tolerances) words.push_back(to_text(all[k].rtol));
        if (!others[k].empty()) words.push_back(others[k]);
        all[k].label = joined(words, ", ");
        std::ranges::stable_sort(all[k].runs, {}, [&s](const run_record* r) { return parameter_value(s, *r).value_or(0); });
    }
    return all;
}

std::vector<sweep> sweeps_in(std::span<const run_record> runs, std::span<const parameter> known, const std::vector<std::string>& components)
{
    constexpr std::size_t fewest_values = 3;
    std::set<std::string> changed;
    for (const auto& r : runs)
        for (const auto& [name, value] : r.parameters) changed.insert(name);
    const auto with_defaults = [&](run_record r) {
        for (const auto& name : changed)
            if (const auto at = std::ranges::find(known, name, &parameter::name); at != known.end()) r.parameters.emplace(name, at->value.text());
        return r;
    };
    std::vector<sweep> all;
    for (const auto& name : changed) {
        std::map<std::map<std::string, std::string>, sweep> by_others;
        for (const auto& r : runs) {
            run_record full = with_defaults(r);
            auto others = full.parameters;
            const auto own = others.extract(name);
            if (own.empty() || !parse_real(own.mapped())) continue;
            auto& s = by_others.try_emplace(others, sweep{{name}, {}, components}).first->second;
            s.runs.push_back(std::move(full));
        }
        for (auto& [others, s] : by_others) {
            std::set<double> values;
            for (const auto& r : s.runs) values.insert(*parameter_value(s, r));
            if (values.size() < fewest_values) continue;
            std::ranges::stable_sort(s.runs, {}, [&swept = s](const run_record& r) { return *parameter_value(swept, r); });
            all.push_back(std::move(s));
        }
    }
    return all;
}

std::vector<std::string> columns_of(const sweep& s)
{
    std::vector<std::string> all{"scd", "mescd", "steps", "f", "jacobians", "lu", "cpu"};
    for (auto& v : values_of(s)) all.push_back(std::move(v));
    return all;
}

std::optional<double> value_in(const sweep& s, const run_record& r, const std::string& column)
{
    if (column == "scd") return r.scd;
    if (column == "mescd") return r.mescd;
    if (column == "steps") return static_cast<double>(r.steps);
    if (column == "f") return static_cast<double>(r.nfev + r.nfev_jac);
    if (column == "jacobians") return static_cast<double>(r.njac);
    if (column == "lu") return static_cast<double>(r.nlu);
    if (column == "cpu") return r.cpu_s;
    if (column == "wall") return r.wall_s;
    if (const auto it = r.extra.find(output_prefix + column); it != r.extra.end()) return it->second;
    const auto at = std::ranges::find(s.components, column);
    if (at == s.components.end() || r.y.size() != s.components.size()) return std::nullopt;
    return r.y[static_cast<std::size_t>(at - s.components.begin())];
}

std::string sweep_text(const sweep& s)
{
    auto columns = columns_of(s);
    const std::size_t values = columns.size() - 7;
    if (values > most_values) columns.resize(7 + most_values);
    std::erase_if(columns, [&](const std::string& c) {
        return (c == "scd" || c == "mescd") && std::ranges::none_of(s.runs, [&](const run_record& r) { return value_in(s, r, c).has_value(); });
    });
    const row_heads heads(s);
    std::vector<std::vector<std::string>> rows{heads.names()};
    for (const auto& n : s.names) rows[0].push_back(n);
    rows[0].emplace_back("outcome");
    for (const auto& c : columns) rows[0].push_back(c);
    for (std::size_t k = 0; k < s.runs.size(); ++k) {
        const auto& r = s.runs[k];
        std::vector<std::string> row = heads.of(s, k);
        for (const auto& n : s.names) row.push_back(parameter_of(r, n));
        row.emplace_back(label(r.outcome));
        for (const auto& c : columns) {
            const auto v = value_in(s, r, c);
            const bool is_count = c == "steps" || c == "f" || c == "jacobians" || c == "lu";
            row.push_back(!v                           ? "-"
                          : is_count                   ? fmt::format("{:.0f}", *v)
                          : c == "scd" || c == "mescd" ? fmt::format("{:.2f}", *v)
                          : c == "cpu"                 ? fmt::format("{:.3g}", *v)
                                                       : fmt::format("{:.6g}", *v));
        }
        rows.push_back(std::move(row));
    }
    std::vector<std::size_t> width(rows[0].size(), 0);
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
    std::string all;
    for (const auto& row : rows) {
        for (std::size_t k = 0; k < row.size(); ++k) all += fmt::format("{}{:>{}}", k == 0 ? "" : "  ", row[k], width[k]);
        all += "\n";
    }
    if (values > most_values) all += fmt::format("{} more values are not shown: --out FILE.csv has all.\n", values - most_values);
    return all;
}

std::string sweep_csv(const sweep& s)
{
    std::string all;
    const auto columns = columns_of(s);
    const row_heads heads(s);
    for (const auto& n : heads.names()) all += csv_cell(n) + ",";
    for (const auto& n : s.names) all += csv_cell(n) + ",";
    all += "outcome";
    for (const auto& c : columns) all += "," + csv_cell(c);
    all += "\n";
    for (std::size_t k = 0; k < s.runs.size(); ++k) {
        const auto& r = s.runs[k];
        for (const auto& cell : heads.of(s, k)) all += csv_cell(cell) + ",";
        for (const auto& n : s.names) all += csv_cell(parameter_of(r, n)) + ",";
        all += label(r.outcome);
        for (const auto& c : columns) {
            const auto v = value_in(s, r, c);
            all += "," + (v ? to_text(*v) : std::string{});
        }
        all += "\n";
    }
    return all;
}

std::string sweep_plot(const sweep& s, const std::string& column)
{
    std::string all;
    for (const auto& series : series_of(s)) {
        const auto points = points_of(s, series, column);
        if (points.size() < 2) continue;
        std::vector<double> x;
        for (const auto& p : points) x.push_back(p.first);
        const bool logarithmic = is_logarithmic(x);
        const auto place = [&](double v) { return logarithmic ? std::log(v) : v; };
        constexpr std::size_t samples = 120;
        std::vector<double> y(samples, std::numeric_limits<double>::quiet_NaN());
        std::size_t right = 1;
        for (std::size_t k = 0; k < samples; ++k) { // straight lines between the runs
            const double at = place(x.front()) + (place(x.back()) - place(x.front())) * static_cast<double>(k) / (samples - 1);
            while (right + 1 < points.size() && place(points[right].first) < at) ++right;
            const auto& [x0, y0] = points[right - 1];
            const auto& [x1, y1] = points[right];
            const double width = place(x1) - place(x0);
            y[k] = width > 0 ? y0 + (y1 - y0) * (at - place(x0)) / width : y1;
        }
        const std::string title = column + " against " + s.names.front() + (logarithmic ? " (logarithmic)" : "");
        all += text_plot(y, title + (series.label.empty() ? "" : ", " + series.label), to_text(x.front()), to_text(x.back()));
    }
    return all;
}

svg_plot drawn_sweep(const sweep& s, const std::string& column, plot_size size, const std::vector<curve_look>& looks)
{
    std::vector<double> x, y;
    const auto all = series_of(s);
    for (const auto& series : all)
        for (const auto& p : points_of(s, series, column)) x.push_back(p.first), y.push_back(p.second);
    if (x.empty()) x = y = {1}; // an empty frame
    const auto axis = [](const std::string& title, const std::vector<double>& values) {
        const auto [low, high] = std::ranges::minmax(values);
        return is_logarithmic(values) ? logarithmic_axis(title, low, high) : linear_axis(title, low, high == low ? low + 1 : high);
    };
    const std::string up = column == "cpu" ? "CPU time [s]" : column == "wall" ? "wall time [s]" : column == "f" ? "evaluations of f" : column;
    svg_plot plot(size, axis(s.names.front(), x), axis(up, y));
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<std::optional<point>> line;
        std::string markers;
        for (const auto& p : points_of(s, all[k], column)) {
            line.emplace_back(p);
            markers += svg_plot::marker(looks[k], plot.x(p.first), plot.y(p.second), "", to_text(p.first) + ": " + to_text(p.second));
        }
        plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", looks[k].classes(), plot.path(line), markers));
    }
    return plot;
}

std::string sweep_svg(const sweep& s, const std::string& column)
{
    const auto all = series_of(s);
    std::vector<curve_look> looks;
    std::vector<svg_plot::legend_entry> legend;
    bool empty = true;
    for (const auto& series : all) {
        looks.push_back(curve_look::plain(static_cast<int>(looks.size())));
        legend.push_back({series.label.empty() ? column : series.label, looks.back()});
        empty = empty && points_of(s, series, column).empty();
    }
    if (empty) throw bad_request("--plot: no run has a value of '" + column + "'; nothing can be drawn");
    const bool one_solver = std::ranges::all_of(all, [&all](const sweep_series& o) { return o.solver == all.front().solver; });
    return drawn_sweep(s, column, {640, 400}, looks)
        .file(column + " against " + s.names.front(), s.runs.front().problem + (one_solver ? ", " + all.front().solver : ""), legend);
}

} // namespace ivp
