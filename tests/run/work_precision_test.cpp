#include "run/work_precision.hpp"
#include "scripted_solver.hpp"

#include <ivp/catalog.hpp>

#include <cmath>
#include <csignal>
#include <gtest/gtest.h>

namespace ivp {

namespace {

/// Notes its name at every solve; its answer is the reference, so that runs succeed.
scripted_solver noting(const problem& p, std::string& diary, char name, double seconds = 0)
{
    scripted_solver s([&p, &diary, name, seconds](evaluator&, const segment& part, const solve_options&, step_observer*) {
        diary += name;
        copy_reference(p, part.y);
        if (seconds > 0) burn_cpu(seconds);
        return reached(part);
    });
    s.info_.name = std::string("solver-") + name;
    return s;
}

run_settings repeated(int times)
{
    run_settings s;
    s.repeat = times;
    return s;
}

run_record record_with(std::uint64_t steps, double cpu)
{
    run_record r;
    r.steps = steps;
    r.nfev = 10 * steps;
    r.njac = steps;
    r.nlu = steps;
    r.cpu_s = cpu;
    return r;
}

} // namespace

TEST(work_precision, samples_go_round_the_solvers_at_each_tolerance)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto a = noting(p, diary, 'a'), b = noting(p, diary, 'b'), c = noting(p, diary, 'c');
    const std::vector<contestant> contestants{{&a, repeated(3)}, {&b, repeated(2)}, {&c, repeated(3)}};
    std::vector<double> told;
    work_precision_options options;
    options.progress = [&](double rtol) {
        told.push_back(rtol);
        diary += '|';
    };
    const auto result = measure_work_precision(p, contestants, {1e-4, 1e-6}, options);
    EXPECT_EQ(diary, "|abcabcabcac|abcabcabcac") << "one integration of each to warm up";
    EXPECT_EQ(told, (std::vector{1e-4, 1e-6}));
    EXPECT_EQ(result.problem, "vdpol");
    EXPECT_EQ(result.solvers, (std::vector<std::string>{"solver-a", "solver-b", "solver-c"}));
    ASSERT_EQ(result.records.size(), 6U);
    EXPECT_EQ(result.at(0, 1).solver, "solver-b");
    EXPECT_EQ(result.at(0, 1).repeats, 2);
    EXPECT_EQ(result.at(1, 2).solver, "solver-c");
    EXPECT_EQ(result.at(1, 2).rtol, std::vector{1e-6});
    EXPECT_EQ(result.at(1, 2).repeats, 3);
}

TEST(work_precision, a_failed_run_is_a_record_and_is_not_repeated)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto good = noting(p, diary, 'g');
    const scripted_solver bad([&](evaluator&, const segment& part, const solve_options&, step_observer*) {
        diary += 'b';
        solve_result r;
        r.t = part.t0;
        r.outcome = outcome::step_too_small;
        r.message = "at the beginning";
        return r;
    });
    const std::vector<contestant> contestants{{&good, repeated(3)}, {&bad, repeated(3)}};
    const auto result = measure_work_precision(p, contestants, {1e-4});
    EXPECT_EQ(diary, "gbggg");
    EXPECT_EQ(result.at(0, 0).outcome, outcome::success);
    EXPECT_EQ(result.at(0, 1).outcome, outcome::step_too_small);
    EXPECT_EQ(result.at(0, 1).message, "at the beginning");
    EXPECT_EQ(result.at(0, 1).repeats, 1);
}

TEST(work_precision, in_a_child_the_results_are_the_same)
{
    const problem p = open_problem("hires");
    const auto radau5 = open_solver("radau5");
    const std::vector<contestant> contestants{{radau5.get(), repeated(2)}};
    work_precision_options contained;
    contained.contained = child_limits{};
    const auto here = measure_work_precision(p, contestants, {1e-4, 1e-6});
    const auto there = measure_work_precision(p, contestants, {1e-4, 1e-6}, contained);
    ASSERT_EQ(there.records.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(there.at(i, 0).y, here.at(i, 0).y);
        EXPECT_EQ(there.at(i, 0).nfev, here.at(i, 0).nfev);
        EXPECT_EQ(there.at(i, 0).repeats, 2);
    }
}

TEST(work_precision, a_crash_costs_nobody_else_a_result)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto good = noting(p, diary, 'g');
    const scripted_solver crashing([](evaluator&, const segment& s, const solve_options&, step_observer*) {
        (void)raise(SIGABRT);
        return reached(s);
    });
    const std::vector<contestant> contestants{{&good, repeated(3)}, {&crashing, repeated(3)}};
    work_precision_options contained;
    contained.contained = child_limits{};
    const auto result = measure_work_precision(p, contestants, {1e-4, 1e-6}, contained);
    ASSERT_EQ(result.records.size(), 4U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(result.at(i, 0).outcome, outcome::success);
        EXPECT_EQ(result.at(i, 0).repeats, 3);
        EXPECT_EQ(result.at(i, 1).outcome, outcome::crashed);
        EXPECT_FALSE(result.at(i, 1).message.empty());
        EXPECT_FALSE(time_ratio(result.at(i, 1), result.at(i, 0)).has_value());
    }
    EXPECT_EQ(diary, "") << "no run was made in this process";
}

