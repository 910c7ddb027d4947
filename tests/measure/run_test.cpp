#include "model/test_problem.hpp"
#include "scripted_solver.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/run.hpp>

#include "measure/stopwatch.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

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
    const scripted_solver listing([&seen](evaluator& e, const segment& s, const solve_options&, step_observer*) {
        seen.emplace_back(s.t0, s.tend);
        std::vector<double> out(e.n());
        (void)e.f(s.t0, s.y.data(), out.data());
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
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return observer_answer::go_on;
        }
    } observer;
    const scripted_solver one_step([](evaluator&, const segment& s, const solve_options&, step_observer* w) {
        if (w != nullptr) (void)w->on_step({.t_old = s.t0, .t = s.tend, .h = s.tend - s.t0, .y = s.y});
        return reached(s);
    });
    const run_record r = measure_run(open_problem("vdpol"), one_step, quick(), &observer);
    EXPECT_LT(r.wall_s, 0.02);
}

TEST(measure_run, repeats_until_the_time_is_reliable)
{
    const scripted_solver idle([](evaluator&, const segment& s, const solve_options&, step_observer*) {
        burn_cpu(0.004);
        return reached(s);
    });
    const run_record r = measure_run(open_problem("vdpol"), idle, run_settings{});
    EXPECT_GE(r.repeats, 5);
    EXPECT_EQ(r.cpu_samples.size(), static_cast<std::size_t>(r.repeats));
    EXPECT_EQ(r.cpu_s, *std::min_element(r.cpu_samples.begin(), r.cpu_samples.end()));
    EXPECT_GT(r.cpu_s, 0.003);
    EXPECT_EQ(measure_run(open_problem("vdpol"), idle, quick()).repeats, 1);
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
