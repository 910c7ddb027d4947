#include <ivp/catalog.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ivp {

namespace {

std::vector<std::string> faults_of(const tolerances& t, int n) { return t.validate(n); }

tolerances vectors(std::vector<double> rtol, std::vector<double> atol)
{
    tolerances t;
    t.rtol = std::move(rtol);
    t.atol = std::move(atol);
    return t;
}

} // namespace

TEST(tolerances, accept_what_can_be_used)
{
    EXPECT_TRUE(faults_of({1e-4, 1e-4}, 3).empty());
    EXPECT_TRUE(faults_of({0, 1e-4}, 3).empty());
    EXPECT_TRUE(faults_of({1e-4, 0}, 3).empty());
    EXPECT_TRUE(faults_of(vectors({1e-4}, {1, 2, 3}), 3).empty());
}

TEST(tolerances, name_each_fault)
{
    EXPECT_EQ(faults_of({0, 0}, 3).at(0), "rtol = 0 needs atol > 0; given: rtol 0, atol 0");
    EXPECT_EQ(faults_of({-1e-4, 1e-4}, 3).at(0), "rtol: -1e-04 given; allowed: a finite number that is not negative");
    EXPECT_EQ(faults_of({std::nan(""), -1}, 3).size(), 2u);
    EXPECT_EQ(faults_of({std::numeric_limits<double>::infinity(), 1}, 3).size(), 1u);
    EXPECT_EQ(faults_of(vectors({1e-4}, {1, 2}), 3).at(0), "atol: 2 values given; allowed: 1 value or 3 (one per component)");
    EXPECT_EQ(faults_of({1e-17, 1e-4}, 3).size(), 1u);
    EXPECT_NE(faults_of({1e-17, 1e-4}, 3).at(0).find("double precision"), std::string::npos);
}

TEST(solve_options, report_every_fault_at_once)
{
    const problem p = open_problem("hires");
    const auto s = open_solver("radau5");
    solve_options o;
    o.tolerance = {0, 1e-4};
    o.h0 = -1.0;
    o.hmax = 0;
    o.max_steps = 0;
    o.threads = 3;
    o.special = {{"nit", 2.5}, {"safty", 0.5}};
    const auto faults = o.validate(p, s->info());
    ASSERT_EQ(faults.size(), 7u);
    EXPECT_EQ(faults[0], "rtol: 0 given; radau5 needs rtol > 0");
    EXPECT_EQ(faults[1], "h0: -1 given; allowed: a number above 0");
    EXPECT_EQ(faults[4], "threads: 3 given; allowed for radau5: 1 to 2");
    EXPECT_EQ(faults[5], "option 'nit': 2.5 given; allowed: a whole number from 3 to 50");
    EXPECT_NE(faults[6].find("did you mean 'safety'?"), std::string::npos);
}

TEST(solve_options, an_option_that_is_not_given_has_its_default)
{
    const auto s = open_solver("radau5");
    const solver_option* const nit = find_option(s->info().options, "nit");
    ASSERT_NE(nit, nullptr);
    EXPECT_EQ(nit->in({}), 7.0);
    EXPECT_EQ(nit->in({{"nit", 10}}), 10.0);
    EXPECT_EQ(find_option(s->info().options, "no such"), nullptr);
}

TEST(solve_options, flags_and_choices_take_nothing_between_their_words)
{
    const problem p = open_problem("hires");
    solve_options o;
    o.tolerance = {1e-4, 1e-4};
    o.special = {{"predictive", 0.5}};
    EXPECT_EQ(o.validate(p, open_solver("radau5")->info()), std::vector<std::string>{"option 'predictive': 0.5 given; allowed: yes, no"});
    o.special = {{"min_stages", 4}};
    EXPECT_EQ(o.validate(p, open_solver("radau")->info()), std::vector<std::string>{"option 'min_stages': 4 given; allowed: 1, 3, 5, 7"});
}

TEST(algebra, labels_round_trip)
{
    for (const algebra a : {algebra::automatic, algebra::dense, algebra::band, algebra::sparse}) EXPECT_EQ(from_label<algebra>(label(a)), a);
    EXPECT_FALSE(from_label<algebra>("full"));
}

} // namespace ivp
