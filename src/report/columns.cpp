#include "report/columns.hpp"

#include "base/escape.hpp"
#include "report/render/tex.hpp"

#include <ivp/mechanics.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

constexpr auto rough_mark = "?"; // a time that few samples stand for

cell words_cell(std::string text) { return {cell_style::words, {}, std::move(text)}; }
cell digits_of(const std::optional<double>& d) { return {cell_style::digits, d, ""}; }
cell count_of(std::uint64_t n) { return {cell_style::count, static_cast<double>(n), ""}; }

/// The largest value along the run; none where it was not measured.
cell drift_of(const run_record& r, const char* what)
{
    const auto found = r.extra.find(std::string(drift_prefix) + what);
    return {cell_style::residual, found == r.extra.end() ? std::nullopt : std::optional(found->second), ""};
}

/// The power of t that it follows.
cell growth_of(const run_record& r, const char* what)
{
    const auto found = r.extra.find(std::string(drift_prefix) + what + drift_growth_suffix);
    return digits_of(found == r.extra.end() ? std::nullopt : std::optional(found->second));
}

/// One number for all components; where they differ, the one asked for, with a mark.
cell tolerance_of(const std::vector<double>& t, double asked)
{
    if (t.empty()) return {cell_style::tolerance, {}, ""};
    if (std::ranges::all_of(t, [&t](double v) { return v == t.front(); })) return {cell_style::tolerance, t.front(), ""};
    if (asked > 0) return {cell_style::tolerance, asked, "*"};
    return {cell_style::tolerance, {}, "*"};
}

std::string escaped_in(medium m, std::string_view text)
{
    switch (m) {
    case medium::html: return html_escaped(text);
    case medium::tex: return tex_escaped(text);
    case medium::text: break;
    }
    return std::string(text);
}

std::string number_in(medium m, cell_style style, double value)
{
    switch (style) {
    case cell_style::tolerance: return tolerance_number(m, value);
    case cell_style::residual: return residual_number(m, value);
    case cell_style::digits: return digits_number(m, value);
    case cell_style::count: return count_number(m, static_cast<std::uint64_t>(value));
    case cell_style::seconds: return seconds_number(m, value);
    case cell_style::words: break;
    }
    return "";
}

} // namespace

namespace column {

const run_column problem{"problem", "", "", cell_style::words, 12, [](const run_row& r) { return words_cell(r.run.full_problem()); }};
const run_column solver{"solver", "", "", cell_style::words, 12, [](const run_row& r) { return words_cell(r.name); }};
const run_column dimension{
    "n", "", "$n$", cell_style::count, 7, [](const run_row& r) { return count_of(static_cast<std::uint64_t>(r.run.dimension)); }};
const run_column rtol{"rtol", "", "", cell_style::tolerance, 7, [](const run_row& r) { return tolerance_of(r.run.rtol, r.run.rtol_asked); }};
const run_column atol{"atol", "", "", cell_style::tolerance, 7, [](const run_row& r) { return tolerance_of(r.run.atol, 0); }};
const run_column h0{
    "h0", "h<sub>0</sub>", "$h_0$", cell_style::tolerance, 6, [](const run_row& r) {
                        return cell{cell_style::tolerance, r.run.h0, ""}; }};
const run_column mescd{"mescd", "", "", cell_style::digits, 6, [](const run_row& r) { return digits_of(r.run.mescd); }};
const run_column scd{"scd", "", "", cell_style::digits, 6, [](const run_row& r) { return digits_of(r.run.scd); }};
const run_column digits{"digits", "", "", cell_style::digits, 6, [](const run_row& r) {
                            return digits_of(r.digits ? std::optional(std::floor(*r.digits * 100) / 100)
                                                      : std::nullopt); // none is promised by rounding
                        }};
const run_column steps{"steps", "", "", cell_style::count, 7, [](const run_row& r) { return count_of(r.run.steps); }};
const run_column accepted{"accept", "", "", cell_style::count, 7, [](const run_row& r) { return count_of(r.run.accepted); }};
// All of them, those for difference quotients too: that is the work, whatever the solver calls it.
const run_column f{"#f", "", "\\#f", cell_style::count, 8, [](const run_row& r) { return count_of(r.run.nfev + r.run.nfev_jac); }};
const run_column f_differences{"#f diff", "", "\\#f diff", cell_style::count, 7, [](const run_row& r) { return count_of(r.run.nfev_jac); }};
const run_column jacobians{"#Jac", "", "\\#Jac", cell_style::count, 7, [](const run_row& r) { return count_of(r.run.njac); }};
const run_column factorisations{"#LU", "", "\\#LU", cell_style::count, 7, [](const run_row& r) { return count_of(r.run.nlu); }};
const run_column cpu{"CPU [s]", "CPU", "\\multicolumn{2}{c@{}}{CPU [s]}", cell_style::seconds, 9, [](const run_row& r) {
                         return cell{cell_style::seconds, std::isfinite(r.run.cpu_s) ? std::optional(r.run.cpu_s) : std::nullopt,
                                     has_few_samples(r.run) ? rough_mark : ""};
                     }};
const run_column ratio{"ratio", "", "", cell_style::digits, 6, [](const run_row& r) { return digits_of(r.ratio); }};
const run_column outcome{"", "outcome",
                         "", cell_style::words,
                         0,  [](const run_row& r) {
                             return words_cell(r.run.outcome == outcome::success ? "" : std::string(label(r.run.outcome))); }};

const run_column formulation{"formulation", "", "", cell_style::words, 0, [](const run_row& r) {
                                 const auto kind = formulation_of(r.run.parameters);
                                 // A plug-in has index 3 without a word.
                                 const bool measured = drift_of(r.run, "position").value.has_value();
                                 return words_cell(kind ? std::string(label(*kind)) : measured ? std::string(label(formulation_kind::index3)) : "");
                             }};
const run_column drift_position{"drift pos",          "position", "position",
                                cell_style::residual, 9,          [](const run_row& r) { return drift_of(r.run, "position"); }};
const run_column drift_position_growth{"growth", "", "", cell_style::digits, 6, [](const run_row& r) { return growth_of(r.run, "position"); }};
const run_column drift_velocity{"velocity",           "velocity", "",
                                cell_style::residual, 8,          [](const run_row& r) { return drift_of(r.run, drift_of_velocity); }};
const run_column drift_velocity_growth{"growth", "", "", cell_style::digits, 6, [](const run_row& r) { return growth_of(r.run, drift_of_velocity); }};
const run_column drift_velocity_times_step{
    "h*veloc.", "<i>h</i> × velocity", "$h\\,\\times\\,$velocity", cell_style::residual, 8, [](const run_row& r) {
        return drift_of(r.run, drift_of_velocity_times_step);
    }};
const run_column drift_acceleration{
    "accel.", "acceleration", "acceleration", cell_style::residual, 7, [](const run_row& r) { return drift_of(r.run, "acceleration"); }};
const run_column drift_energy{"energy", "", "", cell_style::residual, 7, [](const run_row& r) { return drift_of(r.run, "energy"); }};

} // namespace column

