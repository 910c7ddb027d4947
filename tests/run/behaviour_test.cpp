#include "solvers/linear_problem.hpp"

#include "run/behaviour.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

namespace ivp {

TEST(course_of_solution, follows_the_solution_between_the_steps)
{
    std::vector<double> times;
    for (int k = 0; k <= 100; ++k) times.push_back(0.02 * k);
    const std::vector<int> components{1};
    const solution_course s = course_of_solution(testing_support::linear(), *open_solver("radau5"), times, components, 10'000);
    ASSERT_EQ(s.run.outcome, outcome::success);
    ASSERT_EQ(s.t.size(), times.size());
    ASSERT_EQ(s.y.size(), 1u);
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(s.y[0][k], testing_support::linear_problem<double>::exact(1, times[k]), 1e-4);
}

TEST(course_of_solution, holds_what_was_reached_when_the_steps_are_used_up)
{
    const problem p = open_problem("medakzo");
    const std::vector<double> times{0, 1e-4, 20};
    const std::vector<int> components{0};
    const solution_course s = course_of_solution(p, *open_solver("radau5"), times, components, 30);
    EXPECT_EQ(s.run.outcome, outcome::too_many_steps);
    EXPECT_LT(s.t.size(), times.size());
    EXPECT_EQ(s.y[0].size(), s.t.size());
}

TEST(behaviour, is_known_for_every_problem_and_always_the_same)
{
    for (const auto& id : problem_ids()) {
        const problem p = open_problem(id);
        const auto b = behaviour_of(p, 50);
        ASSERT_TRUE(b.has_value()) << id;
        EXPECT_EQ(b->t.size(), 50U) << id;
        EXPECT_EQ(b->y.size(), b->components.size()) << id;
        EXPECT_DOUBLE_EQ(b->t.back(), p.info().tend.value()) << id;
        if (id == "hires" || id == "pump") {
            EXPECT_EQ(b, behaviour_of(p, 50)) << id;
        }
        EXPECT_EQ(behaviour_from_json(to_json(*b)), *b) << id;
    }
}

} // namespace ivp
