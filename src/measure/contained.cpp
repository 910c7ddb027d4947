#include <ivp/measure/contained.hpp>

#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <chrono>
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

outcome outcome_of(child_ending e)
{
    if (e == child_ending::timed_out) return outcome::timed_out;
    if (e == child_ending::out_of_memory) return outcome::out_of_memory;
    return outcome::crashed;
}

} // namespace

std::unique_ptr<const solver> watched(const solver& s, child_link& link, double t0) { return std::make_unique<watched_solver>(s, link, t0); }

child_limits limits_for(const run_settings& settings, child_limits limits)
{
    if (settings.timeout_s)
        limits.seconds = std::min(limits.seconds.value_or(std::numeric_limits<double>::infinity()), *settings.timeout_s + grace_seconds);
    return limits;
}

namespace {

/// What is known of a run, however its child ended.
run_record record_of(const child_result& end, run_record planned)
{
    if (end.ending == child_ending::refused) throw bad_request(end.faults);
    if (end.ending == child_ending::answered) return record_from_json(end.answer);
    planned.outcome = outcome_of(end.ending);
    planned.message = end.reason;
    planned.t_end_reached = end.t.value_or(planned.t0);
    planned.accepted = planned.steps = end.accepted;
    if (end.t) planned.message += "; the last step accepted ended at t = " + to_text(*end.t);
    // Nothing is known of what it spent.
    planned.cpu_s = planned.wall_s = std::numeric_limits<double>::quiet_NaN();
    return planned;
}

/// All samples of one run; the turn goes to others in between.
std::string sampled(prepared_run run, child_link& link)
{
    using clock = std::chrono::steady_clock;
    constexpr auto shortest_turn = std::chrono::milliseconds(2); // below, changing from process to process would cost as much as the samples
    while (true) {
        const auto begin = clock::now();
        do {
            run.sample();
        } while (run.wants_sample() && clock::now() - begin < shortest_turn);
        if (!run.wants_sample()) return to_json(run.record());
        link.pass_turn();
    }
}

} // namespace

run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits, const contained_work& work)
{
    const run_record planned = planned_run(p, s.info(), settings);
    const auto in_child = [&](child_link& link) { return to_json(work(*watched(s, link, p.info().t0.value()))); };
    return record_of(run_in_child(in_child, limits_for(settings, limits)), planned);
}

run_record measure_contained(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits)
{
    return measure_contained(p, s, settings, limits, [&](const solver& watched) { return measure_run(p, watched, settings); });
}

contained_run::contained_run(const problem& p, const solver& s, const run_settings& settings, const child_limits& limits)
    : planned_(planned_run(p, s.info(), settings)),
      child_(
          [&p, &s, settings](child_link& link) {
              const auto watched_solver = watched(s, link, p.info().t0.value());
              return sampled(prepared_run(p, *watched_solver, settings), link);
          },
          limits_for(settings, limits))
{}

void contained_run::sample() { wants_sample_ = child_.go_on(); }

run_record contained_run::record() const { return record_of(child_.result(), planned_); }

} // namespace ivp
