// The exponent with which a quantity grows along an interval.
#include "stats/growth.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace ivp {

namespace {

std::vector<double> ten_of(double (*value)(double))
{
    std::vector<double> all;
    for (int k = 1; k <= 10; ++k) all.push_back(value(k / 10.0));
    return all;
}

} // namespace

TEST(power_law, is_the_exponent_and_needs_two_places)
{
    const std::vector<std::pair<double, double>> cubic{{10, 1e3}, {20, 8e3}, {40, 64e3}, {80, 512e3}};
    EXPECT_NEAR(power_law(cubic).value(), 3, 1e-12);
    const std::vector<std::pair<double, double>> one{{10, 1}, {10, 2}}, bad{{10, 1}, {0, 2}, {20, -1}};
    EXPECT_FALSE(power_law(one));
    EXPECT_FALSE(power_law(bad));
    auto disturbed = cubic;
    disturbed.emplace_back(160, 1.0);
    EXPECT_NEAR(power_law(disturbed).value(), 3, 1e-12) << "one point among five does not decide";
}

TEST(growth_exponent, is_the_power_of_t)
{
    EXPECT_NEAR(growth_exponent(ten_of([](double) { return 3e-7; })).value(), 0, 1e-14);
    EXPECT_NEAR(growth_exponent(ten_of([](double t) { return 2e-9 * t; })).value(), 1, 1e-12);
    EXPECT_NEAR(growth_exponent(ten_of([](double t) { return 5 * t * t; })).value(), 2, 1e-12);
    EXPECT_NEAR(growth_exponent(ten_of([](double t) { return 1 / t; })).value(), -1, 1e-12);
}

TEST(growth_exponent, is_not_decided_by_one_value)
{
    auto level = ten_of([](double) { return 1.0; });
    level.front() = 1e-12; // a start from rest
    EXPECT_NEAR(growth_exponent(level).value(), 0, 1e-14);
    auto line = ten_of([](double t) { return t; });
    line[4] = 1e6;
    EXPECT_NEAR(growth_exponent(line).value(), 1, 1e-12);
}

TEST(growth_exponent, needs_five_positive_numbers)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(growth_exponent({}));
    const std::vector<double> four{1, 0, nan, 2, 0, 3, 0, 4, 0, std::numeric_limits<double>::infinity()};
    EXPECT_FALSE(growth_exponent(four));
    const std::vector<double> five{1, 2, 0, 4, 0, 6, 0, 0, 0, 10};
    EXPECT_NEAR(growth_exponent(five).value(), 1, 1e-12);
}

} // namespace ivp
