// A problem that starts elsewhere.
#ifndef IVP_SRC_MODEL_OTHER_START_HPP
#define IVP_SRC_MODEL_OTHER_START_HPP

#include <ivp/problem.hpp>

#include <map>
#include <span>
#include <string>

namespace ivp {

/// With other initial values of some components, by name (y1, y2, ... where they have none). Records have them among the parameters, as y0(NAME); a
/// reference is not known then. `known`: the parameters of the problem. Throws bad_request with every fault.
problem with_start(const problem& p, std::span<const parameter> known, const std::map<std::string, std::string>& values);

} // namespace ivp

#endif
