// Settings of one integration, as a solver gets them.
#ifndef IVP_MODEL_OPTIONS_HPP
#define IVP_MODEL_OPTIONS_HPP

#include <ivp/model/problem.hpp>
#include <ivp/model/settings.hpp>
#include <ivp/model/tolerance.hpp>

#include <map>
#include <string>
#include <vector>

namespace ivp {

struct solver_info;

/// `jacobian` is resolved: `original` stands for the problem's own approximate one, and is for a solver like `exact`.
struct solve_options : integration_settings {
    tolerances tolerance;
    bool full_differences = false;         ///< difference quotients column by column (or as the declared band allows), as in the published runs
    std::map<std::string, double> special; ///< options of one solver, by name (`--opt name=value`)

    /// Every fault at once, in words; empty if the run can start.
    [[nodiscard]] std::vector<std::string> validate(const problem& p, const solver_info& solver) const;
};

} // namespace ivp

#endif
