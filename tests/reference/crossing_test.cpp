// The first change of sign of a function that is known at points.
#include "reference/crossing.hpp"

#include <ivp/scalar.hpp>

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace ivp::reference {

namespace {

constexpr std::array<double, 5> points{0.2, 0.4, 0.6, 0.8, 1.0};

/// Of a function of size 1 that is to stay positive.
template <class Function>
auto crossing_of(const Function& f)
{
    return first_crossing<double>(points, f, [](double x, double part) { return x < 0 && -x > std::max(part, 1e-30); });
}

} // namespace

TEST(first_crossing, lies_between_two_points)
{
    const auto found = crossing_of([](double c) { return 0.5 - c; });
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, std::pair(0.4, 0.6));
    EXPECT_FALSE(crossing_of([](double c) { return 2 - c; }));
}

TEST(first_crossing, may_lie_before_the_first_point)
{
    const auto found = crossing_of([](double c) { return 0.1 - c; });
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, std::pair(0.2, 0.2));
}

TEST(first_crossing, is_found_where_the_sign_lasts_for_a_moment)
{
    for (const double place : {0.31, 0.45, 0.57, 0.79}) {
        const auto found = crossing_of([place](double c) { return (c - place) * (c - place) - 1e-12; });
        ASSERT_TRUE(found) << place;
        EXPECT_LT(found->first, place - 1e-6) << "the sign is right there";
        EXPECT_NEAR(found->second, place, 1e-6) << "and wrong here";
    }
}

TEST(first_crossing, a_touch_that_changes_nothing_does_not_count)
{
    EXPECT_FALSE(crossing_of([](double c) { return (c - 0.45) * (c - 0.45) - 1e-18; }));
    EXPECT_FALSE(crossing_of([](double c) { return (c - 0.45) * (c - 0.45) + 1e-12; }));
}

} // namespace ivp::reference
