// Several values of a parameter: "1,2,5", or "1e-2:1e2:4" (from, to, so many in each decade).
#ifndef IVP_SRC_MODEL_SWEEP_HPP
#define IVP_SRC_MODEL_SWEEP_HPP

#include <ivp/problem.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// One text alone is itself. Throws bad_request: a range that is none, or too many values.
std::vector<std::string> swept_values(const std::string& name, const std::string& text);

/// Every combination of the values, the last parameter fastest; one if nothing is swept. Throws bad_request.
std::vector<std::map<std::string, std::string>> swept(const std::map<std::string, std::string>& parameters);
/// The same, with the values of a range rounded if the parameter must be whole.
std::vector<std::map<std::string, std::string>> swept(std::map<std::string, std::string> parameters, std::span<const parameter> known);

/// How many values tolerance_ladder gives; it may be infinite. All three numbers are finite and above 0.
double ladder_length(double from, double to, double per_decade);

/// Names of those that have several values.
std::vector<std::string> swept_names(const std::map<std::string, std::string>& parameters);

} // namespace ivp

#endif
