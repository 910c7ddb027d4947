// Records as tables: one number, or one text, in each cell. What has one number for each component stands in a table of its own where it is long.
#include "record_csv.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "record_json.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ivp {

namespace {

/// y beyond so many components has no columns.
constexpr std::size_t y_columns = 10;

/// Written as in JSON.
std::string number_cell(double v) { return std::isfinite(v) ? json(v).dump() : ""; }

bool is_one_number(const std::vector<double>& t)
{
    return !t.empty() && std::ranges::all_of(t, [&t](double v) { return v == t.front(); });
}

/// The samples are in JSON only.
bool is_left_out(std::string_view field) { return field == "cpu_samples" || field == "wall_samples"; }

template <class T>
std::string cell(const T& v)
{
    if constexpr (std::is_same_v<T, std::string>) return csv_cell(v);
    if constexpr (std::is_integral_v<T>) return std::to_string(v);
    const json j = encoded_field(v);
    if (j.is_string()) return j.get<std::string>();
    return j.is_null() ? "" : csv_cell(json_text(j));
}

void add_y(const std::vector<double>& y, std::string& row)
{
    for (std::size_t i = 0; i < y_columns; ++i) row += "," + (y.size() <= y_columns && i < y.size() ? number_cell(y[i]) : "");
}

} // namespace

std::string csv_header()
{
    std::string text = "schema";
    const run_record empty;
    for_each_field(empty, [&text](std::string_view name, const auto&) {
        if (is_left_out(name)) return;
        if (name != "y")
            (text += ",") += name;
        else
            for (std::size_t i = 1; i <= y_columns; ++i) text += ",y_" + std::to_string(i);
    });
    return text;
}

std::string to_csv(const run_record& r)
{
    std::string row = std::to_string(record_schema);
    for_each_field(r, [&](std::string_view name, const auto& value) {
        if (is_left_out(name)) return;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::vector<double>>) {
            if (name == "y") return add_y(value, row);
            const double asked = name == "rtol" ? r.ladder_rtol() : 0;
            row += "," + (is_one_number(value) ? number_cell(value.front()) : asked > 0 ? number_cell(asked) : "");
        } else {
            row += "," + cell(value);
        }
    });
    return row;
}

bool has_components_apart(const run_record& r) { return r.y.size() > y_columns || !is_one_number(r.rtol) || !is_one_number(r.atol); }

std::string components_csv_header() { return "row,component,rtol,atol,y"; }

std::string components_csv(const run_record& r, std::size_t row)
{
    if (!has_components_apart(r)) return "";
    const auto at = [](const std::vector<double>& v, std::size_t i) {
        return v.size() == 1 ? number_cell(v[0]) : i < v.size() ? number_cell(v[i]) : "";
    };
    std::string text;
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.dimension); ++i)
        text += std::to_string(row) + "," + std::to_string(i + 1) + "," + at(r.rtol, i) + "," + at(r.atol, i) + "," + at(r.y, i) + "\n";
    return text;
}

} // namespace ivp
