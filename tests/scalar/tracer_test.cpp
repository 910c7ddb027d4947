#include <ivp/scalar/tracer.hpp>

#include <gtest/gtest.h>

namespace ivp {

using indices = std::vector<int>;

TEST(tracer, joins_what_a_value_was_computed_from)
{
    const tracer a = tracer::input(2, 3);
    const tracer b = tracer::input(5, 1);
    EXPECT_EQ((a + b).inputs, (indices{1, 3}));
    EXPECT_EQ((a * b - a / b).inputs, (indices{1, 3}));
    EXPECT_EQ((2.0 * a).inputs, indices{3});
    EXPECT_EQ(tracer(7).inputs, indices{});
    EXPECT_EQ((a * b).v, 10.0);
}

TEST(tracer, dependence_is_structural)
{
    const tracer a = tracer::input(2, 0);
    EXPECT_EQ((0 * a).inputs, indices{0});
    EXPECT_EQ((a - a).inputs, indices{0});
}

TEST(tracer, functions_keep_the_dependence_and_the_value)
{
    const tracer a = tracer::input(0.5, 4);
    for (const tracer& y : {exp(a), log(a), log10(a), sqrt(a), sin(a), cos(a), tan(a), asin(a), acos(a), atan(a), sinh(a), cosh(a), tanh(a), abs(a),
                            fabs(a), pow(a, 3)})
        EXPECT_EQ(y.inputs, indices{4});
    EXPECT_EQ(exp(a).v, std::exp(0.5));
    EXPECT_EQ(atan2(a, tracer::input(1, 2)).inputs, (indices{2, 4}));
}

TEST(tracer, branches_follow_the_value)
{
    const tracer a = tracer::input(-1, 0);
    EXPECT_TRUE(a < 0);
    EXPECT_EQ(value_of(a), -1.0);
}

} // namespace ivp
