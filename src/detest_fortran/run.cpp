// NSDTST, STDTST and STATS: an assessment whose method is the user's METHOD.
#include "arguments.hpp"
#include "base/cpu_time.hpp"
#include "detest/assess.hpp"
#include "detest/truth.hpp"
#include "engine.h"
#include "foreign_equations.hpp"
#include "problems.hpp"
#include "report/assessment_tables.hpp"

#include <ivp/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ivp::detest_fortran {

namespace {

using namespace detest;

constexpr float own_failure = 9;
constexpr float unknown = 1e20F; // as the original has it
constexpr int steps_to_debug = 5;

/// What STATS has to know. Fortran's STATS has no argument that could tell it, so there is one of these in a process.
struct stats_context {
    bool running = false;
    step_sink* sink = nullptr; // null while METHOD is timed
    int n = 0;
    int lud = 0;
    std::exception_ptr failure; // must not pass through Fortran
};
stats_context context;

class lines {
public:
    explicit lines(const ivp_detest_call& call) : call_(call) {}
    void put(std::string_view text) const
    {
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            call_.put_line(text.data(), static_cast<int>(end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        call_.put_line(nullptr, -1);
    }

private:
    const ivp_detest_call& call_;
};

/// METHOD, which says only how far it came.
class fortran_method final : public method {
public:
    explicit fortran_method(const ivp_detest_call& call) : call_(call) {}
    [[nodiscard]] std::string name() const override { return "METHOD"; }
    [[nodiscard]] bool extrapolated() const override { return call_.option[3] == 1; }

    method_run integrate(const assessed_problem& p, double tol, std::optional<double> h0, step_sink* sink) override
    {
        const int phase = sink == nullptr ? ivp_detest_timing : started_ ? ivp_detest_statistics : ivp_detest_start;
        started_ = true;
        method_run run;
        run.t = p.t0();
        run.y = p.problem.in<double>().initial_values();
        ivp_detest_counts counts{};
        context.sink = sink;
        context.n = p.problem.n();
        const auto begin = std::chrono::steady_clock::now();
        const double cpu_begin = process_cpu_seconds();
        call_.method(phase, p.problem.n(), &run.t, run.y.data(), p.tend(), tol, p.h_max, h0.value_or(0), &counts, &run.seconds);
        // CLOCK is a call of the system as a rule, and there are two true solutions to time in a step: their share is measured by another clock.
        run.clock_rate = run.seconds / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        // Its readings may be coarse too: a run of microseconds is compared with the next by a finer clock.
        run.finer_seconds = process_cpu_seconds() - cpu_begin;
        context.sink = nullptr;
        if (context.failure) std::rethrow_exception(std::exchange(context.failure, nullptr));
        run.count.f = static_cast<std::uint64_t>(counts.fcn);
        run.count.jacobian = static_cast<std::uint64_t>(counts.jac);
        run.count.lu = static_cast<std::uint64_t>(counts.lud);
        run.sink_is_timed = true;
        if (!(run.t >= p.tend())) {
            run.outcome = outcome::crashed; // there is no outcome for a method that does not say why
            run.message = "METHOD returned before XEND";
        }
        return run;
    }

private:
    const ivp_detest_call& call_;
    bool started_ = false;
};

/// TRUE of the program.
class program_truth final : public truth {
public:
    program_truth(const ivp_detest_call& call, const problem& p) : call_(call), x_(p.info().t0.value()), y_(p.in<double>().initial_values()) {}

    true_point advance(double t, double tolerance) override
    {
        call_.program_truth(1, static_cast<int>(y_.size()), &x_, y_.data(), t, tolerance, &flag_);
        return {flag_, x_};
    }
    [[nodiscard]] std::span<const double> global_solution() const override { return y_; }

    true_point local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y) override
    {
        true_point p{truth_not_asked, t0};
        std::copy(y0.begin(), y0.end(), y.begin());
        call_.program_truth(0, static_cast<int>(y.size()), &p.t, y.data(), t, tolerance, &p.flag);
        return p;
    }

private:
    const ivp_detest_call& call_;
    double x_;
    std::vector<double> y_;
    int flag_ = truth_not_asked;
};

/// A problem as IVALU, EVALU and FCN of the program describe it, with all weights whether or not they are used.
struct described_problem {
    assessed_problem assessed;
    std::vector<double> weight;
    problem_code code;
};

std::string name_of(int id) { return std::string(1, static_cast<char>('A' + (id - 1) / 10)) + std::to_string((id - 1) % 10 + 1); }

problem equations_of(const ivp_detest_call& call, const problem_code& code, const ivp_detest_beginning& start)
{
    // Without a detour through Fortran where all of it is ours.
    if (call.own_problems != 0)
        if (const kept_problem* kept = find_problem(call.stiff != 0, code.id, code.scaled)) return kept->assessed().problem;
    const procedures program{start.n, call.fcn, call.pderv, false};
    const std::vector<double> y0(start.y, start.y + start.n);
    return call.single != 0 ? foreign_problem<float>(program, y0, start.x, start.xend) : foreign_problem<double>(program, y0, start.x, start.xend);
}

described_problem describe(const ivp_detest_call& call, const problem_code& code)
{
    ivp_detest_beginning start{};
    const int scaled = code.scaled ? 1 : -1;
    call.start(code.id, scaled, &start);
    if (start.n < 1 || start.n > ivp_detest_most_components || !(start.xend > start.x))
        throw std::runtime_error(
            fmt::format("IVALU says of problem {} that N = {}, XSTART = {:g}, XEND = {:g}", code.id, start.n, start.x, start.xend));
    const std::vector<double> weight(start.w, start.w + start.n);
    std::vector<double> end(weight.size());
    call.end_values(start.n, weight.data(), scaled, code.id, end.data());
    assessed_problem p{name_of(code.id), name_of(code.id), code.scaled, equations_of(call, code, start), {}, std::move(end),
                       start.hbegin,     start.hmax,       {}};
    if (code.scaled) p.weights = weight;
    p.unit = {start.seconds[0], start.seconds[1], start.seconds[2]};
    return {std::move(p), weight, code};
}

/// Prints each step as it is told: METHOD may break down before the next.
class debug_sink final : public step_sink {
public:
    debug_sink(const lines& out, double t0, const assessment_settings& s)
        : out_(out), last_(t0), with_estimate_(s.level >= 4), stiff_(s.set == problem_set::stiff)
    {}

