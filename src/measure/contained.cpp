#include <ivp/measure/contained.hpp>

#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <limits>

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

class watched_solver final : public solver {
public:
    watched_solver(const solver& inner, child_link& link, double t0) : inner_(inner), link_(link), t0_(t0) {}
    [[nodiscard]] const solver_info& info() const override { return inner_.info(); }
    void prepare() const override { inner_.prepare(); }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        link_.alive();
        if (s.t0 == t0_) ++integrations_;
        if (integrations_ > 1) return inner_.solve(e, s, options, observer);
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

} // namespace

std::unique_ptr<const solver> watched(const solver& s, child_link& link, double t0) { return std::make_unique<watched_solver>(s, link, t0); }

outcome outcome_of(child_ending e)
{
    if (e == child_ending::timed_out) return outcome::timed_out;
    if (e == child_ending::out_of_memory) return outcome::out_of_memory;
    return outcome::crashed;
}

child_limits limits_for(const run_settings& settings, child_limits limits)
{
    if (settings.timeout_s)
        limits.seconds = std::min(limits.seconds.value_or(std::numeric_limits<double>::infinity()), *settings.timeout_s + grace_seconds);
    return limits;
}

run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits, const contained_work& work)
{
    run_record r = planned_run(p, s.info(), settings);
    const auto in_child = [&](child_link& link) { return to_json(work(*watched(s, link, p.info().t0.value()))); };
    const child_result end = run_in_child(in_child, limits_for(settings, limits));
    if (end.ending == child_ending::refused) throw bad_request(end.faults);
    if (end.ending == child_ending::answered) return record_from_json(end.answer);

    r.outcome = outcome_of(end.ending);
    r.message = end.reason;
    r.t_end_reached = end.t.value_or(r.t0);
    r.accepted = r.steps = end.accepted;
    if (end.t) r.message += "; the last step accepted ended at t = " + to_text(*end.t);
    // Nothing is known of what it spent.
    r.cpu_s = r.wall_s = std::numeric_limits<double>::quiet_NaN();
    return r;
}

run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits)
{
    return measure_contained(p, s, settings, limits, [&](const solver& watched) { return measure_run(p, watched, settings); });
}

} // namespace ivp
