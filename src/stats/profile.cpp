#include "profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ivp {

namespace {

/// The least work of each problem; infinite where nobody delivered.
std::vector<double> least_work(const work_table& t)
{
    std::vector<double> least(t.problems.size(), std::numeric_limits<double>::infinity());
    for (std::size_t p = 0; p < t.problems.size(); ++p)
        for (std::size_t s = 0; s < t.solvers.size(); ++s)
            if (t.at(p, s)) least[p] = std::min(least[p], *t.at(p, s));
    return least;
}

/// Share of the logarithmic axis from 1 to the largest ratio at which the profile of a single problem is 1.
double score_of(const std::optional<double>& work, double least)
{
    if (!work) return 0;
    return std::max(0.0, 1 - std::log(*work / least) / std::log(largest_ratio));
}

/// A small generator that the page's script repeats bit by bit (mulberry32).
class random_numbers {
public:
    std::uint32_t below(std::uint32_t n)
    {
        state_ += 0x6D2B79F5U;
        std::uint32_t z = state_;
        z = (z ^ (z >> 15)) * (z | 1U);
        z ^= z + (z ^ (z >> 7)) * (z | 61U);
        return (z ^ (z >> 14)) % n;
    }

private:
    std::uint32_t state_ = 1;
};

/// Ranks from 1; equal scores have equal ranks.
std::vector<int> ranks_of(const std::vector<double>& scores)
{
    std::vector<int> ranks;
    for (const double own : scores) ranks.push_back(1 + static_cast<int>(std::ranges::count_if(scores, [own](double s) { return s > own; })));
    return ranks;
}

/// The values that leave a twentieth below and above.
template <class T>
std::pair<T, T> middle_nine_tenths(std::vector<T> values)
{
    std::ranges::sort(values);
    const std::size_t cut = values.size() / 20;
    return {values[cut], values[values.size() - 1 - cut]};
}

} // namespace

work_table work_for_digits(std::span<const run_record> records, std::span<const problem_runs> runs, const digit_limits& limits, double digits,
                           work_kind kind)
{
    work_table t;
    t.digits = digits;
    t.kind = kind;
    std::vector<const problem_runs*> taken;
    for (const auto& p : runs) {
        if (!p.variant.empty()) continue;
        const auto limit = limits.find(p.problem);
        if (limit != limits.end() && limit->second < digits) continue;
        taken.push_back(&p);
        t.problems.push_back(p.problem);
        for (const auto& c : p.curves)
            if (std::ranges::find(t.solvers, c.label) == t.solvers.end()) t.solvers.push_back(c.label);
    }
    for (const auto* p : taken)
        for (const auto& solver : t.solvers) {
            const auto c = std::ranges::find(p->curves, solver, &run_curve::label);
            t.work.push_back(c == p->curves.end() ? std::nullopt : work_for_digits(points_of(records, *c, kind, precision_kind::mescd), digits));
        }
    return t;
}

double performance_profile::share(std::size_t solver, double tau) const
{
    if (problems == 0) return 0;
    const auto& r = ratios[solver];
    return static_cast<double>(std::ranges::upper_bound(r, tau) - r.begin()) / static_cast<double>(problems);
}

performance_profile profile_of(const work_table& t)
{
    const auto least = least_work(t);
    performance_profile profile;
    profile.problems = static_cast<std::size_t>(std::ranges::count_if(least, [](double w) { return std::isfinite(w); }));
    profile.ratios.resize(t.solvers.size());
    for (std::size_t s = 0; s < t.solvers.size(); ++s) {
        for (std::size_t p = 0; p < t.problems.size(); ++p)
            if (t.at(p, s)) profile.ratios[s].push_back(*t.at(p, s) / least[p]);
        std::ranges::sort(profile.ratios[s]);
    }
    return profile;
}

count_interval drawn_sum(std::span<const int> numbers)
{
    if (numbers.empty()) return {};
    random_numbers random;
    std::vector<int> sums(ranking_draws, 0);
    for (int& sum : sums)
        for (std::size_t k = 0; k < numbers.size(); ++k) sum += numbers[random.below(static_cast<std::uint32_t>(numbers.size()))];
    const auto [low, high] = middle_nine_tenths(sums);
    return {low, high};
}

std::vector<rank_row> ranking(const work_table& t)
{
    const auto least = least_work(t);
    std::vector<std::size_t> problems; // those that somebody solved
    for (std::size_t p = 0; p < t.problems.size(); ++p)
        if (std::isfinite(least[p])) problems.push_back(p);
    if (problems.empty()) return {};

    const std::size_t solvers = t.solvers.size();
    const auto scores_over = [&](const std::vector<std::size_t>& drawn) {
        std::vector<double> scores(solvers, 0);
        for (std::size_t s = 0; s < solvers; ++s) {
            for (const std::size_t p : drawn) scores[s] += score_of(t.at(p, s), least[p]);
            scores[s] /= static_cast<double>(drawn.size());
        }
        return scores;
    };

    std::vector<std::vector<double>> drawn_scores(solvers);
    std::vector<std::vector<int>> drawn_ranks(solvers);
    random_numbers random;
    std::vector<std::size_t> draw(problems.size());
    for (int k = 0; k < ranking_draws; ++k) {
        for (auto& p : draw) p = problems[random.below(static_cast<std::uint32_t>(problems.size()))];
        const auto scores = scores_over(draw);
        const auto ranks = ranks_of(scores);
        for (std::size_t s = 0; s < solvers; ++s) {
            drawn_scores[s].push_back(scores[s]);
            drawn_ranks[s].push_back(ranks[s]);
        }
    }

    const auto scores = scores_over(problems);
    const auto ranks = ranks_of(scores);
    std::vector<rank_row> rows;
    for (std::size_t s = 0; s < solvers; ++s) {
        rank_row r;
        r.solver = s;
        r.solved = static_cast<std::size_t>(std::ranges::count_if(problems, [&](std::size_t p) { return t.at(p, s).has_value(); }));
        r.score = scores[s];
        std::tie(r.score_low, r.score_high) = middle_nine_tenths(drawn_scores[s]);
        r.rank = ranks[s];
        std::tie(r.rank_low, r.rank_high) = middle_nine_tenths(drawn_ranks[s]);
        rows.push_back(r);
    }
    std::ranges::stable_sort(rows, {}, &rank_row::rank);
    return rows;
}

} // namespace ivp