    bool after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate) override
    {
        if (++told_ > steps_to_debug) {
            if (told_ == steps_to_debug + 1) // once is enough
                out_.put(fmt::format(" STATS is called again, with X = {:.16g}: METHOD has to return after STATS has set X = XEND", t));
            return false;
        }
        out_.put(fmt::format(" step {}: X = {:.16g}  ERRBND = {:.6g}{}", told_, t, bound, stiff_ ? fmt::format("  NLUD = {}", context.lud) : ""));
        out_.put(fmt::format("    I {:>24}{}", "Y", with_estimate_ ? fmt::format(" {:>16}", "ERREST") : ""));
        for (std::size_t i = 0; i < y.size(); ++i)
            out_.put(fmt::format("{:>5} {:>24.16e}{}", i + 1, y[i], with_estimate_ ? fmt::format(" {:>16.6e}", estimate[i]) : ""));
        if (!(t > last_)) out_.put(fmt::format(" X is not above that of the step before, {:.16g}", last_));
        if (!(bound > 0)) out_.put(" ERRBND is not above 0");
        last_ = t;
        return told_ < steps_to_debug;
    }
    [[nodiscard]] int told() const { return told_; }

private:
    const lines& out_;
    double last_;
    bool with_estimate_;
    bool stiff_;
    int told_ = 0;
};

ivp_detest_task task_of(const described_problem& d, double working_tol)
{
    return {working_tol, d.assessed.tend(), d.assessed.problem.n(), d.code.id, d.code.scaled ? 1 : -1, d.weight.data()};
}

float real(double v) { return std::isfinite(v) ? static_cast<float>(v) : unknown; }
int count(std::uint64_t v) { return static_cast<int>(std::min<std::uint64_t>(v, std::numeric_limits<int>::max())); }

ivp_detest_row told_row(const row& r, double working_tol)
{
    const bool there = r.reached_end();
    return {r.x_reached,
            r.x_true,
            r.start_step,
            there ? real(r.cost.time_s) : unknown,
            there ? real(r.cost.overhead_s) : unknown,
            real(r.truth_time_s),
            there ? real(r.end_error * working_tol) : unknown,
            std::isnan(r.max_global_error) ? 0 : real(r.max_global_error * working_tol),
            std::isnan(r.max_local_error) ? 0 : real(r.max_local_error),
            count(r.cost.nfev),
            count(r.cost.njac),
            count(r.cost.nlu),
            count(r.cost.accepted),
            count(r.lumped_steps),
            count(r.deceived_steps),
            count(r.badly_deceived_steps),
            count(r.assessed_steps),
            count(r.start_evaluations),
            r.truth_global,
            r.truth_local};
}

class package_run {
public:
    explicit package_run(const ivp_detest_call& call) : call_(call), out_(call), settings_(settings_of(call)), groups_(groups_of(call))
    {
        auto& replaced = settings_.replaced;
        if (call.program_truth != nullptr) replaced.make_truth = [&call](const problem& p) { return std::make_unique<program_truth>(call, p); };
        if (call.distance != nullptr)
            replaced.distance = [&call](std::span<const double> a, std::span<const double> b) {
                return static_cast<double>(call.distance(static_cast<int>(a.size()), a.data(), b.data()));
            };
    }

