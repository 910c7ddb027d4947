#include "comparison.hpp"

#include "base/text.hpp"
#include "report/render/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ivp {

namespace {

constexpr std::size_t most_lines = 30; // of a list that nobody reads to the end

std::string tolerance(double t) { return tolerance_number(medium::text, t); }

std::string changed(const std::string& before, const std::string& after) { return before == after ? before : before + " -> " + after; }
std::string changed(std::uint64_t before, std::uint64_t after) { return changed(std::to_string(before), std::to_string(after)); }
std::string changed_digits(const std::optional<double>& before, const std::optional<double>& after)
{
    std::string text = changed(digits_or_dash(before), digits_or_dash(after));
    return before != after && text.find("->") == std::string::npos ? text + " (last digits)" : text;
}

std::string rest_of(std::size_t all) { return all > most_lines ? fmt::format("   and {} more\n", all - most_lines) : ""; }

std::string table(const std::vector<compared_run>& runs)
{
    std::vector<std::vector<std::string>> rows{
        {"problem", "solver", "rtol", "outcome", "scd", "mescd", "steps", "#f", "#f diff", "#Jac", "#LU", "CPU ratio"}};
    for (const auto& r : runs) {
        if (rows.size() > most_lines) break;
        const auto& a = r.before;
        const auto& b = r.after;
        rows.push_back({r.problem, r.solver, tolerance(r.rtol), changed(std::string(label(a.outcome)), std::string(label(b.outcome))),
                        changed_digits(a.scd, b.scd), changed_digits(a.mescd, b.mescd), changed(a.steps, b.steps),
                        changed(a.nfev + a.nfev_jac, b.nfev + b.nfev_jac), changed(a.nfev_jac, b.nfev_jac), changed(a.njac, b.njac),
                        changed(a.nlu, b.nlu), digits_number(medium::text, r.time_ratio)});
    }
    return aligned(rows, "   ", " ") + rest_of(runs.size());
}

std::string time_range(const compared_result& r) { return seconds_number(medium::text, r.cpu_s) + " .. " + seconds_number(medium::text, r.slowest); }

std::string times(const std::vector<compared_run>& runs)
{
    std::vector<std::vector<std::string>> rows{{"problem", "solver", "rtol", "CPU before [s]", "CPU after [s]", "samples", "ratio"}};
    for (const auto& r : runs) {
        if (rows.size() > most_lines) break;
        rows.push_back({r.problem, r.solver, tolerance(r.rtol), time_range(r.before), time_range(r.after),
                        fmt::format("{}, {}", r.before.samples, r.after.samples), digits_number(medium::text, r.time_ratio)});
    }
    return aligned(rows, "   ", " ") + rest_of(runs.size());
}

std::string assessments_text(const comparison& c, const std::string& after)
{
    std::string text = fmt::format("\n{} of assessments (DETEST) {} in both", counted(c.assessed_rows, "line"), c.assessed_rows == 1 ? "is" : "are");
    if (c.assessments_added > 0) text += fmt::format("; {} more in {}", counted(c.assessments_added, "assessment"), after);
    text += "\n";
    if (!c.assessment_changes.empty()) {
        text += fmt::format("Changed lines: {}\n", c.assessment_changes.size());
        std::vector<std::vector<std::string>> rows{{"solver", "set", "problem", "TOL", "what"}};
        for (const auto& r : c.assessment_changes) {
            if (rows.size() > most_lines) break;
            rows.push_back({r.solver, r.set, r.problem, tolerance(r.tol), joined(r.changed, ", ")});
        }
        text += aligned(rows, "   ", " ") + rest_of(c.assessment_changes.size());
    }
    if (!c.assessments_missing.empty()) {
        text += fmt::format("Assessments missing in {}: {}\n", after, c.assessments_missing.size());
        for (const auto& words : c.assessments_missing) text += "   " + words + "\n";
    }
    return text;
}

} // namespace

std::string comparison_table(const comparison& c, const std::string& before, const std::string& after)
{
    std::string text = fmt::format("{} {} in both {} and {}", counted(c.compared, "run"), c.compared == 1 ? "is" : "are", before, after);
    if (c.added > 0) text += fmt::format("; {} more in {}", c.added, after);
    text += "\n";
    if (!c.changes.empty()) text += fmt::format("\nChanged runs: {}\n{}", c.changes.size(), table(c.changes));
    if (!c.missing.empty()) {
        text += fmt::format("\nRuns missing in {}: {}\n", after, c.missing.size());
        for (std::size_t k = 0; k < std::min(c.missing.size(), most_lines); ++k) text += "   " + c.missing[k] + "\n";
        text += rest_of(c.missing.size());
    }
    if (!c.unjudged.empty())
        text += fmt::format("\nRuns ended by a time or memory limit in one of them, not judged: {}\n{}", c.unjudged.size(), table(c.unjudged));
    if (c.assessed_rows + c.assessments_missing.size() + c.assessments_added > 0) text += assessments_text(c, after);
    if (!c.same_machine && c.compared > 0) text += "\nTimes are not compared: the stores are of different machines\n";
    if (c.times > 0) {
        text += fmt::format("\nCPU time after / before: mean ratio {:.3f} over {} (shown, not judged)\n", c.mean_time_ratio, counted(c.times, "run"));
        if (!c.slower.empty())
            text += fmt::format("Runs slower by more than the spread of the samples and a tenth: {}\n{}", c.slower.size(), times(c.slower));
        if (!c.faster.empty())
            text += fmt::format("Runs faster by more than the spread of the samples and a tenth: {}\n{}", c.faster.size(), times(c.faster));
    }
    if (c.uneven > 0)
        text += fmt::format("\nTimes of {} are not compared: fewer than five samples in one store, more in the other\n", counted(c.uneven, "run"));
    text += c.unchanged() ? "\nNo outcome, count or digit has changed\n" : "\n";
    if (!c.unchanged())
        text += fmt::format("Changed: {}, missing: {}\n", c.changes.size() + c.assessment_changes.size(),
                            c.missing.size() + c.assessments_missing.size());
    return text;
}

} // namespace ivp
