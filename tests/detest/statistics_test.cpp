// The collector of statistics alone, with truths that a test makes up.
#include "detest/statistics.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace {

using namespace ivp;
using namespace ivp::detest;

using point = std::array<double, 2>;

struct asked {
    double t0, t, tolerance;
};

/// The true solution is what the functions say; both remember what they were asked.
class made_up_truth final : public truth {
public:
    struct script {
        std::function<int(double)> global_flag = [](double) { return truth_good; };
        std::function<int(double)> local_flag = [](double) { return truth_good; };
        double global_error = 0; ///< of what will be told, 1 throughout
        double local_error = 0;
        std::vector<asked> global, local;
    };
    explicit made_up_truth(script& s) : s_(s) {}
    true_point advance(double t, double tolerance) override
    {
        s_.global.push_back({0, t, tolerance});
        solution_ = {1 + s_.global_error, 1};
        const int flag = s_.global_flag(t);
        return {flag, flag < 0 ? t - 0.5 : t};
    }
    [[nodiscard]] std::span<const double> global_solution() const override { return solution_; }
    true_point local(double t0, std::span<const double> /*y0*/, double t, double tolerance, std::span<double> y) override
    {
        s_.local.push_back({t0, t, tolerance});
        y[0] = 1;
        y[1] = 1 + s_.local_error;
        return {s_.local_flag(t), t};
    }

private:
    script& s_;
    point solution_{1, 1};
};

class statistics : public testing::Test {
protected:
    // vdpol has two equations and begins at 0; its formula is not used.
    problem p_ = open_problem("vdpol");
    made_up_truth::script script_;
    assessment_settings settings_;
    static constexpr double tol = 1e-4;

    step_statistics make(bool extrapolated = false) { return {p_, settings_, tol, extrapolated, std::make_unique<made_up_truth>(script_)}; }
    static void tell(step_statistics& s, double t, double bound = tol, point estimate = {0, 0})
    {
        const point y{1, 1};
        s.after_step(t, y, bound, estimate);
    }
};

TEST_F(statistics, errors_are_judged_against_the_bound)
{
    auto s = make();
    script_.global_error = 3e-4;
    for (const double local : {0.5e-4, 1e-4, 2e-4, 7e-4}) {
        script_.local_error = local;
        tell(s, static_cast<double>(s.summary().steps + 1));
    }
    const auto& r = s.summary();
    EXPECT_EQ(r.steps, 4U);
    EXPECT_EQ(r.lumped, 4U);
    EXPECT_EQ(r.assessed, 4U);
    EXPECT_EQ(r.deceived, 2U); // an error equal to its bound deceives nobody
    EXPECT_EQ(r.badly_deceived, 1U);
    EXPECT_NEAR(r.max_local_error, 7, 1e-9);
    EXPECT_NEAR(r.max_global_error, 3e-4, 1e-15);
    EXPECT_EQ(r.true_until, 4);
    EXPECT_EQ(r.global_flag, truth_good);
    EXPECT_EQ(r.local_flag, truth_good);
}

TEST_F(statistics, truths_are_asked_for_a_hundredth_of_tolerance_and_bound)
{
    auto s = make();
    tell(s, 1, 0.5);
    tell(s, 3, 0.25);
    ASSERT_EQ(script_.global.size(), 2U);
    EXPECT_DOUBLE_EQ(script_.global[1].tolerance, 0.01 * tol);
    ASSERT_EQ(script_.local.size(), 2U);
    EXPECT_DOUBLE_EQ(script_.local[0].tolerance, 0.005);
    EXPECT_DOUBLE_EQ(script_.local[1].tolerance, 0.0025);
    EXPECT_EQ(script_.local[1].t0, 1);
    EXPECT_EQ(script_.local[1].t, 3);
}

TEST_F(statistics, levels_ask_for_no_more_than_they_need)
{
    settings_.level = 2;
    auto second = make();
    tell(second, 1);
    EXPECT_EQ(script_.global.size(), 1U);
    EXPECT_TRUE(script_.local.empty());
    EXPECT_EQ(second.summary().true_until, 1);

    settings_.level = 1;
    step_statistics first(p_, settings_, tol, false);
    tell(first, 1);
    EXPECT_EQ(first.summary().steps, 1U);
    EXPECT_EQ(first.summary().lumped, 1U);
    EXPECT_EQ(first.summary().global_flag, truth_not_asked);
}

