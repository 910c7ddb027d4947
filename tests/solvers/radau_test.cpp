#include "solvers/linear_problem.hpp"
#include "solvers/original_counts.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

using testing_support::expect_counts;

namespace {

run_record run(const std::string& problem, double rtol, double atol, double h0, run_settings s = {})
{
    s.rtol = rtol;
    s.atol = {atol};
    s.h0 = h0;
    s.jacobian = jacobian_source::original;
    s.repeat = 1;
    return measure_run(open_problem(problem), *open_solver("radau"), s);
}

run_settings with(std::map<std::string, double> options)
{
    run_settings s;
    s.special = std::move(options);
    return s;
}

std::string fault_of(std::map<std::string, double> options)
{
    try {
        (void)run("hires", 1e-4, 1e-4, 1e-4, with(std::move(options)));
    } catch (const bad_request& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

// Counters of the original code run side by side, which are also those of the published tables (CWI test set of 1998, Bari test set of 2008).
using original_row = testing_support::original_run;

class radau_original : public ::testing::TestWithParam<original_row> {};

TEST_P(radau_original, counts_are_identical)
{
    const auto& row = GetParam();
    expect_counts(run(row.problem, row.rtol, row.atol, row.h0), row);
}

INSTANTIATE_TEST_SUITE_P(
    rows, radau_original,
    ::testing::Values(
        original_row{"hires", 1e-4, 1e-4, 1e-6, 42, 33, 333, 21, 42}, original_row{"hires", 1e-7, 1e-7, 1e-9, 51, 40, 985, 22, 51},
        original_row{"hires", 1e-10, 1e-10, 1e-12, 69, 58, 1511, 29, 68}, original_row{"chemakzo_ode", 1e-10, 1e-10, 1e-10, 42, 39, 653, 29, 42},
        original_row{"chemakzo_dae", 1e-10, 1e-10, 1e-10, 43, 41, 696, 30, 43}, original_row{"pollu", 1e-10, 1e-10, 1e-10, 35, 35, 449, 21, 35},
        // restarts with the order reached before the breakpoint
        original_row{"medakzo", 1e-7, 1e-7, 1e-12, 100, 100, 1807, 58, 100}, original_row{"emep", 1e-6, 1, 1e-7, 463, 390, 10241, 281, 463},
        // repeats first steps after a change of the order
        original_row{"vdpolm", 1e-7, 1e-7, 1e-9, 240, 222, 3508, 187, 238}, original_row{"orego", 1e-10, 1e-10, 1e-12, 261, 202, 12917, 176, 257},
        original_row{"rober", 1e-7, 1e-11, 1e-9, 112, 110, 1852, 104, 112}, original_row{"plei", 1e-10, 1e-10, 1e-12, 130, 119, 3001, 91, 130},
        original_row{"caraxis", 1e-7, 1e-7, 1e-7, 289, 288, 2559, 282, 288},
        // the published table says 1.1e-24, but was made with this tolerance
        original_row{"e5", 1e-10, 1.7e-24, 1e-12, 142, 132, 5733, 106, 141}));

TEST(radau, says_how_many_steps_had_each_order)
{
    const run_record r = run("orego", 1e-10, 1e-10, 1e-12);
    double sum = 0;
    for (const char* key : {"steps_of_order_5", "steps_of_order_9", "steps_of_order_13"}) {
        EXPECT_GT(r.extra.at(key), 0) << key;
        sum += r.extra.at(key);
    }
    EXPECT_EQ(sum, static_cast<double>(r.accepted));
}

TEST(radau, with_three_stages_throughout_is_radau5)
{
    run_settings s = with({{"max_stages", 3}});
    const run_record fixed = run("hires", 1e-7, 1e-7, 1e-9, s);
    run_settings t;
    t.rtol = 1e-7;
    t.atol = {1e-7};
    t.h0 = 1e-9;
    t.repeat = 1;
    const run_record five = measure_run(open_problem("hires"), *open_solver("radau5"), t);
    EXPECT_EQ(fixed.y, five.y);
    EXPECT_EQ(fixed.steps, five.steps);
    EXPECT_FALSE(fixed.extra.contains("steps_of_order_5"));
}

TEST(radau, takes_fixed_and_first_numbers_of_stages)
{
    // With the same tolerance a higher order needs fewer steps, backward Euler far more.
    std::vector<std::uint64_t> steps;
    for (const double stages : {1, 3, 5, 7}) {
        const run_record r = run("chemakzo_ode", 1e-6, 1e-6, 1e-8, with({{"min_stages", stages}, {"max_stages", stages}}));
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_GT(*r.scd, 3);
        steps.push_back(r.steps);
    }
    EXPECT_GT(steps[0], 10 * steps[1]);
    EXPECT_GT(steps[1], steps[2]);
    const run_record late = run("hires", 1e-10, 1e-10, 1e-12, with({{"start_stages", 7}}));
    EXPECT_GT(late.extra.at("steps_of_order_13"), run("hires", 1e-10, 1e-10, 1e-12).extra.at("steps_of_order_13"));
}

TEST(radau, options_of_the_order_change_it)
{
    const run_record usual = run("orego", 1e-8, 1e-8, 1e-10);
    EXPECT_EQ(run("orego", 1e-8, 1e-8, 1e-10, with({{"order_up", 0}})).extra.at("steps_of_order_13"), 0);
    EXPECT_NE(run("orego", 1e-8, 1e-8, 1e-10, with({{"order_down", 0.1}})).steps, usual.steps);
    EXPECT_EQ(run("orego", 1e-8, 1e-8, 1e-10, with({{"ratio_up", 1}, {"ratio_down", 1}})).extra.at("steps_of_order_9"), 0);
}

TEST(radau, refuses_stages_in_words)
{
    EXPECT_EQ(fault_of({{"min_stages", 4}}), "option 'min_stages': 4 given; allowed: 1, 3, 5, 7");
    EXPECT_EQ(fault_of({{"min_stages", 5}, {"max_stages", 3}}), "option 'min_stages': 5 given; allowed: at most max_stages, 3");
    EXPECT_EQ(fault_of({{"max_stages", 5}, {"start_stages", 7}}), "option 'start_stages': 7 given; allowed: from min_stages, 3, to max_stages, 5");
    EXPECT_EQ(fault_of({{"start_stages", 5}}), "accepted");
}

TEST(radau, dense_output_has_the_stage_order)
{
    // The polynomial of degree s has errors of order s + 1 in h: compared between two step sizes, inside the steps.
    struct middle final : step_observer {
        double largest = 0;
        observer_answer on_step(const accepted_step& s) override
        {
            double y[2];
            const double t = s.t_old + 0.2 * (s.t - s.t_old);
            s.between->evaluate(t, y);
            for (int i = 0; i < 2; ++i) largest = std::max(largest, std::abs(y[i] - testing_support::linear_problem<double>::exact(i, t)));
            return observer_answer::go_on;
        }
    };
    const auto error = [](double stages, double h) {
        run_settings s = with({{"min_stages", stages}, {"max_stages", stages}});
        s.rtol = 1;
        s.atol = {1};
        s.h0 = s.hmax = h;
        s.repeat = 1;
        middle seen;
        (void)measure_run(testing_support::linear(), *open_solver("radau"), s, &seen);
        return seen.largest;
    };
    for (const int stages : {3, 5, 7}) {
        const double coarse = stages == 7 ? 0.5 : 0.25;
        EXPECT_NEAR(std::log2(error(stages, coarse) / error(stages, coarse / 2)), stages + 1, 0.45) << stages;
    }
}

TEST(radau, hessenberg_form_serves_every_order)
{
    const run_record plain = run("hires", 1e-10, 1e-10, 1e-12);
    const run_record reduced = run("hires", 1e-10, 1e-10, 1e-12, with({{"hessenberg", 1}}));
    EXPECT_EQ(reduced.steps, plain.steps);
    EXPECT_NE(reduced.y, plain.y);
    EXPECT_THROW((void)run("caraxis", 1e-4, 1e-4, 1e-4, with({{"hessenberg", 1}})), bad_request);
}

} // namespace ivp
