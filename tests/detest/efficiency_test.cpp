// Fits and normalised costs, against those the package printed; results as text and back.
#include "detest/assess.hpp"
#include "report/assessment_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace ivp;
using namespace ivp::detest;

constexpr std::array tolerances{1e-2, 1e-4, 1e-6, 1e-8};

std::vector<row> rows_of(const std::array<double, 4>& end, const std::array<double, 4>& max, const std::array<int, 4>& calls,
                         const std::array<int, 4>& steps)
{
    std::vector<row> rows;
    for (std::size_t i = 0; i < 4; ++i) {
        row r;
        r.tol = tolerances[i];
        r.end_error = end[i];
        r.max_global_error = max[i];
        r.truth_global = r.truth_local = truth_good;
        r.cost.nfev = static_cast<std::uint64_t>(calls[i]);
        r.cost.accepted = static_cast<std::uint64_t>(steps[i]);
        r.cost.time_s = 0.1 * static_cast<double>(i + 1);
        rows.push_back(r);
    }
    return rows;
}

assessment_settings by_max(bool as_1986)
{
    assessment_settings s;
    s.set = problem_set::nonstiff;
    s.normalize = normalization::max;
    s.as_1986 = as_1986;
    return s;
}

// B1 and A5 of the nonstiff sample program: printed errors, and the fits that were printed with them.
TEST(fits, are_those_the_package_printed)
{
    problem_result b1;
    b1.rows = rows_of({166.40, 1.34, 18.77, 66.33}, {296.72, 41.91, 88.66, 283.48}, {278, 491, 961, 1825}, {26, 50, 100, 208});
    evaluate_rows(b1, by_max(true));
    EXPECT_NEAR(b1.end_fit->c, 23.6, 0.06);
    EXPECT_NEAR(b1.end_fit->e, 1.003, 6e-4);
    EXPECT_NEAR(b1.end_fit->residual, 0.79, 0.006);
    EXPECT_EQ(b1.end_fit->values, 4);
    EXPECT_NEAR(b1.max_fit->c, 114, 0.6);
    EXPECT_NEAR(b1.max_fit->e, 0.987, 6e-4);
    EXPECT_NEAR(b1.max_fit->residual, 0.36, 0.006);
}

TEST(normalized_costs, are_those_the_package_printed)
{
    problem_result a5;
    a5.rows = rows_of({0.02, 5.11, 130.99, 67.58}, {0.027, 5.13, 130.96, 67.55}, {32, 40, 79, 159}, {4, 5, 9, 19}); // 0.03 was printed
    evaluate_rows(a5, by_max(true));
    ASSERT_EQ(a5.normalized->lines.size(), 3U);
    struct printed {
        int digits;
        double log10_tol;
        double calls, steps;
    };
    for (const auto& p : {printed{3, -2.06, 32, 4}, {4, -4.45, 48, 5}, {5, -6.84, 112, 13}}) {
        const auto& l = a5.normalized->lines[static_cast<std::size_t>(p.digits - 3)];
        EXPECT_EQ(l.digits, p.digits);
        EXPECT_NEAR(l.log10_tol, p.log10_tol, 0.02);
        EXPECT_EQ(l.nfev, p.calls);
        EXPECT_EQ(l.accepted, p.steps);
    }
    evaluate_rows(a5, by_max(false));
    EXPECT_EQ(a5.normalized->lines[1].accepted, 6); // 5.9, which the package cut
}

TEST(normalized_costs, need_good_runs_one_after_the_other)
{
    problem_result p;
    p.rows = rows_of({1, 1, 1, 1}, {1, 1, 1, 1}, {10, 20, 30, 40}, {1, 2, 3, 4});
    p.rows[1].code = method_failed;
    evaluate_rows(p, by_max(false));
    EXPECT_EQ(p.end_fit->values, 3);
    EXPECT_TRUE(p.normalized->lines.empty());
    EXPECT_NE(p.normalized->remark.find("one after the other"), std::string::npos);

    p.rows[2].code = could_not_start;
    evaluate_rows(p, by_max(false));
    EXPECT_EQ(p.normalized->remark, "not enough good runs");

    p.rows = rows_of({1, 1, 1, 1}, {1, 1e3, 1e6, 1e9}, {10, 20, 30, 40}, {1, 2, 3, 4});
    evaluate_rows(p, by_max(false));
    EXPECT_NE(p.normalized->remark.find("too unreliable"), std::string::npos);
}

