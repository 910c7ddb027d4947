// Runs as curves of work against precision: what diagrams, profiles and rankings are made of. Pure functions over records.
#ifndef IVP_SRC_STATS_CURVES_HPP
#define IVP_SRC_STATS_CURVES_HPP

#include <ivp/accuracy.hpp>
#include <ivp/record.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class work_kind { cpu, wall, f, lu };
std::string_view label(work_kind w);
std::optional<work_kind> work_kind_from_label(std::string_view text);
std::string_view title(work_kind w); ///< as an axis is called

enum class precision_kind { mescd, scd, path, rms };
std::string_view label(precision_kind p);
std::optional<precision_kind> precision_kind_from_label(std::string_view text);
std::string_view title(precision_kind p);

/// Entries of `extra`: digits along the path (of the largest error, of the root mean square), and how many their reference can show.
constexpr const char* path_digits_name = "mescd_path";
constexpr const char* path_limit_name = "mescd_path_limit";
constexpr const char* rms_digits_name = "mescd_rms";
constexpr const char* rms_limit_name = "mescd_rms_limit";

/// Measured at many times with a run of its own, not at the end point.
constexpr bool is_along_path(precision_kind p) { return p == precision_kind::path || p == precision_kind::rms; }

/// None where it was not measured or is zero: it has no place on a logarithmic axis.
std::optional<double> work_of(const run_record& r, work_kind w);
/// None where it is not known.
std::optional<double> precision_of(const run_record& r, precision_kind p);

/// Digits that the reference can show in this measure.
std::optional<double> limit_of(const digits_in_reach& reach, precision_kind p);
/// Whether it is an estimate; along the path one method alone, at two tolerances, says how far it is known.
bool is_estimated(const digits_in_reach& reach, precision_kind p);

/// The share of the work that the busiest processor would do if each of the systems that a method treats side by side (PSIDE: four) had one of its
/// own, from the method's effective counts; none where a run on one processor does not report them.
std::optional<double> busiest_share(const run_record& r);

/// The problem as the test set poses it: no parameter changed. A changed end point shows by its missing digits.
std::string variant_of(const run_record& r); ///< the changed parameters in words; empty: none

/// One solver with one setting on one problem, over the tolerances.
struct run_curve {
    std::string label;             ///< the solver's name, with the settings in which its curves differ
    std::string solver;            ///< name
    std::vector<std::size_t> runs; ///< positions in the records, from the loosest tolerance to the tightest
    bool operator==(const run_curve&) const = default;
};

/// All runs of one problem and variant.
struct problem_runs {
    std::string problem;
    std::string variant;
    std::vector<run_curve> curves;
    bool operator==(const problem_runs&) const = default;
};

/// Sorts records into problems (in the order of their first appearance) and curves (in the order in which the solvers appear first). Of runs with the
/// same settings the last one counts. A setting (threads, options, Jacobian, algebra) is named in the label where one solver ran one problem with
/// several values.
std::vector<problem_runs> curves_of(std::span<const run_record> records);

/// Digits a comparison with the reference can show at most, by problem; absent: no limit is known.
using digit_limits = std::map<std::string, double>;

/// One point of a curve that can be read: work and digits of a run that ended well.
struct curve_point {
    double digits;
    double work;
};

/// Points of the successful runs, loosest tolerance first; `none` where a run failed or has no number: the curve is broken there.
std::vector<std::optional<curve_point>> points_of(std::span<const run_record> records, const run_curve& c, work_kind w, precision_kind p);

/// The least work with which the curve delivers so many digits: a run that has them, or a point on the straight line (digits against the logarithm
/// of the work) between two neighbours. None: it does not deliver them.
std::optional<double> work_for_digits(std::span<const std::optional<curve_point>> points, double digits);

} // namespace ivp

#endif
