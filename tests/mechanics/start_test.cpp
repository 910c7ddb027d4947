// Consistent initial values: projections, chosen unknowns, and systems that have none.
#include "mechanics/systems.hpp"

#include "linalg/pivoted_qr.hpp"

#include "andrews/andrews_system.hpp"
#include "caraxis/caraxis_system.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

using namespace mechanics_test;

namespace {

/// The car axis, moved away from its start by 1e-2.
template <class R>
struct moved_caraxis : problems::caraxis_system<R> {
    using problems::caraxis_system<R>::caraxis_system;
    void start(R* q, R* v) const
    {
        problems::caraxis_system<R>::start(q, v);
        for (int i = 0; i < 4; ++i) {
            q[i] += (i % 2 == 0 ? R(1) : R(-1)) * decimal("0.01").in<R>();
            v[i] += R(i) * decimal("0.01").in<R>();
        }
    }
};
template <class R>
struct moved_andrews : problems::andrews_system<R> {
    using problems::andrews_system<R>::andrews_system;
    void start(R* q, R* v) const
    {
        problems::andrews_system<R>::start(q, v);
        for (int i = 0; i < 7; ++i) {
            q[i] += (i % 2 == 0 ? R(1) : R(-1)) * decimal("0.01").in<R>();
            v[i] += R(i) * decimal("0.01").in<R>();
        }
    }
};

template <class Make>
std::string refusal(Make make)
{
    try {
        (void)make();
    } catch (const bad_request& e) {
        return e.what();
    }
    return "it was accepted";
}

void expect_words(const std::string& text, const std::vector<std::string>& words)
{
    for (const auto& w : words) EXPECT_NE(text.find(w), std::string::npos) << w << " is not in: " << text;
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

} // namespace

TEST(consistent_start, is_left_alone)
{
    const auto system = mechanical_system_of<problems::caraxis_system>();
    EXPECT_TRUE(system.start().moved.empty()) << system.start().text();
    expect_words(system.start().text(), {"nothing was moved"});
}

TEST(consistent_start, is_the_nearest_position_and_velocity)
{
    // On the ray to the centre; of the velocity what is along the circle is left.
    const auto system = mechanical_system_of<pendulum>({{"x", "0.9"}, {"y", "1.2"}, {"vx", "1"}, {"vy", "0"}});
    const auto& y = system.initial_state();
    EXPECT_NEAR(y[0], 0.6, 1e-15);
    EXPECT_NEAR(y[1], 0.8, 1e-15);
    EXPECT_NEAR(y[2], 0.64, 1e-15);
    EXPECT_NEAR(y[3], -0.48, 1e-15);
    EXPECT_NEAR(y[6], -0.64 + 0.8, 1e-14); // lambda = -v^2 + y g
    expect_words(system.start().text(),
                 {"x moved from 0.9 to 0.6", "y moved from 1.2 to 0.8", "x' moved from 1 to", "largest residual before: position 0.62"});
    EXPECT_EQ(system.start().moved.size(), 4u);
}

TEST(consistent_start, is_the_nearest_in_the_norm_of_the_mass_matrix)
{
    const auto system = mechanical_system_of<moving_ring>();
    const auto& y = system.initial_state();
    const std::vector<double> mass{2, 0.5, 0, 0.5, 1, 0, 0, 0, 3};
    const std::vector<double> given{0.75, -0.5, 0.25, 0.5, 0.25, 0};
    // M (y - given) has no part along the constraints: it is a combination of the gradients (2x, 2y, 2z) and (0, 0, 1) at t = 0.
    std::vector<double> push(3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) push[i] += mass[i + 3 * j] * (y[j] - given[j]);
    EXPECT_NEAR(push[0] * y[1] - push[1] * y[0], 0, 1e-14);
    EXPECT_GT(std::abs(push[0]), 1e-3);
    std::fill(push.begin(), push.end(), 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) push[i] += mass[i + 3 * j] * (y[3 + j] - given[3 + j]);
    EXPECT_NEAR(push[0] * y[1] - push[1] * y[0], 0, 1e-14);
}

TEST(disturbed_start, is_found_again)
{
    for (const auto& system : {mechanical_system_of<moved_caraxis>(), mechanical_system_of<moved_andrews>()}) {
        const auto& s = system.start();
        EXPECT_GT(s.position_residual, 1e-5);
        EXPECT_LT(s.residual_left[0], 1e-13) << system.info().problem.id;
        EXPECT_LT(s.residual_left[1], 1e-13) << system.info().problem.id;
        EXPECT_LT(s.residual_left[2], 1e-13) << system.info().problem.id;
        for (const auto& m : s.moved) EXPECT_LT(std::abs(m.to - m.from), 0.1) << system.info().problem.id << ": " << m.name;
        EXPECT_GE(s.moved.size(), 4u);
    }
}

TEST(chosen_unknowns, are_those_of_the_paper)
{
    // All positions and lambda = 0 are given; the four velocities follow from phi' = 0 and phi'' = 0.
    const start_choice choice{{"xl'", "yl'", "xr'", "yr'"}, {{"xl'", "-0.4"}, {"yl'", "0.1"}, {"xr'", "-0.6"}, {"yr'", "-0.05"}}};
    const auto system = mechanical_system_of<problems::caraxis_system>({}, choice);
    const auto& y = system.initial_state();
    const std::vector<double> expected{0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, -1, 0, -1, 0, 0};
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-7) << i; // yl' - yr' is a double root
    EXPECT_LT(system.start().residual_left[1], 1e-13);
    EXPECT_LT(system.start().residual_left[2], 1e-13);
}

