#include <ivp/run.hpp>

#include <ivp/mechanics.hpp>

#include "base/text.hpp"
#include "drivers/plugin.hpp"
#include "initial_derivative.hpp"
#include "linalg/kernels.hpp"
#include "model/record_fields.hpp"
#include "model/reference.hpp"
#include "model/settings_fields.hpp"
#include "stats/growth.hpp"
#include "stopwatch.hpp"
#include "text/outputs.hpp"
#include "text/text_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace ivp {

/// One integration over the whole interval, restarted at every breakpoint.
struct integration {
    solve_result result;
    counters count;
    std::vector<double> y;
    double cpu = 0;
    double wall = 0;
    bool exact_jacobian_used = false;
};

namespace {

/// Passes steps on and keeps the time this takes, which is not the solver's.
class timed_observer final : public step_observer {
public:
    explicit timed_observer(step_observer& inner) : inner_(inner) {}
    observer_answer on_step(const accepted_step& step) override
    {
        return spent_.around([&] { return inner_.on_step(step); });
    }
    [[nodiscard]] const stopwatch& spent() const { return spent_; }

private:
    step_observer& inner_;
    stopwatch spent_;
};

/// Passes steps on and keeps how far the run drifts from what the exact solution keeps, and how the drift grows.
class drift_observer final : public step_observer {
public:
    drift_observer(const invariants& kept, double t0, double tend, step_observer* inner)
        : kept_(kept), inner_(inner), t0_(t0), length_(tend - t0), here_(kept.names().size())
    {
        for (const auto& name : kept.names()) drifts_.push_back({name, {}});
        const auto velocity = std::ranges::find(drifts_, drift_of_velocity, &drift::name);
        if (velocity == drifts_.end()) return;
        velocity_ = velocity - drifts_.begin();
        drifts_.push_back({drift_of_velocity_times_step, {}});
    }
    observer_answer on_step(const accepted_step& step) override
    {
        const double share = parts * (step.t - t0_) / length_;
        const auto part = static_cast<std::size_t>(std::clamp(std::ceil(share) - 1, 0.0, parts - 1.0));
        kept_.evaluate(step.t, step.y.data(), here_.data());
        for (std::size_t k = 0; k < here_.size(); ++k) keep_larger(drifts_[k].largest[part], here_[k]);
        if (velocity_) keep_larger(drifts_.back().largest[part], std::abs(step.h) * here_[*velocity_]);
        return inner_ == nullptr ? observer_answer::go_on : inner_->on_step(step);
    }
    void note(run_record& r) const
    {
        for (const auto& d : drifts_) {
            double most = 0;
            for (const double v : d.largest) keep_larger(most, v);
            if (!std::isfinite(most)) continue;
            r.extra[drift_prefix + d.name] = most;
            if (const auto p = growth_exponent(d.largest)) r.extra[drift_prefix + d.name + drift_growth_suffix] = *p;
        }
    }

private:
    static constexpr int parts = 10; // of the interval
    struct drift {
        std::string name;
        std::array<double, parts> largest; ///< in each part
    };

    /// NaN, once it occurs, stays.
    static void keep_larger(double& largest, double value)
    {
        if (!(value <= largest) && !std::isnan(largest)) largest = value;
    }

