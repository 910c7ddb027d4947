// Derivations of reference solutions: the methods have their order, the digits are real, what is wrong is found.
#include "reference/derive.hpp"
#include "reference/stage_integrator.hpp"
#include "reference/stage_method.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

namespace {

using reference::family;
using reference::make_method;
using reference::stage_method;

constexpr double rounding = 1e-31;

double size(quad a) { return std::abs(static_cast<double>(a)); }

quad power(quad x, int k)
{
    quad value = 1;
    for (int i = 0; i < k; ++i) value *= x;
    return value;
}

/// Largest error of sum a_ij c_j^(k-1) = c_i^k / k over the rows, k up to `order`.
double stage_order_defect(const stage_method& m, int order)
{
    double worst = 0;
    for (int i = 0; i < m.stages; ++i)
        for (int k = 1; k <= order; ++k) {
            quad sum = 0;
            for (int j = 0; j < m.stages; ++j) sum += m.a[i * m.stages + j] * power(m.c[j], k - 1);
            worst = std::max(worst, size(sum - power(m.c[i], k) / quad(k)));
        }
    return worst;
}

/// The last row is the quadrature formula of the method.
double quadrature_defect(const stage_method& m, int order)
{
    double worst = 0;
    for (int k = 1; k <= order; ++k) {
        quad sum = 0;
        for (int j = 0; j < m.stages; ++j) sum += m.a[(m.stages - 1) * m.stages + j] * power(m.c[j], k - 1);
        worst = std::max(worst, size(sum - quad(1) / quad(k)));
    }
    return worst;
}

TEST(stage_method, has_the_order_of_its_family)
{
    for (const int s : {3, 13, 15, 21}) {
        const stage_method radau = make_method(family::radau, s);
        EXPECT_LT(stage_order_defect(radau, s), rounding) << s;
        EXPECT_LT(quadrature_defect(radau, 2 * s - 1), rounding) << s;
        EXPECT_GT(quadrature_defect(radau, 2 * s), 1e3 * rounding) << "order 2s - 1, not more: " << s;
        EXPECT_GT(radau.c.front(), quad(0));

        const stage_method lobatto = make_method(family::lobatto, s);
        EXPECT_LT(stage_order_defect(lobatto, s - 1), rounding) << s;
        EXPECT_LT(quadrature_defect(lobatto, 2 * s - 2), rounding) << s;
        EXPECT_GT(quadrature_defect(lobatto, 2 * s - 1), 1e3 * rounding) << "order 2s - 2, not more: " << s;
        EXPECT_EQ(static_cast<double>(lobatto.c.front()), 0);
    }
}

TEST(stage_method, coefficients_of_three_stages_are_those_of_the_books)
{
    const stage_method radau = make_method(family::radau, 3);
    const quad root = sqrt(quad(6));
    EXPECT_LT(size(radau.c[0] - (quad(4) - root) / quad(10)), rounding);
    EXPECT_LT(size(radau.a[0] - (quad(88) - quad(7) * root) / quad(360)), rounding);
    const stage_method lobatto = make_method(family::lobatto, 3);
    const double expected[] = {1. / 6, -1. / 3, 1. / 6, 1. / 6, 5. / 12, -1. / 12, 1. / 6, 2. / 3, 1. / 6};
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(static_cast<double>(lobatto.a[k]), expected[k], 1e-16) << k;
}

TEST(stage_method, its_transformation_diagonalises)
{
    for (const auto f : {family::radau, family::lobatto}) {
        const stage_method m = make_method(f, 13);
        const int s = m.stages;
        // T T^-1 = 1, with complex rows and columns in two parts
        for (int i = 0; i < s; ++i)
            for (int j = 0; j < s; ++j) {
                double sum = m.from_eigen[i * s] * m.to_eigen[j];
                for (int k = 1; k < s; ++k) sum += m.from_eigen[i * s + k] * m.to_eigen[k * s + j];
                EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-8);
            }
    }
}

TEST(derive, digits_are_real_where_the_solution_is_a_formula)
{
    // y' = -y/2 and others of DETEST A1: y1 = exp(-10), y2 = exp(-20)
    const derivation d = derive(open_problem("detest-s-a1"), reference_recipe::from_text("radau:13:1e-14,1e-17 lobatto:15:1e-14,1e-17"));
    ASSERT_EQ(d.failure(), "");
    ASSERT_EQ(d.runs.size(), 4U);
    const auto& at = d.at.back();
    const quad truth[] = {exp(quad(-10)), exp(quad(-20))};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(at.kind[i], digit_kind::relative);
        EXPECT_GE(at.digits[i], 24);
        EXPECT_LT(size((at.value[i] - truth[i]) / truth[i]), std::pow(10.0, -at.digits[i])) << "a digit is claimed that is wrong";
    }
}

