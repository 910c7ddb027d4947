#include "library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp {

std::optional<double> slowdown_of(std::span<const loop_samples> loops)
{
    if (loops.empty()) return std::nullopt;
    double logarithms = 0;
    for (const auto& l : loops) {
        if (l.library.empty() || l.ours.empty()) return std::nullopt;
        const double library = *std::ranges::min_element(l.library);
        const double ours = *std::ranges::min_element(l.ours);
        if (!(library > 0 && ours > 0)) return std::nullopt;
        logarithms += std::log(library / ours);
    }
    return std::exp(logarithms / static_cast<double>(loops.size()));
}

bool is_unoptimised(const std::optional<double>& slowdown) { return slowdown && *slowdown >= unoptimised_from; }

std::string unoptimised_warning(const std::string& solvers, const std::string& library, double slowdown)
{
    return fmt::format("the CPU times of {} are not comparable: {} is compiled without optimisation, its loops take {:.1f} times as long as the "
                       "same loops compiled by us. 'tools/build-sundials' builds an optimised one; see docs/libraries.md.",
                       solvers, library, slowdown);
}

} // namespace ivp
