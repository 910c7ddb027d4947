// How solvers compare over many problems: performance profiles, and a ranking that says how uncertain it is. Pure functions.
#ifndef IVP_SRC_STATS_PROFILE_HPP
#define IVP_SRC_STATS_PROFILE_HPP

#include "curves.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// Work with which each solver (by the label of its curve) delivers so many digits (mescd) on each problem; none: it does not.
struct work_table {
    double digits = 0;
    work_kind kind = work_kind::cpu;
    std::vector<std::string> problems;
    std::vector<std::string> solvers;
    std::vector<std::optional<double>> work; ///< the solvers on the first problem, then on the second, …

    [[nodiscard]] const std::optional<double>& at(std::size_t problem, std::size_t solver) const { return work[problem * solvers.size() + solver]; }
};

/// Takes the problems as the test set poses them whose reference can show so many digits.
work_table work_for_digits(std::span<const run_record> records, std::span<const problem_runs> runs, const digit_limits& limits, double digits,
                           work_kind kind);

/// For each solver the ratios of its work to the least of all, over the problems it solved, ascending (Dolan and Moré). The profile at tau is
/// the share of the problems with a ratio of at most tau.
struct performance_profile {
    std::size_t problems = 0; ///< on which at least one solver delivered
    std::vector<std::vector<double>> ratios;

    [[nodiscard]] double share(std::size_t solver, double tau) const;
};
performance_profile profile_of(const work_table& t);

/// Beyond this ratio a solver counts as if it had not delivered.
constexpr double largest_ratio = 100;

/// One solver in a ranking. The score is the area below its profile between the ratios 1 and 100 on a logarithmic axis: 1 means always the best, 0
/// never within a factor of 100. The interval holds nine of ten scores when the problems are drawn anew, with replacement.
struct rank_row {
    std::size_t solver = 0; ///< position in the table
    std::size_t solved = 0;
    double score = 0;
    double score_low = 0;
    double score_high = 0;
    int rank = 0;
    int rank_low = 0; ///< best and worst rank in nine of ten draws
    int rank_high = 0;
};

constexpr int ranking_draws = 1000;

/// Best first; equal scores in the order of the table. Always the same for the same table.
std::vector<rank_row> ranking(const work_table& t);

struct count_interval {
    int low = 0;
    int high = 0;
};
/// Sums of as many of these numbers, drawn with replacement: the interval of nine tenths of the draws.
count_interval drawn_sum(std::span<const int> numbers);

} // namespace ivp

#endif