    const invariants& kept_;
    step_observer* inner_;
    double t0_;
    double length_;
    std::optional<std::size_t> velocity_; ///< its place among the drifts
    std::vector<double> here_;
    std::vector<drift> drifts_;
};

/// Where the solver is to end: at every breakpoint if it is restarted there, and at tend.
std::vector<double> stops_of(const problem& p, double tend, bool restart)
{
    std::vector<double> stops;
    if (restart)
        for (const auto& b : p.info().breakpoints)
            if (b.value() > p.info().t0.value() && b.value() < tend) stops.push_back(b.value());
    stops.push_back(tend);
    return stops;
}

void add(solve_result& sum, const solve_result& part)
{
    const auto add_maps = [](std::map<std::string, double>& a, const std::map<std::string, double>& b) {
        for (const auto& [key, value] : b) a[key] += value;
    };
    sum.outcome = part.outcome;
    sum.message = part.message;
    sum.t = part.t;
    sum.algebra = part.algebra;
    sum.steps += part.steps;
    sum.accepted += part.accepted;
    sum.error_rejections += part.error_rejections;
    sum.order = part.order;
    add_maps(sum.claimed, part.claimed);
    add_maps(sum.extra, part.extra);
}

solve_result solved(const solver& s, evaluator& e, const segment& part, const solve_options& o, step_observer* observer)
{
    try {
        return s.solve(e, part, o, observer);
    } catch (const contract_breach& breach) {
        solve_result r;
        r.outcome = outcome::crashed;
        r.message = breach.what();
        r.t = part.t0;
        return r;
    }
}

integration integrate(const problem& p, const solver& s, const solve_options& o, double tend, const run_settings& settings, step_observer* observer)
{
    evaluator e(p);
    if (o.jacobian == jacobian_source::original) e.use_published_jacobian();
    if (s.info().max_threads <= 1) e.use_threads(o.threads); // a parallel method evaluates in threads of its own
    if (settings.timeout_s) e.set_time_limit(*settings.timeout_s);
    std::optional<timed_observer> timed;
    if (observer != nullptr) timed.emplace(*observer);

    integration run;
    run.y = p.in<double>().initial_values();
    std::vector<double> yp(p.n());
    if (s.info().needs_initial_derivative) yp = initial_derivative(p);
    stopwatch watch;
    const double others_before = children_cpu_seconds();
    double t = p.info().t0.value();
    for (const double stop : stops_of(p, tend, settings.restart)) {
        // The solver leaves its y' in yp; that of an ODE is known better, and jumps at a breakpoint.
        if (s.info().needs_initial_derivative && p.info().form == form::ode) (void)p.in<double>().f(t, run.y.data(), yp.data());
        const segment part{t, stop, run.y, yp, o.max_steps - std::min(o.max_steps, run.result.steps), run.result.order};
        add(run.result, watch.around([&] { return solved(s, e, part, o, timed ? &*timed : nullptr); }));
        if (run.result.outcome != outcome::success) break;
        t = stop;
    }
    run.count = e.total();
    run.exact_jacobian_used = e.exact_jacobian_used();
    // The clock of a virtual machine may be put back.
    run.cpu = std::max(0.0, watch.cpu - (timed ? timed->spent().cpu : 0) + children_cpu_seconds() - others_before);
    run.wall = watch.wall - (timed ? timed->spent().wall : 0);
    return run;
}

/// What the solver did and says.
void note(run_record& r, const integration& run)
{
    r.algebra = run.result.algebra;
    r.outcome = run.result.outcome;
    r.message = run.result.message;
    r.t_end_reached = run.result.t;
    r.y = run.y;
    r.steps = run.result.steps;
    r.accepted = run.result.accepted;
    r.rejected = r.steps - r.accepted;
    r.nfev = run.count.f;
    r.nfev_jac = run.count.f_jacobian;
    r.njac = run.count.jacobian;
    r.nlu = run.count.lu;
    r.nsolve = run.count.solve;
    r.claimed = run.result.claimed;
    r.extra.insert(run.result.extra.begin(), run.result.extra.end());
    if (run.result.algebra == label(algebra::krylov)) {
        r.extra["krylov_iterations"] = static_cast<double>(run.count.krylov_iterations);
        r.extra["krylov_failures"] = static_cast<double>(run.count.krylov_failures);
        r.extra["preconditioner_solves"] = static_cast<double>(run.count.preconditioner_solves);
        if (run.count.jacobian_products > 0) r.extra["jacobian_products"] = static_cast<double>(run.count.jacobian_products);
        r.extra["preconditioners"] = static_cast<double>(run.count.real_factorisations + run.count.complex_factorisations);
    }
    r.extra["refused_evaluations"] = static_cast<double>(run.count.refused);
    r.extra["nonfinite_evaluations"] = static_cast<double>(run.count.nonfinite);
}

/// To 12 digits of what is above atol, and but for rounding of the largest component: a library that does not sum in the same order each time
/// differs in the last ones.
bool agree(const std::vector<double>& a, const std::vector<double>& b, const run_record& r)
{
    constexpr double share = 1e-12;
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    const auto atol = [&r](std::size_t i) { return r.atol.size() == 1 ? r.atol[0] : r.atol.at(i); };
    double largest = 0;
    for (const double v : a) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        if (!(std::abs(a[i] - b[i]) <= share * (std::abs(a[i]) + atol(i)) + rounding * largest)) return false;
    }
    return true;
}

constexpr std::size_t most_samples = 1000; // a run of a microsecond needs no fifty thousand repetitions

