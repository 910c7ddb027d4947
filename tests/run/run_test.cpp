#include "model/test_problem.hpp"
#include "run/stopwatch.hpp"
#include "scripted_solver.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ivp {

namespace {

run_settings quick()
{
    run_settings s;
    s.repeat = 1;
    return s;
}

} // namespace

TEST(measure_run, a_disturbed_sample_is_not_the_least_time)
{
    const std::array cpu{2.0e-5, 0.5e-5, 2.1e-5};
    EXPECT_EQ(least_cpu(cpu, std::array{2.02e-5, 9e-5, 2.1e-5}), 2.0e-5) << "the second was put back by the clock of the machine";
    EXPECT_EQ(least_cpu(cpu, std::array{9e-5, 9e-5, 9e-5}), 0.5e-5) << "where all are disturbed, all count";
    EXPECT_EQ(least_cpu(cpu, std::array{1.1e-5, 0.4e-5, 1.2e-5}), 0.5e-5) << "two threads take more CPU time than wall time";
    EXPECT_EQ(least_cpu(std::array{2e-7, 3e-7}, std::array{9e-7, 9e-7}), 2e-7) << "reading the clocks takes a moment";
}

TEST(measure_run, a_lie_about_success_is_a_wrong_answer)
{
    const problem p = open_problem("vdpol");
    const scripted_solver far_off([](evaluator&, const segment& s, const solve_options&, step_observer*) {
        s.y[0] = 100;
        s.y[1] = -1e6;
        return reached(s);
    });
    const run_record r = measure_run(p, far_off, quick());
    EXPECT_EQ(r.outcome, outcome::wrong_answer);
    EXPECT_LT(*r.scd, 0);
    EXPECT_FALSE(r.message.empty());
}

TEST(measure_run, no_digit_is_beyond_the_reference)
{
    const problem p = open_problem("hires");
    reference_solution known = *p.reference();
    std::ranges::fill(known.digits, 5);
    const scripted_solver exact([&known](evaluator& e, const segment& s, const solve_options&, step_observer*) {
        std::vector<double> out(s.y.size());
        (void)e.f(0, s.y.data(), out.data());
        for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] = known.value[i].value();
        return reached(s);
    });
    double largest = 0;
    for (const auto& v : known.value) largest = std::max(largest, std::abs(v.value()));
    const run_record r = measure_run(p.with_reference(known), exact, quick());
    EXPECT_NEAR(r.scd.value(), 5, 1e-12);
    EXPECT_NEAR(r.scd_abs.value(), 5 - std::log10(largest), 1e-12);
    EXPECT_FALSE(r.extra.contains("reference_estimated"));
    const auto a = accuracy_of(r, p.with_reference(known)).value();
    EXPECT_EQ(a.scd_abs, r.scd_abs);
    EXPECT_NEAR(a.scd_rel.value(), 5, 1e-12);
    known.confirmed = "estimated, not proven: runs agree";
    EXPECT_EQ(measure_run(p.with_reference(known), exact, quick()).extra.at("reference_estimated"), 1);
}

TEST(measure_run, an_answer_that_is_not_a_number_is_not_a_success)
{
    const scripted_solver broken([](evaluator&, const segment& s, const solve_options&, step_observer*) {
        s.y[3] = std::nan("");
        return reached(s);
    });
    const run_record r = measure_run(open_problem("hires"), broken, quick());
    EXPECT_EQ(r.outcome, outcome::nonfinite);
    EXPECT_EQ(r.message, "the solver claims success, but component 4 of its answer is not finite");
    EXPECT_FALSE(r.scd);
    EXPECT_FALSE(r.mescd);
}

TEST(measure_run, digits_of_the_exact_answer)
{
    const problem p = open_problem("hires");
    const scripted_solver oracle([&p](evaluator&, const segment& s, const solve_options&, step_observer*) {
        copy_reference(p, s.y);
        return reached(s);
    });
    const run_record r = measure_run(p, oracle, quick());
    EXPECT_EQ(r.outcome, outcome::success);
    EXPECT_EQ(*r.scd, 16.0);
    EXPECT_EQ(r.steps, 3u);
    EXPECT_EQ(r.rejected, 1u);
}

