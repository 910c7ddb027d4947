#include "report/sweep_table.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/svg_plot.hpp"
#include "report/render/text_plot.hpp"
#include "text/outputs.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

std::optional<double> parameter_value(const sweep& s, const run_record& r) { return parse_real(parameter_of(r, s.names.front())); }

/// Values over a wide range, all above zero, are seen on a logarithmic axis only.
bool is_logarithmic(const std::vector<double>& values)
{
    if (values.empty()) return false;
    const auto [low, high] = std::ranges::minmax(values);
    return low > 0 && high / low > 50;
}

std::vector<std::pair<double, double>> points_of(const sweep& s, const std::string& column)
{
    std::vector<std::pair<double, double>> all;
    for (const auto& r : s.runs) {
        const auto x = parameter_value(s, r);
        const auto y = value_in(s, r, column);
        if (x && y && std::isfinite(*y)) all.emplace_back(*x, *y);
    }
    std::ranges::sort(all);
    return all;
}

} // namespace

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
    std::vector<std::vector<std::string>> rows{{}};
    for (const auto& n : s.names) rows[0].push_back(n);
    rows[0].emplace_back("outcome");
    for (const auto& c : columns) rows[0].push_back(c);
    for (const auto& r : s.runs) {
        std::vector<std::string> row;
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
    for (const auto& n : s.names) all += csv_cell(n) + ",";
    all += "outcome";
    for (const auto& c : columns) all += "," + csv_cell(c);
    all += "\n";
    for (const auto& r : s.runs) {
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
    const auto points = points_of(s, column);
    if (points.size() < 2) return {};
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
    return text_plot(y, column + " against " + s.names.front() + (logarithmic ? " (logarithmic)" : ""), to_text(x.front()), to_text(x.back()));
}

std::string sweep_svg(const sweep& s, const std::string& column)
{
    const auto points = points_of(s, column);
    if (points.empty()) throw bad_request("--plot: no run has a value of '" + column + "'; nothing can be drawn");
    std::vector<double> x, y;
    for (const auto& p : points) x.push_back(p.first), y.push_back(p.second);
    const auto axis = [](const std::string& title, const std::vector<double>& values) {
        const auto [low, high] = std::ranges::minmax(values);
        return is_logarithmic(values) ? logarithmic_axis(title, low, high) : linear_axis(title, low, high == low ? low + 1 : high);
    };
    svg_plot plot({640, 400}, axis(s.names.front(), x), axis(column, y));
    std::vector<std::optional<std::pair<double, double>>> line;
    for (const auto& p : points) line.emplace_back(p);
    const curve_look look{0};
    std::string markers;
    for (const auto& p : points) markers += plot.marker(look, plot.x(p.first), plot.y(p.second), "", to_text(p.first) + ": " + to_text(p.second));
    plot.raw(fmt::format("<g class=\"series {}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), plot.path(line), markers));
    const std::string title = column + " against " + s.names.front();
    return plot.file(title, s.runs.front().problem + ", " + s.runs.front().solver, {{column, look}});
}

} // namespace ivp