/// At least 5 runs and 0.05 s in all below half a second a run, 3 runs below two seconds, else one.
bool enough_samples(const std::vector<double>& cpu, const run_settings& s)
{
    if (s.repeat) return cpu.size() >= static_cast<std::size_t>(*s.repeat);
    if (cpu.size() >= most_samples) return true;
    const double sum = std::accumulate(cpu.begin(), cpu.end(), 0.0);
    if (s.min_time_s) return sum >= *s.min_time_s;
    const double shortest = *std::min_element(cpu.begin(), cpu.end());
    if (shortest >= 2) return true;
    if (shortest >= 0.5) return cpu.size() >= 3;
    return cpu.size() >= 5 && sum >= 0.05;
}

constexpr double warm_up_below_s = 0.5;

/// The clocks have no finer unit; what a difference of two readings shows beyond it is rounding.
double in_nanoseconds(double s) { return std::round(s * 1e9) / 1e9; }

/// Why an answer that claims success comes from no integration, in words; none: it may come from one.
std::optional<std::string> why_nothing_was_done(const run_record& r, const problem& p, const std::optional<accuracy>& a)
{
    if (r.nfev + r.nfev_jac + r.njac == 0) return "the solver claims success, but has not evaluated the problem once";
    // On a problem with small components the initial value may have a digit by chance.
    if (a && a->mescd.value_or(0) < 1 && agree(r.y, p.in<double>().initial_values(), r))
        return "the solver claims success, but its answer is the initial value";
    return std::nullopt;
}

/// What a repetition did that the first integration did not, in words; empty: the same.
std::string difference(const run_record& first, const run_record& again)
{
    if (again.outcome != first.outcome)
        return "it ended with " + std::string(label(again.outcome)) + (again.message.empty() ? "" : ": " + again.message);
    std::string text;
    for_each_count(first, again, [&text](const char* /*field*/, const char* what, std::uint64_t a, std::uint64_t b) {
        if (a != b) text += (text.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(b) + " instead of " + std::to_string(a);
    });
    if (text.empty() && !agree(first.y, again.y, first)) text = "its answer differs in the first 12 digits";
    return text;
}

/// What the model names as its outputs, at the end.
void note_outputs(run_record& r, const problem& p)
{
    const has_outputs* const of = outputs_of(p);
    if (of == nullptr || r.y.size() != static_cast<std::size_t>(p.n())) return;
    std::vector<double> values(of->output_names().size());
    if (!of->outputs(r.t_end_reached, r.y.data(), values.data())) return;
    const std::size_t noted = std::min(values.size(), most_noted_outputs);
    if (noted < values.size()) r.extra[outputs_left_out] = static_cast<double>(values.size() - noted);
    for (std::size_t k = 0; k < noted; ++k)
        if (std::isfinite(values[k])) r.extra[output_prefix + of->output_names()[k]] = values[k];
}

} // namespace

build_info build_in_use()
{
    build_info b = this_build();
    b.kernels = kernels_in_use();
    return b;
}

solve_options resolve(const run_settings& s, const problem& p, const solver_info& solver)
{
    const auto& i = p.info();
    solve_options o;
    const double size = std::abs(s.rtol); // a negative one is refused below, once
    const double protocol_atol = i.protocol.atol(size);
    if (s.atol.size() > 1 || (s.same_atol && s.atol.size() == 1)) {
        o.tolerance.rtol = {s.rtol};
        o.tolerance.atol = s.atol;
    } else {
        o.tolerance = i.protocol.expand(s.rtol, s.atol.empty() ? protocol_atol : s.atol[0]);
    }
    static_cast<integration_settings&>(o) = s;
    if (!o.h0 && solver.needs_h0)
        if (const double h0 = i.protocol.h0(size, o.tolerance.atol); h0 >= std::numeric_limits<double>::min()) o.h0 = h0;
    o.jacobian = s.jacobian == jacobian_source::original ? i.protocol.published_jacobian : s.jacobian;
    o.full_differences = s.jacobian == jacobian_source::original;
    o.special = s.special;

    auto faults = o.validate(p, solver);
    if (faults.empty() && !o.h0 && solver.needs_h0)
        faults.push_back("h0: none given, but " + solver.name + " needs one; with these tolerances the protocol of " + p.id() +
                         " gives no number above 0 (--h0 gives one)");
    for (auto& fault : measurement_faults(s)) faults.push_back(std::move(fault));
    if (s.tend && !(*s.tend > i.t0.value() && std::isfinite(*s.tend)))
        faults.push_back("tend: " + to_text(*s.tend) + " given; allowed: a time after t0 = " + i.t0.text());
    if (s.repeat && s.min_time_s) faults.emplace_back("repeat and min-time are both given; allowed: one of them");
    if (!faults.empty()) throw bad_request(std::move(faults));
    return o;
}