TEST(measure_run, one_segment_between_breakpoints_and_sums_over_them)
{
    const problem p = open_problem("medakzo", {{"N", "5"}});
    std::vector<std::pair<double, double>> seen;
    const scripted_solver listing([&seen](evaluator&, const segment& s, const solve_options&, step_observer*) {
        seen.emplace_back(s.t0, s.tend);
        return reached(s);
    });
    const run_record r = measure_run(p, listing, quick());
    EXPECT_EQ(seen, (std::vector<std::pair<double, double>>{{0, 5}, {5, 20}}));
    EXPECT_EQ(r.steps, 6u);
    EXPECT_EQ(r.nfev, 2u);

    seen.clear();
    run_settings s = quick();
    s.tend = 3;
    EXPECT_EQ(measure_run(p, listing, s).tend, 3.0);
    EXPECT_EQ(seen.size(), 1u);
}

TEST(measure_run, without_restarts_the_interval_is_one_segment)
{
    const problem p = open_problem("medakzo", {{"N", "5"}});
    std::vector<std::pair<double, double>> seen;
    const scripted_solver listing([&seen](evaluator&, const segment& s, const solve_options&, step_observer*) {
        seen.emplace_back(s.t0, s.tend);
        return reached(s);
    });
    run_settings s = quick();
    EXPECT_EQ(measure_run(p, listing, s).restart, "yes");
    seen.clear();
    s.restart = false;
    EXPECT_EQ(measure_run(p, listing, s).restart, "no");
    EXPECT_EQ(seen, (std::vector<std::pair<double, double>>{{0, 20}}));
}

TEST(measure_run, a_failure_ends_the_run_at_its_segment)
{
    int calls = 0;
    const scripted_solver failing([&calls](evaluator&, const segment& s, const solve_options&, step_observer*) {
        ++calls;
        solve_result r;
        r.outcome = outcome::step_too_small;
        r.t = 0.5 * (s.t0 + s.tend);
        return r;
    });
    const run_record r = measure_run(open_problem("medakzo", {{"N", "5"}}), failing, run_settings{});
    EXPECT_EQ(calls, 1) << "a failed run is not repeated for its time";
    EXPECT_EQ(r.t_end_reached, 2.5);
    EXPECT_EQ(r.message, sentence(outcome::step_too_small));
    EXPECT_FALSE(r.scd);
}

TEST(measure_run, steps_left_are_those_of_the_whole_run)
{
    std::vector<std::uint64_t> left;
    const scripted_solver counting([&left](evaluator&, const segment& s, const solve_options&, step_observer*) {
        left.push_back(s.max_steps);
        return reached(s);
    });
    run_settings s = quick();
    s.max_steps = 10;
    (void)measure_run(open_problem("medakzo", {{"N", "5"}}), counting, s);
    EXPECT_EQ(left, (std::vector<std::uint64_t>{10, 7}));
}

TEST(measure_run, time_of_the_observer_is_not_the_solvers)
{
    struct slow final : step_observer {
        observer_answer on_step(const accepted_step&) override
        {
            burn_cpu(0.1);
            return observer_answer::go_on;
        }
    } observer;
    const scripted_solver one_step([](evaluator&, const segment& s, const solve_options&, step_observer* w) {
        if (w != nullptr) (void)w->on_step({.t_old = s.t0, .t = s.tend, .h = s.tend - s.t0, .y = s.y});
        return reached(s);
    });
    const run_record r = measure_run(open_problem("vdpol"), one_step, quick(), &observer);
    EXPECT_LT(r.cpu_s, 0.05);
    EXPECT_GE(r.cpu_s, 0);
}

