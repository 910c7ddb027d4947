#include <ivp/report/table.hpp>

#include "model/text.hpp"

#include <ivp/measure/calibration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace ivp {

namespace {

std::string digits(const std::optional<double>& d) { return d ? fmt::format("{:.2f}", *d) : ""; }

std::string tolerance(const std::vector<double>& t) { return t.size() == 1 ? fmt::format("{:.0e}", t[0]) : "vector"; }

std::string row(const run_record& r)
{
    std::string text =
        fmt::format("{:<12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>8} {:>7} {:>6} {:>9.2e}", r.solver, tolerance(r.rtol), tolerance(r.atol),
                    r.h0 ? fmt::format("{:.0e}", *r.h0) : "", digits(r.mescd), digits(r.scd), r.steps, r.accepted, r.nfev, r.njac, r.nlu, r.cpu_s);
    if (r.outcome != outcome::success) text += fmt::format("  {}", label(r.outcome));
    return text;
}

struct work_precision_columns {
    std::size_t solver; ///< width

    [[nodiscard]] std::string head() const
    {
        return fmt::format("{:>7} {:<{}} {:>6} {:>6} {:>7} {:>8} {:>7} {:>7} {:>9} {:>6}", "rtol", "solver", solver, "scd", "mescd", "steps", "#f",
                           "#Jac", "#LU", "CPU [s]", "ratio");
    }
    [[nodiscard]] std::string row(const std::string& name, const run_record& r, double rtol, const std::optional<double>& ratio) const
    {
        std::string text =
            fmt::format("{:>7.1e} {:<{}} {:>6} {:>6} {:>7} {:>8} {:>7} {:>7} {:>9} {:>6}", rtol, name, solver, digits(r.scd), digits(r.mescd),
                        r.steps, r.nfev, r.njac, r.nlu, std::isfinite(r.cpu_s) ? fmt::format("{:.2e}", r.cpu_s) : "", digits(ratio));
        if (r.outcome != outcome::success) text += fmt::format("  {}", label(r.outcome));
        return text;
    }
};

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
            tolerances += fmt::format("{}{:.1e}", tolerances.empty() ? "" : ", ", result.rtol[i]);
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

std::string speedup_lines(const work_precision_result& result, const std::string& solver)
{
    const auto rows = speedup_of(result.records, solver);
    if (rows.empty()) return "";
    std::string text = fmt::format("Speed-up of {} on {} (time on the clock)\n{:>7} {:>8} {:>9} {:>8}\n", solver, result.problem, "rtol", "threads",
                                   "wall [s]", "speed-up");
    for (const auto& r : rows) text += fmt::format("{:>7.1e} {:>8} {:>9.2e} {:>8}\n", r.rtol, r.threads, r.wall_s, digits(r.speedup));
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
                parallel.insert(r.solver);
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
    const std::string head = fmt::format("{:<12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>8} {:>7} {:>6} {:>9}", "solver", "rtol", "atol", "h0",
                                         "mescd", "scd", "steps", "accept", "#f", "#Jac", "#LU", "CPU [s]");
    std::string text;
    std::string problem;
    for (const auto& r : records) {
        if (r.problem != problem) {
            problem = r.problem;
            text += fmt::format("{}{} ({}, {} equations)\n{}\n{:-<{}}\n", text.empty() ? "" : "\n", r.problem, r.form, r.dimension, head, "",
                                head.size());
        }
        text += row(r) + "\n";
    }
    return text;
}

std::string work_precision_table(std::span<const work_precision_result> results, const std::string& reference)
{
    work_precision_columns columns{12};
    for (const auto& result : results)
        for (const auto& name : result.solvers) columns.solver = std::max(columns.solver, name.size());
    const std::string head = columns.head();
    std::string text;
    for (const auto& result : results) {
        if (result.records.empty()) continue;
        const auto& first = result.records.front();
        text += fmt::format("{} ({}, {} equations)\n{}\n{:-<{}}\n", result.problem, first.form, first.dimension, head, "", head.size());
        const auto other = result.position(reference);
        for (std::size_t i = 0; i < result.rtol.size(); ++i)
            for (std::size_t k = 0; k < result.solvers.size(); ++k)
                text += columns.row(result.solvers[k], result.at(i, k), result.rtol[i],
                                    other ? time_ratio(result.at(i, k), result.at(i, *other)) : std::nullopt) +
                        "\n";
        text += reasons(result) + "\n";
    }
    for (const auto& m : mean_time_ratios(results, reference)) text += mean_line(m);
    return text;
}

} // namespace ivp
