#include "executor.hpp"

#include "base/memory.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ivp {

namespace {

constexpr double grace_seconds = 0.5; // for the way back from an evaluation that was told to stop

/// Tells the parent after every step how far the run came. No clock, no allocation.
class progress_observer final : public step_observer {
public:
    progress_observer(child_link& link, step_observer* inner, std::uint64_t& accepted) : link_(link), inner_(inner), accepted_(accepted) {}
    observer_answer on_step(const accepted_step& step) override
    {
        link_.note_progress(step.t, ++accepted_);
        return inner_ == nullptr ? observer_answer::go_on : inner_->on_step(step);
    }

private:
    child_link& link_;
    step_observer* inner_;
    std::uint64_t& accepted_;
};

/// The solver as it is, with signs of life for a parent that waits: at every solve, and with every step of the first integration and of
/// those that somebody observes. The repetitions are timed undisturbed.
class watched_solver final : public solver {
public:
    watched_solver(const solver& inner, child_link& link, double t0) : inner_(inner), link_(link), t0_(t0) {}
    [[nodiscard]] const solver_info& info() const override { return inner_.info(); }
    void prepare() const override { inner_.prepare(); }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        link_.alive();
        if (s.t0 == t0_) {
            ++integrations_;
            accepted_ = 0;
        }
        if (integrations_ > 1 && observer == nullptr) return inner_.solve(e, s, options, observer);
        progress_observer progress(link_, observer, accepted_);
        return inner_.solve(e, s, options, &progress);
    }

private:
    const solver& inner_;
    child_link& link_;
    double t0_;
    mutable int integrations_ = 0;
    mutable std::uint64_t accepted_ = 0;
};

outcome outcome_of(child_ending e)
{
    if (e == child_ending::timed_out) return outcome::timed_out;
    if (e == child_ending::out_of_memory) return outcome::out_of_memory;
    return outcome::crashed;
}

/// Time limit of a child whose runs have this one. Code that does not return to the platform is ended a moment after it.
child_limits limits_for(std::optional<double> timeout_s, child_limits limits)
{
    if (timeout_s) limits.seconds = std::min(limits.seconds.value_or(std::numeric_limits<double>::infinity()), *timeout_s + grace_seconds);
    return limits;
}

/// The answer of a child, or how it ended without one. Throws bad_request where the work was refused.
std::variant<answered_work, broken_work> answer_of(const child_result& end)
{
    if (end.ending == child_ending::refused) throw bad_request(end.faults);
    if (end.ending == child_ending::answered) return answered_work{end.answer, end.too_little_memory};
    return broken_work{outcome_of(end.ending), end.reason, end.t, end.accepted};
}

// ---- A run under way: samples are taken until its record is complete ----

class run_under_way {
public:
    virtual ~run_under_way() = default;
    /// At least one sample. False: the record is complete, or the run was stopped.
    virtual bool sample() = 0;
    /// None: it was stopped. Throws bad_request where the run was refused.
    virtual std::optional<run_record> record() = 0;
};

/// A prepared run with its observer, wherever it is made.
class observed_run {
public:
    observed_run(const run_order& order, const solver& s, const run_plan& plan)
        : run_(*order.problem, s, order.settings, plan), observer_(order.observer ? order.observer() : nullptr)
    {
        forget_peak_memory();
    }
    /// False: no further sample is wanted.
    bool sample()
    {
        run_.sample(first_ ? observer_.get() : nullptr);
        first_ = false;
        if (run_.wants_sample()) return true;
        try {
            if (observer_) observer_->finish();
        } catch (const bad_request& e) {
            trouble_ = e.what();
        }
        return false;
    }
    [[nodiscard]] run_record record() const
    {
        run_record r = run_.record();
        if (const auto bytes = peak_memory()) r.extra["peak_memory_mib"] = std::round(*bytes / (1 << 20) * 10) / 10;
        if (trouble_.empty()) return r;
        r.message += (r.message.empty() ? "" : "; ") + trouble_;
        r.extra[unfinished_observer] = 1;
        return r;
    }

private:
    prepared_run run_;
    std::unique_ptr<run_observer> observer_;
    bool first_ = true;
    std::string trouble_; ///< of an observer that could not finish
};

class run_here final : public run_under_way {
public:
    run_here(const run_order& order, const run_plan& plan, const std::function<bool()>& stop) : run_(order, *order.solver, plan), stop_(stop) {}
    bool sample() override
    {
        stopped_ = stop_ && stop_();
        return !stopped_ && run_.sample();
    }
    std::optional<run_record> record() override { return stopped_ ? std::nullopt : std::optional(run_.record()); }

private:
    observed_run run_;
    const std::function<bool()>& stop_;
    bool stopped_ = false;
};

