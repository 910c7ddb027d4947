// A measured run in a process of its own: whatever the solver does to its process becomes an outcome with a reason.
#ifndef IVP_MEASURE_CONTAINED_HPP
#define IVP_MEASURE_CONTAINED_HPP

#include <ivp/measure/run.hpp>
#include <ivp/worker/child.hpp>

#include <functional>
#include <memory>

namespace ivp {

/// Does the whole run and returns its record: measure_run, with whatever observers and files belong to it.
using contained_work = std::function<run_record(const solver&)>;

/// Runs the work in a child. A time limit of the settings holds for each integration; code that does not return to the platform is ended
/// a moment after it. Forking and loading are outside the measured time. Throws bad_request as measure_run does.
run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits, const contained_work& work);
run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits = {});

/// The same as a prepared_run, in a child of its own: it can be sampled in turns with others, which have their own. Problem and solver must
/// outlive it.
class contained_run {
public:
    /// Throws bad_request as planned_run does.
    contained_run(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits);

    /// Lets it take at least one sample; short ones until a turn is worth the change of processes.
    void sample();
    [[nodiscard]] bool wants_sample() const { return wants_sample_; }
    /// When it wants no further sample.
    [[nodiscard]] run_record record() const;

private:
    run_record planned_;
    child_process child_;
    bool wants_sample_ = true;
};

/// The solver as it is, with signs of life for a parent that waits: at every solve, and with every step of the first integration. The
/// repetitions are timed undisturbed. Both arguments must outlive it; t0 is where an integration begins.
std::unique_ptr<const solver> watched(const solver& s, child_link& link, double t0);

/// Time limit of a child whose runs have these settings.
child_limits limits_for(const run_settings& settings, child_limits limits = {});

} // namespace ivp

#endif
