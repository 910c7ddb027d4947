// References that take minutes to reproduce in quadruple precision.
#include "quad_digits.hpp"

#include <gtest/gtest.h>

namespace ivp {

using namespace testing_support;

class slow_quad_reference : public ::testing::TestWithParam<quad_row> {};

TEST_P(slow_quad_reference, is_reproduced_to_its_own_digits) { EXPECT_GE(reference_digits(GetParam()), GetParam().digits); }

// nand, wheel: y0' is computed in double, and its rounding moves the last of these digits.
// ringmod: its reference was computed in double with rtol 1e-12; quad at 1e-12 and at 1e-14 agree with it to 9.54 and 9.56 digits.
INSTANTIATE_TEST_SUITE_P(rows, slow_quad_reference,
                         ::testing::Values(quad_row{"ringmod", 1e-12, 1e-18, 9.5}, quad_row{"water", 1e-16, 1e-19, 10.2},
                                           quad_row{"beam", 1e-12, 1e-12, 7.2}, quad_row{"nand", 1e-12, 1e-12, 10.1},
                                           quad_row{"wheel", 1e-11, 1e-11, 5.0}));

} // namespace ivp
