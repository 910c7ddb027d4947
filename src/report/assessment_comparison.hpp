// Several assessments (DETEST) of the same problems side by side: reliability against tolerance and class, the distribution of local errors, and what
// reliability costs.
//
// Everything is taken from the text that a store keeps of an assessment, so that a page and a command say the same.
#ifndef IVP_SRC_REPORT_ASSESSMENT_COMPARISON_HPP
#define IVP_SRC_REPORT_ASSESSMENT_COMPARISON_HPP

#include "base/json.hpp"
#include "detest/result.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// Of a row of an assessment's text.
bool reached_end(const json& row);

/// Sums over the runs that reached the end.
struct reliability {
    int runs = 0;
    int failed = 0;
    double evaluations = 0;
    double steps = 0;
    double assessed = 0;
    double deceived = 0;
    double badly = 0;
    double without_truth = 0; ///< steps whose true local error is not known
    double largest_error = 0; ///< local, in units of its bound

    [[nodiscard]] std::optional<double> fraction(double part) const; ///< of the assessed steps
    [[nodiscard]] std::optional<double> fraction_without_truth() const;
};

using error_counts = std::map<int, double>; ///< by class of detest::ratio_histogram

struct compared_assessment {
    std::string solver;
    std::vector<double> tolerances;
    std::map<double, reliability> by_tolerance;
    std::map<std::string, reliability> by_class; ///< "A", or the group's number
    std::map<std::string, std::map<double, reliability>> by_class_and_tolerance;
    reliability total;
    std::map<double, error_counts> by_bound;    ///< for each tolerance
    std::map<double, error_counts> by_told_tol; ///< the same against TOL
    std::map<std::string, double> work;         ///< evaluations at equal achieved error, by problem and digits
    std::optional<double> work_factor;          ///< geometric mean of this work over the least of all solvers
    int rounding_decides = 0;                   ///< lines
};

/// From the texts (detest::to_json), in the same order; what cannot be read is left out.
std::vector<compared_assessment> compared_assessments(std::span<const std::string> json_texts);

/// Whether they can stand in one table: the same set, level and tolerances.
std::string comparison_key(const std::string& json_text);

/// Cumulative shares at the upper ends of the classes that occur: ratio, share of steps at most so large.
std::vector<std::pair<double, double>> distribution(const error_counts& counts);

std::string assessments_comparison(std::span<const detest::assessment> all);
std::string assessments_csv(std::span<const detest::assessment> all);
std::string assessments_latex(std::span<const detest::assessment> all);

} // namespace ivp

#endif
