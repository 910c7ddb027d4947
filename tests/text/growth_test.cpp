// What a text costs grows with its length: no few lines take the time or the memory of many.
#include "allocation_counter.hpp"
#include "text/model.hpp"
#include "text/text_problem.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ivp {

namespace {

std::shared_ptr<const text::model> built(const std::string& content)
{
    const auto d = text::read_document("x.ivp", content);
    return text::build_model(d, parameter_values(text::parameters_of(*d), {}));
}

std::string numbers(int count)
{
    std::string all = "1";
    for (int k = 1; k < count; ++k) all += " + " + std::to_string(k % 10);
    return all;
}

std::string refusal(const std::string& content)
{
    try {
        (void)built(content);
    } catch (const bad_request& e) {
        return e.what();
    }
    return "nothing was refused";
}

} // namespace

TEST(Growth, ConstantsInFrontAreKeptOnce)
{
    // A power that differs from element to element is written out.
    const auto elements = [](const std::string& right) {
        return "interval 0 .. 1\nstate x[1..2000] = 1\nfor i in 1..2000 : x[i]' = " + right + "\n";
    };
    for (const std::string& constants : {numbers(500) + " +", "(" + numbers(500) + ")*2*3*", std::string("2*3*sin(2)*")}) {
        const auto m = built(elements(constants + " x[i]^(1 + i/7)"));
        EXPECT_EQ(m->n, 2000);
        EXPECT_LT(m->code.expressions.size(), 2000U) << "an expression for each element";
    }
}

TEST(Growth, EquationsOfOneLoopDoNotCopyItEachTime)
{
    const auto allocations = [](int equations) {
        std::string all = "interval 0 .. 1\n";
        for (int k = 0; k < equations; ++k) {
            const std::string x = "x" + std::to_string(k);
            all += "state " + x + "[1..10] = 1\nfor i in 1..10 : " + x + "[i]' = " + x + "[i]*" + x + "[i] - " + std::to_string(k) + ".5*sin(" + x +
                   "[i])\n";
        }
        const auto before = testing_support::allocations.load();
        const auto m = built(all);
        EXPECT_EQ(m->code.loops.size(), 1U);
        return testing_support::allocations.load() - before;
    };
    EXPECT_LT(allocations(400), 3 * allocations(200));
}

TEST(Growth, AnEquationThatIsNoLoopLeavesTheLoopAsItWas)
{
    // The second equation begins like the first one, and its end is written out.
    const std::string head = "interval 0 .. 1\nstate x[1..10] = 0.5, y[1..10] = 0.5, z[1..10] = 0.5\n";
    const auto values = [&](const std::string& second) {
        const problem p = text_problem("x.ivp",
                                       head + "for i in 1..10 : x[i]' = sin(x[i]*y[i]) + (if x[i] > 1 then y[i] else z[i])\n" +
                                           "for i in 1..10 : y[i]' = sin(x[i]*y[i]) + cos(z[i])*(if y[i] > 1 then z[i] else cos(z[i])) + " + second +
                                           "\nfor i in 1..10 : z[i]' = sin(x[i]*y[i])*cos(z[i])\n",
                                       {}, text_evaluation::instructions);
        std::vector<double> y(30), f(30);
        for (int k = 0; k < 30; ++k) y[static_cast<std::size_t>(k)] = 0.1 * k;
        EXPECT_EQ(p.in<double>().f(0, y.data(), f.data()), evaluation::ok);
        return f;
    };
    const auto loop = values("x[i]^2");
    const auto straight = values("x[i]^(2 + 0*i)");
    for (std::size_t k = 0; k < loop.size(); ++k) EXPECT_NEAR(loop[k], straight[k], 1e-14) << k;
}

TEST(Growth, AChainOfNamesIsFollowedOnce)
{
    std::string chain = "interval 0 .. 1\nstate x = 1\nlet a0 = t/1e16\n";
    for (int k = 1; k <= 60; ++k) {
        const std::string before = "a" + std::to_string(k - 1);
        chain += "let a" + std::to_string(k) + " = " + before + " + " + before + "\n";
    }
    const auto m = built(chain + "x' = if a60 > 1 then x else 0\n");
    EXPECT_EQ(m->kinks.size(), 1U);
}

TEST(Growth, OutputsAndReferencesAreFoundByTheirIndices)
{
    constexpr int n = 200000;
    const std::string size = std::to_string(n);
    std::string all = "interval 0 .. 1\nstate x[1.." + size + "] = 1\nfor i in 1.." + size + " : x[i]' = 0\noutput x[" + size + "]";
    for (int k = 1; k < n; ++k) all += ", x[" + std::to_string(k) + "]";
    all += "\n";
    for (int k = 1; k <= n; ++k) all += "reference x[" + std::to_string(k) + "] = " + std::to_string(k) + "\n";
    const problem p = text_problem("x.ivp", all, {}, text_evaluation::instructions);
    ASSERT_TRUE(p.reference());
    EXPECT_EQ(p.reference()->value.back().value(), n);
    EXPECT_EQ(p.info().pictured.front(), n);
    EXPECT_EQ(p.info().pictured.back(), n - 1);
}

TEST(Growth, WhatIsWrittenOutHasALimitHoweverOftenAConstantIsFound)
{
    // A long constant that depends on the inner index only is looked up for every element.
    const std::string long_constant = "(j + " + numbers(10000) + ")";
    const std::string why =
        refusal("interval 0 .. 1\nstate x[1..1000, 1..100] = 1\nfor i in 1..1000, j in 1..100 : x[i,j]' = x[i,j]^(1 + i/7)*" + long_constant + "\n");
    EXPECT_NE(why.find("operations when it is written out"), std::string::npos) << why.substr(0, 200);
}

} // namespace ivp
