// The one way a run is made: settings in, record out, in this process or in one of its own. Every command that measures is a plan over it.
#ifndef IVP_MEASURE_EXECUTOR_HPP
#define IVP_MEASURE_EXECUTOR_HPP

#include <ivp/measure/run.hpp>
#include <ivp/worker/child.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace ivp {

/// Sees the steps of the first integration, in the process that makes the run.
class run_observer : public step_observer {
public:
    /// When the whole run is done, with all its repetitions. A bad_request that it throws costs no result: the record says so in its message and
    /// by `unfinished_observer` in `extra`.
    virtual void finish() {}
};
constexpr auto unfinished_observer = "unfinished_observer";

/// One run that is to be made. Problem and solver must outlive it.
struct run_order {
    const ivp::problem* problem = nullptr;
    const ivp::solver* solver = nullptr;
    run_settings settings;
    /// Of its process, beside what the settings say. None: it is made in this process, where a crash ends everything and a time limit
    /// is only noticed at an evaluation.
    std::optional<child_limits> contained;
    std::function<std::unique_ptr<run_observer>()> observer; ///< made where the run is made
};

/// Makes the runs, one sample of each in turns, and tells every record as soon as it is complete. A run in a process of its own that ends
/// it is a record too; one that is refused only then has the outcome `unsupported`. Throws bad_request, with the faults of all orders and before
/// anything is run, where settings are wrong or a solver cannot take its problem; machine_fault where the machine is at fault.
/// stop: asked often; true: what is not complete is dropped.
void execute(std::span<const run_order> orders, const std::function<void(std::size_t order, run_record)>& finished,
             const std::function<bool()>& stop = {});

/// The same for one run; what is refused, early or late, is bad_request. None: it was stopped.
std::optional<run_record> execute(const run_order& order, const std::function<bool()>& stop);
run_record execute(const run_order& order);

/// The solver as it is, with signs of life for a parent that waits: at every solve, and with every step of the first integration. The
/// repetitions are timed undisturbed. Both arguments must outlive it; t0 is where an integration begins.
std::unique_ptr<const solver> watched(const solver& s, child_link& link, double t0);

/// What a run is called whose child ended in this way without an answer.
outcome outcome_of(child_ending e);

/// Time limit of a child whose runs have these settings. Code that does not return to the platform is ended a moment after it.
child_limits limits_for(const run_settings& settings, child_limits limits = {});

} // namespace ivp

#endif
