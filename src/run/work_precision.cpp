#include "work_precision.hpp"

#include "executor.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace ivp {

namespace {

bool close(std::uint64_t a, std::uint64_t b)
{
    constexpr double share = 0.03;
    const auto [less, more] = std::minmax(a, b);
    return static_cast<double>(more - less) <= share * static_cast<double>(more);
}

/// The contestants at one tolerance.
std::vector<contestant> at_tolerance(std::span<const contestant> contestants, double rtol)
{
    std::vector<contestant> runs(contestants.begin(), contestants.end());
    for (auto& c : runs) {
        c.settings.rtol = rtol;
        if (!c.settings.command.empty()) c.settings.command += " --rtol " + to_text(rtol);
    }
    return runs;
}

/// A solver that takes part with several numbers of threads is named with them.
std::string name_among(const contestant& c, std::span<const contestant> all)
{
    const auto name_of = [](const contestant& any) { return full_name(any.solver->info().name, any.solver->info().origin); };
    const std::string name = name_of(c);
    const auto same = std::ranges::count_if(all, [&](const contestant& other) { return name_of(other) == name; });
    return same > 1 && c.settings.threads > 1 ? name + ", " + std::to_string(c.settings.threads) + " threads" : name;
}

void check(const problem& p, const std::vector<contestant>& runs, std::vector<std::string>& faults)
{
    for (const auto& c : runs) {
        try {
            (void)planned_run(p, c.solver->info(), c.settings);
        } catch (const bad_request& e) {
            for (const auto& fault : e.faults())
                if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
        }
    }
}

} // namespace

std::vector<double> ladder(const problem& p)
{
    const auto& protocol = p.info().protocol;
    std::vector<double> rtol;
    for (int m = 0; m <= protocol.ladder_last; ++m) rtol.push_back(protocol.ladder_rtol(m));
    return rtol;
}

std::vector<run_record> measure_in_turns(const problem& p, const std::vector<contestant>& contestants, const std::optional<child_limits>& contained,
                                         const std::function<bool()>& stop)
{
    std::vector<run_order> orders;
    for (const auto& c : contestants) orders.push_back({&p, c.solver, c.settings, contained, {}});
    std::vector<std::optional<run_record>> made(orders.size());
    execute(
        orders, [&made](std::size_t k, run_record r) { made[k] = std::move(r); }, stop);
    std::vector<run_record> records;
    if (std::ranges::all_of(made, [](const auto& r) { return r.has_value(); }))
        for (auto& r : made) records.push_back(std::move(*r));
    return records;
}

work_precision_result measure_work_precision(const problem& p, std::span<const contestant> contestants, const std::vector<double>& rtol,
                                             const work_precision_options& options)
{
    std::vector<std::string> faults;
    for (const double tolerance : rtol) check(p, at_tolerance(contestants, tolerance), faults);
    if (!faults.empty()) throw bad_request(std::move(faults));

    work_precision_result result;
    result.problem = full_name(p.id(), p.info().origin);
    for (const auto& c : contestants) result.solvers.push_back(name_among(c, contestants));
    for (const double tolerance : rtol) {
        if (options.progress) options.progress(tolerance);
        auto records =
            unless_broken(options.broken, [&] { return measure_in_turns(p, at_tolerance(contestants, tolerance), options.contained, options.stop); });
        if (!records || records->empty()) break; // broken or stopped
        result.rtol.push_back(tolerance);
        std::ranges::move(*records, std::back_inserter(result.records));
    }
    return result;
}

std::optional<std::size_t> work_precision_result::position(const std::string& solver) const
{
    const auto found = std::ranges::find(solvers, solver);
    if (found == solvers.end()) return std::nullopt;
    return static_cast<std::size_t>(found - solvers.begin());
}

bool counts_agree(const run_record& a, const run_record& b)
{
    return close(a.steps, b.steps) && close(a.nfev, b.nfev) && close(a.nfev_jac, b.nfev_jac) && close(a.njac, b.njac) && close(a.nlu, b.nlu);
}

std::optional<double> time_ratio(const run_record& r, const run_record& reference)
{
    const bool both = r.outcome == outcome::success && reference.outcome == outcome::success;
    if (!both || !(r.cpu_s > 0) || !(reference.cpu_s > 0)) return std::nullopt;
    return r.cpu_s / reference.cpu_s;
}

std::vector<mean_time_ratio> mean_time_ratios(std::span<const work_precision_result> results, const std::string& reference)
{
    std::vector<mean_time_ratio> means;
    std::vector<double> sums;
    for (const auto& result : results) {
        const auto other = result.position(reference);
        if (!other) continue;
        for (std::size_t k = 0; k < result.solvers.size(); ++k) {
            if (k == *other) continue;
            auto at = static_cast<std::size_t>(std::ranges::find(means, result.solvers[k], &mean_time_ratio::solver) - means.begin());
            if (at == means.size()) {
                means.push_back({.solver = result.solvers[k], .reference = reference, .mean = {}});
                sums.push_back(0);
            }
            for (std::size_t i = 0; i < result.rtol.size(); ++i) {
                ++means[at].runs;
                const auto ratio = time_ratio(result.at(i, k), result.at(i, *other));
                if (!ratio || !counts_agree(result.at(i, k), result.at(i, *other))) continue;
                ++means[at].compared;
                sums[at] += std::log(*ratio);
            }
        }
    }
    for (std::size_t k = 0; k < means.size(); ++k)
        if (means[k].compared > 0) means[k].mean = std::exp(sums[k] / static_cast<double>(means[k].compared));
    return means;
}

} // namespace ivp
