#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <optional>

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

// y0 if y0 > 0, else y1 if t > 2, else refused unless y2 < 1, else nothing
std::optional<indices> all_dependences(bool looks_at_the_number)
{
    const tracer y0 = tracer::input(3, 0);
    const tracer y1 = tracer::input(3, 1);
    const tracer y2 = tracer::input(3, 2);
    const tracer t = tracer::time(0);
    indices seen;
    int runs = 0;
    branch_explorer paths(100);
    do {
        ++runs;
        tracer out;
        if (y0 > 0)
            out = y0 + t;
        else if (t > 2)
            out = y1;
        else if (y2 < 1)
            out = looks_at_the_number && value_of(y2) > 7 ? y2 : tracer(0);
        seen = tracer::join(seen, out.variables());
    } while (paths.next());
    EXPECT_EQ(runs, 4);
    if (!paths.complete()) return std::nullopt;
    return seen;
}

TEST(branch_explorer, goes_through_all_branches)
{
    EXPECT_EQ(all_dependences(false), (indices{0, 1}));
    EXPECT_EQ(all_dependences(true), std::nullopt) << "what is decided by a plain number cannot be followed";
    EXPECT_FALSE(tracer::input(1, 0) > 2) << "no explorer is left";
}

TEST(branch_explorer, gives_up_after_too_many_runs)
{
    const tracer y = tracer::input(1, 0);
    branch_explorer paths(50);
    int runs = 0;
    do {
        ++runs;
        for (int i = 0; i < 10; ++i) (void)(y > i);
    } while (paths.next());
    EXPECT_EQ(runs, 51);
    EXPECT_FALSE(paths.complete());
}

} // namespace ivp
