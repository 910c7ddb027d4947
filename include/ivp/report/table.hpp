// Run characteristics of several runs, as the chapters of the original showed them.
#ifndef IVP_REPORT_TABLE_HPP
#define IVP_REPORT_TABLE_HPP

#include <ivp/measure/work_precision.hpp>
#include <ivp/model/record.hpp>

#include <span>
#include <string>

namespace ivp {

/// One block per problem, in the order of the records; failed runs carry their outcome.
std::string characteristics_table(std::span<const run_record> records);

/// One block per problem, with the CPU time relative to the solver `reference` and why runs failed; then the mean ratios.
std::string work_precision_table(std::span<const work_precision_result> results, const std::string& reference);

/// What threads gained, for solvers that ran with several numbers of them; empty: there was none.
std::string speedup_table(std::span<const work_precision_result> results);

} // namespace ivp

#endif
