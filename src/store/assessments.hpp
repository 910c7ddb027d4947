// Assessments of DETEST as rows of a store.
#ifndef IVP_SRC_STORE_ASSESSMENTS_HPP
#define IVP_SRC_STORE_ASSESSMENTS_HPP

#include "detest/assess.hpp"
#include "detest/result.hpp"

#include <ivp/store.hpp>

#include <string>

namespace ivp {

/// As it is kept: marked with this computer and this moment. content: of the solver when it was opened (content_when_opened).
stored_assessment to_be_stored(const detest::assessment& a, const detest::solver_request& request, std::string content);

} // namespace ivp

#endif