TEST(work_precision, all_faults_before_the_first_run)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto a = noting(p, diary, 'a'), b = noting(p, diary, 'b');
    run_settings threads = repeated(1), both = repeated(1);
    threads.threads = 2;
    both.min_time_s = 1;
    const std::vector<contestant> contestants{{&a, threads}, {&b, both}};
    try {
        (void)measure_work_precision(p, contestants, {1e-4, 1e-6});
        FAIL() << "accepted";
    } catch (const bad_request& e) {
        ASSERT_EQ(e.faults().size(), 2U); // each once, not once for each tolerance
        EXPECT_NE(e.faults()[0].find("threads"), std::string::npos);
        EXPECT_NE(e.faults()[1].find("min-time"), std::string::npos);
    }
    EXPECT_EQ(diary, "");
}

TEST(work_precision, the_command_repeats_one_run)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto a = noting(p, diary, 'a');
    contestant c{&a, repeated(1)};
    c.settings.command = "ivp run vdpol a";
    const auto result = measure_work_precision(p, std::vector{c}, {1e-4});
    EXPECT_EQ(result.at(0, 0).command, "ivp run vdpol a --rtol 1e-04");
}

TEST(work_precision, ladder_of_the_problem)
{
    const problem p = open_problem("hires");
    const auto tolerances = ladder(p);
    const auto& protocol = p.info().protocol;
    ASSERT_EQ(tolerances.size(), static_cast<std::size_t>(protocol.ladder_last) + 1);
    EXPECT_EQ(tolerances.front(), protocol.ladder_rtol(0));
    EXPECT_EQ(tolerances.back(), protocol.ladder_rtol(protocol.ladder_last));
}

TEST(work_precision, min_time_asks_for_samples_until_they_add_up)
{
    const problem p = open_problem("vdpol");
    std::string diary;
    const auto busy = noting(p, diary, 'x', 0.004);
    run_settings s;
    s.min_time_s = 0.03;
    const auto r = measure_run(p, busy, s);
    double sum = 0;
    for (const double cpu : r.cpu_samples) sum += cpu;
    EXPECT_GE(sum, 0.03);
    EXPECT_LT(sum - r.cpu_samples.back(), 0.03) << "one sample too many";
    s.min_time_s = 0;
    EXPECT_THROW((void)measure_run(p, busy, s), bad_request);
}

TEST(work_precision, counts_agree_up_to_three_percent)
{
    EXPECT_TRUE(counts_agree(record_with(1000, 1), record_with(1000, 9)));
    EXPECT_TRUE(counts_agree(record_with(970, 1), record_with(1000, 1)));
    EXPECT_FALSE(counts_agree(record_with(969, 1), record_with(1000, 1)));
    EXPECT_FALSE(counts_agree(record_with(1000, 1), record_with(969, 1)));
    for (const auto field : {&run_record::steps, &run_record::nfev, &run_record::njac, &run_record::nlu, &run_record::nfev_jac}) {
        run_record other = record_with(1000, 1);
        other.*field += 5000;
        EXPECT_FALSE(counts_agree(record_with(1000, 1), other));
    }
}

TEST(work_precision, mean_ratio_over_the_runs_that_can_be_compared)
{
    work_precision_result r;
    r.problem = "p";
    r.rtol = {1e-4, 1e-5, 1e-6, 1e-7};
    r.solvers = {"first", "second"};
    run_record failed = record_with(100, 50);
    failed.outcome = outcome::step_too_small;
    r.records = {record_with(100, 1), record_with(100, 2),  // 2
                 record_with(100, 1), record_with(100, 8),  // 8: the geometric mean is 4
                 record_with(100, 1), record_with(200, 50), // other work
                 record_with(100, 1), failed};
    const auto one = mean_time_ratios(std::vector{r}, "first");
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].solver, "second");
    EXPECT_EQ(one[0].reference, "first");
    EXPECT_NEAR(one[0].mean.value(), 4, 1e-12);
    EXPECT_EQ(one[0].compared, 2U);
    EXPECT_EQ(one[0].runs, 4U);
    const auto other = mean_time_ratios(std::vector{r, r}, "second");
    ASSERT_EQ(other.size(), 1U);
    EXPECT_EQ(other[0].solver, "first");
    EXPECT_NEAR(other[0].mean.value(), 0.25, 1e-12);
    EXPECT_EQ(other[0].runs, 8U);

    r.records[1].steps = r.records[3].steps = 1;
    EXPECT_FALSE(mean_time_ratios(std::vector{r}, "first")[0].mean.has_value());
}

} // namespace ivp
