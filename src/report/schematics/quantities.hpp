// Units of the test set's problems: of time, and of each component.
#ifndef IVP_SRC_REPORT_SCHEMATICS_QUANTITIES_HPP
#define IVP_SRC_REPORT_SCHEMATICS_QUANTITIES_HPP

#include <ivp/problem.hpp>

#include <string_view>

namespace ivp {

/// Empty: it has none, or none is known.
std::string_view unit_of_time(const problem& p);
std::string_view unit_of_component(const problem& p, int component);

} // namespace ivp

#endif
