// Real and complex numbers for the kernels, which are templates over the kind of number: what differs between the two is in this file alone. A pack
// of real numbers is that of src/simd; one of complex numbers has two.
//
// NOTE: this folder's headers are compiled several times, for different instruction sets. Everything in them lives in a namespace of its own for
// each (IVP_KERNEL_SET), and nothing from the standard library that could leave a function behind is used: the linker keeps one of several
// equal functions, and it must not be one that this machine cannot run.
#ifndef IVP_LINALG_KERNELS_PACKS_HPP
#define IVP_LINALG_KERNELS_PACKS_HPP

#ifndef IVP_KERNEL_SET
#error "only for the kernel sets: see generic.cpp"
#endif

#include "simd/unrolled.hpp"

#include <ivp/pack.hpp>

#include <cstddef>

/// For the body of a lambda: without it a long one becomes a function, and what it works on goes through memory.
#define IVP_INLINED __attribute__((always_inline))

namespace ivp::kernels::IVP_KERNEL_SET {

using simd::constant, simd::pack_rows, simd::select, simd::unrolled;

#ifdef __AVX512F__
constexpr int widest = 8;
#else
constexpr int widest = 4;
#endif

using index = std::ptrdiff_t;

template <bool On>
struct flag {
    static constexpr bool value = On;
};

// ---- real numbers -------------------------------------------------------------------------------------------------------------------------

template <int W>
using real_pack = simd::pack<double, W>;

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
IVP_ALWAYS_INLINE real_pack<W> load(const double* p)
{
    return real_pack<W>::load(p);
}
template <int W>
IVP_ALWAYS_INLINE void store(double* p, const real_pack<W>& x)
{
    x.store(p);
}
template <int W>
IVP_ALWAYS_INLINE real_pack<W> spread(double x)
{
    return x;
}
template <int Lane, int W>
IVP_ALWAYS_INLINE real_pack<W> spread_lane(const real_pack<W>& x)
{
    return simd::spread_one<Lane>(x);
}
template <int Lane, int W>
IVP_ALWAYS_INLINE double lane(const real_pack<W>& x)
{
    return x[Lane];
}
/// c += a b
template <int W>
IVP_ALWAYS_INLINE void add_product(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c += a * b;
}
/// c -= a b
template <int W>
IVP_ALWAYS_INLINE void subtract_product(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c -= a * b;
}
/// c += a b, b real
template <int W>
IVP_ALWAYS_INLINE void add_multiple(real_pack<W>& c, const real_pack<W>& a, const real_pack<W>& b)
{
    c += a * b;
}
template <int W>
IVP_ALWAYS_INLINE real_pack<W> sizes(const real_pack<W>& x)
{
    return magnitude(x);
}

IVP_ALWAYS_INLINE double at(const double* p, index i) { return p[i]; }
IVP_ALWAYS_INLINE void put(double* p, index i, double x) { p[i] = x; }
IVP_ALWAYS_INLINE double size_of(double x) { return __builtin_fabs(x); }
IVP_ALWAYS_INLINE double times(double a, double b) { return a * b; }
IVP_ALWAYS_INLINE double plus(double a, double b) { return a + b; }
IVP_ALWAYS_INLINE double minus_product(double c, double a, double b) { return c - a * b; }
IVP_ALWAYS_INLINE double reciprocal(double x) { return 1.0 / x; }
/// Of the reciprocal of a pivot: the pivot was neither zero nor infinite nor NaN.
IVP_ALWAYS_INLINE bool usable(double inverse) { return __builtin_fabs(inverse) <= 0x1.fffffffffffffp+1023 && inverse != 0; }

// ---- complex numbers ----------------------------------------------------------------------------------------------------------------------

struct complex_scalar {
    double re;
    double im;
};

template <class T>
struct split_pointer {
    T* re;
    T* im;
    IVP_ALWAYS_INLINE split_pointer operator+(index i) const { return {re + i, im + i}; }
    IVP_ALWAYS_INLINE operator split_pointer<const T>() const { return {re, im}; }
};

template <int W>
struct complex_pack {
    real_pack<W> re;
    real_pack<W> im;

