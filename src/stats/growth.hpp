// How a quantity grows: along an interval, or with the size of a problem.
#ifndef IVP_SRC_STATS_GROWTH_HPP
#define IVP_SRC_STATS_GROWTH_HPP

#include <optional>
#include <span>
#include <utility>

namespace ivp {

/// p such that y follows x^p: the median of the slopes between all pairs of points (x, y) on a double logarithmic scale (Theil, Sen), so that one
/// point among many does not decide it. Points that are not positive numbers, and pairs with the same x, are left out; none: no pair is left.
std::optional<double> power_law(std::span<const std::pair<double, double>> points);

/// p such that the quantity follows t^p, t counted from the beginning: 0 where it stays as large as it is, 1 where it grows linearly. `largest`: in
/// each of equal parts of the interval; what is not a positive number is left out, none where fewer than five are left. A start from rest or one
/// large value among ten does not decide it.
std::optional<double> growth_exponent(std::span<const double> largest);

} // namespace ivp

#endif
