#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

namespace ivp {

TEST(quad, carries_33_digits)
{
    const quad third = quad(1) / quad(3);
    EXPECT_LT(value_of(abs(third * quad(3) - quad(1))), 2e-34);
    EXPECT_EQ(to_text(quad_from_text("0.1"), 30).substr(0, 31), "1.00000000000000000000000000000");
    EXPECT_EQ(quad(1) + std::numeric_limits<quad>::epsilon() == quad(1), false);
    EXPECT_EQ(quad(1) + std::numeric_limits<quad>::epsilon() / 2 == quad(1), true);
}

TEST(quad, functions_satisfy_their_identities)
{
    const quad x = quad_from_text("0.7");
    const auto small = [](quad a) { return value_of(abs(a)) < 1e-32; };
    EXPECT_TRUE(small(sin(x) * sin(x) + cos(x) * cos(x) - 1));
    EXPECT_TRUE(small(cosh(x) * cosh(x) - sinh(x) * sinh(x) - 1));
    EXPECT_TRUE(small(exp(log(x)) - x));
    EXPECT_TRUE(small(sqrt(x) * sqrt(x) - x));
    EXPECT_TRUE(small(tan(x) - sin(x) / cos(x)));
    EXPECT_TRUE(small(tanh(x) - sinh(x) / cosh(x)));
    EXPECT_TRUE(small(asin(sin(x)) - x));
    EXPECT_TRUE(small(acos(cos(x)) - x));
    EXPECT_TRUE(small(atan(tan(x)) - x));
    EXPECT_TRUE(small(atan2(x, quad(1)) - atan(x)));
    EXPECT_TRUE(small(pow(x, quad(3)) - x * x * x));
    EXPECT_TRUE(small(log10(x) - log(x) / log(quad(10))));
    EXPECT_EQ(floor(quad(-1.5)), quad(-2));
}

TEST(quad, compares_and_converts)
{
    EXPECT_TRUE(quad(1) < quad(2) && quad(2) > quad(1) && quad(2) >= quad(2) && quad(2) <= quad(2));
    EXPECT_EQ(static_cast<double>(quad(0.1)), 0.1);
    EXPECT_TRUE(isfinite(quad(1)));
    EXPECT_FALSE(isfinite(std::numeric_limits<quad>::infinity()));
    EXPECT_FALSE(isfinite(std::numeric_limits<quad>::quiet_NaN()));
}

} // namespace ivp
