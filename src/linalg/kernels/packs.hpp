// Packs of W numbers, real or complex, and the few operations the kernels are written in. A kernel is a template over the kind of number; what
// differs between real and complex stands here alone.
//
// NOTE: this folder's headers are compiled several times, for different instruction sets. Everything in them lives in a namespace of its own for
// each (IVP_KERNEL_SET), and nothing from the standard library that could leave a function behind is used: the linker keeps one of several
// equal functions, and it must not be one that this machine cannot run.
#ifndef IVP_LINALG_KERNELS_PACKS_HPP
#define IVP_LINALG_KERNELS_PACKS_HPP

#ifndef IVP_KERNEL_SET
#error "only for the kernel sets: see generic.cpp"
#endif

#include <cstddef>

#define IVP_INLINE [[gnu::always_inline]] inline
/// For the body of a lambda: without it a long one becomes a function, and what it works on goes through memory.
#define IVP_INLINED __attribute__((always_inline))

namespace ivp::kernels::IVP_KERNEL_SET {

#ifdef __AVX512F__
constexpr int widest = 8;
#else
constexpr int widest = 4;
#endif

using index = std::ptrdiff_t;

template <int K>
struct constant {
    static constexpr int value = K;
};

template <bool On>
struct flag {
    static constexpr bool value = On;
};

/// f(constant<First>), …, f(constant<Last − 1>): a loop that is written out.
template <int First, int Last, class F>
IVP_INLINE void repeat(const F& f)
{
    if constexpr (First < Last) {
        f(constant<First>{});
        repeat<First + 1, Last>(f);
    }
}

// ---- real numbers -------------------------------------------------------------------------------------------------------------------------

template <int W>
struct lanes {
    typedef double numbers __attribute__((vector_size(W * sizeof(double))));
    typedef long long integers __attribute__((vector_size(W * sizeof(double))));
    typedef double in_memory __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double))));
};

template <int W>
struct real_pack {
    typename lanes<W>::numbers v;
};

template <int W>
IVP_INLINE typename lanes<W>::numbers spread_lanes(double x)
{
    if constexpr (W == 8)
        return typename lanes<W>::numbers{x, x, x, x, x, x, x, x};
    else
        return typename lanes<W>::numbers{x, x, x, x};
}

template <int W, int Lane>
IVP_INLINE typename lanes<W>::numbers spread_one(typename lanes<W>::numbers v)
{
    if constexpr (W == 8)
        return __builtin_shufflevector(v, v, Lane, Lane, Lane, Lane, Lane, Lane, Lane, Lane);
    else
        return __builtin_shufflevector(v, v, Lane, Lane, Lane, Lane);
}

/// Lane i becomes what lane i + By was.
template <int W, int By>
IVP_INLINE typename lanes<W>::numbers rotate_lanes(typename lanes<W>::numbers v)
{
    if constexpr (W == 8)
        return __builtin_shufflevector(v, v, By, By + 1, By + 2, By + 3, By + 4, By + 5, By + 6, By + 7);
    else
        return __builtin_shufflevector(v, v, By, By + 1, By + 2, By + 3);
}

/// first, first + 1, …
template <int W>
IVP_INLINE typename lanes<W>::integers rows_from(long long first)
{
    if constexpr (W == 8)
        return typename lanes<W>::integers{0, 1, 2, 3, 4, 5, 6, 7} + first;
    else
        return typename lanes<W>::integers{0, 1, 2, 3} + first;
}

template <int W>
IVP_INLINE typename lanes<W>::numbers load_lanes(const double* p)
{
    return *reinterpret_cast<const typename lanes<W>::in_memory*>(p);
}

template <int W>
IVP_INLINE void store_lanes(double* p, typename lanes<W>::numbers v)
{
    *reinterpret_cast<typename lanes<W>::in_memory*>(p) = v;
}

