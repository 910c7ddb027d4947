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
/// Above it a run need not give one digit.
constexpr double largest_rtol = 1;

// Tolerances are decimals. The product of 1e-4 and 1e-3 is 1e-7, not the double 1.0000000000000001e-07.

/// The double nearest to `value` written with so many significant digits. What is not finite stays what it is.
double as_decimal(double value, int digits = 15);

/// from / 10^(m / per_decade) as a decimal; a negative m climbs. Every ladder of tolerances is made by this function.
double ladder_rung(double from, int m, double per_decade, int digits = 15);

/// The rungs from `from` on, down or up, that do not pass `to`. All three numbers are above 0.
std::vector<double> tolerance_ladder(double from, double to, double per_decade);

/// What comparing, merging and resuming take for a tolerance: 12 digits of it, because older stores differ in the last bits.
double comparable_tolerance(double value);
bool same_tolerance(double a, double b);
bool same_tolerance(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ivp

#endif
