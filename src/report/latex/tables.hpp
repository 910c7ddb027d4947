// The tables of the report for print. Each is complete: caption, label, head and foot on every page it runs over.
#ifndef IVP_SRC_REPORT_LATEX_TABLES_HPP
#define IVP_SRC_REPORT_LATEX_TABLES_HPP

#include "report/book/view.hpp"

#include <string>

namespace ivp::tex {

/// Runs that succeeded, at the tolerances the original tabulated or all of them: solver, tolerances, digits, counts, time. `key` names the problem in
/// the label.
std::string run_table(const book_pages::view& v, const problem_runs& p, const std::string& key, bool all);
/// Of the same runs, how far they leave what a mechanical system keeps; empty where no run has measured it.
std::string drift_table(const book_pages::view& v, const problem_runs& p, const std::string& key);
/// Whether there are runs at other tolerances than those.
bool has_further_runs(const book_pages::view& v, const problem_runs& p);
/// Runs that failed, those of a solver with the same reason in one row; empty where there is none.
std::string failed_table(const book_pages::view& v, const problem_runs& p, const std::string& key);
/// Solvers against problems; in several parts where the solvers are too many for the width of a page. Empty: no problem as it is posed.
std::string summary_table(const book_pages::view& v);

/// Rank, score and deliveries of these curves among themselves, at 4, 6 and 8 digits by CPU time.
std::string ranking_table(const book_pages::view& v, std::span<const book_pages::curve_name> curves, const std::string& caption,
                          const std::string& label);
/// The rows that were printed with the test set, each with ours below it if they differ; empty: nothing was published.
std::string published_table(const book_pages::view& v, const ivp::problem& p, const std::string& key);

/// The name of a problem and what was changed in it.
std::string problem_name(const problem_runs& p);

} // namespace ivp::tex

#endif
