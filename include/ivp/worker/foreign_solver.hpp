// Foreign solvers whose code never runs in this process: they are described by a child, and loaded where prepare() is called.
#ifndef IVP_WORKER_FOREIGN_SOLVER_HPP
#define IVP_WORKER_FOREIGN_SOLVER_HPP

#include <ivp/model/solver.hpp>

#include <memory>
#include <string>

namespace ivp {

/// Like open_solver, but a plug-in is loaded and asked in a child process. Throws bad_request where it crashes, hangs or prints nothing sensible
/// of itself there. The solver is to be run where a crash does no harm: measure_contained does.
std::unique_ptr<const solver> open_contained_solver(const std::string& name_or_path);

/// A description as text and back.
std::string to_json(const solver_info& info);
solver_info solver_info_from_json(const std::string& text);

} // namespace ivp

#endif
