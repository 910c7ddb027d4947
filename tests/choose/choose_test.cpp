#include "choose/choose.hpp"
#include "report/choice.hpp"
#include "run/scripted_solver.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

namespace ivp {

namespace {

/// How a scripted solver behaves: its digits follow the tolerance, and the time it needs too.
struct manner {
    double lost_digits = 0; ///< rtol 10^-k gives k − lost digits
    double seconds = 1e-3;  ///< at rtol = 1e-4
    double most_digits = 15;
    double bias = 0;          ///< added to every component: what it converges to is wrong
    double fails_looser = 10; ///< newton_failed where rtol is above this
};

scripted_solver behaving(const problem& p, const std::string& name, const manner& m)
{
    scripted_solver s([&p, m](evaluator& e, const segment& part, const solve_options& o, step_observer*) {
        std::vector<double> slope(part.y.size());
        (void)e.f(part.t0, part.y.data(), slope.data());
        solve_result r = reached(part);
        const double rtol = o.tolerance.rtol[0];
        if (rtol > m.fails_looser) {
            r.outcome = outcome::newton_failed;
            r.message = "scripted to fail";
            return r;
        }
        copy_reference(p, part.y);
        const double digits = std::min(-std::log10(rtol) - m.lost_digits, m.most_digits);
        for (double& y : part.y) y += (std::pow(10.0, -digits) + m.bias) * (o.tolerance.atol[0] / rtol + std::abs(y));
        burn_cpu(m.seconds * std::pow(1e-4 / rtol, 0.2));
        return r;
    });
    s.info_.name = name;
    s.info_.highest_order = 5;
    return s;
}

class choosing : public testing::Test {
protected:
    static constexpr double never_in_the_way = 1e4; ///< seconds

    void enter(const std::string& name, const manner& m, bool candidate = true)
    {
        solvers_.push_back(behaving(p_, name, m));
        members_.push_back({{&solvers_.back(), {}}, candidate});
    }
    /// With more time than the slowest machine needs.
    choice choose(double digits, double budget_s = never_in_the_way)
    {
        choice_request request;
        request.digits = digits;
        request.budget_s = budget_s;
        return choose_solver(p_, members_, request);
    }
    static const candidate_result& result_of(const choice& c, const std::string& name)
    {
        return *std::ranges::find(c.candidates, name, &candidate_result::solver);
    }

