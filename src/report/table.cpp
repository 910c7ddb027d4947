#include "table.hpp"

#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/library_warnings.hpp"
#include "stats/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace ivp {

namespace {

constexpr const run_column* characteristics[] = {
    &column::solver, &column::rtol,      &column::atol,           &column::h0,  &column::mescd,  &column::scd, &column::steps, &column::accepted,
    &column::f,      &column::jacobians, &column::factorisations, &column::cpu, &column::outcome};
constexpr const run_column* work_and_precision[] = {&column::rtol,  &column::solver, &column::scd,       &column::mescd,
                                                    &column::steps, &column::f,      &column::jacobians, &column::factorisations,
                                                    &column::cpu,   &column::ratio,  &column::outcome};

constexpr const run_column* of_formulations[] = {&column::rtol,  &column::solver, &column::formulation,    &column::scd, &column::mescd,
                                                 &column::steps, &column::f,      &column::factorisations, &column::cpu, &column::outcome};

std::vector<run_record> all_records(std::span<const work_precision_result> results)
{
    std::vector<run_record> all;
    for (const auto& r : results) all.insert(all.end(), r.records.begin(), r.records.end());
    return all;
}

std::string title_of(const run_record& r) { return fmt::format("{} ({}, {})\n", r.full_problem(), r.form, counted(r.dimension, "equation")); }

/// Why runs failed, the tolerances with the same reason in one line.
std::string reasons(const work_precision_result& result)
{
    std::string text;
    for (std::size_t k = 0; k < result.solvers.size(); ++k) {
        std::map<std::string, std::string> where; // by reason
        for (std::size_t i = 0; i < result.rtol.size(); ++i) {
            const auto& r = result.at(i, k);
            if (r.outcome == outcome::success) continue;
            auto& tolerances = where[fmt::format("{}: {}", label(r.outcome), r.message)];
            tolerances += (tolerances.empty() ? "" : ", ") + tolerance_number(medium::text, result.rtol[i]);
        }
        for (const auto& [reason, tolerances] : where)
            text += "   " + wrapped(fmt::format("{} at {}: {}", result.solvers[k], tolerances, reason), 94, 6) + "\n";
    }
    return text;
}

std::string mean_line(const mean_time_ratio& m)
{
    if (!m.mean) return fmt::format("{} / {}: no mean ratio of the CPU time, because no counts are equal up to 3 %\n", m.solver, m.reference);
    return fmt::format("{} / {}: {:.3f}, mean ratio of the CPU time over {} of {} (counts equal up to 3 %)\n", m.solver, m.reference, *m.mean,
                       m.compared, counted(m.runs, "run"));
}

std::string legend(std::span<const run_record> records)
{
    return std::ranges::any_of(records, has_few_samples) ? "? after a time: a rough figure, from fewer than five samples\n" : "";
}

std::string speedup_lines(const work_precision_result& result, const std::string& solver)
{
    const auto rows = speedup_of(result.records, solver);
    if (rows.empty()) return "";
    std::string text = fmt::format("Speed-up of {} on {} (time on the clock)\n{:>7} {:>8} {:>9} {:>8}\n", solver, result.problem, "rtol", "threads",
                                   "wall [s]", "speed-up");
    for (const auto& r : rows)
        text += fmt::format("{:>7} {:>8} {:>9} {:>8}\n", tolerance_number(medium::text, r.rtol), r.threads, seconds_number(medium::text, r.wall_s),
                            digits_number(medium::text, r.speedup));
    return text;
}

} // namespace

std::string speedup_table(std::span<const work_precision_result> results)
{
    std::string text;
    for (const auto& result : results) {
        std::set<std::string> parallel;
        int most = 0;
        for (const auto& r : result.records)
            if (r.threads > 1) {
                parallel.insert(r.full_solver());
                most = std::max(most, r.threads);
            }
        for (const auto& solver : parallel) {
            text += "\n" + speedup_lines(result, solver);
            const int cores = result.records.front().machine.cores;
            if (most > cores)
                text += fmt::format("   more than {}: not measurable here, this machine has {}\n", counted(cores, "thread"), counted(cores, "core"));
        }
    }
    return text;
}

std::string characteristics_table(std::span<const run_record> records)
{
    text_table table(characteristics);
    for (const auto& r : records) table.add({.run = r, .name = r.full_solver()});
    std::string text;
    for (std::size_t k = 0; k < records.size(); ++k) {
        if (k == 0 || records[k].full_problem() != records[k - 1].full_problem())
            text += (text.empty() ? "" : "\n") + title_of(records[k]) + table.head();
        text += table.row(k);
    }
    text += legend(records);
    if (const auto warnings = library_warnings(records).text(); !warnings.empty()) text += "\n" + warnings;
    return text;
}

std::string work_precision_table(std::span<const work_precision_result> results, const std::string& reference)
{
    const auto columns = with_drifts(work_and_precision, all_records(results));
    text_table table(columns);
    for (const auto& result : results) {
        const auto other = result.position(reference);
        for (std::size_t i = 0; i < result.rtol.size(); ++i)
            for (std::size_t k = 0; k < result.solvers.size(); ++k)
                table.add({.run = result.at(i, k),
                           .name = result.solvers[k],
                           .ratio = other ? time_ratio(result.at(i, k), result.at(i, *other)) : std::nullopt});
    }
    std::string text;
    std::size_t row = 0;
    for (const auto& result : results) {
        if (result.records.empty()) continue;
        text += title_of(result.records.front()) + table.head();
        for (std::size_t k = 0; k < result.rtol.size() * result.solvers.size(); ++k) text += table.row(row++);
        text += reasons(result) + "\n";
    }
    for (const auto& m : mean_time_ratios(results, reference)) text += mean_line(m);
    library_warnings warnings;
    std::string marks;
    for (const auto& result : results) {
        for (const auto& r : result.records) warnings.add(r);
        if (marks.empty()) marks = legend(result.records);
    }
    return text + marks + warnings.text();
}

std::string formulation_table(std::span<const work_precision_result> results)
{
    auto all = all_records(results);
    const auto columns = with_drifts(of_formulations, all);
    // The formulations of one run below each other.
    std::vector<std::string> problems, solvers;
    const auto place = [](std::vector<std::string>& names, const std::string& name) {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) return names.insert(names.end(), name) - names.begin();
        return found - names.begin();
    };
    for (const auto& r : all) {
        (void)place(problems, r.full_problem());
        (void)place(solvers, r.full_solver());
    }
    std::ranges::stable_sort(all, {}, [&](const run_record& r) {
        return std::tuple(place(problems, r.full_problem()), -r.ladder_rtol(), place(solvers, r.full_solver()));
    });
    text_table table(columns);
    for (const auto& r : all) table.add({.run = r, .name = r.full_solver()});
    std::string text;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == 0 || all[k].full_problem() != all[k - 1].full_problem()) text += (k == 0 ? "" : "\n") + all[k].full_problem() + "\n" + table.head();
        text += table.row(k);
    }
    for (const auto& result : results) text += reasons(result);
    library_warnings warnings;
    for (const auto& r : all) warnings.add(r);
    return text +
           "drift: largest residual of the constraints, and of their first and second derivatives, after any step\n"
           "growth: p if the drift to its left grows like t^p; about 0: it does not grow, 1: it grows linearly, 2: with the square of the time\n"
           "h*veloc.: that of the first derivatives times the step size\n" +
           legend(all) + warnings.text();
}

} // namespace ivp
