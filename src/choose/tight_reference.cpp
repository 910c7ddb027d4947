#include "tight_reference.hpp"

#include "choose.hpp"
#include "run/executor.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

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

/// Runs whose process was ended, by their problem's code or because it did not return: where two solvers meet that, others are not tried.
class broken_runs {
public:
    explicit broken_runs(const problem& p) : foreign_(p.info().origin == "plug-in" || p.info().origin == "Fortran file") {}
    void add(const run_record& r)
    {
        const bool broken = r.repeats == 0 && (r.outcome == outcome::crashed || r.outcome == outcome::timed_out);
        if (!foreign_ || !broken) return;
        const std::string what = fmt::format("{} at rtol = {}: {}, {}", r.solver, to_text(r.rtol_asked), label(r.outcome), r.message);
        if (!solver_.empty() && solver_ != r.solver)
            throw foreign_code_fails(fmt::format("the code of '{}' ends runs, or does not return in time ({}; {})", r.problem, what_, what));
        solver_ = r.solver;
        what_ = what;
    }

private:
    bool foreign_;
    std::string solver_, what_; ///< of the last
};

/// None: it did not reach the end.
std::optional<std::vector<double>> reached(const problem& p, const solver& s, double rtol, const tight_request& request, broken_runs& broken)
{
    run_settings settings;
    settings.rtol = rtol;
    settings.repeat = 1;
    settings.tend = request.tend;
    settings.timeout_s = request.timeout_s;
    if (request.progress) request.progress(fmt::format("{} {}, rtol {}", p.id(), s.info().name, to_text(rtol)));
    run_record r = execute(run_order{&p, &s, settings, child_limits{}, {}});
    broken.add(r);
    // A reference that the problem brings with it does not judge the runs that replace it.
    if (r.outcome != outcome::success && r.outcome != outcome::wrong_answer) return std::nullopt;
    return std::move(r.y);
}

/// The solver at two tolerances; fewer runs: it did not reach the end with one of them, or does not take such a problem.
std::vector<run_in_double> runs_of(const problem& p, const char* name, const std::array<double, 2>& tolerances, const tight_request& request,
                                   broken_runs& broken)
{
    std::vector<run_in_double> runs;
    const auto solver = open_solver(name);
    if (solver->info().refusal(p)) return runs;
    for (const double rtol : tolerances) {
        auto y = reached(p, *solver, rtol, request, broken);
        if (!y) break;
        runs.push_back({name, rtol, std::move(*y)});
    }
    return runs;
}

} // namespace

double longest_search_s(const tight_request& request)
{
    constexpr double process_s = 1; // to make and to end it
    return static_cast<double>(referees.size() * 2 * tolerances_to_try.size()) * (request.timeout_s + process_s);
}

std::vector<run_in_double> tight_runs(const problem& p, const tight_request& request)
{
    std::vector<run_in_double> runs;
    std::set<std::string> families;
    broken_runs broken(p);
    for (const auto& tolerances : tolerances_to_try)
        for (const char* name : referees) {
            if (families.size() == 2) return runs;
            if (families.contains(method_family(name))) continue;
            auto own = runs_of(p, name, tolerances, request, broken);
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
        if (relative >= 1) {
            r.kind.push_back(digit_kind::relative);
            r.digits.push_back(relative);
            r.value.emplace_back(kept.y[i]);
            continue;
        }
        // Noise is not kept: relative errors against it would say nothing.
        double decimals = high == low ? digits_of_a_double : shared_digits(high - low, 1);
        const double decades = size == 0 ? 0 : std::log10(size);
        const bool noise = size == 0 || decimals + std::floor(decades) + 1 < 1;
        if (noise && size > 0) decimals = std::min(decimals, std::floor(-decades) - 1);
        if (decimals < 0) return {{}, fmt::format("the runs do not agree on one digit of component {}", i + 1)};
        r.kind.push_back(digit_kind::absolute);
        r.digits.push_back(decimals);
        r.value.emplace_back(noise ? 0.0 : kept.y[i]);
    }
    r.source = fmt::format("{} at rtol = {} in double precision", kept.solver, to_text(kept.rtol));
    r.confirmed =
        fmt::format("estimated, not proven: runs of {} at rtol = {} and {} and of {} at {} and {} agree to the digits given and one more",
                    runs[0].solver, to_text(runs[0].rtol), to_text(runs[1].rtol), runs[2].solver, to_text(runs[2].rtol), to_text(runs[3].rtol));
    return {std::move(r), ""};
}

tight_reference derive_in_double(const problem& p, const tight_request& request)
{
    try {
        return agreement_of(tight_runs(p, request), request.tend ? decimal(*request.tend) : p.info().tend);
    } catch (const foreign_code_fails& e) {
        return {{}, e.what()};
    }
}

} // namespace ivp