    problem p_ = open_problem("vdpol");
    std::deque<scripted_solver> solvers_; ///< members point to them
    std::vector<choice_member> members_;
};

} // namespace

TEST_F(choosing, names_the_fastest_that_delivers_and_the_tolerance_to_ask_for)
{
    enter("good", {.lost_digits = 1, .seconds = 2e-4});
    enter("better", {.lost_digits = 0.5, .seconds = 1e-4});
    enter("fast but inaccurate", {.seconds = 2e-5, .most_digits = 3});
    const choice c = choose(4);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_EQ(c.answer()->solver, "better");
    EXPECT_NEAR(std::log10(c.answer()->rtol), -4.625, 0.26) << "4.5 for the digits, and a notch for the looser neighbour";
    EXPECT_GE(*c.answer()->digits, 4);
    EXPECT_GT(*c.answer()->loosest, c.answer()->rtol);
    EXPECT_LT(*c.answer()->tightest, 0.6 * c.answer()->rtol);
    EXPECT_EQ(result_of(c, "good").verdict, verdict::delivers);
    EXPECT_EQ(result_of(c, "fast but inaccurate").verdict, verdict::too_few);
    EXPECT_NEAR(*result_of(c, "fast but inaccurate").digits, 3, 0.01);
    EXPECT_TRUE(c.complete);
}

TEST_F(choosing, never_looks_at_the_reference_of_the_problem)
{
    // Both converge to the same wrong values: judged by the stored reference nobody had a digit, and every run were a wrong answer.
    enter("wrong", {.bias = 10});
    enter("wrong too", {.seconds = 2e-3, .bias = 10});
    const choice c = choose(4);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_EQ(c.answer()->solver, "wrong");
    EXPECT_FALSE(c.answer()->run->mescd);
    EXPECT_EQ(c.answer()->run->outcome, outcome::success);
}

TEST_F(choosing, believes_nobody_where_two_methods_disagree)
{
    enter("right", {.seconds = 2e-4});
    enter("biased", {.seconds = 1e-4, .bias = 9e-4});
    const choice c = choose(4);
    EXPECT_EQ(c.answer(), nullptr);
    ASSERT_TRUE(c.reference);
    EXPECT_NEAR(c.reference->digits, 3.05, 0.01);
    EXPECT_TRUE(c.reference->two_families);
    for (const auto& r : c.candidates) EXPECT_LT(r.digits.value(), 4) << r.solver;
    EXPECT_NE(choice_text(c, {}).find("agree to 3.0 digits only"), std::string::npos) << choice_text(c, {});
}

TEST_F(choosing, a_third_method_settles_the_disagreement_of_two)
{
    enter("biased", {.seconds = 1e-4, .bias = 1e-3});
    enter("right", {.seconds = 2e-4});
    enter("right too", {.seconds = 3e-4}, false);
    const choice c = choose(4);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_EQ(c.answer()->solver, "right");
    EXPECT_EQ(c.candidates.size(), 2U) << "who only helps to find the reference is no candidate";
    EXPECT_EQ(result_of(c, "biased").verdict, verdict::too_few);
}

TEST_F(choosing, one_method_alone_is_compared_with_itself_and_that_is_said)
{
    enter("alone", {});
    const choice c = choose(4);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_FALSE(c.reference->two_families);
    EXPECT_NE(choice_text(c, {}).find("two tight runs of one method"), std::string::npos);
}

TEST_F(choosing, solvers_of_one_family_do_not_vouch_for_each_other)
{
    enter("radau5", {});
    enter("radau", {});
    const choice c = choose(4);
    ASSERT_TRUE(c.reference);
    EXPECT_FALSE(c.reference->two_families);
}

TEST_F(choosing, gives_a_dear_solver_up_and_says_so)
{
    enter("quick", {.seconds = 5e-5});
    enter("quick too", {.seconds = 6e-5});
    enter("dear", {.lost_digits = 1, .seconds = 0.05});
    const choice c = choose(5);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_EQ(result_of(c, "dear").verdict, verdict::too_slow);
    EXPECT_FALSE(result_of(c, "dear").reason.empty());
}

TEST_F(choosing, a_failure_at_loose_tolerances_does_not_end_the_search)
{
    enter("shy", {.seconds = 1e-4, .fails_looser = 1e-3});
    enter("other", {.seconds = 1e-3});
    const choice c = choose(2);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_EQ(c.answer()->solver, "shy");
    EXPECT_LT(c.answer()->rtol, 1e-3);
}

TEST_F(choosing, who_fails_always_is_told_with_the_reason)
{
    enter("good", {});
    enter("good too", {});
    enter("broken", {.fails_looser = 0});
    const choice c = choose(4);
    EXPECT_EQ(result_of(c, "broken").verdict, verdict::failed);
    EXPECT_NE(result_of(c, "broken").reason.find("scripted to fail"), std::string::npos);
}

TEST_F(choosing, keeps_its_budget)
{
    enter("slow", {.seconds = 0.2});
    enter("slow too", {.seconds = 0.2});
    const choice c = choose(4, 0.5);
    EXPECT_FALSE(c.complete);
    EXPECT_EQ(c.answer(), nullptr);
    EXPECT_NE(choice_text(c, {}).find("--budget 2 gives more time"), std::string::npos) << choice_text(c, {});
}

TEST_F(choosing, the_floor_sets_measure_and_tolerance)
{
    enter("a", {.seconds = 1e-4});
    enter("b", {.seconds = 2e-4});
    choice_request request;
    request.floor = {1e-3};
    request.budget_s = never_in_the_way;
    const choice c = choose_solver(p_, members_, request);
    ASSERT_NE(c.answer(), nullptr);
    EXPECT_NEAR(c.answer()->run->atol[0] / c.answer()->rtol, 1e-3, 1e-9);
    ASSERT_EQ(c.floor.size(), 1U);
    EXPECT_NEAR(c.floor[0], 1e-3, 1e-9);
}

TEST_F(choosing, tells_all_faults_of_the_settings_before_anything_runs)
{
    enter("a", {});
    enter("b", {});
    members_[0].run.settings.threads = 7;
    members_[1].run.settings.hmax = -1;
    try {
        (void)choose(4);
        FAIL();
    } catch (const bad_request& e) {
        EXPECT_EQ(e.faults().size(), 2U);
    }
}

TEST_F(choosing, as_json)
{
    enter("a", {.seconds = 1e-4});
    enter("b", {.seconds = 2e-4});
    const choice c = choose(4);
    const auto j = nlohmann::json::parse(choice_json(c, {{"x", "why", false}}));
    EXPECT_EQ(j["answer"]["solver"], "a");
    EXPECT_EQ(j["answer"]["rtol"], c.answer()->rtol);
    EXPECT_EQ(j["reference"]["two_methods"], true);
    EXPECT_EQ(j["candidates"].size(), 2U);
    EXPECT_EQ(j["candidates"][0]["run"]["solver"], "a");
    EXPECT_GT(j["candidates"][0]["tried"].size(), 5U);
    EXPECT_EQ(j["left_out"][0]["why"], "why");
}

TEST(choice_parts, digits_are_no_more_certain_than_the_reference)
{
    EXPECT_NEAR(certain_digits(4, 16), 4, 1e-9);
    EXPECT_NEAR(certain_digits(4, 4), 3.699, 1e-3);
    EXPECT_NEAR(certain_digits(9, 5), 5, 1e-3);
}

TEST(choice_parts, families_know_every_solver_of_the_catalog_that_has_relatives)
{
    EXPECT_EQ(method_family("radau5"), method_family("radau"));
    EXPECT_EQ(method_family("vode"), method_family("ida"));
    EXPECT_NE(method_family("vode"), method_family("vode-adams"));
    EXPECT_NE(method_family("dop853"), method_family("gamd"));
    EXPECT_EQ(method_family("rodas"), method_family("odeint-rosenbrock4")); // the same coefficients
    EXPECT_EQ(method_family("./mine.so"), "./mine.so");
    std::set<std::string> alone;
    for (const auto& name : solver_names())
        if (method_family(name) == name) alone.insert(name);
    for (const auto& l : library_solvers())
        if (method_family(l.name) == l.name) alone.insert(l.name);
    EXPECT_EQ(alone, (std::set<std::string>{"bimd", "gamd", "secder", "odeint-bulirsch-stoer"}))
        << "a new solver: does it share its formulas with another one?";
}

} // namespace ivp