run_record planned_run(const problem& p, const solver_info& solver, const run_settings& settings) { return plan_run(p, solver, settings).record; }

run_plan plan_run(const problem& p, const solver_info& solver, const run_settings& settings)
{
    if (const auto why = solver.refusal(p, settings.special, settings.jacobian)) throw bad_request(*why);
    run_plan plan;
    const solve_options& o = plan.options = resolve(settings, p, solver);
    run_record& r = plan.record;
    r.problem = p.id();
    r.problem_origin = p.info().origin;
    r.parameters = p.parameters().changed();
    r.solver = solver.name;
    r.solver_version = solver.version;
    r.solver_origin = solver.origin;
    r.solver_language = solver.language;
    r.library = solver.library;
    r.library_slowdown = solver.library_slowdown;
    r.form = label(p.info().form);
    r.dimension = p.n();
    r.t0 = p.info().t0.value();
    r.tend = settings.tend.value_or(p.info().tend.value());
    r.rtol_asked = settings.rtol;
    r.rtol = o.tolerance.rtol;
    r.atol = o.tolerance.atol;
    for_each_integration_setting(o, r, [](const auto& /*line*/, const auto& value, auto& noted) { noted = as_recorded(value); });
    r.algebra.clear(); // the run will tell which it uses
    const bool exact = o.jacobian == jacobian_source::differences || p.in<double>().has_exact_jacobian();
    r.jacobian = !solver.implicit ? "none" : label(exact ? o.jacobian : jacobian_source::differences);
    r.options = o.special;
    if (const auto& facts = p.info(); facts.origin == "text") // compiled or as a list: the same numbers, other times
        r.extra["text_compiled"] = std::ranges::count(facts.tags, compiled_tag) != 0 ? 1 : 0;
    r.build = build_in_use(); // refuses unknown kernels, too: a wrong name in the environment is no result of a run
    r.machine = this_machine();
    r.command = settings.command;
    return plan;
}

prepared_run::prepared_run(const problem& p, const solver& s, const run_settings& settings)
    : prepared_run(p, s, settings, plan_run(p, s.info(), settings))
{}

prepared_run::prepared_run(const problem& p, const solver& s, run_settings settings, run_plan plan)
    : problem_(p), solver_(s), settings_(std::move(settings)), record_(std::move(plan.record)), options_(std::move(plan.options))
{}

void prepared_run::sample(step_observer* observer)
{
    if (integrations_ == 0) solver_.prepare();
    // Where more samples follow, the first integration only warms up what the others find ready; a long one is not worth less for it.
    if (integrations_ == 1 && record_.cpu_samples.front() < warm_up_below_s) {
        record_.cpu_samples.clear();
        record_.wall_samples.clear();
    }
    ++integrations_;
    std::optional<drift_observer> drift;
    if (const invariants* const kept = invariants_of(problem_); kept != nullptr && integrations_ == 1)
        observer = &drift.emplace(*kept, record_.t0, record_.tend, observer);
    if (integrations_ == 1 && options_.threads > 1 && settings_.repeat != 1) note_time_of_one_thread();
    const integration run = integrate(problem_, solver_, options_, record_.tend, settings_, observer);
    record_.cpu_samples.push_back(in_nanoseconds(run.cpu));
    record_.wall_samples.push_back(in_nanoseconds(run.wall));
    if (integrations_ == 1) {
        note(record_, run);
        if (drift) drift->note(record_);
        // An implicit method that got through without asking for the exact one has made its own.
        if (solver_.info().implicit && !run.exact_jacobian_used && run.result.outcome == outcome::success)
            record_.jacobian = label(jacobian_source::differences);
        said_ = record_.outcome;
        note_outputs(record_, problem_);
        judge(record_, problem_);
        if (record_.message.empty() && record_.outcome != outcome::success) record_.message = sentence(record_.outcome);
    } else {
        compare_with_first(run);
    }
}

void prepared_run::note_time_of_one_thread()
{
    solve_options alone = options_;
    alone.threads = 1;
    integration run = integrate(problem_, solver_, alone, record_.tend, settings_, nullptr);
    double wall = run.wall;
    if (wall < warm_up_below_s) {
        run = integrate(problem_, solver_, alone, record_.tend, settings_, nullptr);
        wall = std::min(wall, run.wall);
    }
    if (run.result.outcome == outcome::success) record_.extra["wall_one_thread_s"] = wall;
}

