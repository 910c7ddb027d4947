#include "growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ivp {

std::optional<double> growth_exponent(std::span<const double> largest)
{
    struct point {
        double log_t, log_value;
    };
    std::vector<point> points;
    for (std::size_t k = 0; k < largest.size(); ++k)
        if (largest[k] > 0 && std::isfinite(largest[k])) points.push_back({std::log(static_cast<double>(k + 1)), std::log(largest[k])});
    constexpr std::size_t least_points = 5;
    if (points.size() < least_points) return std::nullopt;

    std::vector<double> slopes;
    for (auto a = points.begin(); a != points.end(); ++a)
        for (auto b = a + 1; b != points.end(); ++b) slopes.push_back((b->log_value - a->log_value) / (b->log_t - a->log_t));
    std::ranges::sort(slopes);
    const std::size_t half = slopes.size() / 2;
    return slopes.size() % 2 == 1 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2;
}

} // namespace ivp