// |y| is 2 at the start of vdpol: steps below 2 * 1000 u / TOL = 4.44e-9 are put together.
TEST_F(statistics, small_steps_are_lumped_with_the_next)
{
    for (const auto set : {problem_set::nonstiff, problem_set::stiff}) {
        script_ = {};
        settings_.set = set;
        auto s = make();
        tell(s, 1e-9, 1);
        tell(s, 2e-9, 3);
        EXPECT_EQ(s.summary().lumped, 0U);
        tell(s, 10e-9, 5);
        EXPECT_EQ(s.summary().steps, 3U);
        EXPECT_EQ(s.summary().lumped, 1U);
        ASSERT_EQ(script_.local.size(), 1U);
        EXPECT_EQ(script_.local[0].t0, 0);
        // Nonstiff: the sum of the bounds. Stiff: their mean, weighted by lengths: 1, then 1 + (3-1)/2 = 2, then 2 + 0.8 (5-2) = 4.4.
        EXPECT_NEAR(script_.local[0].tolerance, 0.01 * (set == problem_set::nonstiff ? 9 : 4.4), 1e-12);
        tell(s, 1, 7);
        EXPECT_NEAR(script_.local[1].tolerance, 0.07, 1e-12); // the lump is forgotten
        EXPECT_EQ(script_.local[1].t0, 10e-9);
    }
}

TEST_F(statistics, a_lost_local_truth_costs_one_step)
{
    script_.local_flag = [](double t) { return t == 2 ? truth_step_too_small : truth_good; };
    script_.local_error = 2 * tol;
    auto s = make();
    for (const double t : {1.0, 2.0, 3.0}) tell(s, t);
    EXPECT_EQ(s.summary().assessed, 2U);
    EXPECT_EQ(s.summary().deceived, 2U);
    EXPECT_EQ(s.summary().truth_failures, 1U);
    EXPECT_EQ(s.summary().local_flag, truth_step_too_small);
    EXPECT_EQ(s.summary().true_until, 2);
    EXPECT_EQ(script_.local.at(2).t0, 2);
}

TEST_F(statistics, in_1986_it_ended_the_local_assessment)
{
    settings_.as_1986 = true;
    script_.local_flag = [](double t) { return t == 2 ? truth_step_too_small : truth_good; };
    auto s = make();
    for (const double t : {1.0, 2.0, 3.0}) tell(s, t);
    EXPECT_EQ(s.summary().assessed, 1U);
    EXPECT_EQ(s.summary().lumped, 3U);
    EXPECT_EQ(script_.local.size(), 2U);
    EXPECT_EQ(script_.global.size(), 3U);
}

TEST_F(statistics, a_lost_global_truth_ends_the_global_assessment)
{
    script_.global_flag = [](double t) { return t == 2 ? truth_out_of_work : truth_good; };
    script_.global_error = tol;
    for (const bool as_1986 : {false, true}) {
        script_.global.clear();
        settings_.as_1986 = as_1986;
        auto s = make();
        for (const double t : {1.0, 2.0, 3.0}) tell(s, t);
        EXPECT_EQ(script_.global.size(), 2U);
        EXPECT_EQ(s.summary().global_flag, truth_out_of_work);
        EXPECT_NEAR(s.summary().max_global_error, tol, 1e-10); // from before
        EXPECT_EQ(s.summary().assessed, as_1986 ? 1U : 3U);    // in 1986 all truth was lost with it
        if (as_1986) {
            EXPECT_EQ(s.summary().true_until, 1.5); // where the true solution came to its end
        }
    }
}

TEST_F(statistics, an_error_that_is_no_number_is_the_worst_of_all)
{
    script_.local_error = std::nan("");
    auto s = make();
    tell(s, 1);
    EXPECT_EQ(s.summary().deceived, 1U);
    EXPECT_EQ(s.summary().badly_deceived, 1U);
    EXPECT_TRUE(std::isnan(s.summary().max_local_error));
}

TEST_F(statistics, scatter_of_estimates)
{
    settings_.level = 4;
    script_.local_error = 0.3 * tol; // y* - yloc = (0, -0.3 - 0.6) tol without, the local error itself with extrapolation
    const point estimate{0, 0.6 * tol};
    auto plain = make(false);
    tell(plain, 1, tol, estimate);
    EXPECT_EQ(plain.summary().scatter.count(0, 0), 1U);
    auto extrapolated = make(true);
    tell(extrapolated, 1, tol, estimate);
    EXPECT_EQ(extrapolated.summary().scatter.count(0, -1), 1U);
    EXPECT_EQ(extrapolated.summary().scatter.total(), 1U);
}

TEST_F(statistics, scatter_leaves_lumped_steps_out)
{
    settings_.level = 4;
    for (const bool as_1986 : {false, true}) {
        settings_.as_1986 = as_1986;
        auto s = make();
        tell(s, 1e-9);
        tell(s, 1);
        tell(s, 2);
        EXPECT_EQ(s.summary().assessed, 2U);
        EXPECT_EQ(s.summary().scatter.total(), as_1986 ? 2U : 1U);
    }
}

