#include "model/sweep.hpp"

#include <ivp/problem.hpp>

#include <ivp/scalar.hpp>

#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

TEST(tolerance, is_the_decimal_that_a_person_writes)
{
    EXPECT_NE(1e-4 * 1e-3, 1e-7); // why this is needed
    EXPECT_EQ(as_decimal(1e-4 * 1e-3), 1e-7);
    EXPECT_EQ(as_decimal(1.0000000000000001e-07, 12), 1e-7);
    EXPECT_EQ(as_decimal(0), 0);
    EXPECT_EQ(as_decimal(5e-324), 5e-324);
    EXPECT_TRUE(std::isnan(as_decimal(std::nan(""))));
    EXPECT_TRUE(std::isinf(as_decimal(HUGE_VAL)));
    EXPECT_EQ(as_decimal(-0.75), -0.75);
}

TEST(tolerance, every_whole_power_of_a_ladder_is_exact)
{
    for (const double per_decade : {1.0, 2.0, 4.0, 8.0, 16.0})
        for (int decade = 0; decade <= 14; ++decade) {
            const double wanted = parse_real("1e-" + std::to_string(decade + 1)).value();
            EXPECT_EQ(ladder_rung(0.1, decade * static_cast<int>(per_decade), per_decade), wanted);
        }
    EXPECT_EQ(ladder_rung(1, 9, 8, 2), 0.075);
    for (const auto& [from, to] : {std::pair{1e-4, 1e-10}, std::pair{1e-10, 1e-4}, std::pair{3e-2, 3e-6}}) {
        const auto rungs = tolerance_ladder(from, to, 4);
        ASSERT_EQ(rungs.size(), from > to ? (from == 1e-4 ? 25u : 17u) : 25u);
        EXPECT_EQ(rungs.front(), from);
        EXPECT_EQ(rungs.back(), to);
        for (const double r : rungs) EXPECT_EQ(as_decimal(r), r) << "no rung has more digits than are written";
    }
    EXPECT_EQ(tolerance_ladder(1e-4, 5e-6, 1), (std::vector<double>{1e-4, 1e-5}));
}

TEST(tolerance, a_ladder_may_lead_from_any_number_to_any_other)
{
    const auto down = tolerance_ladder(1e300, 1e-300, 1);
    const auto up = tolerance_ladder(1e-300, 1e300, 1);
    ASSERT_EQ(down.size(), 601u);
    ASSERT_EQ(up.size(), 601u);
    for (int k = 0; k <= 600; ++k) {
        const double wanted = parse_real("1e" + std::to_string(300 - k)).value();
        EXPECT_NEAR(down[k] / wanted, 1, 1e-13) << k;
        EXPECT_NEAR(up[600 - k] / wanted, 1, 1e-13) << k;
    }
    EXPECT_EQ(tolerance_ladder(1e300, 1e-300, 0.0025).size(), 2u);
    EXPECT_EQ(tolerance_ladder(1e-4, 1e-10, 1e-300), std::vector<double>{1e-4});
    EXPECT_EQ(ladder_length(1, 1e-10, 1e9), 1e10 + 1);
    EXPECT_THROW((void)tolerance_ladder(1, 1e-10, 1e9), bad_request);
    EXPECT_THROW((void)tolerance_ladder(1, 1e-10, 1e308), bad_request);
}

TEST(tolerance, is_the_same_in_twelve_digits)
{
    EXPECT_TRUE(same_tolerance(1e-7, 1e-4 * 1e-3));
    EXPECT_TRUE(same_tolerance(std::pow(10, -4.25), ladder_rung(1e-4, 1, 4)));
    EXPECT_FALSE(same_tolerance(1e-7, 1.00000000001e-7));
    EXPECT_TRUE(same_tolerance({1e-7, 2e-7}, {1e-4 * 1e-3, 2e-7}));
    EXPECT_FALSE(same_tolerance({1e-7}, {1e-7, 1e-7}));
}

TEST(tolerance, names_both_limits_of_rtol)
{
    const auto faults = [](double rtol) { return tolerances(rtol, 1e-4).validate(3); };
    EXPECT_TRUE(faults(1).empty());
    for (const double wrong : {1.5, 1e-16, 1e300}) {
        ASSERT_EQ(faults(wrong).size(), 1u) << wrong;
        EXPECT_NE(faults(wrong)[0].find("allowed: from 1e-15 to 1 (or 0 with atol > 0)"), std::string::npos) << faults(wrong)[0];
    }
    tolerances by_component;
    by_component.rtol = {1e-4, 2, 1e-4};
    ASSERT_EQ(by_component.validate(3).size(), 1u);
    EXPECT_NE(by_component.validate(3)[0].find("(component 2)"), std::string::npos);
}

} // namespace ivp
