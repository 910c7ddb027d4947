// Sums of two numbers: their digits, their functions, and solutions that quadruple precision loses.
#include "reference/derive.hpp"
#include "reference/expansion.hpp"
#include "reference/march.hpp"
#include "reference/twofold.hpp"

#include <ivp/catalog.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

namespace {

using reference::double2;
using reference::quad2;

double size(const quad2& a) { return std::abs(static_cast<double>(a)); }
double size(quad a) { return std::abs(static_cast<double>(a)); }

TEST(twofold, keeps_what_one_number_would_round_away)
{
    const quad2 small = quad2(1e-50);
    EXPECT_TRUE((quad2(1) + small) - quad2(1) == small);
    const quad2 third = quad2(1) / quad2(3);
    EXPECT_LT(size(third * quad2(3) - quad2(1)), 1e-65);
    const double2 tenth = double2(1) / double2(10);
    EXPECT_LT(size(reference::to_quad(tenth) - quad(1) / quad(10)), 1e-32);
    EXPECT_LT(size(reference::to_quad((double2(1) + double2(1e-25)) * (double2(1) - double2(1e-25)) - double2(1))), 1e-31);
}

TEST(twofold, functions_of_two_quads_have_sixty_digits)
{
    for (const double at : {0.1, 0.7, 1.3, 4.0, 20.0}) {
        const quad2 x = quad2(at) / quad2(3);
        EXPECT_LT(size(exp(log(x)) - x), 1e-62 * size(x)) << at;
        EXPECT_LT(size(exp(x) * exp(-x) - quad2(1)), 1e-62) << at;
        EXPECT_LT(size(sin(x) * sin(x) + cos(x) * cos(x) - quad2(1)), 1e-63) << at;
        EXPECT_LT(size(sin(x + x) - quad2(2) * sin(x) * cos(x)), 1e-62) << at;
        EXPECT_LT(size(sin(atan(x)) - x * cos(atan(x))), 1e-62 * (1 + size(x))) << at;
        EXPECT_LT(size(cosh(x) * cosh(x) - sinh(x) * sinh(x) - quad2(1)), 1e-62 * size(exp(x + x))) << at;
        EXPECT_LT(size(sqrt(x) * sqrt(x) - x), 1e-64 * size(x)) << at;
        EXPECT_LT(size(pow(x, quad2(3)) - x * x * x), 1e-60 * size(x * x * x)) << at;
        const quad2 part = x / quad2(10);
        EXPECT_LT(size(sin(asin(part)) - part), 1e-63) << at;
        EXPECT_LT(size(cos(acos(part)) - part), 1e-63) << at;
        // The first half of the digits is that of quadruple precision.
        EXPECT_LT(size(reference::to_quad(exp(x)) - exp(reference::to_quad(x))), 1e-32 * size(exp(x))) << at;
        EXPECT_LT(size(reference::to_quad(cos(x)) - cos(reference::to_quad(x))), 1e-32) << at;
    }
}

TEST(expansion, of_a_mechanism_at_rest_exists)
{
    // All velocities are zero at the start, and most accelerations: their rounding errors are no reason to go on iterating.
    for (const char* id : {"andrews", "crank"}) {
        reference::recorded_problem p(open_problem(id));
        const std::vector<quad> y = p.in_quad().initial_values();
        ASSERT_TRUE(p.record(0, y.data())) << id;
        reference::expansion e(p, 12);
        std::vector<quad> sizes(y.size());
        for (std::size_t j = 0; j < y.size(); ++j) sizes[j] = std::max(abs(y[j]), quad(1e-3));
        e.set_sizes(sizes, p.as_dae().info().tend.in<quad>());
        e.set_point(0, y.data());
        EXPECT_TRUE(e.expand()) << id;
    }
}

/// Fewest digits of the stored end values that a power series in these numbers gives.
double digits_of_series(const char* id, number_kind numbers, int order, double tolerance)
{
    const problem p = open_problem(id);
    reference::integration_settings s;
    s.numbers = numbers;
    s.tolerance = tolerance;
    s.floor = 1e-3;
    for (const auto& v : p.reference()->value) s.size.push_back(std::abs(v.value()));
    const std::vector<quad> end{p.info().tend.in<quad>()};
    const auto run = reference::integrate_by_series(p, order, end, s);
    EXPECT_EQ(run.failure, "") << id;
    if (!run.failure.empty()) return 0;
    double fewest = 40;
    for (std::size_t i = 0; i < run.at[0].size(); ++i) {
        const quad stored = p.reference()->value[i].in<quad>();
        fewest = std::min(fewest, -std::log10(std::max(1e-40, size((run.at[0][i] - stored) / stored))));
    }
    return fewest;
}

TEST(numbers, two_doubles_give_the_stored_solutions)
{
    EXPECT_GE(digits_of_series("plei", number_kind::two_doubles, 30, 1e-26), 22);
    EXPECT_GE(digits_of_series("andrews", number_kind::two_doubles, 30, 1e-24), 18);
}

TEST(numbers, two_quads_give_what_quadruple_precision_loses_to_cancellation)
{
    // y2, y3 and y4 have decayed to 1e-30 beside forces of 1: quadruple precision leaves seven digits.
    EXPECT_GE(digits_of_series("detest-s-e1", number_kind::two_quads, 40, 1e-45), 19.5);
    EXPECT_LT(digits_of_series("detest-s-e1", number_kind::quad, 40, 1e-30), 12);
}

TEST(recipe, names_its_numbers)
{
    const auto r = reference_recipe::from_text("taylor:40:1e-45,1e-50 gbs:20:1e-40,1e-44 floor:0.001 numbers:quad2");
    EXPECT_EQ(r.numbers, number_kind::two_quads);
    EXPECT_EQ(reference_recipe::from_text(r.text()).text(), r.text());
    EXPECT_ANY_THROW((void)reference_recipe::from_text("taylor:40:1e-45,1e-50 gbs:20:1e-40,1e-44"));
    EXPECT_ANY_THROW((void)reference_recipe::from_text("taylor:40:1e-20,1e-22 gbs:20:1e-20,1e-22 numbers:triple"));
}

} // namespace

} // namespace ivp
