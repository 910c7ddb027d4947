// The arguments of NSDTST and STDTST, checked as the documentation says.
#ifndef IVP_DETEST_FORTRAN_ARGUMENTS_HPP
#define IVP_DETEST_FORTRAN_ARGUMENTS_HPP

#include "detest/settings.hpp"
#include "engine.h"

#include <vector>

namespace ivp::detest_fortran {

/// One element of IDLIST.
struct problem_code {
    int id;      ///< 1 for A1, 13 for B3: the code less 10
    bool scaled; ///< the code had no minus sign
};

/// What a call that PARCHK found good asks for.
detest::assessment_settings settings_of(const ivp_detest_call& call);
std::vector<std::vector<problem_code>> groups_of(const ivp_detest_call& call);

detest::norm_kind norm_of(int nrmtyp);

} // namespace ivp::detest_fortran

#endif
