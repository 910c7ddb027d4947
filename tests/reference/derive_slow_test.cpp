// A derivation of several seconds, repeated with and without what it tests.
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace ivp;

TEST(derive, a_kept_sum_saves_digits_that_rounding_takes)
{
    const problem p = open_problem("e5");
    const auto digits = [&p](const char* keep) {
        return derive(p, reference_recipe::from_text(std::string("radau:13:1e-12,1e-13 lobatto:15:1e-12,1e-13 floor:0") + keep)).at.back().digits[1];
    };
    EXPECT_LT(digits(""), 20);
    EXPECT_GT(digits(" keep:3=+2-4"), 21);
}

} // namespace