template <int W>
IVP_INLINE double largest_lane(typename lanes<W>::numbers v)
{
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

template <int W>
IVP_INLINE typename lanes<W>::numbers absolute(typename lanes<W>::numbers v)
{
    const auto sign = typename lanes<W>::integers{} + 0x7fffffffffffffffLL;
    return (typename lanes<W>::numbers)((typename lanes<W>::integers)v & sign);
}

/// What a kernel needs to know of its numbers. Pointers to complex numbers are two: real and imaginary parts lie apart.
struct real_numbers {
    using scalar = double;
    using pointer = double*;
    using const_pointer = const double*;
    template <int W>
    using pack = real_pack<W>;
    static constexpr bool is_complex = false;
};

template <int W>
IVP_INLINE real_pack<W> load(const double* p)
{
    return {load_lanes<W>(p)};
}
template <int W>
IVP_INLINE void store(double* p, const real_pack<W>& x)
{
    store_lanes<W>(p, x.v);
}
template <int W>
IVP_INLINE real_pack<W> spread(double x)
{
    return {spread_lanes<W>(x)};
}
template <int Lane, int W>
IVP_INLINE real_pack<W> spread_lane(const real_pack<W>& x)
{
    return {spread_one<W, Lane>(x.v)};
}
template <int Lane, int W>
IVP_INLINE double lane(const real_pack<W>& x)
{
    return x.v[Lane];
}
template <int W>
IVP_INLINE real_pack<W> select(typename lanes<W>::integers which, const real_pack<W>& yes, const real_pack<W>& no)
{
    return {which ? yes.v : no.v};
}
template <int W>
IVP_INLINE real_pack<W> product(const real_pack<W>& a, const real_pack<W>& b)
{
    return {a.v * b.v};
}
template <int W>
IVP_INLINE real_pack<W> sum(const real_pack<W>& a, const real_pack<W>& b)
{
    return {a.v + b.v};
}
template <int W>
IVP_INLINE real_pack<W> difference(const real_pack<W>& a, const real_pack<W>& b)
{
    return {a.v - b.v};
}
/// c += a b
template <int W>
IVP_INLINE void add_product(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c.v += a.v * b.v;
}
/// c -= a b
template <int W>
IVP_INLINE void subtract_product(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c.v -= a.v * b.v;
}
/// c += a b, b real
template <int W>
IVP_INLINE void add_multiple(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c.v += a.v * b.v;
}
template <int W>
IVP_INLINE typename lanes<W>::numbers sizes(const real_pack<W>& x)
{
    return absolute<W>(x.v);
}

IVP_INLINE double at(const double* p, index i) { return p[i]; }
IVP_INLINE void put(double* p, index i, double x) { p[i] = x; }
IVP_INLINE double size_of(double x) { return __builtin_fabs(x); }
IVP_INLINE double times(double a, double b) { return a * b; }
IVP_INLINE double plus(double a, double b) { return a + b; }
IVP_INLINE double minus_product(double c, double a, double b) { return c - a * b; }
IVP_INLINE double reciprocal(double x) { return 1.0 / x; }
/// Of the reciprocal of a pivot: the pivot was neither zero nor infinite nor NaN.
IVP_INLINE bool usable(double inverse) { return __builtin_fabs(inverse) <= 0x1.fffffffffffffp+1023 && inverse != 0; }

// ---- complex numbers ----------------------------------------------------------------------------------------------------------------------

struct complex_scalar {
    double re;
    double im;
};

template <class T>
struct split_pointer {
    T* re;
    T* im;
    IVP_INLINE split_pointer operator+(index i) const { return {re + i, im + i}; }
    IVP_INLINE operator split_pointer<const T>() const { return {re, im}; }
};

template <int W>
struct complex_pack {
    typename lanes<W>::numbers re;
    typename lanes<W>::numbers im;
};

struct complex_numbers {
    using scalar = complex_scalar;
    using pointer = split_pointer<double>;
    using const_pointer = split_pointer<const double>;
    template <int W>
    using pack = complex_pack<W>;
    static constexpr bool is_complex = true;
};

template <int W>
IVP_INLINE complex_pack<W> load(const split_pointer<const double>& p)
{
    return {load_lanes<W>(p.re), load_lanes<W>(p.im)};
}
template <int W>
IVP_INLINE complex_pack<W> load(const split_pointer<double>& p)
{
    return {load_lanes<W>(p.re), load_lanes<W>(p.im)};
}
template <int W>
IVP_INLINE void store(const split_pointer<double>& p, const complex_pack<W>& x)
{
    store_lanes<W>(p.re, x.re);
    store_lanes<W>(p.im, x.im);
}
template <int W>
IVP_INLINE complex_pack<W> spread(const complex_scalar& x)
{
    return {spread_lanes<W>(x.re), spread_lanes<W>(x.im)};
}
template <int Lane, int W>
IVP_INLINE complex_pack<W> spread_lane(const complex_pack<W>& x)
{
    return {spread_one<W, Lane>(x.re), spread_one<W, Lane>(x.im)};
}
template <int Lane, int W>
IVP_INLINE complex_scalar lane(const complex_pack<W>& x)
{
    return {x.re[Lane], x.im[Lane]};
}
template <int W>
IVP_INLINE complex_pack<W> select(typename lanes<W>::integers which, const complex_pack<W>& yes, const complex_pack<W>& no)
{
    return {which ? yes.re : no.re, which ? yes.im : no.im};
}
template <int W>
IVP_INLINE complex_pack<W> product(const complex_pack<W>& a, const complex_pack<W>& b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <int W>
IVP_INLINE complex_pack<W> sum(const complex_pack<W>& a, const complex_pack<W>& b)
{
    return {a.re + b.re, a.im + b.im};
}
template <int W>
IVP_INLINE complex_pack<W> difference(const complex_pack<W>& a, const complex_pack<W>& b)
{
    return {a.re - b.re, a.im - b.im};
}
template <int W>
IVP_INLINE void add_product(complex_pack<W>& c, const complex_pack<W>& a, const complex_pack<W>& b)
{
    c.re += a.re * b.re;
    c.im += a.re * b.im;
    c.re -= a.im * b.im;
    c.im += a.im * b.re;
}
template <int W>
IVP_INLINE void subtract_product(complex_pack<W>& c, const complex_pack<W>& a, const complex_pack<W>& b)
{
    c.re -= a.re * b.re;
    c.im -= a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
}
template <int W>
IVP_INLINE void add_multiple(complex_pack<W>& c, const complex_pack<W>& a, const real_pack<W>& b)
{
    c.re += a.re * b.v;
    c.im += a.im * b.v;
}
/// −x, as a number of the kind asked for
template <class Numbers, int W>
IVP_INLINE typename Numbers::template pack<W> minus(const real_pack<W>& x)
{
    if constexpr (Numbers::is_complex)
        return {-x.v, typename lanes<W>::numbers{}};
    else
        return {-x.v};
}
/// |re| + |im|, by which pivots are compared
template <int W>
IVP_INLINE typename lanes<W>::numbers sizes(const complex_pack<W>& x)
{
    return absolute<W>(x.re) + absolute<W>(x.im);
}

template <class T>
IVP_INLINE complex_scalar at(const split_pointer<T>& p, index i)
{
    return {p.re[i], p.im[i]};
}
IVP_INLINE void put(const split_pointer<double>& p, index i, const complex_scalar& x)
{
    p.re[i] = x.re;
    p.im[i] = x.im;
}
IVP_INLINE double size_of(const complex_scalar& x) { return __builtin_fabs(x.re) + __builtin_fabs(x.im); }
IVP_INLINE complex_scalar times(const complex_scalar& a, const complex_scalar& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
IVP_INLINE complex_scalar plus(const complex_scalar& a, const complex_scalar& b) { return {a.re + b.re, a.im + b.im}; }
/// A real number as one of the kind asked for.
template <class Numbers>
IVP_INLINE typename Numbers::scalar number(double x)
{
    if constexpr (Numbers::is_complex)
        return {x, 0.0};
    else
        return x;
}
IVP_INLINE complex_scalar minus_product(complex_scalar c, const complex_scalar& a, const complex_scalar& b)
{
    c.re -= a.re * b.re;
    c.im -= a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
    return c;
}
IVP_INLINE complex_scalar plain_reciprocal(const complex_scalar& x)
{
    const double d = 1.0 / (x.re * x.re + x.im * x.im);
    return {x.re * d, -x.im * d};
}
/// Where the squares would overflow or vanish; scaling by a power of two changes no digit.
[[gnu::noinline]] inline complex_scalar scaled_reciprocal(const complex_scalar& x)
{
    const double size = size_of(x);
    if (!(size > 0 && size <= 0x1.fffffffffffffp+1023)) return {0.0, 0.0};
    int exponent = 0;
    (void)__builtin_frexp(size, &exponent);
    const double down = __builtin_ldexp(1.0, -exponent / 2);
    const double rest = __builtin_ldexp(1.0, -exponent - (-exponent / 2));
    const complex_scalar y = plain_reciprocal({x.re * down * rest, x.im * down * rest});
    return {y.re * down * rest, y.im * down * rest};
}
IVP_INLINE complex_scalar reciprocal(const complex_scalar& x)
{
    const double size = size_of(x);
    if (__builtin_expect(size > 0x1p-480 && size < 0x1p480, 1)) return plain_reciprocal(x);
    return scaled_reciprocal(x);
}
IVP_INLINE bool usable(const complex_scalar& inverse)
{
    const double size = size_of(inverse);
    return size <= 0x1.fffffffffffffp+1023 && size != 0;
}

// ---- columns ------------------------------------------------------------------------------------------------------------------------------

/// The largest size in rows k … n − 1 of a column that is zero from row n to its padded end, or a NaN if it was met (not always: see factor).
template <class Numbers, int W>
IVP_INLINE double largest_size(typename Numbers::const_pointer column, int k, int padded)
{
    const int first = k / W * W;
    auto best = rows_from<W>(first) >= k ? sizes(load<W>(column + first)) : spread_lanes<W>(0.0);
    for (int i = first + W; i < padded; i += W) {
        const auto s = sizes(load<W>(column + i));
        best = s > best ? s : best;
    }
    return largest_lane<W>(best);
}

constexpr int no_row = -1;

/// The row of the largest size in rows k … n − 1; no_row if all are zero or one is not finite.
template <class Numbers>
int largest_row(typename Numbers::const_pointer column, int k, int n)
{
    double best = 0;
    int row = no_row;
    for (int i = k; i < n; ++i) {
        const double s = size_of(at(column, i));
        if (!(s <= best)) { // lets a NaN in
            if (s != s) return no_row;
            best = s;
            row = i;
        }
    }
    return best <= 0x1.fffffffffffffp+1023 ? row : no_row;
}

template <class Pointer>
IVP_INLINE void exchange(Pointer p, index i, index j)
{
    const auto x = at(p, i);
    put(p, i, at(p, j));
    put(p, j, x);
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
