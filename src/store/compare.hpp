// Two stores compared, run by run: what a change of a solver, a compiler or a machine did.
#ifndef IVP_SRC_STORE_COMPARE_HPP
#define IVP_SRC_STORE_COMPARE_HPP

#include <ivp/store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// What is compared of a run.
struct compared_result {
    ivp::outcome outcome = outcome::success;
    std::string message;
    std::optional<double> scd;
    std::optional<double> mescd;
    std::uint64_t steps = 0;
    std::uint64_t accepted = 0;
    std::uint64_t nfev = 0;
    std::uint64_t nfev_jac = 0;
    std::uint64_t njac = 0;
    std::uint64_t nlu = 0;
    std::uint64_t nsolve = 0;
    double cpu_s = 0;   ///< minimum of the samples
    double slowest = 0; ///< their maximum
    int samples = 0;
};

struct compared_run {
    std::string problem;
    std::string solver;
    double rtol = 0;
    compared_result before;
    compared_result after;
    std::vector<std::string> changed; ///< names of what differs: outcome, counts, digits
    bool by_the_clock = false;        ///< one of them was ended by a clock: not judged
    std::optional<double> time_ratio; ///< after / before; none: another machine, or no times
    bool times_apart = false;         ///< the samples of the two do not overlap
};

/// A line of an assessment (DETEST) that is in both stores, with other numbers.
struct compared_assessment_row {
    std::string solver;
    std::string set;
    std::string problem;
    double tol = 0;
    std::vector<std::string> changed; ///< "accepted 12 -> 13"
};

struct comparison {
    std::size_t compared = 0;
    std::vector<compared_run> changes;  ///< runs in which something differs that is exact
    std::vector<compared_run> unjudged; ///< those ended by a clock in one of the stores
    std::vector<std::string> missing;   ///< only in the old store: problem, solver and tolerance
    std::size_t added = 0;              ///< only in the new one
    bool same_machine = true;           ///< false: times were not compared
    std::size_t times = 0;              ///< runs whose times were compared
    std::size_t uneven = 0;             ///< runs whose times were not: fewer than five samples on one side, more on the other
    double mean_time_ratio = 1;         ///< geometric
    std::vector<compared_run> slower;   ///< times apart and above the old by more than a tenth; told, never judged
    std::vector<compared_run> faster;

    std::size_t assessed_rows = 0; ///< lines of assessments that are in both
    std::vector<compared_assessment_row> assessment_changes;
    std::vector<std::string> assessments_missing; ///< only in the old store: solver and set
    std::size_t assessments_added = 0;

    /// Whether the new store is a full repetition of the old one with the same results.
    [[nodiscard]] bool unchanged() const { return changes.empty() && missing.empty() && assessment_changes.empty() && assessments_missing.empty(); }
};

/// Runs belong together where their settings are the same; of several the newest. Where the stores have a machine in common only its runs are
/// compared.
comparison compare_stores(const store& before, const store& after);

/// The part of it about assessments. Those with the same settings belong together; of several the newest.
void compare_assessments(const store& before, const store& after, comparison& result);

} // namespace ivp

#endif
