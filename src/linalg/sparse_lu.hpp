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
#include "shifted_lu.hpp"

#include <ivp/pack.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace ivp::kernels {

/// Elements of complex matrices: real and imaginary part beside each other, since what is gathered by an index list has no neighbours anyway.
template <class R>
struct complex_element {
    R re;
    R im;
};

/// A complex number (lanes 0, 1) and a real one (lane 2; lane 3 is zero, so that it is a complex number too).
struct twin {
    using lanes = simd::pack<double, 4>::numbers;
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
    using verdict = bool;
    using dot = R;

    static R product(const R& a, const R& b) { return a * b; }
    static multiplier prepared(const R& l) { return l; }
    static void subtract(R& target, const multiplier& l, const R& u) { target -= l * u; }
    static R reciprocal(const R& a, verdict& good)
    {
        const R inverse = R(1) / a;
        good &= inverse - inverse == R(0);
        return inverse;
    }
    static gauge size(const R& a)
    {
        using std::abs;
        return abs(a);
    }
    static gauge sum(const gauge& a, const gauge& b) { return a + b; }
    static gauge weighted(const gauge& a, const gauge& b) { return a * b; }
    static void judge(verdict& good, const gauge& after, const R& growth, const gauge& before)
    {
        good &= after <= growth * before && before - before == R(0);
    }
    static bool all(verdict good) { return good; }
    static void add(dot& sum, const R& a, const R& b) { sum += a * b; }
    static R value(const dot& sum) { return sum; }
    static R difference(const R& a, const R& b) { return a - b; }
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
    using verdict = bool;
    using dot = E;

    static E product(const E& a, const E& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    static multiplier prepared(const E& l) { return l; }
    static void subtract(E& target, const multiplier& l, const E& u)
    {
        target.re -= l.re * u.re - l.im * u.im;
        target.im -= l.re * u.im + l.im * u.re;
    }
    static E reciprocal(const E& a, verdict& good)
    {
        const auto inverse = kernels::reciprocal(a.re, a.im);
        good &= inverse.re - inverse.re == R(0) && inverse.im - inverse.im == R(0);
        return {inverse.re, inverse.im};
    }
    static gauge size(const E& a)
    {
        using std::abs;
        return abs(a.re) + abs(a.im);
    }
    static gauge sum(const gauge& a, const gauge& b) { return a + b; }
    static gauge weighted(const gauge& a, const gauge& b) { return a * b; }
    static void judge(verdict& good, const gauge& after, const R& growth, const gauge& before)
    {
        good &= after <= growth * before && before - before == R(0);
    }
    static bool all(verdict good) { return good; }
    static void add(dot& sum, const E& a, const E& b)
    {
        sum.re += a.re * b.re - a.im * b.im;
        sum.im += a.re * b.im + a.im * b.re;
    }
    static E value(const dot& sum) { return sum; }
    static E difference(const E& a, const E& b) { return {a.re - b.re, a.im - b.im}; }
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
    /// All lanes are judged at once; nothing branches on the way.
    struct verdict {
        decltype(lanes{} < lanes{}) lane = lanes{} == lanes{};
    };
    /// Products of equal parts and of unequal ones; which are added and which subtracted is the affair of the end.
    struct dot {
        lanes equal{};
        lanes unequal{};
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
    static void subtract(twin& target, const multiplier& l, const twin& u) { target.v = target.v - l.straight * u.v - l.crossed * swapped(u.v); }
    /// NOTE: a pivot beyond 1e±145, whose square is not a number to divide by, counts as one that does not suit.
    static twin reciprocal(const twin& a, verdict& good)
    {
        const lanes square = a.v * a.v;
        const lanes modulus = square + swapped(square);
        good.lane &= (modulus > 1e-290) & (modulus < 1e290);
        return {a.v * lanes{1, -1, 1, -1} / modulus};
    }
    static gauge size(const twin& a)
    {
        const lanes modulus = a.v < 0 ? -a.v : a.v;
        return {modulus + swapped(modulus)};
    }
    static gauge sum(const gauge& a, const gauge& b) { return {a.v + b.v}; }
    static gauge weighted(const gauge& a, const gauge& b) { return {a.v * b.v}; }
    static void judge(verdict& good, const gauge& after, double growth, const gauge& before)
    {
        good.lane &= (after.v <= growth * before.v) & (before.v <= std::numeric_limits<double>::max());
    }
    static bool all(const verdict& good) { return (good.lane[0] & good.lane[1] & good.lane[2] & good.lane[3]) != 0; }
    static void add(dot& sum, const twin& a, const twin& b)
    {
        sum.equal += a.v * b.v;
        sum.unequal += a.v * swapped(b.v);
    }
    static twin value(const dot& sum)
    {
        const lanes first = __builtin_shufflevector(sum.equal, sum.unequal, 0, 4, 2, 6);
        const lanes second = __builtin_shufflevector(sum.equal, sum.unequal, 1, 5, 3, 7);
        return {first + second * lanes{-1, 1, -1, 1}};
    }
    static twin difference(const twin& a, const twin& b) { return {a.v - b.v}; }
};

template <class Verdict>
Verdict all_good()
{
    if constexpr (std::is_same_v<Verdict, bool>)
        return true;
    else
        return {};
}

/// Factors in place. False if a row of |L||U| is more than `growth` times as large as that row of the matrix, since then the order does not suit
/// these numbers (a vanishing pivot is the extreme case), or if a number is not finite. `row_size` is memory for n gauges.
template <class E, class R>
[[nodiscard]] bool factor_sparse(const sparse_program& s, const R& growth, E* a, typename arithmetic<E>::gauge* row_size)
{
    using op = arithmetic<E>;
    using gauge = typename op::gauge;
    const int* target = s.target.data();
    const gauge zero{};
    auto good = all_good<typename op::verdict>();
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
        op::judge(good, after, growth, before);
        a[diagonal] = op::reciprocal(a[diagonal], good);
    }
    return op::all(good);
}

/// x = A^-1 b: load(i) is component i of the right-hand side, store(j, x) takes component j of the solution; `w` is memory for n elements.
/// `get` reads a position of the factored matrix, so that one matrix of twins can be used alone.
template <class E, class Get, class Load, class Store>
void solve_sparse(const sparse_program& s, Get get, Load load, Store store, E* w)
{
    using op = arithmetic<E>;
    const auto known_part = [&](int begin, int end) {
        typename op::dot sum{};
        for (int p = begin; p < end; ++p) op::add(sum, get(p), w[s.column[p]]);
        return op::value(sum);
    };
    for (int i = 0; i < s.n; ++i) w[i] = op::difference(load(s.row_of[i]), known_part(s.start[i], s.diagonal[i]));
    for (int i = s.n - 1; i >= 0; --i) {
        w[i] = op::product(op::difference(w[i], known_part(s.diagonal[i] + 1, s.start[i + 1])), get(s.diagonal[i]));
        store(s.column_of[i], w[i]);
    }
}

} // namespace ivp::kernels

#endif