TEST_F(statistics, distributions_and_the_worst_steps)
{
    auto s = make();
    for (int k = 1; k <= 12; ++k) {
        script_.local_error = k == 6 ? 3 * tol : 0.2 * tol;
        tell(s, k, k == 7 ? 3 * tol : tol, {0.5 * tol, 0});
    }
    const step_summary found = s.finished();
    EXPECT_EQ(found.by_bound.count(4), 1U); // 3 bounds: 10^0.4 = 2.51 to 10^0.5 = 3.16
    EXPECT_EQ(found.by_bound.count(-7), 10U);
    EXPECT_EQ(found.by_bound.count(-12), 1U); // against the larger bound
    EXPECT_EQ(found.by_tolerance.count(-7), 11U);
    ASSERT_EQ(found.worst.size(), 1U);
    const auto& worst = found.worst.front();
    ASSERT_EQ(worst.around.size(), 9U);
    EXPECT_EQ(worst.middle, 4U);
    EXPECT_EQ(worst.around[4].t, 6);
    EXPECT_EQ(worst.around[4].h, 1);
    EXPECT_NEAR(worst.around[4].error, 3, 1e-9);
    EXPECT_NEAR(worst.around[4].estimate, 0.5, 1e-12);
    EXPECT_EQ(worst.around[5].bound, 3 * tol);
    EXPECT_EQ(worst.around[4].y, (std::vector<double>{1, 1}));
}

TEST(ratios, classes_are_tenths_of_powers_of_ten)
{
    EXPECT_EQ(ratio_histogram::class_of(1), 0);
    EXPECT_EQ(ratio_histogram::class_of(0.99), -1);
    EXPECT_EQ(ratio_histogram::class_of(0), ratio_histogram::lowest);
    EXPECT_EQ(ratio_histogram::class_of(1e300), ratio_histogram::highest);
    EXPECT_EQ(ratio_histogram::class_of(NAN), ratio_histogram::highest);
}

TEST(scatter, classes_are_those_of_the_documentation)
{
    struct expectation {
        double ratio;
        int documented, computed;
    };
    for (const auto& e : {expectation{0, -7, -7},
                          {0.0077, -7, -7},
                          {0.0079, -6, -7},
                          {0.49, -1, -1},
                          {0.5, 0, -1},
                          {0.99, 0, 0},
                          {1.011, 1, 0},
                          {1.5, 1, 1},
                          {7.9, 3, 3},
                          {8.1, 4, 3},
                          {1e30, 4, 4},
                          {std::nan(""), 4, 4}}) {
        EXPECT_EQ(scatter_table::class_of(e.ratio, false), e.documented) << e.ratio;
        EXPECT_EQ(scatter_table::class_of(e.ratio, true), e.computed) << e.ratio;
    }
}

TEST(distances, three_norms)
{
    const std::array<double, 4> a{1, 2, 3, 4};
    const std::array<double, 4> b{1, 5, 3, 0};
    EXPECT_DOUBLE_EQ(distance(norm_kind::max, a, b, false), 4);
    EXPECT_DOUBLE_EQ(distance(norm_kind::l2, a, b, false), 5);
    EXPECT_DOUBLE_EQ(distance(norm_kind::rms, a, b, false), 2.5);
    const std::array<double, 1> fine{1 + 1e-9};
    const std::array<double, 1> one{1};
    EXPECT_EQ(distance(norm_kind::max, fine, one, true), static_cast<double>(static_cast<float>(fine[0] - 1)));
}

TEST(start, the_second_step_tells)
{
    start_probe two(1);
    EXPECT_TRUE(two.after_step(1.5));
    EXPECT_EQ(two.step(), 0.5);
    EXPECT_FALSE(two.after_step(3.5));
    EXPECT_EQ(two.step(), 2);
}

TEST(settings, every_fault_at_once)
{
    assessment_settings s;
    EXPECT_TRUE(s.validate().empty());
    s.level = 1;
    s.normalize = normalization::max;
    s.tolerances = {1e-2, 1e-2, -1, 1e-4};
    s.timing_s = -1;
    const auto faults = s.validate();
    ASSERT_EQ(faults.size(), 4U);
    EXPECT_NE(faults[0].find("level 1"), std::string::npos);
    EXPECT_NE(faults[1].find("0.01 given after 0.01"), std::string::npos);
    EXPECT_NE(faults[2].find("-1 given"), std::string::npos);
    EXPECT_NE(faults[3].find("timing"), std::string::npos);
    s = {};
    s.tolerances = {};
    s.level = 5;
    EXPECT_EQ(s.validate().size(), 2U);
    s.tolerances.assign(11, 1);
    for (int i = 0; i < 11; ++i) s.tolerances[i] = std::pow(10.0, -i);
    EXPECT_EQ(s.validate().size(), 2U);
}

TEST(settings, tolerances_of_1986_went_through_single_precision)
{
    assessment_settings s;
    EXPECT_EQ(s.working(1e-2), 1e-2);
    s.as_1986 = true;
    EXPECT_EQ(s.working(1e-2), 0.00999999977648258209228515625);
}

} // namespace