TEST(measure_run, work_given_to_a_child_process_is_timed_too)
{
    const scripted_solver delegating([](evaluator&, const segment& s, const solve_options&, step_observer*) {
        const pid_t worker = fork();
        if (worker == 0) {
            burn_cpu(0.1);
            _exit(0);
        }
        waitpid(worker, nullptr, 0);
        return reached(s);
    });
    EXPECT_GT(measure_run(open_problem("vdpol"), delegating, quick()).cpu_s, 0.09);
}

TEST(measure_run, repeats_until_the_time_is_reliable)
{
    const problem p = open_problem("vdpol");
    int integrations = 0;
    const scripted_solver busy([&](evaluator&, const segment& s, const solve_options&, step_observer*) {
        ++integrations;
        burn_cpu(0.004);
        copy_reference(p, s.y);
        return reached(s);
    });
    const run_record r = measure_run(p, busy, run_settings{});
    EXPECT_GE(r.repeats, 5);
    EXPECT_EQ(r.cpu_samples.size(), static_cast<std::size_t>(r.repeats));
    EXPECT_EQ(integrations, r.repeats + 1) << "the first one only warms up";
    EXPECT_EQ(r.cpu_s, least_cpu(r.cpu_samples, r.wall_samples));
    for (const auto* samples : {&r.cpu_samples, &r.wall_samples})
        for (const double s : *samples) EXPECT_EQ(s, std::round(s * 1e9) / 1e9) << "whole nanoseconds, so that a store has no digits of noise";
    EXPECT_FALSE(has_few_samples(r));
    EXPECT_EQ(r.extra.count("few_samples"), 0u);

    integrations = 0;
    const run_record once = measure_run(p, busy, quick());
    EXPECT_EQ(once.repeats, 1);
    EXPECT_EQ(integrations, 1) << "one integration was asked for";
    EXPECT_TRUE(has_few_samples(once));
    EXPECT_EQ(once.extra.at("few_samples"), 1);
}

/// A solver whose k-th integration (from 1) changes what it did before.
struct changing {
    problem p = open_problem("hires");
    int integrations = 0;
    std::function<void(int, evaluator&, const segment&, solve_result&)> change;
    scripted_solver solver{[this](evaluator& e, const segment& s, const solve_options&, step_observer*) {
        copy_reference(p, s.y);
        solve_result r = reached(s);
        change(++integrations, e, s, r);
        return r;
    }};
    run_record record()
    {
        run_settings s;
        s.repeat = 4;
        return measure_run(p, solver, s);
    }
};

TEST(not_repeatable, a_cached_answer)
{
    changing c;
    c.change = [&c](int, evaluator&, const segment&, solve_result&) { c.solver.evaluates_ = false; };
    const run_record r = c.record();
    EXPECT_EQ(r.outcome, outcome::not_repeatable);
    EXPECT_EQ(r.message, "repetition 1 is not the same as the first integration: f 0 instead of 1");
    EXPECT_EQ(c.integrations, 2) << "what cannot be repeated is not timed";
}

TEST(not_repeatable, other_counts_later)
{
    changing c;
    c.change = [](int k, evaluator& e, const segment&, solve_result& r) {
        if (k < 4) return;
        ++r.steps;
        ++e.count().lu;
    };
    const run_record r = c.record();
    EXPECT_EQ(r.outcome, outcome::not_repeatable);
    EXPECT_EQ(r.message, "repetition 3 is not the same as the first integration: steps 4 instead of 3, LUs 1 instead of 0");
    EXPECT_EQ(r.steps, 3u) << "the first integration stays what it was";
}

TEST(not_repeatable, a_failure_in_a_repetition)
{
    changing c;
    c.change = [](int k, evaluator&, const segment&, solve_result& r) {
        if (k == 3) r.outcome = outcome::singular_matrix;
    };
    const run_record r = c.record();
    EXPECT_EQ(r.outcome, outcome::not_repeatable);
    EXPECT_EQ(r.message, "repetition 2 is not the same as the first integration: it ended with singular_matrix");
}

