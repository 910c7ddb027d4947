// Expected values computed by hand from the definitions in docs/contracts.md.
#include <ivp/accuracy.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ivp {

namespace {

const tolerances equal{1e-4, 1e-4}; // atol/rtol = 1

accuracy measure(std::vector<double> y, std::vector<double> r, const accuracy_rule& rule = {}, const tolerances& t = equal)
{
    return measure_accuracy(y, r, t, rule);
}

} // namespace

TEST(scd, takes_the_worst_component)
{
    const accuracy a = measure({1.01, 100.1, -4.0}, {1.0, 100.0, -4.0});
    EXPECT_NEAR(*a.scd, 2.0, 1e-9);                       // 0.01 relative in the first
    EXPECT_NEAR(*a.scd_abs, 1.0, 1e-9);                   // 0.1 absolute in the second
    EXPECT_NEAR(*a.mescd, -std::log10(0.01 / 2.0), 1e-9); // 0.01/(1 + 1) beats 0.1/(1 + 100)
    EXPECT_EQ(a.used_rel, 3);
    EXPECT_NEAR(*a.component[1].digits_rel, 3.0, 1e-9);
}

TEST(scd, negative_values_count_by_size)
{
    const accuracy a = measure({-1.001}, {-1.0});
    EXPECT_NEAR(*a.scd, 3.0, 1e-9);
    EXPECT_NEAR(*measure({1.0}, {-1.0}).scd, -std::log10(2.0), 1e-12);
}

TEST(scd, exact_agreement_is_sixteen_digits)
{
    const accuracy a = measure({2.0, 3.0}, {2.0, 3.0});
    EXPECT_EQ(*a.scd, 16.0);
    EXPECT_EQ(*a.scd_abs, 16.0);
    EXPECT_EQ(*a.mescd, 16.0);
}

TEST(scd, zero_and_tiny_references_are_left_out_of_the_relative_error)
{
    const accuracy a = measure({1e-3, 1e-3, 1.1}, {0.0, 1e-201, 1.0});
    EXPECT_NEAR(*a.scd, 1.0, 1e-9);
    EXPECT_EQ(a.used_rel, 1);
    EXPECT_EQ(a.used_abs, 3);
    EXPECT_TRUE(a.component[0].too_small);
    EXPECT_TRUE(a.component[1].too_small);
    EXPECT_FALSE(a.component[0].digits_rel);
    EXPECT_NEAR(*a.mescd, -std::log10(0.1 / 2.0), 1e-9); // mescd takes all: 1e-3/1 is smaller
    const accuracy all_zero = measure({1e-3}, {0.0});
    EXPECT_FALSE(all_zero.scd);
    EXPECT_NEAR(*all_zero.mescd, 3.0, 1e-9);
}

TEST(scd, just_above_the_limit_counts)
{
    const accuracy a = measure({2e-200}, {1e-200});
    EXPECT_NEAR(*a.scd, 0.0, 1e-9);
    EXPECT_EQ(a.used_rel, 1);
}

TEST(scd, excluded_components_count_in_mescd_only)
{
    accuracy_rule rule;
    rule.excluded = {2};
    const accuracy a = measure({1.001, 5.0}, {1.0, 1.0}, rule);
    EXPECT_NEAR(*a.scd, 3.0, 1e-9);
    EXPECT_NEAR(*a.scd_abs, 3.0, 1e-9);
    EXPECT_NEAR(*a.mescd, -std::log10(4.0 / 2.0), 1e-9);
    EXPECT_EQ(a.used_rel, 1);
    EXPECT_TRUE(a.component[1].excluded);
}

TEST(scd, absolute_and_undefined_rules)
{
    accuracy_rule absolute;
    absolute.absolute_scd = true;
    EXPECT_NEAR(*measure({100.1}, {100.0}, absolute).scd, 1.0, 1e-9);
    accuracy_rule none;
    none.scd_defined = false;
    EXPECT_FALSE(measure({1.1}, {1.0}, none).scd);
    EXPECT_TRUE(measure({1.1}, {1.0}, none).mescd);
}

TEST(scd, anything_not_finite_has_no_digits)
{
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        const accuracy a = measure({1.0, bad}, {1.0, 1.0});
        EXPECT_FALSE(a.scd);
        EXPECT_FALSE(a.scd_abs);
        EXPECT_FALSE(a.mescd);
        EXPECT_FALSE(a.component[0].digits_abs);
    }
}

TEST(mescd, weighs_by_the_ratio_of_the_tolerances)
{
    tolerances t;
    t.rtol = {1e-4};
    t.atol = {1e-4, 1e-10};
    const accuracy a = measure({1e-3, 1e-3}, {0.0, 0.0}, {}, t);
    EXPECT_NEAR(*a.mescd, -std::log10(1e-3 / 1e-6), 1e-9);
    const accuracy pure = measure({1.5}, {1.0}, {}, {0, 1e-3});
    EXPECT_NEAR(*pure.mescd, -std::log10(0.5), 1e-12);
}

TEST(wrong_answer, has_no_defined_measure_above_zero)
{
    EXPECT_TRUE(is_wrong_answer(measure({100.0}, {1.0})));    // scd -2, mescd -1.7
    EXPECT_FALSE(is_wrong_answer(measure({1.5e-3}, {1e-4}))); // scd below 0, mescd 2.9
    EXPECT_FALSE(is_wrong_answer(measure({1.001}, {1.0})));
    EXPECT_TRUE(is_wrong_answer(measure({100.0}, {0.0}))); // only mescd is defined
    EXPECT_TRUE(is_wrong_answer(measure({3.0}, {1.0})));   // scd -0.3, mescd 0: not one digit
    EXPECT_FALSE(is_wrong_answer(measure({std::nan("")}, {1.0})));
}

} // namespace ivp
