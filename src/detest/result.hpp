// What an assessment found: rows, fits, normalised costs, summaries. Everything that is printed, and what the original gathered without printing it.
#ifndef IVP_SRC_DETEST_RESULT_HPP
#define IVP_SRC_DETEST_RESULT_HPP

#include "problems.hpp"
#include "settings.hpp"
#include "statistics.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/record.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ivp::detest {

/// How one integration ended, in the numbers of the original.
enum result_code : int {
    all_well = 1,
    truth_failed = 0,
    method_failed = -1,
    both_failed = -2,
    could_not_start = -3,
    failed_while_timed = -4,
};

/// What one integration costs. Of a foreign solver, which is timed in its own process, as there.
struct costs {
    double time_s = 0;
    double overhead_s = 0;      ///< without evaluations, Jacobians and factorisations
    std::uint64_t nfev = 0;     ///< evaluations for stepping
    std::uint64_t nfev_jac = 0; ///< evaluations for difference quotients
    std::uint64_t njac = 0;
    std::uint64_t nlu = 0;
    std::uint64_t accepted = 0;

    [[nodiscard]] std::uint64_t evaluations() const { return nfev + nfev_jac; }
    costs& operator+=(const costs& o);
};

/// One problem at one tolerance. Errors are divided by the tolerance, local ones by their bound; what is not known is NaN.
struct row {
    double tol = 0; ///< as asked for
    ivp::outcome outcome = outcome::success;
    std::string message; ///< why it failed
    int code = all_well;
    costs cost;
    std::uint64_t lumped_steps = 0;
    std::uint64_t assessed_steps = 0;
    std::uint64_t deceived_steps = 0;
    std::uint64_t badly_deceived_steps = 0;
    std::uint64_t start_evaluations = 0; ///< of the preliminary integration
    double start_step = 0;               ///< that it found
    double truth_time_s = 0;
    double x_reached = 0;
    double x_true = 0; ///< where true solutions are known
    double end_error = std::numeric_limits<double>::quiet_NaN();
    double max_global_error = std::numeric_limits<double>::quiet_NaN();
    double max_local_error = std::numeric_limits<double>::quiet_NaN();
    int truth_global = truth_not_asked; ///< flags of the true solutions
    int truth_local = truth_not_asked;
    int truth_rescues = 0;
    std::uint64_t truth_failures = 0;
    int repetitions = 0; ///< that were timed
    std::optional<scatter_table> scatter;
    std::optional<ratio_histogram> by_bound;     ///< from level 3 on
    std::optional<ratio_histogram> by_tolerance; ///< from level 3 on
    std::vector<deceived_step> worst;
    std::optional<bool> rounding_decides; ///< a tolerance that differs in the last digits gives other numbers; none: not looked for

    [[nodiscard]] bool reached_end() const { return code == all_well || code == truth_failed || code == failed_while_timed; }
    [[nodiscard]] bool global_error_known() const { return reached_end() && truth_global > 0; }
    [[nodiscard]] std::uint64_t steps_without_truth() const { return lumped_steps - assessed_steps; } ///< from level 3 on
    [[nodiscard]] double fraction_deceived() const;                                                   ///< NaN without assessed steps
    [[nodiscard]] double fraction_badly_deceived() const;                                             ///< NaN without assessed steps
};

/// error = C TOL^E by least squares of the logarithms.
struct smoothness_fit {
    double c = 0;
    double e = 0;
    double residual = 0; ///< root mean square, in powers of ten
    int values = 0;
};

/// The costs of an error of 10^-digits, between those of two tolerances.
struct normalized_line {
    int digits = 0;
    double log10_tol = 0; ///< the tolerance that gives this error
    double time_s = 0;
    double overhead_s = 0;
    double nfev = 0; ///< all evaluations
    double njac = 0;
    double nlu = 0;
    double accepted = 0;
};

struct normalized_table {
    std::vector<normalized_line> lines;
    std::string remark; ///< why there are none
};

struct problem_result {
    std::string id;   ///< of the catalog, or path
    std::string name; ///< "A1"; of others the id
    bool scaled = true;
    std::vector<double> weights; ///< of the scaled form; empty: unscaled
    std::vector<row> rows;
    std::optional<smoothness_fit> end_fit;
    std::optional<smoothness_fit> max_fit; ///< from level 2 on
    std::optional<normalized_table> normalized;
};

/// Sums and maxima at one tolerance, or over all of them.
struct summary_line {
    double tol = 0; ///< 0: over all tolerances
    int runs = 0;   ///< that reached the end, and so contribute
    int failed = 0; ///< that did not
    costs cost;
    std::uint64_t assessed_steps = 0;
    std::uint64_t deceived_steps = 0;
    std::uint64_t badly_deceived_steps = 0;
    std::uint64_t steps_without_truth = 0;
    double end_error = 0;
    double max_global_error = 0;
    double max_local_error = 0;
    double truth_time_s = 0;

    void add(const row& r);
    void add(const summary_line& s);
};

struct group_result {
    std::vector<problem_result> problems;
    std::vector<summary_line> summary; ///< one for each tolerance
};

struct assessment {
    std::string solver;
    std::string solver_version;
    std::string solver_origin = "own"; ///< own, driver, plug-in
    std::string error_control;         ///< in words: how the tolerance was handed over
    bool extrapolated = false;
    assessment_settings settings;
    std::vector<group_result> groups;
    std::vector<summary_line> summary; ///< over all groups, one for each tolerance
    summary_line overall;
    double seconds = 0;                     ///< that the whole assessment took
    std::string command;                    ///< repeats it
    std::string library;                    ///< as in a record
    std::optional<double> library_slowdown; ///< as in a record
    build_info build;
    machine_info machine;
};

/// One object (docs/contracts.md); numbers that are not finite are null.
std::string to_json(const assessment& a);

/// A row as text and back: how a child process hands it over.
std::string to_json(const row& r);
row row_from_json(const std::string& text);

/// Weights of a problem found anew, beside those that DETEST stores.
struct weight_result {
    std::string id;
    std::vector<double> computed;
    std::vector<double> stored; ///< empty: not one of DETEST's
};
struct timing_result {
    std::string id;
    int n = 0;
    unit_costs unit;
};
std::string to_json(const std::vector<weight_result>& r);
std::string to_json(const std::vector<timing_result>& r);

} // namespace ivp::detest

#endif
