// for_components: the one loop over the components of vectors. The formula is written once, as for one component:
//
//   for_components<double>(n, [&](auto at) { at(y_new) = at(y) + h * at(just_written(f)); });
//
// at(v) is what v has in the components of this turn, four in double, one in other precisions; it is assigned to where v is not constant. Vectors
// have room for whole packs (vectors.hpp): the loop has no rest, which would be most of the work of a loop over three components.
//
// just_written(v) says how v was written last: number by number, as f and the solves write. A load of four numbers that are still on their way
// to memory one by one waits until all have arrived, some 12 cycles; four loads take each from where it is. Functions that write so answer with a
// just_written, so that their callers need not know. Of a long vector most numbers have arrived: a loop that does little else than read, over
// vectors of any length, is a for_many_components.
#ifndef IVP_SRC_SIMD_COMPONENTS_HPP
#define IVP_SRC_SIMD_COMPONENTS_HPP

#include "unrolled.hpp"
#include "vectors.hpp"

#include <ivp/pack.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace ivp::simd {

inline namespace IVP_SIMD_SET {

/// A vector whose numbers have just been written one by one.
template <class T>
struct just_written {
    const T* data;

    explicit just_written(const T* v) : data(v) {}
    explicit just_written(const padded_vector<T>& v) : data(v.data()) {}
};

/// Several of them.
template <class T, std::size_t N>
struct all_just_written {
    std::array<T*, N> data;

    explicit all_just_written(const std::array<T*, N>& v) : data(v) {}
};

/// A place in a vector that holds a pack.
template <class Pack, class T>
class place {
public:
    IVP_ALWAYS_INLINE explicit place(T* p) : p_(p) {}
    place(const place&) = default;

    IVP_ALWAYS_INLINE operator Pack() const { return Pack::load(p_); } // NOLINT(google-explicit-constructor): it is read as a pack
    // NOLINTBEGIN(misc-unconventional-assign-operator, bugprone-unhandled-self-assignment): a place refers, it does not own
    IVP_ALWAYS_INLINE void operator=(const Pack& x) const { x.store(p_); }
    IVP_ALWAYS_INLINE void operator=(const place& other) const { Pack::load(other.p_).store(p_); }
    // NOLINTEND(misc-unconventional-assign-operator, bugprone-unhandled-self-assignment)
    IVP_ALWAYS_INLINE void operator+=(const Pack& x) const { (Pack::load(p_) + x).store(p_); }
    IVP_ALWAYS_INLINE void operator-=(const Pack& x) const { (Pack::load(p_) - x).store(p_); }
    IVP_ALWAYS_INLINE void operator*=(const Pack& x) const { (Pack::load(p_) * x).store(p_); }

private:
    T* p_;
};

/// From this length on most of a vector that has just been written is in memory: the CPU keeps some 64 numbers on their way.
inline constexpr int long_vector = 64;

/// How what was just written is read: number by number, or in whole packs.
enum class reading { one_by_one, packs };

/// The components of one turn.
template <class T, reading JustWritten = reading::one_by_one>
class components {
public:
    using value = pack<T>;

    IVP_ALWAYS_INLINE explicit components(std::ptrdiff_t first) : first_(first) {}

    IVP_ALWAYS_INLINE value operator()(const T* v) const { return value::load(v + first_); }
    IVP_ALWAYS_INLINE place<value, T> operator()(T* v) const { return place<value, T>(v + first_); }
    IVP_ALWAYS_INLINE value operator()(const padded_vector<T>& v) const { return (*this)(v.data()); }
    IVP_ALWAYS_INLINE place<value, T> operator()(padded_vector<T>& v) const { return (*this)(v.data()); }
    IVP_ALWAYS_INLINE value operator()(const just_written<T>& v) const
    {
        if constexpr (value::width == 4 && JustWritten == reading::one_by_one) {
            const volatile T* const x = v.data + first_;
            return value::of(typename value::numbers{x[0], x[1], x[2], x[3]});
        } else {
            return value::load(v.data + first_);
        }
    }
    template <std::size_t N>
    IVP_ALWAYS_INLINE std::array<value, N> operator()(const all_just_written<T, N>& v) const
    {
        std::array<value, N> x;
        unrolled<static_cast<int>(N)>([&](auto k) { x[k] = (*this)(just_written<T>(v.data[k])); });
        return x;
    }
    /// What several vectors have there.
    template <class Vector, std::size_t N>
    IVP_ALWAYS_INLINE std::array<value, N> operator()(const std::array<Vector, N>& v) const
    {
        std::array<value, N> x;
        unrolled<static_cast<int>(N)>([&](auto k) { x[k] = (*this)(v[k]); });
        return x;
    }
    template <std::size_t N>
    IVP_ALWAYS_INLINE void assign(const std::array<T*, N>& v, const std::array<value, N>& x) const
    {
        unrolled<static_cast<int>(N)>([&](auto k) { (*this)(v[k]) = x[k]; });
    }

private:
    std::ptrdiff_t first_;
};

/// formula(at); there is at least one component.
template <class T, reading JustWritten = reading::one_by_one, class Formula>
[[gnu::always_inline, gnu::flatten]] inline void for_components(int n, const Formula& formula)
{
    std::ptrdiff_t i = 0;
    do {
        formula(components<T, JustWritten>(i));
        i += natural_width<T>;
    } while (i < n);
}

/// The same, compiled for short vectors and for long ones.
template <class T, class Formula>
[[gnu::always_inline, gnu::flatten]] inline void for_many_components(int n, const Formula& formula)
{
    if (n < long_vector)
        for_components<T>(n, formula);
    else
        for_components<T, reading::packs>(n, formula);
}

/// A part of such a loop: piece k of count.
template <class T, class Formula>
[[gnu::always_inline, gnu::flatten]] inline void for_components_of_piece(int n, int k, int count, const Formula& formula)
{
    constexpr std::ptrdiff_t w = natural_width<T>;
    const std::ptrdiff_t packs = padded_size<T>(n) / w;
    for (std::ptrdiff_t i = packs * k / count * w; i < packs * (k + 1) / count * w; i += w) formula(components<T>(i));
}

/// The coefficients of a formula as it calculates with them: read once, before the loop.
template <class T, std::size_t N>
IVP_ALWAYS_INLINE std::array<pack<T>, N> spread(const std::array<T, N>& a)
{
    std::array<pack<T>, N> s;
    unrolled<static_cast<int>(N)>([&](auto k) { s[k] = a[k]; });
    return s;
}
template <class T, std::size_t M, std::size_t N>
IVP_ALWAYS_INLINE std::array<std::array<pack<T>, N>, M> spread(const std::array<std::array<T, N>, M>& a)
{
    std::array<std::array<pack<T>, N>, M> s;
    unrolled<static_cast<int>(M)>([&](auto k) { s[k] = spread(a[k]); });
    return s;
}

/// a_1 b_1 + a_2 b_2 + …, from the left; b may have more terms.
template <class A, class P, std::size_t M, std::size_t N>
IVP_ALWAYS_INLINE P dot(const std::array<A, M>& a, const std::array<P, N>& b)
{
    static_assert(M <= N);
    P sum = a[0] * b[0];
    unrolled<1, static_cast<int>(M)>([&](auto k) { sum += a[k] * b[k]; });
    return sum;
}

/// start + a_1 b_1 + a_2 b_2 + …, from the left; as many terms as the shorter one has.
template <class A, class P, std::size_t M, std::size_t N>
IVP_ALWAYS_INLINE P dot_onto(P sum, const std::array<A, M>& a, const std::array<P, N>& b)
{
    unrolled<static_cast<int>(std::min(M, N))>([&](auto k) { sum += a[k] * b[k]; });
    return sum;
}

/// The product of a matrix and a vector.
template <class A, class P, std::size_t M, std::size_t N>
IVP_ALWAYS_INLINE std::array<P, M> product(const std::array<std::array<A, N>, M>& a, const std::array<P, N>& x)
{
    std::array<P, M> y;
    unrolled<static_cast<int>(M)>([&](auto k) { y[k] = dot(a[k], x); });
    return y;
}

} // namespace IVP_SIMD_SET

} // namespace ivp::simd

#endif
