// How a quantity grows along an interval.
#ifndef IVP_SRC_STATS_GROWTH_HPP
#define IVP_SRC_STATS_GROWTH_HPP

#include <optional>
#include <span>

namespace ivp {

/// p such that the quantity follows t^p, t counted from the beginning: 0 where it stays as large as it is, 1 where it grows linearly. `largest`: in
/// each of equal parts of the interval; what is not a positive number is left out, none where fewer than five are left. The slope is the median of
/// those between all pairs on a double logarithmic scale (Theil, Sen): a start from rest or one large value among ten does not decide it.
std::optional<double> growth_exponent(std::span<const double> largest);

} // namespace ivp

#endif
