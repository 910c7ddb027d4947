// The arguments of NSDTST and STDTST, checked as the documentation says.
#ifndef IVP_DETEST_FORTRAN_ARGUMENTS_HPP
#define IVP_DETEST_FORTRAN_ARGUMENTS_HPP

#include "detest/problems.hpp"
#include "detest/settings.hpp"

#include <vector>

namespace ivp::detest_fortran {

struct checked_arguments {
    float flag = 0; ///< each fault appends its digit; 0: none
    detest::assessment_settings settings;
    std::vector<std::vector<detest::problem_choice>> groups;
};

/// Reads no element behind those that end the two lists.
checked_arguments check_arguments(detest::problem_set set, const int* option, const float* tol, const int* idlist);

} // namespace ivp::detest_fortran

#endif
