// The assessment of a method over groups of problems.
//
//   method            drives whatever integrates: a solver of this platform (solver_method), or foreign code that calls a step sink itself
//   assess_row        one problem at one tolerance: preliminary integration, integration with statistics, timing
//   assess            all problems, tolerances, fits, normalised costs, summaries
#ifndef IVP_SRC_DETEST_ASSESS_HPP
#define IVP_SRC_DETEST_ASSESS_HPP

#include "base/child.hpp"
#include "problems.hpp"
#include "result.hpp"
#include "settings.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/solver.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp::detest {

/// Told every accepted step; answers whether to go on.
class step_sink {
public:
    virtual ~step_sink() = default;
    /// bound: what the norm of the error estimate was held below; estimate: of y − y*, empty where there is none.
    virtual bool after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate) = 0;
};

/// One integration as the method made it.
struct method_run {
    ivp::outcome outcome = outcome::success; ///< stopped_by_observer where the sink said so
    std::string message;
    double t = 0;          ///< reached
    std::vector<double> y; ///< there
    counters count;
    double seconds = 0;
    std::optional<double> finer_seconds; ///< of the same by a clock with finer readings, where that of `seconds` may be coarse for the run
    bool sink_is_timed = false;          ///< seconds contain those of true solutions
    double clock_rate = 1;               ///< of the clock that gave `seconds`: what it counts in a second
};

/// Integrates a problem over its interval with an absolute error control of `tol`.
class method {
public:
    virtual ~method() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual bool extrapolated() const = 0;
    /// h0: a recommended first step; sink may be null. A failure is an outcome.
    virtual method_run integrate(const assessed_problem& p, double tol, std::optional<double> h0, step_sink* sink) = 0;
};

/// How a solver of the platform is run.
struct solver_request {
    const ivp::solver* solver = nullptr;
    std::map<std::string, double> special{}; ///< its own options
    jacobian_source jacobian = jacobian_source::exact;
    std::optional<std::uint64_t> max_steps{};
    std::optional<double> timeout_s{}; ///< of one integration; one that is observed gets as much again for its true solutions
    bound_kind bound = bound_kind::reported;
};

/// What the sample programs of the package set: those of DVERK and SECDER that change the counts.
std::map<std::string, double> options_of_1986(const solver_info& s);

/// Pure absolute control where the solver can; else rtol = atol = TOL.
std::string error_control_of(const solver_info& s);
std::unique_ptr<method> make_solver_method(const solver_request& request);

/// Why this problem cannot be assessed with this solver and these settings; empty: it can.
std::vector<std::string> faults_of(const assessed_problem& p, const solver_request& request, const assessment_settings& settings);

row assess_row(const assessed_problem& p, double tol, method& m, const assessment_settings& settings);

/// The same of a foreign solver in a child process: whatever it does to it is a row with a reason.
row assess_row_contained(const assessed_problem& p, double tol, const solver_request& request, const assessment_settings& settings,
                         const child_limits& limits);

using row_maker = std::function<row(const assessed_problem&, double tol)>;
using problem_group = std::vector<assessed_problem>;

/// Rows of all problems at all tolerances, and what follows from them. The descriptive fields of the result are the caller's. `progress` is told
/// each row before it begins. `stop` is asked after each row; true: the result has the problems that are complete, and a group may be empty.
assessment assess(std::span<const problem_group> groups, const assessment_settings& settings, const row_maker& make_row,
                  const std::function<void(const assessed_problem&, double tol)>& progress = {}, const std::function<bool()>& stop = {});

/// The first steps of the first problem as a method tells them, to see whether it does so rightly.
struct told_step {
    double t = 0;
    std::vector<double> y;
    double bound = 0;
    std::vector<double> estimate;
};
std::vector<told_step> first_steps(const assessed_problem& p, double tol, method& m, int most, method_run& run);

/// Fits and normalised costs of the rows of a problem, in place.
void evaluate_rows(problem_result& p, const assessment_settings& settings);
/// log10(error) against log10(TOL); none with fewer than two values.
std::optional<smoothness_fit> fit_errors(std::span<const double> tolerances, std::span<const double> errors);
normalized_table normalize_costs(std::span<const row> rows, const smoothness_fit& fit, const assessment_settings& settings);

} // namespace ivp::detest

#endif
