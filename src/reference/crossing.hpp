// Where a smooth function first changes its sign, although it is known at points only: two changes between two points must not be missed.
#ifndef IVP_REFERENCE_CROSSING_HPP
#define IVP_REFERENCE_CROSSING_HPP

#include <optional>
#include <span>
#include <utility>

namespace ivp::reference {

/// A sign that lasts for a moment only counts from this part of the size of the function. A smaller excursion of depth d lasts for about sqrt(d)
/// of the time in which the function changes, so that its branch would change the solution by d^(3/2): beyond quadruple precision's digits.
constexpr double shallow = 1e-16;

/// The first pair of points between which the function takes the other sign; equal points: it has it before the first.
///   points       ascending
///   at(c)        the function
///   wrong(x, s)  whether the value x has the other sign, by more than s of the function's size or than rounding
/// Where the function comes close to zero between two points and goes back, its smallest value is looked at.
template <class N, class At, class Wrong>
std::optional<std::pair<N, N>> first_crossing(std::span<const N> points, const At& at, const Wrong& wrong)
{
    constexpr int narrowings = 40;
    const auto size = [](const N& x) { return x < N(0) ? -x : x; };
    // The smallest value between a and c, found by halves on the longer side of b, until it has the other sign or its place is known.
    const auto dip = [&](N a, N b, N c, N least) -> std::optional<N> {
        for (int k = 0; k < narrowings; ++k) {
            const bool right = c - b > b - a;
            const N middle = right ? (b + c) / N(2) : (a + b) / N(2);
            const N x = at(middle);
            if (wrong(x, shallow)) return middle;
            if (size(x) < least) {
                (right ? a : c) = b;
                b = middle;
                least = size(x);
            } else {
                (right ? c : a) = middle;
            }
        }
        return std::nullopt;
    };
    N before = 0, last = 0; // values at the two points before
    for (std::size_t k = 0; k < points.size(); ++k) {
        const N x = at(points[k]);
        if (wrong(x, 0.0)) return std::pair(k == 0 ? points[k] : points[k - 1], points[k]);
        if (k > 1 && size(last) < size(before) && size(last) <= size(x))
            if (const auto low = dip(points[k - 2], points[k - 1], points[k], size(last)))
                return std::pair(points[*low > points[k - 1] ? k - 1 : k - 2], *low);
        before = last;
        last = x;
    }
    return std::nullopt;
}

} // namespace ivp::reference

#endif
