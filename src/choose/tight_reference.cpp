#include "tight_reference.hpp"

#include "choose.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace ivp {

namespace {

// High orders first, which make tight tolerances cheap, but radau, which also factorises complex matrices, after those that need real ones only. All
// use the problem's sparsity.
constexpr std::array referees{"gamd", "mebdfdae", "radau", "mebdfi", "vode", "rodas", "dop853"};
constexpr std::array<std::array<double, 2>, 3> tolerances_to_try{{{1e-11, 1e-12}, {1e-9, 1e-10}, {1e-7, 1e-8}}};
constexpr double digits_of_a_double = 15;

double loosest() { return tolerances_to_try.back().front(); }

/// One digit less than values share that differ by `spread`, in multiples of `unit`.
double shared_digits(double spread, double unit)
{
    const double digits = std::log10(unit) - std::log10(std::max(spread, std::numeric_limits<double>::denorm_min()));
    return std::floor(digits) - 1;
}

std::optional<std::vector<double>> reached(const problem& p, const solver& s, double rtol, const tight_request& request)
{
    run_settings settings;
    settings.rtol = rtol;
    settings.repeat = 1;
    settings.tend = request.tend;
    settings.timeout_s = request.timeout_s;
    if (request.progress) request.progress(fmt::format("{} {}, rtol {}", p.id(), s.info().name, to_text(rtol)));
    run_record r = measure_run(p, s, settings);
    // A reference that the problem brings with it does not judge the runs that replace it.
    if (r.outcome != outcome::success && r.outcome != outcome::wrong_answer) return std::nullopt;
    return std::move(r.y);
}

/// The solver at two tolerances; fewer runs: it did not reach the end with one of them, or does not take such a problem.
std::vector<run_in_double> runs_of(const problem& p, const char* name, const std::array<double, 2>& tolerances, const tight_request& request)
{
    std::vector<run_in_double> runs;
    const auto solver = open_solver(name);
    if (solver->info().refusal(p)) return runs;
    for (const double rtol : tolerances) {
        auto y = reached(p, *solver, rtol, request);
        if (!y) break;
        runs.push_back({name, rtol, std::move(*y)});
    }
    return runs;
}

} // namespace

std::size_t most_tight_runs() { return referees.size() * 2 * tolerances_to_try.size(); }

std::vector<run_in_double> tight_runs(const problem& p, const tight_request& request)
{
    std::vector<run_in_double> runs;
    std::set<std::string> families;
    for (const auto& tolerances : tolerances_to_try)
        for (const char* name : referees) {
            if (families.size() == 2) return runs;
            if (families.contains(method_family(name))) continue;
            auto own = runs_of(p, name, tolerances, request);
            if (own.size() < tolerances.size()) continue;
            families.insert(method_family(name));
            std::ranges::move(own, std::back_inserter(runs));
        }
    return runs;
}

tight_reference agreement_of(std::span<const run_in_double> runs, const decimal& t)
{
    if (runs.size() < 4)
        return {{}, fmt::format("no solvers of two families reached the end at two tolerances of {} or tighter", to_text(loosest()))};
    const run_in_double& kept = runs[1];
    reference_file r;
    r.t = t;
    for (std::size_t i = 0; i < kept.y.size(); ++i) {
        double low = kept.y[i];
        double high = kept.y[i];
        for (const auto& run : runs) {
            low = std::min(low, run.y[i]);
            high = std::max(high, run.y[i]);
        }
        const double size = std::abs(kept.y[i]);
        const double relative = size == 0 ? 0 : std::min(shared_digits(high - low, size), digits_of_a_double);
        const double decimals = high == low ? digits_of_a_double : shared_digits(high - low, 1);
        if (relative < 1 && decimals < 0) return {{}, fmt::format("the runs do not agree on one digit of component {}", i + 1)};
        r.kind.push_back(relative >= 1 ? digit_kind::relative : digit_kind::absolute);
        r.digits.push_back(relative >= 1 ? relative : decimals);
        r.value.emplace_back(kept.y[i]);
    }
    r.source = fmt::format("{} at rtol = {} in double precision", kept.solver, to_text(kept.rtol));
    r.confirmed =
        fmt::format("estimated, not proven: runs of {} at rtol = {} and {} and of {} at {} and {} agree to the digits given and one more",
                    runs[0].solver, to_text(runs[0].rtol), to_text(runs[1].rtol), runs[2].solver, to_text(runs[2].rtol), to_text(runs[3].rtol));
    return {std::move(r), ""};
}

tight_reference derive_in_double(const problem& p, const tight_request& request)
{
    return agreement_of(tight_runs(p, request), request.tend ? decimal(*request.tend) : p.info().tend);
}

} // namespace ivp
