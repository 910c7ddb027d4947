#include "merge.hpp"

#include "base/text.hpp"
#include "model/record_fields.hpp"
#include "store_file.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

namespace ivp {

namespace {

/// Fields that a repetition must reproduce to the last bit.
bool is_result(std::string_view name)
{
    constexpr std::array names{"outcome",  "t_end_reached", "y",    "scd",      "scd_abs", "mescd", "steps",
                               "accepted", "rejected",      "nfev", "nfev_jac", "njac",    "nlu",   "nsolve"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <class T>
bool same(const T& a, const T& b)
{
    return a == b;
}
bool same(double a, double b) { return a == b || (a != a && b != b); } // not a number in both is the same
bool same(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::ranges::equal(a, b, [](double x, double y) { return same(x, y); });
}

/// A name of a store, which comes from anywhere, in a message.
std::string shown(std::string_view name)
{
    constexpr std::size_t longest = 80;
    return plain_line(name, longest);
}

struct has_conflicts {};

} // namespace

bool ended_from_outside(outcome o) { return o == outcome::timed_out || o == outcome::out_of_memory || o == outcome::crashed; }

std::vector<std::string> differing_results(const run_record& a, const run_record& b)
{
    std::vector<std::string> names;
    // The other record's fields come in the same order.
    std::vector<const void*> others;
    for_each_field(b, [&others](const char*, const auto& value) { others.push_back(&value); });
    std::size_t k = 0;
    for_each_field(a, [&](const char* name, const auto& value) {
        const auto& other = *static_cast<const std::remove_cvref_t<decltype(value)>*>(others[k++]);
        if (is_result(name) && !same(value, other)) names.emplace_back(name);
    });
    return names;
}

merge_result merge_stores(const std::string& out, const std::vector<std::string>& inputs)
{
    merge_result result;
    std::optional<filled_store_file> made; // outlives every store
    std::vector<store> sources;            // all are opened before anything is written
    for (const auto& path : inputs) sources.emplace_back(path, store::access::read);
    made.emplace(out);
    store target(out, store::access::write);
    const auto take = [&](const stored_run& run) {
        const auto known = target.find(run);
        if (!known) {
            target.add(run);
            ++result.added;
            return;
        }
        const auto names = differing_results(known->record, run.record);
        const bool known_is_chance = ended_from_outside(known->record.outcome);
        const bool run_is_chance = ended_from_outside(run.record.outcome);
        if (names.empty() || run_is_chance) {
            ++result.duplicates;
        } else if (known_is_chance) {
            target.replace(run);
            ++result.replaced;
        } else {
            const auto measured = [](const stored_run& r) { return shown(r.host) + " " + shown(r.measured_at); };
            result.conflicts.push_back(shown(run.record.full_problem()) + " with " + shown(run.record.full_solver()) + " at rtol " +
                                       to_text(run.record.rtol_asked) + ": different " + joined(names, ", ") + " (" + measured(*known) + ", " +
                                       measured(run) + ")");
        }
    };
    try {
        target.add_all([&] {
            for (const auto& source : sources) {
                source.for_each_run({.newest_only = false}, take);
                for (const auto& a : source.assessments()) result.assessments += target.add(a) ? 1 : 0;
            }
            if (!result.conflicts.empty()) throw has_conflicts();
        });
    } catch (const has_conflicts&) {
        return result;
    }
    made->keep();
    result.machines = target.machines();
    return result;
}

} // namespace ivp
