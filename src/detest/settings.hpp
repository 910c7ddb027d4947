// What can be asked of an assessment, and the words for it.
#ifndef IVP_SRC_DETEST_SETTINGS_HPP
#define IVP_SRC_DETEST_SETTINGS_HPP

#include "detest/data.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {
class problem;
}

namespace ivp::detest {

class truth;

/// How the size of an error is measured; should be that of the solver under test.
enum class norm_kind { max, l2, rms };
std::string_view label(norm_kind n);
std::optional<norm_kind> norm_from_label(std::string_view text);
/// The one that a solver's own description of its error norm names.
norm_kind norm_named_in(std::string_view words);

/// Normalised efficiency: costs at equal achieved error, that at the end point or the largest on the way.
enum class normalization { none, end, max };
std::string_view label(normalization n);
std::optional<normalization> normalization_from_label(std::string_view text);

/// Where the true solutions come from: DVERK or SECDER, as in 1986, or an integration in quadruple precision.
enum class truth_kind { classic, quad };
std::string_view label(truth_kind t);
std::optional<truth_kind> truth_from_label(std::string_view text);

/// The two packages: rules of step lumping, true solutions and columns differ.
using problem_set = ivp::detest_set;
std::string_view label(problem_set s);
std::optional<problem_set> problem_set_from_label(std::string_view text);

/// Against which bound a local error is judged.
enum class bound_kind {
    reported,  ///< the one the solver says its estimate satisfied: what DETEST asks for
    tolerance, ///< the tolerance asked for, whatever the solver makes of it
};
std::string_view label(bound_kind b);
std::optional<bound_kind> bound_from_label(std::string_view text);

constexpr int most_tolerances = 10;
constexpr int most_groups = 6;

/// What a program that uses the engine brings itself; empty: the engine's own.
struct replaced_parts {
    std::function<std::unique_ptr<truth>(const problem&)> make_truth;
    std::function<double(std::span<const double>, std::span<const double>)> distance;
};

struct assessment_settings {
    problem_set set = problem_set::stiff;
    int level = 3; ///< 1: costs and error at the end; 2: global error; 3: local errors; 4: error estimates
    normalization normalize = normalization::none;
    norm_kind norm = norm_kind::max;
    truth_kind truth = truth_kind::classic;
    bound_kind bound = bound_kind::reported;
    std::vector<double> tolerances{1e-2, 1e-4, 1e-6, 1e-8}; ///< decreasing
    /// y that is reported is the more accurate one of the two behind the estimate; none: as the solver's description says.
    std::optional<bool> extrapolated;
    /// The arithmetic of the original, defects included (docs/reference/detest.md lists them).
    bool as_1986 = false;
    /// Repetitions of a run until the three least agree or this time is spent, at most 10; 0: nothing is repeated, and unit costs count as 0.
    double timing_s = 0.05;
    std::optional<double> truth_limit_s; ///< seconds for the true solutions of one run, after which they are given up
    double roundoff = 2.22e-16;          ///< of the arithmetic of the solver under test
    double underflow = 1e-37;            ///< near the smallest number of that arithmetic
    bool single_truth = false;           ///< compute classic true solutions in single precision, as the package of 1986 in single precision did
    replaced_parts replaced;
    bool details = true; ///< from level 3 on also how errors are distributed, and the worst steps

    /// Every fault in words; empty if the assessment can be made.
    [[nodiscard]] std::vector<std::string> validate() const;
    /// The tolerance a run works with: that of 1986 went through single precision.
    [[nodiscard]] double working(double tolerance) const { return as_1986 ? static_cast<double>(static_cast<float>(tolerance)) : tolerance; }
};

} // namespace ivp::detest

#endif
