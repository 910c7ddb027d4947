#include "solvers/linear_problem.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/sample.hpp>

#include <gtest/gtest.h>

namespace ivp {

TEST(sample_solution, follows_the_solution_between_the_steps)
{
    std::vector<double> times;
    for (int k = 0; k <= 100; ++k) times.push_back(0.02 * k);
    const std::vector<int> components{1};
    const sampled_solution s = sample_solution(testing_support::linear(), *open_solver("radau5"), times, components, 5);
    ASSERT_EQ(s.run.outcome, outcome::success);
    ASSERT_EQ(s.t.size(), times.size());
    ASSERT_EQ(s.y.size(), 1u);
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(s.y[0][k], testing_support::linear_problem<double>::exact(1, times[k]), 1e-4);
}

TEST(sample_solution, holds_what_was_reached_when_time_is_up)
{
    const problem p = open_problem("medakzo", {{"N", "20000"}});
    const std::vector<double> times{0, 1, 20};
    const std::vector<int> components{0};
    const sampled_solution s = sample_solution(p, *open_solver("radau5"), times, components, 0.05);
    EXPECT_EQ(s.run.outcome, outcome::timed_out);
    EXPECT_LT(s.t.size(), times.size());
    EXPECT_EQ(s.y[0].size(), s.t.size());
}

} // namespace ivp