    void assess_all()
    {
        std::vector<summary_line> summary(settings_.tolerances.size());
        summary_line overall;
        int number = 0;
        for (const auto& group : groups_) {
            out_.put(fmt::format("\n==== group {} ====  {}\n", ++number, title()));
            group_result g;
            g.summary.resize(settings_.tolerances.size());
            for (const auto& code : group) add(g.summary, assess_problem(code));
            out_.put(group_summary_text(g, settings_));
            add(summary, g.summary);
        }
        for (const auto& line : summary) overall.add(line);
        out_.put(overall_text(summary, overall, settings_));
    }

    void debug_first()
    {
        const described_problem d = describe(call_, groups_.front().front());
        const assessed_problem& p = d.assessed;
        const double tol = settings_.tolerances.front();
        const double working = settings_.working(tol);
        const ivp_detest_task task = task_of(d, working);
        call_.begin_task(&task);
        out_.put(
            fmt::format("\n{} {}, TOL = {:.1e}: the first {} steps that METHOD reports to STATS\n N = {}, XEND = {:g}, HMAX = {:g}, HSTART = {:g}\n",
                        p.name, p.scaled ? "scaled" : "unscaled", tol, steps_to_debug, p.problem.n(), p.tend(), p.h_max, p.h_begin.value_or(0)));
        if (settings_.level < 4) out_.put(" ERREST is read with OPT = 4 only");
        debug_sink sink(out_, p.t0(), settings_);
        fortran_method m(call_);
        const method_run run = m.integrate(p, working, p.h_begin, &sink);
        out_.put(fmt::format(" METHOD returned with X = {:.16g}; NFCN = {}{}", run.t, run.count.f,
                             call_.stiff != 0 ? fmt::format(", NJAC = {}, NLUD = {}", run.count.jacobian, run.count.lu) : ""));
        if (run.outcome == outcome::success) return;
        out_.put(sink.told() >= steps_to_debug
                     ? " X has to be XEND after STATS has set it so: as it is, the package would report that METHOD failed to start"
                     : fmt::format(" METHOD gave up before XEND = {:g}, after {} steps", p.tend(), sink.told()));
    }

private:
    [[nodiscard]] std::string title() const
    {
        std::string_view t(call_.title, static_cast<std::size_t>(call_.title_length));
        while (t.ends_with(' ')) t.remove_suffix(1);
        return std::string(t);
    }

