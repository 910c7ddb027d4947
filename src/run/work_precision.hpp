// Work against precision: several solvers on one problem over a ladder of tolerances, timed in turns.
#ifndef IVP_SRC_RUN_WORK_PRECISION_HPP
#define IVP_SRC_RUN_WORK_PRECISION_HPP

#include "base/child.hpp"

#include <ivp/run.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// A solver, and how it is to be run; the tolerances come from the ladder.
struct contestant {
    const ivp::solver* solver = nullptr;
    run_settings settings; ///< its rtol is not used; `--rtol` is added to its command
};

/// All runs of one problem: every tolerance with every solver. What tables and diagrams are made of.
struct work_precision_result {
    std::string problem;
    std::vector<double> rtol;         ///< in the order in which they were asked for
    std::vector<std::string> solvers; ///< names, in the order of the contestants; of a solver that took part several times with its threads
    std::vector<run_record> records;  ///< the solvers at the first rtol, then at the second, …; failed runs are there too

    [[nodiscard]] const run_record& at(std::size_t tolerance, std::size_t solver) const { return records[tolerance * solvers.size() + solver]; }
    [[nodiscard]] std::optional<std::size_t> position(const std::string& solver) const;
};

/// The tolerances at which the test set measures this problem.
std::vector<double> ladder(const problem& p);

/// Takes a fault of the machine that a measurement met midway, so that what is complete is not lost with it.
using fault_taker = std::function<void(const std::exception_ptr& fault)>;

/// The result of the work; none where a fault ended it that somebody takes. Where nobody does, the fault goes on.
template <class Work>
auto unless_broken(const fault_taker& taker, const Work& work) -> std::optional<decltype(work())>
{
    if (!taker) return work();
    try {
        return work();
    } catch (...) {
        taker(std::current_exception());
        return std::nullopt;
    }
}

struct work_precision_options {
    /// Every run is made in a child process of its own; none: in this one.
    std::optional<child_limits> contained;
    std::function<bool()> stop;                ///< asked often; true: the tolerance at work is dropped, those before it are the result
    std::function<void(double rtol)> progress; ///< told each tolerance before it begins
    fault_taker broken;                        ///< after it, as after a stop
};

/// Measures. At each tolerance the samples go round: one of every solver, then again, until each has enough; what slows the machine down
/// for a while then hits all solvers alike. Throws bad_request with the faults of all contestants before anything is run.
work_precision_result measure_work_precision(const problem& p, std::span<const contestant> contestants, const std::vector<double>& rtol,
                                             const work_precision_options& options = {});

/// Each at the tolerance of its own settings, sampled in turns as above; contained: in child processes as above. Empty: it was stopped.
std::vector<run_record> measure_in_turns(const problem& p, const std::vector<contestant>& contestants,
                                         const std::optional<child_limits>& contained = {}, const std::function<bool()>& stop = {});

/// Whether two runs did the same work: steps, evaluations, Jacobians and LUs differ by at most 3 %. The ratio of their times then compares
/// two programs and not two methods.
bool counts_agree(const run_record& a, const run_record& b);

/// CPU time of `r` over that of `reference`; none if one of them failed.
std::optional<double> time_ratio(const run_record& r, const run_record& reference);

/// Geometric mean of the time ratios of one solver, over the runs whose counts agree.
struct mean_time_ratio {
    std::string solver;
    std::string reference;
    std::optional<double> mean; ///< none: there was no such run
    std::size_t compared = 0;   ///< runs whose counts agree
    std::size_t runs = 0;       ///< all
};

/// One for each solver but the reference, over the results that have both.
std::vector<mean_time_ratio> mean_time_ratios(std::span<const work_precision_result> results, const std::string& reference);

} // namespace ivp

#endif