void prepared_run::compare_with_first(const integration& run)
{
    run_record again = record_;
    note(again, run);
    const std::string repetition = "repetition " + std::to_string(integrations_ - 1);
    if (again.outcome == outcome::timed_out) { // ended from outside: that is no word on the solver
        record_.outcome = outcome::timed_out;
        record_.message = repetition + " reached the time limit, which the first integration did not";
        return;
    }
    run_record first = record_;
    first.outcome = said_;
    if (const std::string what = difference(first, again); !what.empty()) {
        record_.outcome = outcome::not_repeatable;
        record_.message = repetition + " is not the same as the first integration: " + what;
    }
}

bool prepared_run::wants_sample() const
{
    if (record_.cpu_samples.empty()) return true;
    const bool reached = record_.outcome == outcome::success || record_.outcome == outcome::wrong_answer;
    return reached && !enough_samples(record_.cpu_samples, settings_);
}

run_record prepared_run::record() const
{
    run_record r = record_;
    r.cpu_s = least_cpu(r.cpu_samples, r.wall_samples);
    r.wall_s = *std::min_element(r.wall_samples.begin(), r.wall_samples.end());
    r.repeats = static_cast<int>(r.cpu_samples.size());
    if (has_few_samples(r)) r.extra["few_samples"] = r.repeats;
    if (const auto alone = r.extra.find("wall_one_thread_s"); alone != r.extra.end() && r.wall_s > 0) r.extra["speed_up"] = alone->second / r.wall_s;
    return r;
}

run_record measure_run(const problem& p, const solver& s, const run_settings& settings, step_observer* observer)
{
    prepared_run run(p, s, settings);
    run.sample(observer);
    while (run.wants_sample()) run.sample();
    return run.record();
}

void judge(run_record& r, const problem& p)
{
    const auto bad = std::find_if(r.y.begin(), r.y.end(), [](double v) { return !std::isfinite(v); });
    if (r.outcome == outcome::success && bad != r.y.end()) {
        r.outcome = outcome::nonfinite;
        r.message = "the solver claims success, but component " + std::to_string(bad - r.y.begin() + 1) + " of its answer is not finite";
        return;
    }
    const auto a = accuracy_of(r, p);
    if (r.outcome == outcome::success)
        if (const auto why = why_nothing_was_done(r, p, a)) {
            r.outcome = outcome::wrong_answer;
            r.message = *why;
        }
    if (!a) return;
    r.scd = a->scd;
    r.scd_abs = a->scd_abs;
    r.mescd = a->mescd;
    if (is_estimated(p.reference()->confirmed)) r.extra[estimated_reference_name] = 1;
    if (r.outcome == outcome::success && is_wrong_answer(*a)) {
        r.outcome = outcome::wrong_answer;
        if (r.message.empty()) r.message = sentence(outcome::wrong_answer);
    }
}

namespace {

/// A result that agrees with the reference beyond its proven digits agrees by chance there: it has as many digits as are proven.
accuracy as_far_as_proven(accuracy a, const reference_solution& reference, const digits_in_reach& reach)
{
    const auto limit = [](std::optional<double>& digits, const std::optional<double>& most) {
        if (digits && most) digits = std::min(*digits, *most);
    };
    for (std::size_t i = 0; i < a.component.size(); ++i) {
        const double size = std::abs(reference.value[i].value());
        const double decades = size > 0 ? std::log10(size) : 0;
        limit(a.component[i].digits_rel, reference.absolute_digits ? reference.digits[i] + decades : reference.digits[i]);
        limit(a.component[i].digits_abs, reference.absolute_digits || size == 0 ? reference.digits[i] : reference.digits[i] - decades);
    }
    limit(a.scd, reach.scd);
    limit(a.scd_abs, reach.scd_abs);
    limit(a.scd_rel, reach.scd_rel);
    limit(a.mescd, reach.mescd);
    return a;
}

} // namespace

std::optional<accuracy> accuracy_of(const run_record& r, const problem& p)
{
    const auto& reference = p.reference();
    if (!reference || r.tend != reference->t.value()) return std::nullopt;
    const bool reached = r.outcome == outcome::success || r.outcome == outcome::wrong_answer;
    if (!reached) return std::nullopt;
    std::vector<double> values;
    for (const auto& v : reference->value) values.push_back(v.value());
    tolerances tol;
    tol.rtol = r.rtol;
    tol.atol = r.atol;
    // A problem in another form has further unknowns behind those of the reference.
    return as_far_as_proven(measure_accuracy(std::span(r.y).first(values.size()), values, tol, p.info().accuracy), *reference,
                            reach_of(*reference, tol, p.info().accuracy));
}

} // namespace ivp