TEST(not_repeatable, answers_may_differ_in_their_last_digits_only)
{
    double factor = 1 + 1e-14;
    changing c;
    c.change = [&factor](int k, evaluator&, const segment& s, solve_result&) { s.y[2] *= k > 1 ? factor : 1; };
    EXPECT_EQ(c.record().outcome, outcome::success);
    factor = 1 + 1e-9;
    c.integrations = 0;
    const run_record r = c.record();
    EXPECT_EQ(r.outcome, outcome::not_repeatable);
    EXPECT_NE(r.message.find("its answer differs in the first 12 digits"), std::string::npos) << r.message;
}

TEST(not_repeatable, a_repetition_at_the_time_limit_says_nothing_about_the_solver)
{
    changing c;
    c.change = [](int k, evaluator&, const segment&, solve_result& r) {
        if (k == 2) r.outcome = outcome::timed_out;
    };
    EXPECT_EQ(c.record().outcome, outcome::timed_out);
}

TEST(wrong_answer, success_without_one_evaluation)
{
    changing c;
    c.solver.evaluates_ = false;
    c.change = [](int, evaluator&, const segment&, solve_result&) {};
    const run_record exact = c.record();
    EXPECT_EQ(exact.outcome, outcome::wrong_answer) << "the reference itself";
    EXPECT_EQ(exact.message, "the solver claims success, but has not evaluated the problem once");

    for (const double factor : {1.0, 1 + 1e-15, -0.0}) {
        changing start;
        start.solver.evaluates_ = false;
        start.change = [&](int, evaluator&, const segment& s, solve_result&) {
            const auto y0 = start.p.in<double>().initial_values();
            for (std::size_t i = 0; i < y0.size(); ++i) s.y[i] = y0[i] * factor;
        };
        EXPECT_EQ(start.record().outcome, outcome::wrong_answer) << factor;
    }
}

TEST(wrong_answer, the_initial_value_but_for_rounding)
{
    changing c;
    c.change = [&c](int, evaluator&, const segment& s, solve_result&) {
        const auto y0 = c.p.in<double>().initial_values();
        for (std::size_t i = 0; i < y0.size(); ++i) s.y[i] = y0[i] * (1 + 1e-15);
    };
    const run_record r = c.record();
    EXPECT_EQ(r.outcome, outcome::wrong_answer);
    EXPECT_EQ(r.message, "the solver claims success, but its answer is the initial value");
}

TEST(resolve, follows_the_protocol)
{
    const auto radau5 = open_solver("radau5");
    run_settings s;
    s.rtol = 1e-6;
    const solve_options rober = resolve(s, open_problem("rober"), radau5->info());
    EXPECT_DOUBLE_EQ(rober.tolerance.atol[0], 1e-10);
    EXPECT_DOUBLE_EQ(*rober.h0, 1e-8);
    s.jacobian = jacobian_source::original;
    EXPECT_EQ(resolve(s, open_problem("caraxis"), radau5->info()).jacobian, jacobian_source::differences);
    EXPECT_EQ(resolve(s, open_problem("hires"), radau5->info()).jacobian, jacobian_source::exact);
    s.atol = {1, 2, 3};
    EXPECT_EQ(resolve(s, open_problem("rober"), radau5->info()).tolerance.atol.size(), 3u);
    s.atol = {1, 2};
    EXPECT_THROW((void)resolve(s, open_problem("rober"), radau5->info()), bad_request);
}

