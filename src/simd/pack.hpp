// pack<T, W>: W numbers that are calculated with at once. The arithmetic is that of each number by itself, whatever the instruction set: a pack has
// no operation that rounds differently from T's.
//
// A number stands for a pack of W equal ones: 2 * x, h * (a - b). Comparisons give a mask, select(mask, yes, no) chooses.
//
// NOTE: everything here is inlined without exception, and its namespace is that of the instruction set: how a pack is passed depends on it, and the
// linker must not mix functions that were compiled for different ones. Nothing of the standard library that could leave a function behind is used.
#ifndef IVP_SRC_SIMD_PACK_HPP
#define IVP_SRC_SIMD_PACK_HPP

#include <cstddef>

#ifdef IVP_KERNEL_SET
#define IVP_SIMD_SET IVP_KERNEL_SET
#elif defined(__AVX__)
#define IVP_SIMD_SET avx
#else
#define IVP_SIMD_SET sse
#endif

#define IVP_ALWAYS_INLINE [[gnu::always_inline]] inline

namespace ivp::simd {

inline namespace IVP_SIMD_SET {

/// Numbers of a pack in the loops over components.
template <class T>
inline constexpr int natural_width = 1;
template <>
inline constexpr int natural_width<double> = 4;

namespace detail {

/// Where the compiler has no vectors of T.
template <class T, int W>
struct array {
    T x[W]; // NOLINT(modernize-avoid-c-arrays): no function of the standard library

    IVP_ALWAYS_INLINE T& operator[](int i) { return x[i]; }
    IVP_ALWAYS_INLINE const T& operator[](int i) const { return x[i]; }

    template <class F>
    IVP_ALWAYS_INLINE static array each(const F& f)
    {
        array r;
        for (int i = 0; i < W; ++i) r.x[i] = f(i);
        return r;
    }
    IVP_ALWAYS_INLINE friend array operator+(const array& a, const array& b)
    {
        return each([&](int i) { return a.x[i] + b.x[i]; });
    }
    IVP_ALWAYS_INLINE friend array operator-(const array& a, const array& b)
    {
        return each([&](int i) { return a.x[i] - b.x[i]; });
    }
    IVP_ALWAYS_INLINE friend array operator*(const array& a, const array& b)
    {
        return each([&](int i) { return a.x[i] * b.x[i]; });
    }
    IVP_ALWAYS_INLINE friend array operator/(const array& a, const array& b)
    {
        return each([&](int i) { return a.x[i] / b.x[i]; });
    }
    IVP_ALWAYS_INLINE friend array operator-(const array& a)
    {
        return each([&](int i) { return -a.x[i]; });
    }
};

template <class T, int W>
struct storage {
    using numbers = array<T, W>;
    using in_memory = array<T, W>;
};
/// Doubles in a register. In memory they may begin at any double.
template <int W>
requires(W == 4 || W == 8) struct storage<double, W> {
    typedef double numbers __attribute__((vector_size(W * sizeof(double))));
    typedef long long integers __attribute__((vector_size(W * sizeof(double))));
    typedef double in_memory __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double))));
};

} // namespace detail

/// What a comparison of packs of doubles gives.
template <int W>
struct mask {
    typename detail::storage<double, W>::integers m;

    IVP_ALWAYS_INLINE friend mask operator|(const mask& a, const mask& b) { return {a.m | b.m}; }
};

template <class T, int W = natural_width<T>>
struct pack {
    static constexpr int width = W;
    using numbers = typename detail::storage<T, W>::numbers;
    using in_memory = typename detail::storage<T, W>::in_memory;

    numbers v; // not initialised: arrays of packs that are filled would be cleared before. pack{} is 0

