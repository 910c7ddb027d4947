// A mechanical system of a plug-in (ivp_mechanics_open).
#ifndef IVP_DRIVERS_PLUGIN_MECHANICS_HPP
#define IVP_DRIVERS_PLUGIN_MECHANICS_HPP

#include <ivp/problem.hpp>

#include <map>
#include <string>
#include <vector>

namespace ivp::plugin {

/// Does the library export one?
bool exports_mechanics(const std::string& path);

/// Its parameters, those that choose the formulation included. Throws bad_request.
std::vector<parameter> mechanics_parameters(const std::string& path);

/// In the formulation that the parameters ask for: of index 3 where they do not. Throws bad_request, also where there is no consistent start.
problem load_mechanics(const std::string& path, const std::map<std::string, std::string>& given);

} // namespace ivp::plugin

#endif
