// The one way a run is made: settings in, record out, in this process or in one of its own. Every command that measures is a plan over it.
#ifndef IVP_SRC_RUN_EXECUTOR_HPP
#define IVP_SRC_RUN_EXECUTOR_HPP

#include "base/child.hpp"

#include <ivp/run.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

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

/// How work in a process of its own ended that did not answer.
struct broken_work {
    ivp::outcome outcome = outcome::crashed;
    std::string message;
    std::optional<double> t; ///< the end of the last step accepted
    std::uint64_t accepted = 0;
};

/// The answer of work in a process of its own.
struct answered_work {
    std::string text;
    std::string too_little_memory; ///< in words, where ivp itself may use less memory than the limit of the work; empty: it may use that much

    /// Throws machine_fault where the work says that it ran out of memory, and had less than its limit. what: the work, for the message.
    void refuse_for_memory(const std::string& what, ivp::outcome outcome, const std::string& message) const;
};

/// Runs of one solver that belong together but are not one record (an assessment), in a process of their own, with the limits of a run. The work gets
/// the solver as it is, with signs of life for the parent that waits; t0 is where an integration begins. Throws bad_request where the work does.
std::variant<answered_work, broken_work> execute_contained(const solver& s, double t0, std::optional<double> timeout_s, const child_limits& limits,
                                                           const std::function<std::string(const solver&)>& work);

} // namespace ivp

#endif
