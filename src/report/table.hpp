// Tables of work-precision measurements.
#ifndef IVP_SRC_REPORT_TABLE_HPP
#define IVP_SRC_REPORT_TABLE_HPP

#include "run/work_precision.hpp"

#include <ivp/print.hpp>

#include <span>
#include <string>

namespace ivp {

/// One block per problem, with the CPU time relative to the solver `reference` and why runs failed; then the mean ratios.
std::string work_precision_table(std::span<const work_precision_result> results, const std::string& reference);

/// All formulations of mechanical systems in one block per problem, with digits and drifts.
std::string formulation_table(std::span<const work_precision_result> results);

/// What threads gained, for solvers that ran with several numbers of them; empty: there was none.
std::string speedup_table(std::span<const work_precision_result> results);

} // namespace ivp

#endif
