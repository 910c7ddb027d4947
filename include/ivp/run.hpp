// One run, measured: settings in, record out.
#ifndef IVP_RUN_HPP
#define IVP_RUN_HPP

#include <ivp/accuracy.hpp>
#include <ivp/record.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// This build with the kernels that its linear algebra uses in this process. Throws bad_request if IVP_KERNELS names none of them.
build_info build_in_use();

/// The options that are passed to a solver. Throws bad_request with every fault.
solve_options resolve(const run_settings& s, const problem& p, const solver_info& solver);

/// The record as far as it is known before the run: problem, solver, settings. Throws bad_request if the settings are wrong or the solver cannot
/// take the problem.
run_record planned_run(const problem& p, const solver_info& solver, const run_settings& settings);

/// A run before it is made, with its settings checked and resolved once.
struct run_plan {
    run_record record; ///< as far as it is known
    solve_options options;
};
/// Throws bad_request as planned_run does.
run_plan plan_run(const problem& p, const solver_info& solver, const run_settings& settings);

struct integration;

/// A run that is ready to be sampled, as often as needed, also in turns with others. Problem and solver must outlive it.
class prepared_run {
public:
    /// Throws bad_request as planned_run does.
    prepared_run(const problem& p, const solver& s, const run_settings& settings);
    prepared_run(const problem& p, const solver& s, run_settings settings, run_plan plan);

    /// Integrates once and keeps the time. The first integration also gives counts, result and digits; if it is short and others follow, its
    /// time is not kept. A repetition that differs from it makes the run `not_repeatable`.
    void sample(step_observer* observer = nullptr);
    /// Whether the time is not yet reliable. A failed run is not worth another sample.
    [[nodiscard]] bool wants_sample() const;
    /// The record of all samples so far; there must be at least one.
    [[nodiscard]] run_record record() const;

private:
    void compare_with_first(const integration& run);
    void note_time_of_one_thread();

    const problem& problem_;
    const solver& solver_;
    run_settings settings_;
    run_record record_;
    solve_options options_;
    int integrations_ = 0;
    outcome said_ = outcome::success; ///< by the solver, of the first integration
};

/// Runs, repeats, times and judges. The observer sees the first repetition only. Throws bad_request before anything runs if the
/// settings are wrong or the solver cannot take the problem.
run_record measure_run(const problem& p, const solver& s, const run_settings& settings, step_observer* observer = nullptr);

constexpr int enough_samples_of_time = 5;
/// Whether a run that reached its end has too few samples of its time to see how much the time was disturbed.
inline bool has_few_samples(const run_record& r) { return r.outcome == outcome::success && r.repeats < enough_samples_of_time; }

/// Judges a record with a claimed outcome and an end value: sets its digits, and corrects a false claim.
void judge(run_record& r, const problem& p);

/// Accuracy of a record's end value, if the problem has a reference at that end point.
std::optional<accuracy> accuracy_of(const run_record& r, const problem& p);

} // namespace ivp

#endif