    IVP_ALWAYS_INLINE friend complex_pack operator+(const complex_pack& a, const complex_pack& b) { return {a.re + b.re, a.im + b.im}; }
    /// NOTE: one product of a part is fused with the sum, the first one that is written. As operands of an operator their order would be the
    /// compiler's.
    IVP_ALWAYS_INLINE friend complex_pack operator*(const complex_pack& a, const complex_pack& b)
    {
        const real_pack<W> re_re = a.re * b.re;
        const real_pack<W> im_im = a.im * b.im;
        const real_pack<W> re_im = a.re * b.im;
        const real_pack<W> im_re = a.im * b.re;
        return {re_re - im_im, re_im + im_re};
    }
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
IVP_ALWAYS_INLINE complex_pack<W> load(const split_pointer<const double>& p)
{
    return {load<W>(p.re), load<W>(p.im)};
}
template <int W>
IVP_ALWAYS_INLINE complex_pack<W> load(const split_pointer<double>& p)
{
    return {load<W>(p.re), load<W>(p.im)};
}
template <int W>
IVP_ALWAYS_INLINE void store(const split_pointer<double>& p, const complex_pack<W>& x)
{
    x.re.store(p.re);
    x.im.store(p.im);
}
template <int W>
IVP_ALWAYS_INLINE complex_pack<W> spread(const complex_scalar& x)
{
    return {x.re, x.im};
}
template <int Lane, int W>
IVP_ALWAYS_INLINE complex_pack<W> spread_lane(const complex_pack<W>& x)
{
    return {simd::spread_one<Lane>(x.re), simd::spread_one<Lane>(x.im)};
}
template <int Lane, int W>
IVP_ALWAYS_INLINE complex_scalar lane(const complex_pack<W>& x)
{
    return {x.re[Lane], x.im[Lane]};
}
template <int W>
IVP_ALWAYS_INLINE complex_pack<W> select(const simd::mask<W>& which, const complex_pack<W>& yes, const complex_pack<W>& no)
{
    return {select(which, yes.re, no.re), select(which, yes.im, no.im)};
}
template <int W>
IVP_ALWAYS_INLINE void add_product(complex_pack<W>& c, const complex_pack<W>& a, const complex_pack<W>& b)
{
    c.re += a.re * b.re;
    c.im += a.re * b.im;
    c.re -= a.im * b.im;
    c.im += a.im * b.re;
}
template <int W>
IVP_ALWAYS_INLINE void subtract_product(complex_pack<W>& c, const complex_pack<W>& a, const complex_pack<W>& b)
{
    c.re -= a.re * b.re;
    c.im -= a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
}
template <int W>
IVP_ALWAYS_INLINE void add_multiple(complex_pack<W>& c, const complex_pack<W>& a, const real_pack<W>& b)
{
    c.re += a.re * b;
    c.im += a.im * b;
}
/// −x, as a number of the kind asked for
template <class Numbers, int W>
IVP_ALWAYS_INLINE typename Numbers::template pack<W> minus(const real_pack<W>& x)
{
    if constexpr (Numbers::is_complex)
        return {-x, real_pack<W>{}};
    else
        return -x;
}
/// |re| + |im|, by which pivots are compared
template <int W>
IVP_ALWAYS_INLINE real_pack<W> sizes(const complex_pack<W>& x)
{
    return magnitude(x.re) + magnitude(x.im);
}

template <class T>
IVP_ALWAYS_INLINE complex_scalar at(const split_pointer<T>& p, index i)
{
    return {p.re[i], p.im[i]};
}
IVP_ALWAYS_INLINE void put(const split_pointer<double>& p, index i, const complex_scalar& x)
{
    p.re[i] = x.re;
    p.im[i] = x.im;
}
IVP_ALWAYS_INLINE double size_of(const complex_scalar& x) { return __builtin_fabs(x.re) + __builtin_fabs(x.im); }
IVP_ALWAYS_INLINE complex_scalar times(const complex_scalar& a, const complex_scalar& b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
IVP_ALWAYS_INLINE complex_scalar plus(const complex_scalar& a, const complex_scalar& b) { return {a.re + b.re, a.im + b.im}; }
/// A real number as one of the kind asked for.
template <class Numbers>
IVP_ALWAYS_INLINE typename Numbers::scalar number(double x)
{
    if constexpr (Numbers::is_complex)
        return {x, 0.0};
    else
        return x;
}
IVP_ALWAYS_INLINE complex_scalar minus_product(complex_scalar c, const complex_scalar& a, const complex_scalar& b)
{
    c.re -= a.re * b.re;
    c.im -= a.re * b.im;
    c.re += a.im * b.im;
    c.im -= a.im * b.re;
    return c;
}
IVP_ALWAYS_INLINE complex_scalar plain_reciprocal(const complex_scalar& x)
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
IVP_ALWAYS_INLINE complex_scalar reciprocal(const complex_scalar& x)
{
    const double size = size_of(x);
    if (__builtin_expect(size > 0x1p-480 && size < 0x1p480, 1)) return plain_reciprocal(x);
    return scaled_reciprocal(x);
}
IVP_ALWAYS_INLINE bool usable(const complex_scalar& inverse)
{
    const double size = size_of(inverse);
    return size <= 0x1.fffffffffffffp+1023 && size != 0;
}

// ---- columns ------------------------------------------------------------------------------------------------------------------------------

/// The largest size in rows k … n − 1 of a column that is zero from row n to its padded end, or a NaN if it was met (not always: see factor).
template <class Numbers, int W>
IVP_ALWAYS_INLINE double largest_size(typename Numbers::const_pointer column, int k, int padded)
{
    const int first = k / W * W;
    auto best = select(pack_rows<W>(first) >= k, sizes(load<W>(column + first)), real_pack<W>{});
    for (int i = first + W; i < padded; i += W) best = larger(sizes(load<W>(column + i)), best);
    return largest_of(best);
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
IVP_ALWAYS_INLINE void exchange(Pointer p, index i, index j)
{
    const auto x = at(p, i);
    put(p, i, at(p, j));
    put(p, j, x);
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
