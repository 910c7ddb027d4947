#include "model/sweep.hpp"

#include <gtest/gtest.h>

namespace ivp {

TEST(sweep, a_range_may_lead_from_any_number_to_any_other)
{
    const auto down = swept_values("lambda", "1e300:1e-300:1");
    ASSERT_EQ(down.size(), 601u);
    EXPECT_EQ(down.front(), "1e+300");
    EXPECT_EQ(down[300], "1");
    EXPECT_EQ(down.back(), "1e-300");
    EXPECT_EQ(swept({{"lambda", "1e-300:1e300:1"}}).size(), 601u);
    EXPECT_THROW((void)swept_values("lambda", "1e300:1e-300:100"), bad_request);
}

} // namespace ivp
