// What changed between two stores, as a person reads it.
#ifndef IVP_SRC_REPORT_COMPARISON_HPP
#define IVP_SRC_REPORT_COMPARISON_HPP

#include "store/compare.hpp"

#include <string>

namespace ivp {

/// `names`: of the two stores.
std::string comparison_table(const comparison& c, const std::string& before, const std::string& after);

} // namespace ivp

#endif