TEST(chosen_unknowns, leave_all_else_as_it_is)
{
    const auto system = mechanical_system_of<pendulum>({{"x", "0.6"}, {"y", "0.7"}, {"vx", "1"}}, {{"y", "y'", "lambda1"}});
    const auto& y = system.initial_state();
    EXPECT_EQ(y[0], 0.6);
    EXPECT_NEAR(y[1], 0.8, 1e-15);
    EXPECT_EQ(y[2], 1);
    EXPECT_NEAR(y[3], -0.75, 1e-15);
    EXPECT_LT(system.start().residual_left[2], 1e-13);
}

TEST(chosen_unknowns, that_cannot_do_it_are_refused_by_name)
{
    expect_words(refusal([] {
                     return mechanical_system_of<pendulum>({{"x", "1.5"}}, {{"y", "y'", "lambda1"}});
                 }),
                 {"'y', 'y'' and 'lambda1'", "'rod'"});
    expect_words(refusal([] { return mechanical_system_of<pendulum>({}, {{"z"}}); }), {"unknown name 'z'", "x, y, x', y', x'', y'', lambda1"});
}

TEST(redundant_constraints, are_named)
{
    expect_words(refusal([] { return mechanical_system_of<two_equal_rods>(); }), {"equal-rods", "redundant", "'rod'", "'second rod'"});
    expect_words(refusal([] { return mechanical_system_of<three_cranks>(); }),
                 {"three-cranks", "redundant", "'left crank'", "'middle crank'", "'right crank'"});
}

TEST(contradictory_constraints, are_named)
{
    expect_words(refusal([] { return mechanical_system_of<two_unequal_rods>(); }), {"contradict each other", "'short rod' and 'long rod'"});
    expect_words(refusal([] { return mechanical_system_of<far_wire>(); }), {"contradict each other", "'rod' and 'wire'"});
}

TEST(singular_position, is_told_from_redundant_constraints)
{
    expect_words(refusal([] { return mechanical_system_of<four_bar>({{"angle", "0"}}); }), {"four-bar", "singular", "'loop, x'", "start elsewhere"});
    EXPECT_NO_THROW((void)mechanical_system_of<four_bar>({{"angle", "-0.5"}}));
}

TEST(pivoted_qr, finds_which_columns_depend_on_which)
{
    // The third column is twice the first minus the second.
    const auto qr = independent_columns<double>({1, 2, 3, 0, 1, 1, 2, 3, 5}, 3, 3, 1e-12);
    ASSERT_EQ(qr.rank, 2);
    const auto x = qr.combination(2);
    std::vector<double> columns{1, 2, 3, 0, 1, 1, 2, 3, 5};
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int k = 0; k < 2; ++k) sum += x[k] * columns[i + 3 * qr.order[k]];
        EXPECT_NEAR(sum, columns[i + 3 * qr.order[2]], 1e-14);
    }
    EXPECT_EQ(independent_columns<quad>({quad(1), quad(0), quad(0), quad(1)}, 2, 2, quad(1e-20)).rank, 2);
}

} // namespace ivp
