#include "assess.hpp"

#include "run/executor.hpp"

#include <ivp/run.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace ivp::detest {

namespace {

constexpr int most_repetitions = 10;
constexpr int enough_repetitions = 3; // if they agree
constexpr double steady_within = 0.05;
constexpr double tellable_share = 1.0 / 2400; // of the time for repetitions: 21 readings of a clock in microseconds, with 0.05 seconds

class probe_sink final : public step_sink {
public:
    explicit probe_sink(double t0) : probe(t0) {}
    bool after_step(double t, std::span<const double> /*y*/, double /*bound*/, std::span<const double> /*estimate*/) override
    {
        return probe.after_step(t);
    }
    start_probe probe;
};

class statistics_sink final : public step_sink {
public:
    statistics_sink(const problem& p, const assessment_settings& s, double tol, bool extrapolated) : statistics(p, s, tol, extrapolated) {}
    bool after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate) override
    {
        statistics.after_step(t, y, bound, estimate);
        return true;
    }
    step_statistics statistics;
};

class telling_sink final : public step_sink {
public:
    telling_sink(std::vector<told_step>& steps, int most) : steps_(steps), most_(most) {}
    bool after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate) override
    {
        steps_.push_back({t, {y.begin(), y.end()}, bound, {estimate.begin(), estimate.end()}});
        return static_cast<int>(steps_.size()) < most_;
    }

private:
    std::vector<told_step>& steps_;
    int most_;
};

/// The step that the solver chose by itself after the one it was offered. Fills what the row knows of it.
bool find_start(const assessed_problem& p, double tol, method& m, row& r)
{
    probe_sink sink(p.t0());
    const method_run run = m.integrate(p, tol, p.h_begin, &sink);
    r.start_evaluations = run.count.f + run.count.f_jacobian;
    r.start_step = sink.probe.step();
    if (run.outcome == outcome::stopped_by_observer || run.outcome == outcome::success) return true;
    r.code = could_not_start;
    r.outcome = run.outcome;
    r.message = run.message;
    r.x_reached = run.t;
    return false;
}

void take_statistics(row& r, const step_summary& s, double tol, const assessment_settings& settings)
{
    r.cost.accepted = s.steps;
    r.lumped_steps = s.lumped;
    r.assessed_steps = s.assessed;
    r.deceived_steps = s.deceived;
    r.badly_deceived_steps = s.badly_deceived;
    r.truth_time_s = s.truth_seconds;
    r.x_true = s.true_until;
    r.truth_global = s.global_flag;
    r.truth_local = s.local_flag;
    r.truth_rescues = s.truth_rescues;
    r.truth_failures = s.truth_failures;
    if (settings.level >= 2) r.max_global_error = s.max_global_error / tol;
    if (settings.level >= 3 && s.assessed > 0) r.max_local_error = s.max_local_error;
    if (settings.level >= 4) r.scatter = s.scatter;
    if (settings.level < 3 || !settings.details) return;
    r.by_bound = s.by_bound;
    r.by_tolerance = s.by_tolerance;
    r.worst = s.worst;
}

struct repetition {
    double seconds;
    std::optional<double> finer;
    [[nodiscard]] double finest() const { return finer.value_or(seconds); }
};

/// The mean of the least repetitions if they agree: what disturbs a run only makes it longer. Equal readings are those of a clock too coarse for the
/// run, and agree on nothing. Where a finer clock tells whether they agree, the coarse one, whose seconds they are, must have told them apart from
/// its ticks: all together above `tellable`, and none of the least twice as long as another.
std::optional<double> steady_time(std::vector<repetition> all, double tellable)
{
    if (all.size() < enough_repetitions) return {};
    double seconds = 0;
    double finest = 0;
    for (const auto& r : all) {
        seconds += r.seconds;
        finest += r.finest();
    }
    std::ranges::partial_sort(all, all.begin() + enough_repetitions, {}, &repetition::finest);
    const auto least = std::span(all).first<enough_repetitions>();
    if (least.front().finest() == least.back().finest() || least.back().finest() > (1 + steady_within) * least.front().finest()) return {};
    if (least.front().finer) {
        const auto [shortest, longest] = std::ranges::minmax(least, {}, &repetition::seconds);
        if (seconds < tellable || longest.seconds >= 2 * shortest.seconds) return {};
    }
    double sum = 0;
    for (const auto& r : least) sum += r.finest();
    return sum / enough_repetitions * (seconds / finest);
}

/// Repeats the run until its time is known; without agreement it is the mean of all repetitions.
void time_run(const assessed_problem& p, double tol, std::optional<double> h0, method& m, const assessment_settings& settings, row& r,
              std::vector<double>& y)
{
    r.repetitions = 1;
    if (settings.timing_s <= 0) return;
    if (settings.level == 1 && r.cost.time_s >= 0.5 * settings.timing_s) return;
    std::vector<repetition> repetitions;
    double sum = 0;
    for (int k = 0; k < most_repetitions && sum < settings.timing_s; ++k) {
        method_run run = m.integrate(p, tol, h0, nullptr);
        if (run.outcome != outcome::success) {
            r.code = failed_while_timed;
            r.outcome = run.outcome;
            r.message = "it failed only while it was timed: " + run.message;
            return;
        }
        sum += run.seconds;
        repetitions.push_back({run.seconds, run.finer_seconds});
        r.repetitions = k + 1;
        y = std::move(run.y);
        const auto steady = steady_time(repetitions, tellable_share * settings.timing_s);
        r.cost.time_s = steady.value_or(sum / r.repetitions);
        if (steady) return;
    }
}

