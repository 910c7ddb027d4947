#include "compare.hpp"

#include "base/json.hpp"

#include <ivp/record.hpp>

#include <array>
#include <map>

namespace ivp {

namespace {

/// What a repetition gives again to the last digit; times are not.
constexpr std::array exact_numbers{"outcome",
                                   "nfev",
                                   "nfev_jac",
                                   "njac",
                                   "nlu",
                                   "accepted",
                                   "assessed_steps",
                                   "deceived_steps",
                                   "badly_deceived_steps",
                                   "end_error",
                                   "max_global_error",
                                   "max_local_error"};

std::map<std::string, stored_assessment> newest_of(const store& s)
{
    std::map<std::string, stored_assessment> newest;
    for (auto& a : s.assessments()) {
        auto& kept = newest[a.set + " " + full_name(a.solver, a.solver_origin) + " " + a.setting];
        if (kept.measured_at <= a.measured_at) kept = std::move(a);
    }
    return newest;
}

/// Lines by problem, form and tolerance.
std::map<std::string, std::pair<json, compared_assessment_row>> rows_of(const stored_assessment& a)
{
    std::map<std::string, std::pair<json, compared_assessment_row>> rows;
    const json j = json_or_discarded(a.json);
    if (!j.is_object()) return rows;
    int group = 0;
    for (const auto& g : j.value("groups", json::array())) {
        ++group;
        for (const auto& p : g.value("problems", json::array()))
            for (const auto& r : p.value("rows", json::array())) {
                const std::string name = p.value("name", "") + (p.value("scaled", true) ? "" : " (unscaled)");
                rows.emplace(std::to_string(group) + name + r.value("tol", json()).dump(),
                             std::pair{r, compared_assessment_row{full_name(a.solver, a.solver_origin), a.set, name, r.value("tol", 0.0), {}}});
            }
    }
    return rows;
}

} // namespace

void compare_assessments(const store& before, const store& after, comparison& result)
{
    auto others = newest_of(after);
    for (const auto& [key, old] : newest_of(before)) {
        const auto found = others.find(key);
        if (found == others.end()) {
            result.assessments_missing.push_back(full_name(old.solver, old.solver_origin) + " on the " + old.set + " problems, level " +
                                                 std::to_string(old.level));
            continue;
        }
        const auto theirs = rows_of(found->second);
        for (auto& [name, line] : rows_of(old)) {
            ++result.assessed_rows;
            const auto match = theirs.find(name);
            const json other = match == theirs.end() ? json::object() : match->second.first;
            for (const char* const field : exact_numbers) {
                const json x = line.first.value(field, json());
                const json y = other.value(field, json());
                if (x != y) line.second.changed.push_back(std::string(field) + " " + x.dump() + " -> " + y.dump());
            }
            if (!line.second.changed.empty()) result.assessment_changes.push_back(std::move(line.second));
        }
        others.erase(found);
    }
    result.assessments_added = others.size();
}

} // namespace ivp
