// Assessments of DETEST as rows of a store.
#ifndef IVP_CAMPAIGN_ASSESSMENTS_HPP
#define IVP_CAMPAIGN_ASSESSMENTS_HPP

#include <ivp/campaign/store.hpp>
#include <ivp/detest/assess.hpp>
#include <ivp/detest/result.hpp>

#include <string>

namespace ivp {

/// As it is kept: marked with this computer and this moment. solver: name, or path of a plug-in.
stored_assessment to_be_stored(const detest::assessment& a, const detest::solver_request& request, const std::string& solver);

} // namespace ivp

#endif