TEST(fits, errors_far_below_the_tolerance_count_as_a_hundredth)
{
    const std::array<double, 3> tol{1e-2, 1e-4, 1e-6};
    const std::array<double, 3> errors{1e-9, 0, 1e-8};
    const auto f = fit_errors(tol, errors);
    EXPECT_NEAR(f->c, 0.01, 1e-12);
    EXPECT_NEAR(f->e, 1, 1e-12);
    EXPECT_NEAR(f->residual, 0, 1e-12);
    EXPECT_FALSE(fit_errors(std::span(tol).first(1), std::span(errors).first(1)));
}

// The original took a problem whose local truth was lost for one without global errors.
TEST(fits, a_lost_local_truth_leaves_the_global_error)
{
    for (const bool as_1986 : {false, true}) {
        problem_result p;
        p.rows = rows_of({1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1});
        p.rows[0].code = truth_failed;
        p.rows[0].truth_local = truth_step_too_small;
        evaluate_rows(p, by_max(as_1986));
        EXPECT_EQ(p.end_fit->values, 4);
        EXPECT_EQ(p.max_fit->values, as_1986 ? 3 : 4);
    }
}

TEST(rows, as_text_and_back)
{
    row r = rows_of({1, 2, 3, 4}, {5, 6, 7, 8}, {10, 20, 30, 40}, {1, 2, 3, 4})[2];
    r.code = both_failed;
    r.outcome = outcome::nonfinite;
    r.message = "component 2 is \"not\" finite";
    r.end_error = std::nan("");
    r.cost.nfev_jac = 3;
    r.cost.njac = 4;
    r.cost.nlu = 5;
    r.cost.overhead_s = -0.25;
    r.lumped_steps = 6;
    r.assessed_steps = 7;
    r.deceived_steps = 2;
    r.badly_deceived_steps = 1;
    r.start_evaluations = 9;
    r.start_step = 0.1;
    r.truth_time_s = 0.2;
    r.x_reached = 1.5;
    r.x_true = 1.25;
    r.max_local_error = 0.75;
    r.truth_global = truth_out_of_work;
    r.truth_local = truth_step_too_small;
    r.truth_rescues = 11;
    r.truth_failures = 12;
    r.repetitions = 13;
    r.scatter.emplace();
    r.scatter->add(-7, 4, 5);
    const row back = row_from_json(to_json(r));
    EXPECT_EQ(to_json(back), to_json(r));
    EXPECT_EQ(back.message, r.message);
    EXPECT_TRUE(std::isnan(back.end_error));
    EXPECT_EQ(back.scatter->count(-7, 4), 5U);
    EXPECT_DOUBLE_EQ(back.fraction_deceived(), 2.0 / 7);
}

TEST(summaries, take_what_reached_the_end)
{
    auto rows = rows_of({1, 2, 3, 4}, {5, 6, 7, 8}, {10, 20, 30, 40}, {1, 2, 3, 4});
    rows[3].code = method_failed;
    summary_line sum;
    for (auto& r : rows) {
        r.assessed_steps = 10;
        r.deceived_steps = 1;
        r.truth_time_s = 1;
        sum.add(r);
    }
    EXPECT_EQ(sum.runs, 3);
    EXPECT_EQ(sum.failed, 1);
    EXPECT_EQ(sum.cost.nfev, 60U);
    EXPECT_EQ(sum.assessed_steps, 30U);
    EXPECT_EQ(sum.end_error, 3);
    EXPECT_EQ(sum.max_global_error, 7);
    EXPECT_EQ(sum.truth_time_s, 4);
    summary_line twice = sum;
    twice.add(sum);
    EXPECT_EQ(twice.runs, 6);
    EXPECT_EQ(twice.cost.accepted, 12U);
    EXPECT_EQ(twice.max_global_error, 7);
}