    static void add(std::vector<summary_line>& sum, const std::vector<summary_line>& more)
    {
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k].tol = more[k].tol;
            sum[k].add(more[k]);
        }
    }

    // Every line is printed as soon as it is known.
    std::vector<summary_line> assess_problem(const problem_code& code)
    {
        described_problem d = describe(call_, code);
        problem_result heading;
        heading.name = d.assessed.name;
        heading.scaled = d.assessed.scaled;
        out_.put(problem_heading(heading, settings_));
        measure_units(d);
        const auto make_row = [&](const assessed_problem& q, double tol) {
            const double working = settings_.working(tol);
            const ivp_detest_task task = task_of(d, working);
            call_.begin_task(&task);
            fortran_method m(call_);
            row r = assess_row(q, tol, m, settings_);
            const ivp_detest_row told = told_row(r, working);
            call_.end_task(&told);
            row shown = r;
            shown.outcome = outcome::success; // of a failure nobody knows why; the message says what is known
            out_.put(row_text(shown, settings_, settings_.extrapolated.value_or(false)));
            return r;
        };
        const problem_group alone{d.assessed};
        const assessment a = assess(std::span(&alone, 1), settings_, make_row);
        out_.put(problem_footer(a.groups.front().problems.front(), settings_));
        return a.summary;
    }

    /// What IVALU does not know.
    void measure_units(described_problem& d)
    {
        unit_costs& unit = d.assessed.unit;
        if (settings_.timing_s <= 0 || unit.evaluation_s > 0 || unit.jacobian_s > 0 || unit.factorisation_s > 0) return;
        const ivp_detest_task task = task_of(d, settings_.working(settings_.tolerances.front()));
        call_.begin_task(&task);
        double seconds[3] = {};
        call_.unit_costs(d.assessed.problem.n(), d.assessed.tend(), d.assessed.end.data(), seconds);
        unit = {seconds[0], seconds[1], seconds[2]};
    }

    const ivp_detest_call& call_;
    lines out_;
    assessment_settings settings_;
    std::vector<std::vector<problem_code>> groups_;
};

float run_package(const ivp_detest_call& call)
{
    const lines out(call);
    const char* const name = call.stiff != 0 ? "STDTST" : "NSDTST";
    if (context.running) {
        out.put(fmt::format(" {} was called during a run; only one run at a time is possible", name));
        return own_failure;
    }
    std::string_view machine(call.machine, static_cast<std::size_t>(call.machine_length));
    while (machine.ends_with(' ')) machine.remove_suffix(1);
    out.put(fmt::format("\n{} DETEST ({}{})  OPT = {}  NORMEF = {}  NRMTYP = {}  {}", call.stiff != 0 ? "Stiff" : "Nonstiff", name,
                        call.debug != 0 ? ", dummy" : "", call.option[0], call.option[1], call.option[2], machine));
    if (call.flag != 0) {
        out.put(fmt::format(" {} is not run, its arguments have errors: FLAG = {:.0f}", name, call.flag));
        return call.flag;
    }
    struct running_mark {
        running_mark() { context = {.running = true, .sink = nullptr, .n = 0, .lud = 0, .failure = nullptr}; }
        ~running_mark() { context.running = false; }
    } const mark;
    package_run run(call);
    call.debug != 0 ? run.debug_first() : run.assess_all();
    return 0;
}

} // namespace

} // namespace ivp::detest_fortran

using ivp::detest_fortran::context;

float ivp_detest_run(const ivp_detest_call* call)
{
    try {
        return ivp::detest_fortran::run_package(*call);
    } catch (const std::exception& e) {
        ivp::detest_fortran::lines(*call).put(fmt::format(" the package failed: {}", e.what()));
        return ivp::detest_fortran::own_failure;
    }
}

int ivp_detest_step(double x, const double* y, double bound, const double* estimate, int lud)
{
    if (context.sink == nullptr) return 0;
    const auto n = static_cast<std::size_t>(context.n);
    context.lud = lud;
    try {
        return context.sink->after_step(x, {y, n}, bound, {estimate, estimate == nullptr ? 0 : n}) ? 0 : 1;
    } catch (...) {
        context.failure = std::current_exception();
        return 1;
    }
}

void ivp_detest_machine(char* text, int length)
{
    static const std::string name = ivp::this_machine().cpu;
    const auto n = std::min(name.size(), static_cast<std::size_t>(length));
    std::fill_n(std::copy_n(name.begin(), n, text), static_cast<std::size_t>(length) - n, ' ');
}
