// Who takes no part in a group of runs, and why: the one rule of every command that measures several solvers.
#ifndef IVP_SRC_RUN_LEFT_OUT_HPP
#define IVP_SRC_RUN_LEFT_OUT_HPP

#include <ivp/run.hpp>

#include <span>
#include <string>
#include <vector>

namespace ivp {

/// Why a solver cannot take a problem, whatever the tolerance, in sentences; empty: it can.
std::vector<std::string> reasons_to_leave_out(const solver_info& solver, const problem& p, const run_settings& settings);

/// The same, with what is wrong with the settings at these tolerances.
std::vector<std::string> reasons_to_leave_out(const solver_info& solver, const problem& p, run_settings settings, std::span<const double> rtol);

} // namespace ivp

#endif
