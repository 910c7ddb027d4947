// for_components: a loop over the components of vectors, in double by groups of four, in other precisions one by one. The formula is written once:
// its argument reads and writes what belongs to the group.
//
// In double vectors have room for whole groups, with zeros behind the last component: the loop has no rest, which is most of the work of
// a loop over three components.
#ifndef IVP_SOLVERS_COMMON_COMPONENTWISE_HPP
#define IVP_SOLVERS_COMMON_COMPONENTWISE_HPP

#include "lanes.hpp"

#include <cmath>
#include <cstddef>
#include <type_traits>

namespace ivp::solvers {

/// Entries that a vector of n components must have room for.
template <class R>
[[nodiscard]] int padded(int n)
{
    return std::is_same_v<R, double> ? groups_of(n) * lane_count : n;
}

struct four_components {
    int group;
    lanes operator()(const double* v) const { return load(v, group); }
    void put(double* v, const lanes& x) const { store(v, group, x); }
};

template <class R>
struct one_component {
    int i;
    const R& operator()(const R* v) const { return v[i]; }
    void put(R* v, const R& x) const { v[i] = x; }
};

/// What the formula of a loop calculates with.
template <class R>
using component_value = std::conditional_t<std::is_same_v<R, double>, lanes, R>;

/// formula(at): at(v) is what v has in the group, at.put(v, x) writes it.
template <class R, class Formula>
[[gnu::always_inline]] inline void for_components(int n, const Formula& formula)
{
    if constexpr (std::is_same_v<R, double>)
        for (int g = 0; g < groups_of(n); ++g) formula(four_components{g});
    else
        for (int i = 0; i < n; ++i) formula(one_component<R>{i});
}

template <class R>
[[nodiscard]] R magnitude(const R& x)
{
    using std::abs;
    return abs(x);
}
[[nodiscard]] inline lanes magnitude(const lanes& x) { return x < 0 ? -x : x; }

/// sum + x_1 + x_2 + …, in this order: the sum is that of a loop over the components.
template <class R>
void add_in_order(R& sum, const R& x)
{
    sum += x;
}
inline void add_in_order(double& sum, const lanes& x)
{
    for (int k = 0; k < lane_count; ++k) sum += x[k];
}

} // namespace ivp::solvers

#endif