// Pure absolute control: the protocol's first step is a multiple of rtol, which is 0 then.
TEST(resolve, a_solver_that_needs_a_first_step_gets_one_with_rtol_0)
{
    const scripted_solver any([](evaluator&, const segment& g, const solve_options&, step_observer*) { return reached(g); });
    solver_info needs = any.info();
    needs.needs_h0 = true;
    run_settings s;
    s.rtol = 0;
    s.atol = {1e-6};
    EXPECT_EQ(resolve(s, open_problem("rober"), needs).h0, std::optional(1e-8));
    EXPECT_EQ(resolve(s, open_problem("emep"), needs).h0, std::optional(1e-7)) << "fixed by the problem";
    EXPECT_FALSE(resolve(s, open_problem("rober"), any.info()).h0);
    s.atol = {1e-3, 1e-8, 0.5};
    EXPECT_EQ(resolve(s, open_problem("rober"), needs).h0, std::optional(1e-10)) << "the smallest of them";
    s = run_settings{};
    s.rtol = 0;
    s.atol = {2e-322}; // times the factor of the protocol this is 0
    try {
        (void)resolve(s, open_problem("hires"), needs);
        ADD_FAILURE() << "accepted";
    } catch (const bad_request& e) {
        EXPECT_EQ(e.faults(), std::vector<std::string>{"h0: none given, but " + needs.name +
                                                       " needs one; with these tolerances the protocol of hires gives no "
                                                       "number above 0 (--h0 gives one)"});
    }
    s.h0 = 1e-10;
    EXPECT_EQ(resolve(s, open_problem("hires"), needs).h0, std::optional(1e-10));
    s.atol = {};
    EXPECT_THROW((void)resolve(s, open_problem("rober"), needs), bad_request);
}

TEST(resolve, refuses_differences_for_a_solver_that_has_none)
{
    const scripted_solver any([](evaluator&, const segment& g, const solve_options&, step_observer*) { return reached(g); });
    solver_info needs = any.info();
    needs.needs_exact_jacobian = true;
    run_settings s;
    EXPECT_EQ(planned_run(open_problem("caraxis"), needs, s).jacobian, "exact");
    for (const auto source : {jacobian_source::differences, jacobian_source::original}) { // the original of caraxis had differences
        s.jacobian = source;
        EXPECT_THROW((void)planned_run(open_problem("caraxis"), needs, s), bad_request);
    }
    problem_info i;
    i.id = "plain";
    i.n = 2;
    i.tend = 1;
    const problem plain(i, parameter_values({}, {}), std::make_shared<testing_support::plain_equations>(std::vector<double>{0, 0}, nullptr));
    EXPECT_NE(needs.refusal(plain).value_or("").find("scripted cannot take plain: the problem has no exact Jacobian"), std::string::npos);
    EXPECT_FALSE(any.info().refusal(plain));
}

TEST(measure_run, says_differences_of_a_solver_that_never_asks_for_the_exact_jacobian)
{
    const problem p = open_problem("vdpol");
    const auto run = [&p](bool asks) {
        const scripted_solver s([&p, asks](evaluator& e, const segment& g, const solve_options&, step_observer*) {
            std::vector<double> out(4);
            (void)e.f(g.t0, g.y.data(), out.data());
            if (asks) (void)e.jacobian(g.t0, g.y.data(), {structure_kind::full, 2, 0, 0, 2, nullptr, out.data()});
            copy_reference(p, g.y);
            return reached(g);
        });
        return measure_run(p, s, quick()).jacobian;
    };
    EXPECT_EQ(run(true), "exact");
    EXPECT_EQ(run(false), "differences");
}

TEST(resolve, vector_rule_of_a_problem)
{
    problem_info i;
    i.id = "ruled";
    i.n = 2;
    i.tend = 1;
    i.protocol.vector_rule = [](double rtol, double atol) {
        tolerances t;
        t.rtol = {rtol};
        t.atol = {atol, 1e3 * atol};
        return t;
    };
    const problem p(i, parameter_values({}, {}), std::make_shared<testing_support::plain_equations>(std::vector<double>{0, 0}, nullptr));
    run_settings s;
    s.rtol = 1e-6;
    s.atol = {1e-8};
    const scripted_solver any([](evaluator&, const segment& g, const solve_options&, step_observer*) { return reached(g); });
    EXPECT_EQ(resolve(s, p, any.info()).tolerance.atol, (std::vector<double>{1e-8, 1e3 * 1e-8}));
    s.atol = {1e-8, 1e-9};
    EXPECT_EQ(resolve(s, p, any.info()).tolerance.atol, (std::vector<double>{1e-8, 1e-9}));
}

} // namespace ivp
