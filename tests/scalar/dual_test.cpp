#include <ivp/scalar.hpp>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace ivp {

namespace {

template <class R>
dual<R, 4> variable(const R& v, int lane = 0)
{
    dual<R, 4> x(v);
    x.d = x.d.unit(lane);
    return x;
}

// Every function at a point inside its domain: derivative against a central difference in quad precision.
struct function_case {
    const char* name;
    double at;
    std::function<dual<double, 4>(dual<double, 4>)> on_dual;
    std::function<quad(quad)> on_quad;
};

const std::vector<function_case>& cases()
{
#define CASE(expression, at)                                                                                                           \
    function_case                                                                                                                      \
    {                                                                                                                                  \
#expression, at, [](dual <double, 4> x) -> dual < double, 4> { return expression; }, [](quad x) -> quad { return expression; } \
    }
    static const std::vector<function_case> all{CASE(exp(x), 0.7),    CASE(log(x), 0.7),         CASE(log10(x), 0.7),    CASE(sqrt(x), 0.7),
                                                CASE(sin(x), 0.7),    CASE(cos(x), 0.7),         CASE(tan(x), 0.7),      CASE(asin(x), 0.7),
                                                CASE(acos(x), 0.7),   CASE(atan(x), 0.7),        CASE(sinh(x), 0.7),     CASE(cosh(x), 0.7),
                                                CASE(tanh(x), 0.7),   CASE(abs(x), -0.7),        CASE(fabs(x), 0.7),     CASE(x * x * x, 1.3),
                                                CASE(1 / x, 1.3),     CASE(x / (1 + x), 1.3),    CASE((2 - x) / x, 1.3), CASE(3 * x - x * 2 + 1, 1.3),
                                                CASE(x / 4, 1.3),     CASE(-x + 2.5, 1.3),       CASE(pow(x, 4), 1.3),   CASE(pow(x, 0.5), 1.3),
                                                CASE(pow(x, x), 1.3), CASE(atan2(x, 1 + x), 1.3)};
#undef CASE
    return all;
}

} // namespace

TEST(dual, every_function_agrees_with_differences)
{
    for (const auto& c : cases()) {
        const dual<double, 4> y = c.on_dual(variable(c.at));
        const quad h = 1e-12;
        const double slope = value_of((c.on_quad(quad(c.at) + h) - c.on_quad(quad(c.at) - h)) / (h * 2));
        EXPECT_NEAR(y.v, value_of(c.on_quad(c.at)), 1e-15 * (1 + std::abs(y.v))) << c.name;
        EXPECT_NEAR(y.d[0], slope, 1e-14 * (1 + std::abs(slope))) << c.name;
        EXPECT_EQ(y.d[1], 0.0) << c.name;
    }
}

TEST(dual, directions_do_not_mix)
{
    const auto x = variable(2.0, 0);
    const auto y = variable(3.0, 3);
    const auto z = x * y + exp(y) / x;
    EXPECT_DOUBLE_EQ(z.d[0], 3.0 - std::exp(3.0) / 4.0);
    EXPECT_DOUBLE_EQ(z.d[3], 2.0 + std::exp(3.0) / 2.0);
    EXPECT_EQ(z.d[1], 0.0);
    EXPECT_EQ(z.d[2], 0.0);
}

TEST(dual, compares_by_value)
{
    EXPECT_TRUE(variable(1.0) < 2.0);
    EXPECT_TRUE(variable(1.0) >= 1.0);
    EXPECT_TRUE(variable(1.0) == variable(1.0, 2));
    EXPECT_EQ(value_of(variable(1.5)), 1.5);
}

TEST(dual, power_zero_and_power_of_zero_are_clean)
{
    EXPECT_EQ(pow(variable(0.0), 0).d[0], 0.0);
    EXPECT_EQ(pow(variable(0.0), 2).d[0], 0.0);
    EXPECT_EQ(pow(variable(0.0), 1).d[0], 1.0);
}

TEST(dual, nests_on_quad)
{
    const quad third = quad(1) / quad(3);
    const auto y = sin(variable(third)) * 2;
    EXPECT_LT(value_of(abs(y.d[0] - cos(third) * 2)), 1e-33);
}

} // namespace ivp
