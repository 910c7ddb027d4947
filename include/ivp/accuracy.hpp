// Significant correct digits: how well an end value agrees with the reference. Pure functions; definitions: docs/explanation/digits.md.
#ifndef IVP_ACCURACY_HPP
#define IVP_ACCURACY_HPP

#include <ivp/problem.hpp>

#include <optional>
#include <span>
#include <vector>

namespace ivp {

/// Below this a reference value has no meaningful relative error.
constexpr double smallest_reference = 1e-200;

struct component_accuracy {
    std::optional<double> digits_abs;
    std::optional<double> digits_rel; ///< none if the reference is too small
    bool excluded = false;            ///< by the problem
    bool too_small = false;           ///< |reference| < 1e-200: left out of the relative scd
};

struct accuracy {
    std::optional<double> scd; ///< as the problem defines it: of the relative, or of the absolute error
    std::optional<double> scd_rel;
    std::optional<double> scd_abs;
    std::optional<double> mescd;
    int used_abs = 0; ///< components behind scd_abs
    int used_rel = 0; ///< components behind scd_rel
    std::vector<component_accuracy> component;
};

/// −log10 of an error; an exact result counts as 16 digits, as in the original.
double digits_of(double error);

/// A vector with any non-finite component has no digits at all.
accuracy measure_accuracy(std::span<const double> y, std::span<const double> reference, const tolerances& tolerance, const accuracy_rule& rule);

/// The most digits that a comparison with this reference can show: those of a result that differs by the unconfirmed part of the reference.
struct digits_in_reach {
    std::optional<double> scd;
    std::optional<double> mescd;
    std::optional<double> path; ///< of the largest error along the path, if the run measured it
    std::optional<double> rms;  ///< of the root mean square along the path, if the run measured it
    std::optional<double> scd_abs;
    std::optional<double> scd_rel;
    bool estimated = false; ///< those at the end: the digits of the reference are not proven
};
digits_in_reach reach_of(const reference_solution& reference, const tolerances& tolerance, const accuracy_rule& rule);

/// The solver claimed success without a correct digit: every measure that is defined is zero or below.
bool is_wrong_answer(const accuracy& a);

} // namespace ivp

#endif
