// Error tolerances of a run: relative and absolute, each one number or one per component.
#ifndef IVP_MODEL_TOLERANCE_HPP
#define IVP_MODEL_TOLERANCE_HPP

#include <string>
#include <vector>

namespace ivp {

struct tolerances {
    std::vector<double> rtol{1e-4}; ///< one entry: the same for all components
    std::vector<double> atol{1e-4};

    tolerances() = default;
    tolerances(double relative, double absolute) : rtol{relative}, atol{absolute} {}

    [[nodiscard]] double relative(int i) const { return rtol.size() == 1 ? rtol[0] : rtol[i]; }
    [[nodiscard]] double absolute(int i) const { return atol.size() == 1 ? atol[0] : atol[i]; }
    [[nodiscard]] bool scalar() const { return rtol.size() == 1 && atol.size() == 1; }

    /// Every fault in words a user understands; empty if the tolerances can be used for a problem of n components.
    [[nodiscard]] std::vector<std::string> validate(int n) const;
};

/// The smallest relative tolerance that double precision can honour.
constexpr double smallest_rtol = 1e-15;

} // namespace ivp

#endif
