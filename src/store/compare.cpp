#include "compare.hpp"

#include "merge.hpp"
#include "model/record_fields.hpp"

#include <ivp/run.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace ivp {

namespace {

constexpr double worth_telling = 1.1; // of a ratio of times

struct known_run {
    std::string problem;
    std::string solver;
    double rtol;
    compared_result result;
    bool seen = false;
};

bool is_few(int samples) { return samples < enough_samples_of_time; }

compared_result result_of(const run_record& r)
{
    compared_result c{r.outcome,  r.message, r.scd, r.mescd,  r.steps, r.accepted, r.nfev,
                      r.nfev_jac, r.njac,    r.nlu, r.nsolve, r.cpu_s, r.cpu_s,    r.repeats};
    if (!r.cpu_samples.empty()) c.slowest = *std::ranges::max_element(r.cpu_samples);
    return c;
}

std::vector<std::string> differences(const compared_result& a, const compared_result& b)
{
    std::vector<std::string> names;
    const auto look = [&names](const char* name, const auto& x, const auto& y) {
        if (x != y) names.emplace_back(name);
    };
    look("outcome", a.outcome, b.outcome);
    look("scd", a.scd, b.scd);
    look("mescd", a.mescd, b.mescd);
    for_each_count(a, b, [&look](const char* field, const char* /*words*/, std::uint64_t x, std::uint64_t y) { look(field, x, y); });
    return names;
}

std::vector<machine_info> common_machines(const store& a, const store& b)
{
    std::vector<machine_info> common;
    const auto others = b.machines();
    for (const auto& m : a.machines())
        if (std::ranges::any_of(others, [&m](const stored_machine& o) { return o.machine == m.machine; })) common.push_back(m.machine);
    return common;
}

} // namespace

comparison compare_stores(const store& before, const store& after)
{
    comparison all;
    const auto common = common_machines(before, after);
    all.same_machine = !common.empty();
    // Where the stores have a machine in common only its runs are compared; otherwise runs of any, and no times.
    const auto takes_part = [&](const run_record& r) { return common.empty() || std::ranges::find(common, r.machine) != common.end(); };
    const auto key_of = [&](const stored_run& r) {
        return common.empty() ? r.setting : r.setting + r.record.machine.cpu + std::to_string(r.record.machine.cores) + r.record.machine.os;
    };
    std::map<std::string, known_run> old;
    before.for_each_run({}, [&](const stored_run& r) {
        if (takes_part(r.record))
            old.emplace(key_of(r), known_run{r.record.full_problem(), r.record.full_solver(), r.record.rtol_asked, result_of(r.record)});
    });
    double sum_of_logarithms = 0;
    after.for_each_run({}, [&](const stored_run& r) {
        if (!takes_part(r.record)) return;
        const auto found = old.find(key_of(r));
        if (found == old.end()) {
            ++all.added;
            return;
        }
        known_run& known = found->second;
        if (known.seen) return; // on another machine of the new store
        known.seen = true;

        ++all.compared;
        compared_run c{r.record.full_problem(), r.record.full_solver(), r.record.rtol_asked, known.result, result_of(r.record), {}, false, {}, false};
        c.changed = differences(c.before, c.after);
        c.by_the_clock = ended_from_outside(c.before.outcome) || ended_from_outside(c.after.outcome);
        const bool both_succeeded = c.before.outcome == outcome::success && c.after.outcome == outcome::success;
        const bool times_known = all.same_machine && both_succeeded && c.before.cpu_s > 0 && c.after.cpu_s > 0;
        // The least of many samples lies below one sample of the same work.
        const bool even = is_few(c.before.samples) == is_few(c.after.samples);
        if (times_known && !even) ++all.uneven;
        if (times_known && even) {
            c.time_ratio = c.after.cpu_s / c.before.cpu_s;
            c.times_apart = c.after.cpu_s > c.before.slowest || c.before.cpu_s > c.after.slowest;
            sum_of_logarithms += std::log(*c.time_ratio);
            ++all.times;
            if (c.times_apart && *c.time_ratio > worth_telling) all.slower.push_back(c);
            if (c.times_apart && *c.time_ratio < 1 / worth_telling) all.faster.push_back(c);
        }
        // A crash is a clear answer where the other run did not end from outside.
        const bool crash = c.before.outcome == outcome::crashed || c.after.outcome == outcome::crashed;
        if (c.changed.empty()) return;
        if (c.by_the_clock && !(crash && c.before.outcome != c.after.outcome))
            all.unjudged.push_back(std::move(c));
        else
            all.changes.push_back(std::move(c));
    });
    for (const auto& [setting, known] : old)
        if (!known.seen) all.missing.push_back(known.problem + " with " + known.solver + " at rtol " + to_text(known.rtol));
    compare_assessments(before, after, all);
    if (all.times > 0) all.mean_time_ratio = std::exp(sum_of_logarithms / static_cast<double>(all.times));
    return all;
}

} // namespace ivp