/// All samples of one run, in its child; the turn goes to others in between.
std::string sampled_in_child(const run_order& order, const run_plan& plan, child_link& link)
{
    using clock = std::chrono::steady_clock;
    constexpr auto shortest_turn = std::chrono::milliseconds(2); // below, changing from process to process would cost as much as the samples
    const watched_solver solver(*order.solver, link, order.problem->info().t0.value());
    observed_run run(order, solver, plan);
    while (true) {
        const auto begin = clock::now();
        bool again = true;
        while (again && clock::now() - begin < shortest_turn) again = run.sample();
        if (!again) return to_json(run.record());
        link.pass_turn();
    }
}

class run_in_a_child final : public run_under_way {
public:
    run_in_a_child(const run_order& order, const run_plan& plan, const std::function<bool()>& stop)
        : planned_(plan.record), child_([&order, plan](child_link& link) { return sampled_in_child(order, plan, link); }, limits_of(order, stop))
    {}
    bool sample() override
    {
        try {
            return child_.go_on();
        } catch (const machine_fault& e) {
            throw machine_fault(name() + ": " + e.what());
        }
    }
    std::optional<run_record> record() override
    {
        const child_result& end = child_.result();
        if (end.ending == child_ending::stopped) return std::nullopt;
        const auto answer = answer_of(end);
        if (const auto* answered = std::get_if<answered_work>(&answer)) {
            run_record record = record_from_json(answered->text);
            answered->refuse_for_memory(name(), record.outcome, record.message);
            return record;
        }
        const auto& broken = std::get<broken_work>(answer);
        planned_.outcome = broken.outcome;
        planned_.message = broken.message;
        planned_.t_end_reached = broken.t.value_or(planned_.t0);
        planned_.accepted = planned_.steps = broken.accepted;
        if (broken.t) planned_.message += "; the last step accepted ended at t = " + to_text(*broken.t);
        // Nothing is known of what it spent.
        planned_.cpu_s = planned_.wall_s = std::numeric_limits<double>::quiet_NaN();
        return planned_;
    }

private:
    [[nodiscard]] std::string name() const { return planned_.full_problem() + " with " + planned_.full_solver(); }
    static child_limits limits_of(const run_order& order, const std::function<bool()>& stop)
    {
        child_limits limits = limits_for(order.settings.timeout_s, *order.contained);
        limits.stop = stop;
        return limits;
    }

    run_record planned_;
    child_process child_;
};

std::unique_ptr<run_under_way> begun(const run_order& order, const run_plan& plan, const std::function<bool()>& stop)
{
    if (order.contained) return std::make_unique<run_in_a_child>(order, plan, stop);
    return std::make_unique<run_here>(order, plan, stop);
}

/// Every fault of every order at once.
std::vector<run_plan> planned(std::span<const run_order> orders)
{
    std::vector<run_plan> plans;
    std::vector<std::string> faults;
    for (const auto& o : orders) {
        try {
            plans.push_back(plan_run(*o.problem, o.solver->info(), o.settings));
        } catch (const bad_request& e) {
            for (const auto& fault : e.faults())
                if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
        }
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
    return plans;
}

/// A solver may refuse a run only when it sees it: that is a row too.
run_record refused(run_record r, const bad_request& why)
{
    r.outcome = outcome::unsupported;
    r.message = why.what();
    r.t_end_reached = r.t0;
    r.cpu_s = r.wall_s = std::numeric_limits<double>::quiet_NaN();
    return r;
}

} // namespace

void execute(std::span<const run_order> orders, const std::function<void(std::size_t, run_record)>& finished, const std::function<bool()>& stop)
{
    const auto plans = planned(orders);
    std::vector<std::unique_ptr<run_under_way>> runs;
    for (std::size_t k = 0; k < orders.size(); ++k) runs.push_back(begun(orders[k], plans[k], stop));
    std::size_t left = runs.size();
    while (left > 0)
        for (std::size_t k = 0; k < runs.size(); ++k) {
            if (!runs[k]) continue;
            std::optional<run_record> record;
            try {
                if (runs[k]->sample()) continue;
                record = runs[k]->record();
            } catch (const bad_request& e) {
                record = refused(plans[k].record, e);
            }
            runs[k].reset();
            --left;
            if (record) finished(k, std::move(*record));
        }
}

std::optional<run_record> execute(const run_order& order, const std::function<bool()>& stop)
{
    const auto run = begun(order, plan_run(*order.problem, order.solver->info(), order.settings), stop);
    while (run->sample()) {}
    return run->record();
}

run_record execute(const run_order& order) { return execute(order, {}).value(); }

void answered_work::refuse_for_memory(const std::string& what, ivp::outcome outcome, const std::string& message) const
{
    if (outcome != ivp::outcome::out_of_memory || too_little_memory.empty()) return;
    throw machine_fault(what + ": too little memory: " + message + "; " + too_little_memory);
}

std::variant<answered_work, broken_work> execute_contained(const solver& s, double t0, std::optional<double> timeout_s, const child_limits& limits,
                                                           const std::function<std::string(const solver&)>& work)
{
    return answer_of(run_in_child([&](child_link& link) { return work(watched_solver(s, link, t0)); }, limits_for(timeout_s, limits)));
}

} // namespace ivp
