// Stored runs as lines: the record with what the store knows beside it.
#include <ivp/store.hpp>

#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace ivp {

namespace {

json beside(const stored_run& r)
{
    return {{"setting", r.setting},
            {"limits", r.limits},
            {"problem_content", r.problem_content},
            {"solver_content", r.solver_content},
            {"build_content", r.build_content},
            {"host", r.host},
            {"measured_at", r.measured_at},
            {"campaign", r.campaign},
            {"notes", r.notes}};
}

} // namespace

std::string to_json(const stored_run& r)
{
    std::string text = to_json(r.record);
    text.pop_back(); // its last brace; the store's fields follow
    return text + "," + json_text(beside(r)).substr(1);
}

std::string stored_csv_header()
{
    std::string text = csv_header();
    const json j = beside({});
    for (const auto& [name, value] : j.items()) text += "," + name;
    return text;
}

std::string to_csv(const stored_run& r)
{
    std::string text = to_csv(r.record);
    const json j = beside(r);
    for (const auto& [name, value] : j.items()) text += "," + csv_cell(value.is_string() ? value.get<std::string>() : json_text(value));
    return text;
}

} // namespace ivp
