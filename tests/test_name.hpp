// Names of problems and solvers as names of tests, which have no '-'.
#ifndef IVP_TESTS_TEST_NAME_HPP
#define IVP_TESTS_TEST_NAME_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ivp::testing_support {

inline std::string test_name(const ::testing::TestParamInfo<std::string>& p)
{
    std::string name = p.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace ivp::testing_support

#endif
