// Numeric factorisation and solution with a fixed pivot order, over the index lists of a sparse_program.
//
// One text serves three kinds of numbers: real, complex, and a real and a complex matrix side by side (`twin`: the indices are then read once
// for both, and one vector instruction works on both). What the kinds differ in stands in `arithmetic`.
//
// A factored matrix holds the multipliers of L, the reciprocals of the pivots, and U.
#ifndef IVP_LINALG_SPARSE_LU_HPP
#define IVP_LINALG_SPARSE_LU_HPP

#include "linalg/dense_lu.hpp"
#include "linalg/sparse_program.hpp"

#include <ivp/linalg/shifted_lu.hpp>

#include <cmath>
#include <limits>

namespace ivp::kernels {

/// Elements of complex matrices: real and imaginary part beside each other, since what is gathered by an index list has no neighbours anyway.
template <class R>
struct complex_element {
    R re;
    R im;
};

/// A complex number (lanes 0, 1) and a real one (lane 2; lane 3 is zero, so that it is a complex number too).
struct twin {
    using lanes = double __attribute__((vector_size(32)));
    lanes v;
};

/// What the factorisation does with numbers of type E. Sizes are sums of moduli of real and imaginary parts; a `gauge` holds one for each
/// matrix of E.
template <class E>
struct arithmetic;

template <class R>
struct real_arithmetic {
    using gauge = R;
    using multiplier = R;

    static R product(const R& a, const R& b) { return a * b; }
    static multiplier prepared(const R& l) { return l; }
    static void subtract(R& target, const multiplier& l, const R& u) { target -= l * u; }
    static R reciprocal(const R& a) { return R(1) / a; }
    static gauge size(const R& a)
    {
        using std::abs;
        return abs(a);
    }
    static gauge sum(const gauge& a, const gauge& b) { return a + b; }
    static gauge weighted(const gauge& a, const gauge& b) { return a * b; }
    static bool within(const gauge& a, const R& factor, const gauge& b) { return a <= factor * b; }
    static bool finite(const gauge& a) { return a - a == R(0); }
};
template <>
struct arithmetic<double> : real_arithmetic<double> {};
template <>
struct arithmetic<quad> : real_arithmetic<quad> {};

template <class R>
struct arithmetic<complex_element<R>> {
    using E = complex_element<R>;
    using gauge = R;
    using multiplier = E;

    static E product(const E& a, const E& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    static multiplier prepared(const E& l) { return l; }
    static void subtract(E& target, const multiplier& l, const E& u)
    {
        target.re -= l.re * u.re - l.im * u.im;
        target.im -= l.re * u.im + l.im * u.re;
    }
    static E reciprocal(const E& a)
    {
        const auto inverse = kernels::reciprocal(a.re, a.im);
        return {inverse.re, inverse.im};
    }
    static gauge size(const E& a)
    {
        using std::abs;
        return abs(a.re) + abs(a.im);
    }
    static gauge sum(const gauge& a, const gauge& b) { return a + b; }
    static gauge weighted(const gauge& a, const gauge& b) { return a * b; }
    static bool within(const gauge& a, const R& factor, const gauge& b) { return a <= factor * b; }
    static bool finite(const gauge& a) { return a - a == R(0); }
};

template <>
struct arithmetic<twin> {
    using lanes = twin::lanes;
    /// Both lanes of a number hold its size.
    using gauge = twin;
    struct multiplier {
        lanes straight; // re re | re re
        lanes crossed;  // −im im | −im im
    };

