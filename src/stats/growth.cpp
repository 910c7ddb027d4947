#include "growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ivp {

std::optional<double> power_law(std::span<const std::pair<double, double>> points)
{
    const auto usable = [](const std::pair<double, double>& p) {
        return p.first > 0 && p.second > 0 && std::isfinite(p.first) && std::isfinite(p.second);
    };
    std::vector<double> slopes;
    for (auto a = points.begin(); a != points.end(); ++a)
        for (auto b = a + 1; b != points.end(); ++b)
            if (usable(*a) && usable(*b) && a->first != b->first)
                slopes.push_back((std::log(b->second) - std::log(a->second)) / (std::log(b->first) - std::log(a->first)));
    if (slopes.empty()) return std::nullopt;
    std::ranges::sort(slopes);
    const std::size_t half = slopes.size() / 2;
    return slopes.size() % 2 == 1 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2;
}

std::optional<double> growth_exponent(std::span<const double> largest)
{
    std::vector<std::pair<double, double>> points;
    for (std::size_t k = 0; k < largest.size(); ++k)
        if (largest[k] > 0 && std::isfinite(largest[k])) points.emplace_back(static_cast<double>(k + 1), largest[k]);
    constexpr std::size_t least_points = 5;
    if (points.size() < least_points) return std::nullopt;
    return power_law(points);
}

} // namespace ivp
