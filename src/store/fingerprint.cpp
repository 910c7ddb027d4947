#include "fingerprint.hpp"

#include "base/sha256.hpp"
#include "columns.hpp"
#include "model/settings_fields.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <type_traits>

namespace ivp {

namespace {

using tolerance_values = std::vector<double> (*)(const std::vector<double>&);

std::vector<double> comparable(const std::vector<double>& tolerances)
{
    std::vector<double> values;
    for (const double v : tolerances) values.push_back(comparable_tolerance(v));
    return values;
}
std::vector<double> as_they_are(const std::vector<double>& tolerances) { return tolerances; }

std::string setting_of(const run_record& r, tolerance_values values)
{
    std::string text;
    const auto add = [&text](std::string_view name, const auto& value) { (text += name) += ' ', text += columns::to_text(value), text += '\n'; };
    const auto word = [&text](std::string_view name, std::string_view value) { ((text += name) += ' ') += value, text += '\n'; };
    const auto add_setting = [&](std::string_view name, const auto& value) {
        using value_type = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<value_type, std::string>)
            word(name, value);
        else if constexpr (std::is_integral_v<value_type>)
            word(name, std::to_string(value));
        else if (!value)
            add(name, std::vector<double>{});
        else
            add(name, name == "h0" ? values({*value}) : std::vector{*value}); // h0 is computed from tolerances
    };
    word("problem", r.problem);
    add("parameters", r.parameters);
    word("solver", r.solver);
    word("form", r.form);
    add("interval", std::vector{r.t0, r.tend});
    add("rtol", values(r.rtol));
    add("atol", values(r.atol));
    for_each_integration_setting(r, [&](const auto& line, const auto& value) {
        if (line.since == 1) add_setting(line.name, value);
    });
    add("options", r.options);
    // Runs from before a setting have its default, and keep the fingerprints they had.
    for_each_integration_setting(r, [&](const auto& line, const auto& value) {
        if (line.since > 1 && value != as_recorded(line.value)) add_setting(line.name, value);
    });
    // The catalog's own settings keep the fingerprints they have had from the first store on; others name their origin.
    std::string setting = sha256(text);
    if (r.problem_origin != "own") setting += " problem: " + r.problem_origin;
    if (r.solver_origin != "own" && r.solver_origin != "driver") setting += " solver: " + r.solver_origin;
    return setting;
}

/// With the words that were asked for, where a record has those that were used: Jacobian and algebra.
run_record as_asked(run_record r, const run_settings& s)
{
    for_each_integration_setting(s, r, [](const auto& /*line*/, const auto& asked, auto& noted) {
        if constexpr (is_word<std::remove_cvref_t<decltype(asked)>>) noted = as_recorded(asked);
    });
    return r;
}

} // namespace

std::string setting_of(const run_record& planned, const run_settings& s) { return setting_of(as_asked(planned, s), comparable); }
std::string setting_of(const run_record& finished) { return setting_of(finished, comparable); }

std::string comparable_setting(const run_record& r, const std::string& setting)
{
    const auto is_comparable = [](const std::vector<double>& v) { return v == comparable(v); };
    if (is_comparable(r.rtol) && is_comparable(r.atol) && (!r.h0 || is_comparable({*r.h0}))) return setting;
    // What was asked for is not in the record, but one of few possibilities must have given the fingerprint.
    run_record asked = r;
    for (const auto jacobian : labels<jacobian_source>())
        for (const auto path : labels<algebra>()) {
            asked.jacobian = jacobian;
            asked.algebra = path;
            if (setting_of(asked, as_they_are) == setting) return setting_of(asked, comparable);
        }
    return setting;
}

} // namespace ivp
