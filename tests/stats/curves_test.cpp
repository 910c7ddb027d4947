// Curves, profiles, ranking, calibration. Expected values are computed by hand.
#include "stats/calibration.hpp"
#include "stats/curves.hpp"
#include "stats/profile.hpp"

#include <ivp/accuracy.hpp>
#include <ivp/catalog.hpp>

#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

namespace {

run_record run(const std::string& problem, const std::string& solver, double rtol, double mescd, double cpu)
{
    run_record r;
    r.problem = problem;
    r.solver = solver;
    r.rtol = {rtol};
    r.atol = {rtol};
    r.mescd = mescd;
    r.cpu_s = cpu;
    r.wall_s = cpu;
    r.nfev = static_cast<std::uint64_t>(cpu * 1000);
    r.machine.cores = 2;
    return r;
}

run_record failed(const std::string& problem, const std::string& solver, double rtol)
{
    run_record r = run(problem, solver, rtol, 0, 1);
    r.mescd.reset();
    r.outcome = outcome::step_too_small;
    return r;
}

using points = std::vector<std::optional<curve_point>>;

} // namespace

TEST(curves, sorted_by_problem_solver_and_tolerance)
{
    const std::vector<run_record> records{run("b", "s", 1e-6, 6, 2), run("a", "s", 1e-4, 4, 1), run("b", "t", 1e-4, 4, 1), run("b", "s", 1e-4, 4, 1)};
    const auto all = curves_of(records);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].problem, "b");
    ASSERT_EQ(all[0].curves.size(), 2U);
    EXPECT_EQ(all[0].curves[0].label, "s");
    EXPECT_EQ(all[0].curves[0].runs, (std::vector<std::size_t>{3, 0})) << "loosest first";
    EXPECT_EQ(all[1].problem, "a");
}

TEST(curves, of_the_same_run_the_last_counts)
{
    const std::vector<run_record> records{run("a", "s", 1e-4, 4, 1), run("a", "s", 1e-4, 4, 3)};
    EXPECT_EQ(curves_of(records)[0].curves[0].runs, std::vector<std::size_t>{1});
}

TEST(curves, what_differs_is_in_the_name)
{
    std::vector<run_record> records{run("a", "s", 1e-4, 4, 1), run("a", "s", 1e-4, 4, 1), run("a", "t", 1e-4, 4, 1), run("b", "s", 1e-4, 4, 1)};
    records[1].threads = 2;
    records[2].options = {{"x", 1}};
    records[3].parameters = {{"N", "20"}};
    const auto all = curves_of(records);
    EXPECT_EQ(all[0].curves[0].label, "s, 1 thread");
    EXPECT_EQ(all[0].curves[1].label, "s, 2 threads");
    EXPECT_EQ(all[0].curves[2].label, "t") << "one setting needs no name";
    EXPECT_EQ(all[1].curves[0].label, "s, 1 thread") << "the same curve has the same name everywhere";
    EXPECT_EQ(all[1].variant, "N = 20");

    records = {run("a", "s", 1e-4, 4, 1), run("a", "s", 1e-4, 3, 1)};
    records[1].restart = "no";
    EXPECT_EQ(curves_of(records)[0].curves[0].label, "s, restarts");
    EXPECT_EQ(curves_of(records)[0].curves[1].label, "s, no restarts");
}

TEST(curves, work_for_digits)
{
    const points p{curve_point{4, 1}, curve_point{6, 100}, std::nullopt, curve_point{8, 1000}};
    EXPECT_DOUBLE_EQ(work_for_digits(p, 3).value(), 1);
    EXPECT_DOUBLE_EQ(work_for_digits(p, 4).value(), 1);
    EXPECT_NEAR(work_for_digits(p, 5).value(), 10, 1e-12) << "half way on a logarithmic axis";
    EXPECT_DOUBLE_EQ(work_for_digits(p, 7).value(), 1000) << "no line over a failed run";
    EXPECT_FALSE(work_for_digits(p, 8.5).has_value()) << "nothing is extrapolated";
    EXPECT_FALSE(work_for_digits(points{}, 1).has_value());
    const points back{curve_point{6, 5}, curve_point{4, 10}, curve_point{8, 20}};
    EXPECT_DOUBLE_EQ(work_for_digits(back, 6).value(), 5) << "the cheapest way, even where the curve turns back";
}

TEST(profile, by_hand)
{
    // a: s 1, t 2.  b: s 30, t 10.  c: only t.  d: nobody.  e: the reference does not reach so far.
    const std::vector<run_record> records{run("a", "s", 1e-4, 5, 1),  run("a", "t", 1e-4, 5, 2), run("b", "s", 1e-4, 5, 30),
                                          run("b", "t", 1e-4, 5, 10), failed("c", "s", 1e-4),    run("c", "t", 1e-4, 5, 1),
                                          run("d", "s", 1e-4, 2, 1),  failed("d", "t", 1e-4),    run("e", "s", 1e-4, 5, 1)};
    const auto t = work_for_digits(records, curves_of(records), {{"e", 3.5}}, 4, work_kind::cpu);
    EXPECT_EQ(t.problems, (std::vector<std::string>{"a", "b", "c", "d"}));
    const auto p = profile_of(t);
    EXPECT_EQ(p.problems, 3U);
    EXPECT_DOUBLE_EQ(p.share(0, 1), 1.0 / 3);
    EXPECT_DOUBLE_EQ(p.share(0, 2.9), 1.0 / 3);
    EXPECT_DOUBLE_EQ(p.share(0, 3), 2.0 / 3);
    EXPECT_DOUBLE_EQ(p.share(0, 1e9), 2.0 / 3);
    EXPECT_DOUBLE_EQ(p.share(1, 1), 2.0 / 3);
    EXPECT_DOUBLE_EQ(p.share(1, 2), 1);

    const auto rows = ranking(t);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(t.solvers[rows[0].solver], "t");
    EXPECT_EQ(rows[0].rank, 1);
    EXPECT_EQ(rows[0].solved, 3U);
    EXPECT_NEAR(rows[0].score, (1 - std::log(2) / std::log(100) + 1 + 1) / 3, 1e-12);
    EXPECT_NEAR(rows[1].score, (1 + 1 - std::log(3) / std::log(100)) / 3, 1e-12);
    EXPECT_EQ(rows[1].rank, 2);
    EXPECT_EQ(rows[1].rank_low, 1) << "draws of problem a alone are not so rare";
    EXPECT_LE(rows[0].score_low, rows[0].score);
    EXPECT_GE(rows[0].score_high, rows[0].score);
}