std::vector<const run_column*> with_drifts(run_columns base, const std::function<bool(const run_column&)>& is_measured)
{
    std::vector<const run_column*> all(base.begin(), base.end());
    std::vector<const run_column*> measured;
    for (const auto* c : {&column::drift_position, &column::drift_position_growth, &column::drift_velocity, &column::drift_velocity_growth,
                          &column::drift_velocity_times_step, &column::drift_acceleration, &column::drift_energy})
        if (is_measured(*c)) measured.push_back(c);
    all.insert(std::ranges::find(all, &column::outcome), measured.begin(), measured.end());
    return all;
}
std::vector<const run_column*> with_drifts(run_columns base, std::span<const run_record> records)
{
    return with_drifts(base, [records](const run_column& c) {
        return std::ranges::any_of(records, [&c](const run_record& r) { return c.of({.run = r}).value.has_value(); });
    });
}

std::string cell_text(medium m, const cell& c)
{
    if (c.style == cell_style::words) return escaped_in(m, c.words);
    const std::string number = c.value ? number_in(m, c.style, *c.value) : c.style == cell_style::seconds ? seconds_number(m, NAN) : "";
    if (m == medium::tex && c.value && !c.words.empty()) return number + "\\rlap{" + c.words + "}"; // numbers stay below each other
    return number + c.words;
}

std::string_view run_column::heading_in(medium m) const
{
    if (m == medium::html && !html.empty()) return html;
    if (m == medium::tex && !tex.empty()) return tex;
    return heading;
}

std::size_t shown_width(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

text_table::text_table(run_columns columns) : columns_(columns)
{
    for (const auto* c : columns_) width_.push_back(std::max(static_cast<std::size_t>(c->width), shown_width(c->heading)));
}

void text_table::add(const run_row& row)
{
    auto& cells = rows_.emplace_back();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        cells.push_back(cell_text(medium::text, columns_[k]->of(row)));
        width_[k] = std::max(width_[k], shown_width(cells.back()));
    }
}

std::string text_table::line(std::span<const std::string> cells) const
{
    std::string text;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        if (k > 0) text += ' ';
        const std::string space(width_[k] - shown_width(cells[k]), ' ');
        text += columns_[k]->style == cell_style::words ? cells[k] + space : space + cells[k];
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string text_table::head() const
{
    std::vector<std::string> headings;
    for (const auto* c : columns_) headings.emplace_back(c->heading);
    const std::string text = line(headings);
    return text + "\n" + std::string(shown_width(text), '-') + "\n";
}

std::string text_table::row(std::size_t k) const { return line(rows_[k]) + "\n"; }

} // namespace ivp
