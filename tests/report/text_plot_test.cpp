#include "report/render/text_plot.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace ivp {

namespace {

// Four dots wide, four dots high.
std::string small(const std::vector<double>& y) { return text_plot(y, "c", "0", "1", {.columns = 2, .rows = 1}); }

} // namespace

TEST(text_plot, draws_a_rising_line) { EXPECT_EQ(small({0, 1, 2, 3}), "   c\n   3 ⡠⠊\n     0 1\n"); }

TEST(text_plot, joins_steep_pieces) { EXPECT_EQ(small({0, 1, 1, 0}), "   c\n   1 ⡸⢱\n     0 1\n"); }

TEST(text_plot, a_constant_is_a_flat_line) { EXPECT_EQ(small({2, 2, 2, 2}), "   c\n   2 ⣀⣀\n     0 1\n"); }

TEST(text_plot, leaves_gaps_where_there_is_no_value)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(small({1, nan, 1, 1}), "   c\n   1 ⡀⣀\n     0 1\n");
    EXPECT_EQ(small({nan, nan}), "");
}

} // namespace ivp