TEST(derive, confirms_what_is_stored_and_contradicts_what_is_wrong)
{
    const problem p = open_problem("hires");
    auto stored = stored_reference(p);
    ASSERT_TRUE(stored);
    EXPECT_FALSE(stored->recipe.empty());
    const derivation d = derive(p, recipe_of(p));
    ASSERT_EQ(d.failure(), "");
    const confirmation good = compare(*stored, d);
    EXPECT_TRUE(good.confirmed());
    EXPECT_EQ(good.compared, 8U);

    std::string wrong = stored->value[2].text();
    wrong[18] = wrong[18] == '5' ? '6' : '5';
    stored->value[2] = decimal(wrong);
    const confirmation bad = compare(*stored, d);
    EXPECT_FALSE(bad.confirmed());
    ASSERT_EQ(bad.contradictions.size(), 1U);
    EXPECT_EQ(bad.contradictions[0].component, 2U);
    EXPECT_LT(bad.contradictions[0].agreed_digits, 18);

    const derivation coarse = derive(p, reference_recipe::from_text("radau:13:1e-8,1e-9 lobatto:15:1e-8,1e-9"));
    const confirmation less = compare(*stored_reference(p), coarse);
    EXPECT_TRUE(less.contradictions.empty()) << "fewer digits do not contradict";
    EXPECT_GT(less.fewer_digits, 0U);
    EXPECT_FALSE(less.confirmed());
}

TEST(derive, values_on_the_way_and_restarts_at_breakpoints)
{
    // A kink at t = 5: across it without a restart no method of high order has 20 digits.
    const problem p = open_problem("medakzo", {{"N", "20"}});
    derivation_request request;
    request.times = {decimal("5"), decimal("7.5")};
    request.size.assign(p.n(), 1e-3);
    const derivation d = derive(p, reference_recipe::from_text("radau:13:1e-15,1e-16 lobatto:15:1e-15,1e-16"), request);
    ASSERT_EQ(d.failure(), "");
    ASSERT_EQ(d.at.size(), 2U);
    EXPECT_GE(d.at[1].digits[0], 18);
    EXPECT_LT(d.runs[0].steps, 2000U);
}

// Some voltages of tba come from so small currents that their rounding errors grow as steps shrink.
TEST(derive, rounding_that_a_short_step_makes_larger_ends_an_iteration)
{
    derivation_request request;
    request.times = {decimal("1e-5")};
    request.timeout_s = 60;
    const derivation d = derive(
        open_problem("tba"), reference_recipe::from_text("radau:9:1e-11,1e-13 lobatto:11:1e-11,1e-13 floor:0.001 first:1e-2 stall:0.001"), request);
    ASSERT_EQ(d.failure(), "");
    EXPECT_GE(d.runs[0].turns, 4U);
    for (const int output : {224, 305, 323}) EXPECT_GE(d.at.back().digits[output - 1], 18) << output;
}

TEST(derive, gives_up_in_words)
{
    derivation_request request;
    request.timeout_s = 1e-3;
    const derivation d = derive(open_problem("plei"), reference_recipe::from_text("radau:13:1e-14,1e-17 lobatto:15:1e-14,1e-17"), request);
    EXPECT_TRUE(d.at.empty());
    EXPECT_NE(d.failure().find("Radau IIA with 13 stages (order 25) at 1e-14: no time left at t = "), std::string::npos) << d.failure();
}

TEST(derive, an_invariant_of_the_problem_holds_to_the_digits_claimed)
{
    // Pleiades: linear and angular momentum are those of the start.
    const problem p = open_problem("plei");
    const auto stored = stored_reference(p);
    const auto y0 = p.in<quad>().initial_values();
    const auto momentum = [](const auto& y) {
        quad sum[3] = {0, 0, 0};
        for (int i = 0; i < 7; ++i) {
            const quad m(i + 1);
            sum[0] += m * y(14 + i);
            sum[1] += m * y(21 + i);
            sum[2] += m * (y(i) * y(21 + i) - y(7 + i) * y(14 + i));
        }
        return std::vector<quad>(sum, sum + 3);
    };
    const auto before = momentum([&](int i) { return y0[i]; });
    const auto after = momentum([&](int i) { return stored->value[i].template in<quad>(); });
    for (int k = 0; k < 3; ++k) EXPECT_LT(size(after[k] - before[k]), 1e-24) << k;
}

TEST(derive, published_problems_conserve_what_their_chemistry_does)
{
    const auto sum = [](const char* id, std::initializer_list<int> components) {
        const auto r = stored_reference(open_problem(id));
        quad total = 0;
        for (const int i : components) total += r->value[i - 1].in<quad>();
        return total;
    };
    EXPECT_LT(size(sum("rober", {1, 2, 3}) - quad(1)), 1e-26) << "mass";
    EXPECT_LT(size(sum("hires", {7, 8}) - decimal("0.0057").in<quad>()), 1e-26) << "y7 + y8 = 0.0057";
}

TEST(recipe, reads_what_it_writes_and_names_what_is_wrong)
{
    const std::string text = "radau:13:1e-14,1e-16 lobatto:15:1e-14,1e-16 floor:0.001 first:0.01 keep:3=+2-4";
    EXPECT_EQ(reference_recipe::from_text(text).text(), text);
    const auto message = [](const char* recipe) -> std::string {
        try {
            (void)reference_recipe::from_text(recipe);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_NE(message("radau:13:1e-14,1e-16").find("two families"), std::string::npos);
    EXPECT_NE(message("radau:13:1e-14 lobatto:15:1e-14").find("two tolerances"), std::string::npos);
    EXPECT_NE(message("radau:12:1e-14,1e-16").find("odd numbers"), std::string::npos);
    EXPECT_NE(message("gauss:13:1e-14,1e-16").find("'gauss:13:1e-14,1e-16' given"), std::string::npos);
    EXPECT_NE(message("radau:13:0,1e-16").find("1e-30"), std::string::npos);
    EXPECT_NE(message("keep:3").find("keep:3=+2-4"), std::string::npos);
}

} // namespace

} // namespace ivp
