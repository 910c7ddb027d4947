#include "report/original_listing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ivp {
namespace {

// What gfortran prints with the format E24.16.
TEST(OriginalListing, NumbersAreFortrans)
{
    EXPECT_EQ(fortran_e24_16(0.7421645857497393e-3), "  0.7421645857497393E-03");
    EXPECT_EQ(fortran_e24_16(-5.562145012262709e-3), " -0.5562145012262709E-02");
    EXPECT_EQ(fortran_e24_16(1), "  0.1000000000000000E+01");
    EXPECT_EQ(fortran_e24_16(0), "  0.0000000000000000E+00");
    EXPECT_EQ(fortran_e24_16(-0.0), " -0.0000000000000000E+00");
    EXPECT_EQ(fortran_e24_16(9.9999999999999995e99), "  0.1000000000000000+101");
    EXPECT_EQ(fortran_e24_16(1e-101), "  0.1000000000000000-100");
    EXPECT_EQ(fortran_e24_16(1e99), "  0.1000000000000000+100");
    EXPECT_EQ(fortran_e24_16(1e-100), "  0.1000000000000000E-99");
    EXPECT_EQ(fortran_e24_16(std::numeric_limits<double>::quiet_NaN()), "                     NaN");
    EXPECT_EQ(fortran_e24_16(-std::numeric_limits<double>::infinity()), "               -Infinity");
}

} // namespace
} // namespace ivp
