#include "campaign/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp {

namespace {

constexpr double around_a_run_s = 2e-3;   // process, record, store
constexpr double growth_per_digit = 1.45; // of the time with the accuracy asked for; between the methods of order 5 and 8

/// Time of all samples of a run whose integration takes so long.
double with_repetitions(double cpu_s, const run_settings& s)
{
    if (s.repeat) return cpu_s * *s.repeat;
    if (s.min_time_s) return std::max(cpu_s, *s.min_time_s);
    if (cpu_s >= 2) return cpu_s;
    return cpu_s >= 0.5 ? 3 * cpu_s : std::max(5 * cpu_s, 0.05);
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
            const point p{-std::get<double>(row[2]), std::get<double>(row[3])};
            const auto& problem = std::get<std::string>(row[0]);
            of_pair_[{problem, std::get<std::string>(row[1])}].push_back(p);
            of_problem_[problem].push_back(p);
        });
}

time_estimator::estimate time_estimator::of(const campaign_run& r) const
{
    const double digits = digits_of(r.settings.rtol);
    const auto pair = of_pair_.find({r.planned.record.problem, r.planned.record.solver});
    const auto problem = of_problem_.find(r.planned.record.problem);
    double cpu_s = pair != of_pair_.end()         ? scaled(pair->second, digits)
                   : problem != of_problem_.end() ? scaled(problem->second, digits)
                                                  : guessed(r);
    if (r.settings.timeout_s) cpu_s = std::min(cpu_s, *r.settings.timeout_s);
    return {with_repetitions(cpu_s, r.settings) + around_a_run_s, pair != of_pair_.end()};
}

std::optional<double> time_estimator::longest(const campaign_run& r)
{
    if (!r.settings.timeout_s) return std::nullopt;
    const double limit = *r.settings.timeout_s;
    if (r.settings.repeat) return limit * *r.settings.repeat;
    // Of the runs that end in time, those just below the limits of the protocol are sampled longest.
    const double repeated = limit >= 2 ? 6 : limit >= 0.5 ? 3 * limit : std::max(5 * limit, 0.05);
    return std::max(limit, repeated);
}

} // namespace ivp
