// An assessment as text: the tables of DETEST, 80 to 132 columns wide.
//
// assessment_text() prints a whole one. The pieces are there for a program that prints while it goes on, as the original did.
#ifndef IVP_SRC_REPORT_ASSESSMENT_TABLES_HPP
#define IVP_SRC_REPORT_ASSESSMENT_TABLES_HPP

#include "detest/assess.hpp"
#include "detest/result.hpp"

#include <span>
#include <string>

namespace ivp {

std::string assessment_text(const detest::assessment& a);

/// Name and the lines with the words over the columns.
std::string problem_heading(const detest::problem_result& p, const detest::assessment_settings& s);
/// One line of numbers, what went wrong, and at level 4 the scatter plot.
std::string row_text(const detest::row& r, const detest::assessment_settings& s, bool extrapolated);
/// Smoothness and normalised costs, after the rows.
std::string problem_footer(const detest::problem_result& p, const detest::assessment_settings& s);
std::string group_summary_text(const detest::group_result& g, const detest::assessment_settings& s);
/// Over all groups, by tolerance and in all.
std::string overall_text(std::span<const detest::summary_line> by_tolerance, const detest::summary_line& overall,
                         const detest::assessment_settings& s);

std::string scatter_text(const detest::scatter_table& t, bool as_1986);

/// The first steps as a method told them, for somebody who looks for a mistake in it.
std::string first_steps_text(const detest::assessed_problem& p, double tol, std::span<const detest::told_step> steps, const detest::method_run& run);

std::string weights_text(std::span<const detest::weight_result> results);
std::string timing_text(std::span<const detest::timing_result> results);

} // namespace ivp

#endif