TEST(profile, equal_scores_have_equal_ranks_and_nothing_gives_nothing)
{
    const std::vector<run_record> records{run("a", "s", 1e-4, 5, 1), run("a", "t", 1e-4, 5, 1)};
    const auto rows = ranking(work_for_digits(records, curves_of(records), {}, 4, work_kind::cpu));
    EXPECT_EQ(rows[0].rank, 1);
    EXPECT_EQ(rows[1].rank, 1);
    EXPECT_TRUE(ranking(work_table{}).empty());
    EXPECT_EQ(profile_of(work_table{}).problems, 0U);
}

TEST(calibration, line_and_median)
{
    const std::vector<run_record> records{run("a", "s", 1e-4, 3, 1), run("a", "s", 1e-6, 4, 1), run("a", "s", 1e-8, 5, 1), failed("a", "s", 1e-9)};
    const auto c = calibrate(records, std::vector<std::size_t>{0, 1, 2, 3});
    EXPECT_EQ(c.points.size(), 3U);
    EXPECT_NEAR(c.slope.value(), 0.5, 1e-12);
    EXPECT_NEAR(c.offset.value(), 1, 1e-12);
    EXPECT_NEAR(c.median_surplus.value(), -2, 1e-12);
    EXPECT_EQ(c.short_of_it, 2U) << "exactly one digit short is not more than one";
    EXPECT_FALSE(calibrate(records, std::vector<std::size_t>{0}).slope.has_value());
    EXPECT_FALSE(calibrate(records, {}).median_surplus.has_value());
}

TEST(calibration, speed_up)
{
    std::vector<run_record> records{run("a", "p", 1e-4, 4, 4), run("a", "p", 1e-4, 4, 2.5), run("a", "p", 1e-4, 4, 2), run("a", "p", 1e-6, 4, 9)};
    records[1].threads = 2;
    records[2].threads = 4;
    records[3].threads = 2;
    const auto rows = speedup_of(records, "p");
    ASSERT_EQ(rows.size(), 3U) << "four threads on two cores are not measurable";
    EXPECT_DOUBLE_EQ(rows[1].speedup.value(), 1.6);
    EXPECT_FALSE(rows[2].speedup.has_value()) << "one thread was not measured there";
    EXPECT_TRUE(speedup_of(std::vector{records[0]}, "p").empty());
}

TEST(scd, reach_of_a_reference)
{
    reference_solution r;
    r.value = {decimal("2"), decimal("1e-3"), decimal("0")};
    r.digits = {10, 6, 8};
    accuracy_rule rule;
    const auto reach = reach_of(r, tolerances(1e-4, 1e-4), rule);
    EXPECT_NEAR(reach.scd.value(), 6, 1e-12);
    EXPECT_NEAR(reach.scd_rel.value(), 6, 1e-12);
    EXPECT_NEAR(reach.scd_abs.value(), 8, 1e-12) << "a zero is known to eight decimals";
    EXPECT_NEAR(reach.mescd.value(), 8, 1e-9);
    EXPECT_FALSE(reach.estimated);
    rule.absolute_scd = true;
    EXPECT_NEAR(reach_of(r, tolerances(1e-4, 1e-4), rule).scd.value(), 8, 1e-12);
    rule.absolute_scd = false;
    r.confirmed = "estimated, not proven: runs agree";
    EXPECT_TRUE(reach_of(r, tolerances(1e-4, 1e-4), rule).estimated);
    rule.excluded = {2};
    EXPECT_NEAR(reach_of(r, tolerances(1e-4, 1e-4), rule).scd.value(), 10, 1e-12);
    rule.scd_defined = false;
    EXPECT_FALSE(reach_of(r, tolerances(1e-4, 1e-4), rule).scd.has_value());
    r.absolute_digits = true;
    EXPECT_NEAR(reach_of(r, tolerances(1, 1), rule).mescd.value(), -std::log10(1e-6 / 1.001), 1e-9) << "six decimals of 1e-3";
}

TEST(estimate, share_of_the_busiest_of_four_processors)
{
    run_record r = run("hires", "pside", 1e-4, 4, 1);
    r.nfev = 665;
    r.nlu = 168;
    EXPECT_FALSE(busiest_share(r).has_value()) << "reports no effective counts";
    r.extra = {{"effective_f", 194}, {"effective_lu", 42}};
    EXPECT_DOUBLE_EQ(busiest_share(r).value(), 194.0 / 665) << "the larger of both shares";
    r.extra["effective_lu"] = 84;
    EXPECT_DOUBLE_EQ(busiest_share(r).value(), 0.5);
    r.threads = 2;
    EXPECT_FALSE(busiest_share(r).has_value()) << "measured, not to be estimated";
    r.threads = 1;
    r.nlu = 84;
    EXPECT_FALSE(busiest_share(r).has_value()) << "nothing would be done side by side";
}

} // namespace ivp
