// Settings of one run, as a solver gets them.
#ifndef IVP_SETTINGS_HPP
#define IVP_SETTINGS_HPP

#include <ivp/problem.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// How the linear systems are stored and factored.
enum class algebra { automatic, dense, band, sparse };
std::string_view label(algebra a);
std::optional<algebra> algebra_from_label(std::string_view text);

struct solver_info;

struct solve_options {
    tolerances tolerance;
    std::optional<double> h0;                              ///< first step; none: the solver's own start
    double hmax = std::numeric_limits<double>::infinity(); ///< largest step
    std::uint64_t max_steps = 1'000'000;                   ///< attempted steps of the whole run
    jacobian_source jacobian = jacobian_source::exact;     ///< `original` here: the problem's own approximate one; for a solver like `exact`
    bool full_differences = false; ///< difference quotients column by column (or as the declared band allows), as in the published runs
    ivp::algebra algebra = algebra::automatic;
    int threads = 1;
    std::map<std::string, double> special; ///< options of one solver, by name (`--opt name=value`)

    /// The value of a solver's own option, or its default.
    [[nodiscard]] double option(const solver_info& solver, std::string_view name) const;

    /// Every fault at once, in words; empty if the run can start.
    [[nodiscard]] std::vector<std::string> validate(const problem& p, const solver_info& solver) const;
};

} // namespace ivp

#endif
