// Assessments of DETEST as rows of a store.
#ifndef IVP_SRC_STORE_ASSESSMENTS_HPP
#define IVP_SRC_STORE_ASSESSMENTS_HPP

#include "detest/assess.hpp"
#include "detest/result.hpp"

#include <ivp/store.hpp>

#include <string>

namespace ivp {

/// As it is kept: marked with this computer and this moment. solver: name, or path of a plug-in.
stored_assessment to_be_stored(const detest::assessment& a, const detest::solver_request& request, const std::string& solver);

} // namespace ivp

#endif
