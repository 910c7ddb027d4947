// An assessment as it is stored: reading its rows. What a row lacks is no error, since older stores have fewer fields.
#ifndef IVP_REPORT_ASSESSMENT_JSON_HPP
#define IVP_REPORT_ASSESSMENT_JSON_HPP

#include "detest/result.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace ivp::assessment {

using json = nlohmann::json;

inline std::optional<double> number(const json& j, const char* name)
{
    const auto found = j.find(name);
    if (found == j.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

inline const json& list(const json& j, const char* name)
{
    static const json none = json::array();
    const auto found = j.find(name);
    return found != j.end() && found->is_array() ? *found : none;
}

/// As the tables have it (detest::row::reached_end).
inline bool reached_end(const json& row)
{
    const auto code = number(row, "code");
    if (!code) return row.value("outcome", "") == "success";
    const int c = static_cast<int>(*code);
    return c == detest::all_well || c == detest::truth_failed || c == detest::failed_while_timed;
}

} // namespace ivp::assessment

#endif