TEST(tables, rows_that_failed_say_why)
{
    assessment_settings s;
    row r;
    r.tol = 1e-6;
    r.code = could_not_start;
    r.outcome = outcome::newton_failed;
    r.message = "no convergence";
    EXPECT_EQ(row_text(r, s, false), "       failed to start at TOL 1.0e-06; newton_failed: no convergence\n");
    r.code = method_failed;
    r.cost.time_s = std::nan("");
    r.x_reached = 0.5;
    const std::string text = row_text(r, s, false);
    EXPECT_NE(text.find("*******"), std::string::npos);
    EXPECT_NE(text.find("the method failed at x = 0.5; newton_failed: no convergence"), std::string::npos);
}

std::vector<std::string> words_of(const std::string& line)
{
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

/// A row with all its numbers, each of them large.
row large_row()
{
    row r = rows_of({1e9, 1, 1, 1}, {2e10, 1, 1, 1}, {1234567, 1, 1, 1}, {12345, 1, 1, 1})[0];
    r.cost.time_s = 123.4;
    r.cost.overhead_s = -98.7;
    r.cost.njac = 7654321;
    r.cost.nlu = 6543210;
    r.assessed_steps = r.cost.accepted;
    r.max_local_error = 3e11;
    r.deceived_steps = 12345;
    return r;
}

TEST(tables, are_between_80_and_132_columns_wide)
{
    for (const auto set : {problem_set::nonstiff, problem_set::stiff}) {
        assessment_settings s;
        s.set = set;
        s.level = 3;
        const std::string text = row_text(large_row(), s, false);
        EXPECT_LE(text.size(), 133U) << text;
        EXPECT_GE(text.size(), 80U) << text;
    }
}

TEST(tables, have_every_number_of_a_row_however_large)
{
    for (const auto set : {problem_set::nonstiff, problem_set::stiff}) {
        assessment_settings s;
        s.set = set;
        s.level = 3;
        std::vector<std::string> expected{"-2.00", "123400", "-98700", "1234567"};
        if (set == problem_set::stiff) expected.insert(expected.end(), {"7654321", "6543210"});
        expected.insert(expected.end(), {"12345", "1.00e+09", "2.00e+10", "3.00e+11", "1.000", "0.000"});
        EXPECT_EQ(words_of(row_text(large_row(), s, false)), expected);
    }
}

TEST(tables, times_lose_decimals_before_they_become_powers_of_ten)
{
    assessment_settings s;
    row r = large_row();
    for (const auto& [seconds, shown] : std::map<double, std::string>{{0.001234, "1.234"},
                                                                      {0.9994, "999.400"},
                                                                      {1.2345678, "1234.57"},
                                                                      {12.345678, "12345.7"},
                                                                      {123.45678, "123457"},
                                                                      {12345.678, "1.2e+07"},
                                                                      {-1234.5678, "-1e+06"}}) {
        r.cost.time_s = seconds;
        const auto words = words_of(row_text(r, s, false));
        ASSERT_GE(words.size(), 3U);
        EXPECT_EQ(words[1], shown);
        EXPECT_EQ(words[2], "-98700") << "nothing touches its neighbour";
    }
}

TEST(tables, asterisks_are_left_for_what_is_not_known)
{
    assessment_settings s;
    s.set = problem_set::nonstiff;
    s.level = 3;
    row r = large_row();
    EXPECT_EQ(row_text(r, s, false).find('*'), std::string::npos);
    r.max_local_error = std::nan("");
    const auto words = words_of(row_text(r, s, false));
    EXPECT_EQ(std::ranges::count_if(words, [](const std::string& w) { return w.find('*') != std::string::npos; }), 1);
    EXPECT_EQ(words[7], "********");
}

TEST(scatter_plot, has_percentages_and_dots)
{
    scatter_table t;
    t.add(-7, -7, 1);
    t.add(0, 1, 150);
    t.add(4, 4, 49);
    const std::string text = scatter_text(t, false);
    EXPECT_NE(text.find("2^3|                                  24|"), std::string::npos) << text;
    EXPECT_NE(text.find("2^0|                      75"), std::string::npos) << text;
    EXPECT_NE(text.find("  0|  ."), std::string::npos) << text;
    EXPECT_NE(scatter_text({}, false).find("reported no error estimate"), std::string::npos);
}

} // namespace
