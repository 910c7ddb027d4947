// for_components: a loop over the components of vectors, in double by groups of four, in other precisions one by one. The formula is written once:
// its argument reads and writes what belongs to the group.
//
// In double vectors have room for whole groups, with zeros behind the last component: the loop has no rest, which is most of the work of
// a loop over three components.
#ifndef IVP_SOLVERS_COMMON_COMPONENTWISE_HPP
#define IVP_SOLVERS_COMMON_COMPONENTWISE_HPP

#include "lanes.hpp"
#include <ivp/work_memory.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ivp::solvers {

/// For the body of a lambda: it becomes part of the function around it, whatever its length.
#define IVP_INLINED __attribute__((always_inline))

/// Entries that a vector of n components must have room for.
template <class R>
[[nodiscard]] int padded(int n)
{
    return std::is_same_v<R, double> ? groups_of(n) * lane_count : n;
}

/// From one to the next of several such vectors in one array.
template <class R>
[[nodiscard]] int stride_of_padded(int n)
{
    const int entries = padded<R>(n);
    const std::size_t bytes = sizeof(R) * static_cast<std::size_t>(entries);
    return bytes < work_memory::large_vector ? entries : static_cast<int>(work_memory::distance(bytes) / sizeof(R));
}

struct four_components {
    std::ptrdiff_t first;
    lanes operator()(const double* v) const { return *reinterpret_cast<const lanes_in_memory*>(v + first); }
    void put(double* v, const lanes& x) const { *reinterpret_cast<lanes_in_memory*>(v + first) = x; }
    lanes one_by_one(const double* v) const { return solvers::one_by_one(v + first); }
};

template <class R>
struct one_component {
    std::ptrdiff_t i;
    const R& operator()(const R* v) const { return v[i]; }
    void put(R* v, const R& x) const { v[i] = x; }
    const R& one_by_one(const R* v) const { return v[i]; }
};

/// What the formula of a loop calculates with.
template <class R>
using component_value = std::conditional_t<std::is_same_v<R, double>, lanes, R>;

/// formula(at): at(v) is what v has in the group, at.put(v, x) writes it.
template <class R, class Formula>
[[gnu::always_inline]] inline void for_components(int n, const Formula& formula)
{
    std::ptrdiff_t i = 0;
    if constexpr (std::is_same_v<R, double>) {
        do { // there is at least one
            formula(four_components{i});
            i += lane_count;
        } while (i < n);
    } else {
        for (; i < n; ++i) formula(one_component<R>{i});
    }
}

/// A part of such a loop: the groups from first to end.
template <class Formula>
[[gnu::always_inline]] inline void for_groups(int first, int end, const Formula& formula)
{
    for (int g = first; g < end; ++g) formula(four_components{static_cast<std::ptrdiff_t>(g) * lane_count});
}

/// f(0), …, f(N − 1) with constants: a loop that is written out.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f)
{
    [&]<int... K>(std::integer_sequence<int, K...>) IVP_INLINED { (f(std::integral_constant<int, K>{}), ...); }
    (std::make_integer_sequence<int, N>{});
}

/// The coefficients of a formula as it calculates with them: read once, before the loop.
template <class R, std::size_t N>
[[gnu::always_inline]] inline std::array<component_value<R>, N> spread(const std::array<R, N>& a)
{
    std::array<component_value<R>, N> s;
    unrolled<static_cast<int>(N)>([&](auto k) IVP_INLINED { s[k] = a[k] - component_value<R>{}; });
    return s;
}
template <class R, std::size_t M, std::size_t N>
[[gnu::always_inline]] inline std::array<std::array<component_value<R>, N>, M> spread(const std::array<std::array<R, N>, M>& a)
{
    std::array<std::array<component_value<R>, N>, M> s;
    unrolled<static_cast<int>(M)>([&](auto k) IVP_INLINED { s[k] = spread<R>(a[k]); });
    return s;
}

/// a_1 b_1 + a_2 b_2 + …
template <class V, std::size_t N>
[[gnu::always_inline]] inline V dot(const std::array<V, N>& a, const std::array<V, N>& b)
{
    V sum = a[0] * b[0];
    unrolled<static_cast<int>(N) - 1>([&](auto k) IVP_INLINED { sum += a[k + 1] * b[k + 1]; });
    return sum;
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