    static lanes swapped(lanes a) { return __builtin_shufflevector(a, a, 1, 0, 3, 2); }
    static multiplier prepared(const twin& l)
    {
        const lanes sign{-1, 1, -1, 1};
        return {__builtin_shufflevector(l.v, l.v, 0, 0, 2, 2), __builtin_shufflevector(l.v, l.v, 1, 1, 3, 3) * sign};
    }
    static twin product(const twin& a, const twin& b)
    {
        const multiplier m = prepared(a);
        return {m.straight * b.v + m.crossed * swapped(b.v)};
    }
    static void subtract(twin& target, const multiplier& l, const twin& u)
    {
        target.v = target.v - l.straight * u.v - l.crossed * swapped(u.v);
    }
    static twin reciprocal(const twin& a)
    {
        const lanes square = a.v * a.v;
        const lanes modulus = square + swapped(square);
        constexpr double small = 1e-290;
        constexpr double large = 1e290;
        if (modulus[0] > small && modulus[0] < large && modulus[2] > small && modulus[2] < large) [[likely]]
            return {a.v * lanes{1, -1, 1, -1} / modulus};
        const auto inverse = kernels::reciprocal(a.v[0], a.v[1]);
        return {lanes{inverse.re, inverse.im, 1 / a.v[2], 0}};
    }
    static gauge size(const twin& a)
    {
        const lanes modulus = a.v < 0 ? -a.v : a.v;
        return {modulus + swapped(modulus)};
    }
    static gauge sum(const gauge& a, const gauge& b) { return {a.v + b.v}; }
    static gauge weighted(const gauge& a, const gauge& b) { return {a.v * b.v}; }
    static bool within(const gauge& a, double factor, const gauge& b)
    {
        const auto ok = a.v <= factor * b.v;
        return ok[0] && ok[2];
    }
    static bool finite(const gauge& a)
    {
        const auto ok = a.v - a.v == 0;
        return ok[0] && ok[2];
    }
};

/// Factors in place. False if a row of |L||U| is more than `growth` times as large as that row of the matrix, since then the order does not suit
/// these numbers (a vanishing pivot is the extreme case), or if a number is not finite. `row_size` is memory for n gauges.
template <class E, class R>
[[nodiscard]] bool factor_sparse(const sparse_program& s, const R& growth, E* a, typename arithmetic<E>::gauge* row_size)
{
    using op = arithmetic<E>;
    using gauge = typename op::gauge;
    const int* target = s.target.data();
    const gauge zero{};
    bool good = true;
    for (int i = 0; i < s.n; ++i) {
        const int diagonal = s.diagonal[i];
        const int end = s.start[i + 1];
        gauge before = zero;
        for (int p = s.start[i]; p < end; ++p) before = op::sum(before, op::size(a[p]));
        gauge after = zero;
        for (int p = s.start[i]; p < diagonal; ++p) {
            const int k = s.column[p];
            const int above = s.diagonal[k];
            const int count = s.start[k + 1] - above - 1;
            const E l = op::product(a[p], a[above]);
            a[p] = l;
            after = op::sum(after, op::weighted(op::size(l), row_size[k]));
            const auto multiplier = op::prepared(l);
            const E* const u = a + above + 1;
            for (int q = 0; q < count; ++q) op::subtract(a[target[q]], multiplier, u[q]);
            target += count;
        }
        gauge own = zero;
        for (int p = diagonal; p < end; ++p) own = op::sum(own, op::size(a[p]));
        row_size[i] = own;
        after = op::sum(after, own);
        a[diagonal] = op::reciprocal(a[diagonal]);
        good = good && op::within(after, growth, before) && op::finite(before) && op::finite(op::size(a[diagonal]));
    }
    return good;
}

/// x = A^-1 b: load(i) is component i of the right-hand side, store(j, x) takes component j of the solution; `w` is memory for n elements.
/// `get` reads a position of the factored matrix, so that one matrix of twins can be used alone.
template <class E, class Get, class Load, class Store>
void solve_sparse(const sparse_program& s, Get get, Load load, Store store, E* w)
{
    using op = arithmetic<E>;
    for (int i = 0; i < s.n; ++i) {
        E sum = load(s.row_of[i]);
        for (int p = s.start[i]; p < s.diagonal[i]; ++p) op::subtract(sum, op::prepared(get(p)), w[s.column[p]]);
        w[i] = sum;
    }
    for (int i = s.n - 1; i >= 0; --i) {
        E sum = w[i];
        for (int p = s.diagonal[i] + 1; p < s.start[i + 1]; ++p) op::subtract(sum, op::prepared(get(p)), w[s.column[p]]);
        w[i] = op::product(sum, get(s.diagonal[i]));
        store(s.column_of[i], w[i]);
    }
}

} // namespace ivp::kernels

#endif