    pack() = default;
    IVP_ALWAYS_INLINE pack(const T& x) : v(spread(x)) {} // NOLINT(google-explicit-constructor): a number stands for W equal ones
    IVP_ALWAYS_INLINE static pack of(const numbers& v)
    {
        pack p;
        p.v = v;
        return p;
    }
    IVP_ALWAYS_INLINE static pack load(const T* p)
    {
        pack r;
        r.v = *reinterpret_cast<const in_memory*>(p); // not by of(): a reference to numbers promises their alignment
        return r;
    }
    IVP_ALWAYS_INLINE void store(T* p) const { *reinterpret_cast<in_memory*>(p) = v; }

    IVP_ALWAYS_INLINE T operator[](int i) const { return v[i]; }

    IVP_ALWAYS_INLINE friend pack operator+(const pack& a, const pack& b) { return of(a.v + b.v); }
    IVP_ALWAYS_INLINE friend pack operator-(const pack& a, const pack& b) { return of(a.v - b.v); }
    IVP_ALWAYS_INLINE friend pack operator*(const pack& a, const pack& b) { return of(a.v * b.v); }
    IVP_ALWAYS_INLINE friend pack operator/(const pack& a, const pack& b) { return of(a.v / b.v); }
    IVP_ALWAYS_INLINE friend pack operator-(const pack& a) { return of(-a.v); }
    IVP_ALWAYS_INLINE pack& operator+=(const pack& b) { return *this = *this + b; }
    IVP_ALWAYS_INLINE pack& operator-=(const pack& b) { return *this = *this - b; }
    IVP_ALWAYS_INLINE pack& operator*=(const pack& b) { return *this = *this * b; }

    IVP_ALWAYS_INLINE friend auto operator<(const pack& a, const pack& b) { return mask<W>{a.v < b.v}; }
    IVP_ALWAYS_INLINE friend auto operator>(const pack& a, const pack& b) { return mask<W>{a.v > b.v}; }

private:
    IVP_ALWAYS_INLINE static numbers spread(const T& x)
    {
        if constexpr (requires(numbers n) { x - n; })
            return x - numbers{}; // exactly x, −0 too
        else
            return numbers::each([&](int) { return x; });
    }
};

template <int W>
IVP_ALWAYS_INLINE pack<double, W> select(const mask<W>& which, const pack<double, W>& yes, const pack<double, W>& no)
{
    return pack<double, W>::of(which.m ? yes.v : no.v);
}
template <int W>
IVP_ALWAYS_INLINE bool any(const mask<W>& which)
{
    long long bits = 0;
    for (int i = 0; i < W; ++i) bits |= which.m[i];
    return bits != 0;
}

/// The larger one of each two; the second where they are not comparable.
template <int W>
IVP_ALWAYS_INLINE pack<double, W> larger(const pack<double, W>& a, const pack<double, W>& b)
{
    return select(b < a, a, b);
}

template <class T, int W>
IVP_ALWAYS_INLINE pack<T, W> magnitude(const pack<T, W>& x)
{
    if constexpr (requires { typename detail::storage<T, W>::integers; }) {
        using integers = typename detail::storage<T, W>::integers;
        return pack<T, W>::of((typename pack<T, W>::numbers)((integers)x.v & (integers{} + 0x7fffffffffffffffLL)));
    } else {
        return pack<T, W>::of(pack<T, W>::numbers::each([&](int i) { return x.v[i] < T(0) ? -x.v[i] : x.v[i]; }));
    }
}

/// x_1 + x_2 + …, in pairs.
IVP_ALWAYS_INLINE double sum_of(const pack<double, 4>& x) { return (x.v[0] + x.v[1]) + (x.v[2] + x.v[3]); }

/// sum + x_1 + x_2 + …, in this order: after a loop the sum is that over the components one after the other.
template <class T, int W>
IVP_ALWAYS_INLINE void add_in_order(T& sum, const pack<T, W>& x)
{
    for (int i = 0; i < W; ++i) sum += x.v[i];
}

} // namespace IVP_SIMD_SET

} // namespace ivp::simd

#endif
