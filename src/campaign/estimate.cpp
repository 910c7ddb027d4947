#include "campaign/estimate.hpp"

#include "run/executor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ivp {

namespace {

constexpr double around_a_run_s = 2e-3; // process, record, store
constexpr double longest_trial_s = 2;
constexpr double growth_per_digit = 1.45; // of the time with the accuracy asked for; between the methods of order 5 and 8

/// Time of all samples of a run whose integration takes so long.
double with_repetitions(double cpu_s, const run_settings& s)
{
    const double warm_up = cpu_s < 0.5 ? cpu_s : 0;
    if (s.repeat) return cpu_s * *s.repeat + (*s.repeat > 1 ? warm_up : 0);
    if (s.min_time_s) return std::max(cpu_s, *s.min_time_s) + warm_up;
    if (cpu_s >= 2) return cpu_s;
    return cpu_s >= 0.5 ? 3 * cpu_s : std::max(5 * cpu_s, 0.05) + warm_up;
}

/// Of a problem nobody has measured yet: an implicit solver makes a few hundred steps, of a cost that grows with the dimension.
double guessed(const campaign_run& r)
{
    const double n = r.problem->n();
    const double structure = r.problem->info().jacobian_structure.kind == structure_kind::band ? n : std::pow(n, 1.7);
    return 4e-4 * (1 + 0.05 * structure) * std::pow(growth_per_digit, digits_of(r.settings.rtol) - 4);
}

/// From the nearest tolerance.
template <class Points>
double scaled(const Points& points, double digits)
{
    const auto nearest = std::ranges::min_element(points, {}, [digits](const auto& p) { return std::abs(p.digits - digits); });
    return nearest->cpu_s * std::pow(growth_per_digit, digits - nearest->digits);
}

} // namespace

time_estimator::time_estimator(const store* known)
{
    if (known == nullptr) return;
    // A tolerance of many runs tells no more than one of them.
    known->query(
        "SELECT problem, solver, round(log10(rtol_asked), 1) AS place, avg(cpu_s) FROM runs WHERE cpu_s IS NOT NULL AND rtol_asked > 0"
        " GROUP BY problem, solver, place",
        [](const auto&) {},
        [this](const query_row& row) {
            add({std::get<std::string>(row[0]), std::get<std::string>(row[1])}, {-std::get<double>(row[2]), std::get<double>(row[3])});
        });
}

void time_estimator::add(const pair& who, const point& p)
{
    of_pair_[who].push_back(p);
    of_problem_[who.first].push_back(p);
}

void time_estimator::try_out(const campaign& c, const shard& part, double seconds)
{
    std::map<pair, campaign_run> loosest;
    for (std::size_t group = 0; group < c.groups(); ++group) {
        if (!part.has(group)) continue;
        for (const auto& run : c.runs(group)) {
            const pair who{run.planned.record.problem, run.planned.record.solver};
            if (of_pair_.contains(who)) continue;
            const auto known = loosest.find(who);
            if (known == loosest.end() || known->second.settings.rtol < run.settings.rtol) loosest.insert_or_assign(who, run);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    for (auto& [who, run] : loosest) {
        const double left = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (left <= 0) return;
        const double limit = std::min({left, longest_trial_s, run.settings.timeout_s.value_or(longest_trial_s)});
        run.settings.repeat = 1;
        run.settings.min_time_s.reset();
        run.settings.timeout_s = limit;
        std::optional<run_record> trial;
        execute(std::vector{run_order{run.problem, run.solver, run.settings, run.limits, {}}},
                [&trial](std::size_t, run_record r) { trial = std::move(r); });
        constexpr double beyond = 3; // what did not end in time takes longer, nobody knows how much
        const double cpu_s = trial->outcome == outcome::timed_out ? beyond * limit : std::isfinite(trial->cpu_s) ? trial->cpu_s : 0;
        add(who, {digits_of(run.settings.rtol), cpu_s});
        tried_.insert(who);
    }
}

time_estimator::estimate time_estimator::of(const campaign_run& r) const
{
    const double digits = digits_of(r.settings.rtol);
    const pair who{r.planned.record.problem, r.planned.record.solver};
    const auto known = of_pair_.find(who);
    const auto problem = of_problem_.find(r.planned.record.problem);
    double cpu_s = known != of_pair_.end()        ? scaled(known->second, digits)
                   : problem != of_problem_.end() ? scaled(problem->second, digits)
                                                  : guessed(r);
    if (r.settings.timeout_s) cpu_s = std::min(cpu_s, *r.settings.timeout_s);
    const bool tried = tried_.contains(who);
    return {with_repetitions(cpu_s, r.settings) + around_a_run_s, known != of_pair_.end() && !tried, tried};
}

std::optional<double> time_estimator::longest(const campaign_run& r)
{
    if (!r.settings.timeout_s) return std::nullopt;
    const double limit = *r.settings.timeout_s;
    const double warm_up = std::min(limit, 0.5);
    if (r.settings.repeat) return limit * *r.settings.repeat + (*r.settings.repeat > 1 ? warm_up : 0);
    // Of the runs that end in time, those just below the limits of the protocol are sampled longest.
    const double repeated = limit >= 2 ? 6 : limit >= 0.5 ? 3 * limit : std::max(5 * limit, 0.05) + warm_up;
    return std::max(limit, repeated);
}

} // namespace ivp