/// What a run took that did not reach the end says nothing.
row without_time(row r)
{
    r.cost.time_s = r.cost.overhead_s = std::numeric_limits<double>::quiet_NaN();
    return r;
}

double overhead(const row& r, const unit_costs& u)
{
    const auto& c = r.cost;
    return c.time_s - static_cast<double>(c.evaluations()) * u.evaluation_s - static_cast<double>(c.njac) * u.jacobian_s -
           static_cast<double>(c.nlu) * u.factorisation_s;
}

} // namespace

row assess_row(const assessed_problem& p, double tolerance, method& m, const assessment_settings& settings)
{
    const double tol = settings.working(tolerance);
    row r;
    r.tol = tolerance;
    if (!find_start(p, tol, m, r)) return without_time(r);

    std::optional<double> h0 = p.h_begin;
    if (r.start_step > 0) h0 = std::min(r.start_step, p.h_max);
    statistics_sink sink(p.problem, settings, tol, settings.extrapolated.value_or(m.extrapolated()));
    method_run run = m.integrate(p, tol, h0, &sink);
    take_statistics(r, sink.statistics.finished(), tol, settings);
    r.truth_time_s *= run.clock_rate;
    r.cost.time_s = run.seconds - (run.sink_is_timed ? r.truth_time_s : 0);
    r.cost.nfev = run.count.f;
    r.cost.nfev_jac = run.count.f_jacobian;
    r.cost.njac = run.count.jacobian;
    r.cost.nlu = run.count.lu;
    r.x_reached = run.t;
    r.outcome = run.outcome;
    r.message = run.message;
    const bool truth_lost = r.truth_global < 0 || r.truth_local < 0;
    if (run.outcome != outcome::success) {
        r.code = truth_lost ? both_failed : method_failed;
        return without_time(r);
    }
    r.code = truth_lost ? truth_failed : all_well;
    time_run(p, tol, h0, m, settings, r, run.y);
    r.cost.overhead_s = overhead(r, p.unit);
    r.end_error = distance(settings, p.end, std::span(run.y).first(p.end.size())) / tol;
    return r;
}

row assess_row_contained(const assessed_problem& p, double tol, const solver_request& request, const assessment_settings& settings,
                         const child_limits& limits)
{
    const auto assess_with = [&](const solver& watched) {
        solver_request inner = request;
        inner.solver = &watched;
        return to_json(assess_row(p, tol, *make_solver_method(inner), settings));
    };
    const auto timeout_s = request.timeout_s ? std::optional(2 * *request.timeout_s) : std::nullopt;
    const auto answer = execute_contained(*request.solver, p.t0(), timeout_s, limits, assess_with);
    if (const auto* answered = std::get_if<answered_work>(&answer)) {
        row assessed = row_from_json(answered->text);
        answered->refuse_for_memory(p.id + " with " + request.solver->info().name, assessed.outcome, assessed.message);
        return assessed;
    }
    const auto& broken = std::get<broken_work>(answer);
    row r;
    r.tol = tol;
    r.code = method_failed;
    r.outcome = broken.outcome;
    r.message = broken.message;
    r.x_reached = broken.t.value_or(p.t0());
    r.cost.accepted = broken.accepted;
    return without_time(r);
}

std::vector<told_step> first_steps(const assessed_problem& p, double tol, method& m, int most, method_run& run)
{
    std::vector<told_step> steps;
    telling_sink sink(steps, most);
    run = m.integrate(p, tol, p.h_begin, &sink);
    return steps;
}

assessment assess(std::span<const problem_group> groups, const assessment_settings& settings, const row_maker& make_row,
                  const std::function<void(const assessed_problem&, double)>& progress, const std::function<bool()>& stop)
{
    const auto begin = std::chrono::steady_clock::now();
    assessment a;
    a.settings = settings;
    a.summary.resize(settings.tolerances.size());
    const auto stopped = [&stop] { return stop && stop(); };
    for (const auto& group : groups) {
        group_result& g = a.groups.emplace_back();
        g.summary.resize(settings.tolerances.size());
        for (const auto& p : group) {
            if (stopped()) break;
            problem_result result;
            result.id = p.id;
            result.name = p.name;
            result.scaled = p.scaled;
            result.weights = p.weights;
            for (const double tolerance : settings.tolerances) {
                if (progress) progress(p, tolerance);
                result.rows.push_back(make_row(p, tolerance));
                if (stopped()) break;
            }
            if (stopped()) break; // a row that was cut short is none
            for (std::size_t k = 0; k < settings.tolerances.size(); ++k) g.summary[k].add(result.rows[k]);
            evaluate_rows(result, settings);
            g.problems.push_back(std::move(result));
        }
        for (std::size_t k = 0; k < settings.tolerances.size(); ++k) {
            g.summary[k].tol = a.summary[k].tol = settings.tolerances[k];
            a.summary[k].add(g.summary[k]);
        }
    }
    for (const auto& line : a.summary) a.overall.add(line);
    a.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return a;
}

} // namespace ivp::detest
