// Grids of semi-discretised partial differential equations: neighbours that wrap around, and the pattern of a Jacobian from the neighbours of each
// point.
#ifndef IVP_PROBLEMS_GRID_GRID_HPP
#define IVP_PROBLEMS_GRID_GRID_HPP

#include <ivp/problem.hpp>

#include <vector>

namespace ivp::problems {

/// Neighbours of place i on a ring of N points.
constexpr int before(int i, int N) { return i == 0 ? N - 1 : i - 1; }
constexpr int after(int i, int N) { return i == N - 1 ? 0 : i + 1; }

/// Two substances that diffuse and react: each depends on itself at the point and at its neighbours, and on the other one at the point alone.
/// `place(k, s)` is the component of substance s = 0, 1 at point k, `neighbours(k)` the points beside k.
template <class Place, class Neighbours>
structure two_substances(int points, Place place, Neighbours neighbours)
{
    std::vector<std::vector<int>> columns(2 * static_cast<std::size_t>(points));
    for (int k = 0; k < points; ++k) {
        const auto beside = neighbours(k);
        for (int s = 0; s < 2; ++s) {
            auto& row = columns[place(k, s)];
            row = {place(k, 0), place(k, 1)};
            for (const int m : beside) row.push_back(place(m, s));
        }
    }
    return structure::sparse(std::move(columns));
}

} // namespace ivp::problems

#endif
