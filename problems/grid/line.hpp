// Differences on a line of N points with spacing h, whose end rows use points inside only (the operators of second order of summation by parts).
#ifndef IVP_PROBLEMS_GRID_LINE_HPP
#define IVP_PROBLEMS_GRID_LINE_HPP

#include <algorithm>

namespace ivp::problems {

/// h^2 times the second derivative at point i; the ends have that of their neighbours.
template <class T>
T second_difference(const T* y, int i, int N)
{
    const int c = std::clamp(i, 1, N - 2);
    return y[c - 1] - 2 * y[c] + y[c + 1];
}

/// The points whose difference, divided by their distance, is the first derivative at point i: central, one-sided at the ends.
struct secant {
    int left, right;
    [[nodiscard]] int steps() const { return right - left; }
};
constexpr secant secant_at(int i, int N) { return {std::max(i - 1, 0), std::min(i + 1, N - 1)}; }

} // namespace ivp::problems

#endif
