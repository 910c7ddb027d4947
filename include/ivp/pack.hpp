// pack<T, W>: W numbers that are calculated with at once: the derivatives of a dual number, the components of a vector, the rows of a matrix. The
// arithmetic is that of each number by itself, whatever the instruction set: a pack has no operation that rounds differently from T's.
//
// A number stands for a pack of W equal ones: 2 * x, h * (a - b). Comparisons give a mask, select(mask, yes, no) chooses.
//
// NOTE: everything here is inlined without exception, and its namespace is that of the instruction set: how a pack is passed depends on it, and the
// linker must not mix functions that were compiled for different ones. Nothing of the standard library that could leave a function behind is used.
#ifndef IVP_PACK_HPP
#define IVP_PACK_HPP

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
struct array { // NOLINT(bugprone-reserved-identifier): of the loop that copies it
    T x[W];    // NOLINT(modernize-avoid-c-arrays): no function of the standard library

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
    IVP_ALWAYS_INLINE friend array operator*(const array& a, const T& b)
    {
        return each([&](int i) { return a.x[i] * b; });
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
    // NOLINTBEGIN(modernize-use-using): GCC takes a size that depends on W in a typedef only
    typedef double numbers __attribute__((vector_size(W * sizeof(double))));
    typedef long long integers __attribute__((vector_size(W * sizeof(double))));
    typedef double in_memory __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double))));
    // NOLINTEND(modernize-use-using)
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

    /// f(0), f(1), …  Made as a whole: a number written into a vector in memory delays the next reading of the vector.
    template <class F>
    IVP_ALWAYS_INLINE static pack each(const F& f)
    {
        if constexpr (requires { typename detail::storage<T, W>::integers; } && W == 4)
            return of(numbers{f(0), f(1), f(2), f(3)});
        else if constexpr (requires { typename detail::storage<T, W>::integers; })
            return of(numbers{f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)});
        else
            return of(numbers::each(f));
    }
    /// 1 at place i, else 0
    IVP_ALWAYS_INLINE static pack unit(int i)
    {
        return each([&](int k) { return T(k == i ? 1 : 0); });
    }

    IVP_ALWAYS_INLINE T operator[](int i) const { return v[i]; }

    IVP_ALWAYS_INLINE friend pack operator+(const pack& a, const pack& b) { return of(a.v + b.v); }
    IVP_ALWAYS_INLINE friend pack operator-(const pack& a, const pack& b) { return of(a.v - b.v); }
    IVP_ALWAYS_INLINE friend pack operator*(const pack& a, const pack& b) { return of(a.v * b.v); }
    IVP_ALWAYS_INLINE friend pack operator*(const pack& a, const T& b) { return of(a.v * b); }
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
/// Of all numbers of a pack.
template <int W>
IVP_ALWAYS_INLINE double largest_of(const pack<double, W>& x)
{
    auto v = x.v;
    if constexpr (W == 8) {
        const auto a = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
        v = v > a ? v : a;
        const auto b = __builtin_shufflevector(v, v, 2, 3, 0, 1, 2, 3, 0, 1);
        v = v > b ? v : b;
    } else {
        const auto b = __builtin_shufflevector(v, v, 2, 3, 0, 1);
        v = v > b ? v : b;
    }
    return v[0] > v[1] ? v[0] : v[1];
}

/// W times number I of a pack.
template <int I, int W>
IVP_ALWAYS_INLINE pack<double, W> spread_one(const pack<double, W>& x)
{
    if constexpr (W == 8)
        return pack<double, W>::of(__builtin_shufflevector(x.v, x.v, I, I, I, I, I, I, I, I));
    else
        return pack<double, W>::of(__builtin_shufflevector(x.v, x.v, I, I, I, I));
}
/// Number i becomes what number i + By was, those before it follow the last.
template <int By, int W>
IVP_ALWAYS_INLINE pack<double, W> rotated(const pack<double, W>& x)
{
    if constexpr (W == 8)
        return pack<double, W>::of(__builtin_shufflevector(x.v, x.v, By, By + 1, By + 2, By + 3, By + 4, By + 5, By + 6, By + 7));
    else
        return pack<double, W>::of(__builtin_shufflevector(x.v, x.v, By, By + 1, By + 2, By + 3));
}

/// The rows whose numbers a pack of a column holds: first, first + 1, …; comparing them with a row chooses numbers of the pack.
template <int W>
class pack_rows {
    using integers = typename detail::storage<double, W>::integers;

public:
    IVP_ALWAYS_INLINE explicit pack_rows(long long first) : v_(counted() + first) {}

    IVP_ALWAYS_INLINE friend mask<W> operator==(const pack_rows& a, long long row) { return {a.v_ == row}; }
    IVP_ALWAYS_INLINE friend mask<W> operator<(const pack_rows& a, long long row) { return {a.v_ < row}; }
    IVP_ALWAYS_INLINE friend mask<W> operator>(const pack_rows& a, long long row) { return {a.v_ > row}; }
    IVP_ALWAYS_INLINE friend mask<W> operator>=(const pack_rows& a, long long row) { return {a.v_ >= row}; }

private:
    IVP_ALWAYS_INLINE static integers counted()
    {
        if constexpr (W == 8)
            return integers{0, 1, 2, 3, 4, 5, 6, 7};
        else
            return integers{0, 1, 2, 3};
    }

    integers v_;
};

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

/// 1/x of positive numbers but for a factor below 2: the exponent with its sign changed.
template <int W>
IVP_ALWAYS_INLINE pack<double, W> rough_reciprocal(const pack<double, W>& x)
{
    using integers = typename detail::storage<double, W>::integers;
    return pack<double, W>::of((typename pack<double, W>::numbers)(0x7fe0000000000000LL - ((integers)x.v & 0x7ff0000000000000LL)));
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

#endif // IVP_PACK_HPP
