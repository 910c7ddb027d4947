// Band matrices with one or two diagonals on either side: LU with partial pivoting by rows. The rows that take part in a step are held in
// registers, each as its first entry and a pack of the others.
//
// A step is a chain of a division, a product and a subtraction, and the next one waits for it. A real and a complex matrix in one loop therefore cost
// hardly more than the complex one alone.
#ifndef IVP_LINALG_KERNELS_NARROW_BAND_HPP
#define IVP_LINALG_KERNELS_NARROW_BAND_HPP

#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

/// Where the factors of n rows are kept: first what the way back needs, the rows of U divided by their pivots, then what the way forward needs, the
/// reciprocal of each pivot and its multipliers. Apart, because a large matrix is read from memory in every solve.
///
/// Without an exchange of rows U is no wider than the matrix. What exchanges add to it, and which they were, is written and read only where there
/// was one; the number behind those of the exchanges says so.
template <int Lower, int Upper>
struct narrow_factors {
    static constexpr int of_l = 1 + Lower;
    IVP_ALWAYS_INLINE static index u(index k) { return k * Upper; }
    IVP_ALWAYS_INLINE static index l(int n, index k) { return n * index(Upper) + k * of_l; }
    IVP_ALWAYS_INLINE static index wider_u(int n, index k) { return n * index(Upper + of_l) + k * Lower; }
    IVP_ALWAYS_INLINE static int& exchanged(int n, int* pivot) { return pivot[n]; }
    IVP_ALWAYS_INLINE static bool exchanged(int n, const int* pivot) { return pivot[n] != 0; }
};

/// The rows of a matrix that is stored by columns, entry (i, j) at i − j + Upper + j (Lower + Upper + 1).
template <class Numbers, int Lower, int Upper>
class written_rows {
    using const_pointer = typename Numbers::const_pointer;

public:
    using scalar = typename Numbers::scalar;
    IVP_ALWAYS_INLINE explicit written_rows(const_pointer a) : a_(a) {}
    [[nodiscard]] IVP_ALWAYS_INLINE scalar entry(index i, index j) const { return at(a_, i - j + Upper + j * (Lower + Upper + 1)); }
    /// Entries (i, j), (i, j + 1), …
    [[nodiscard]] IVP_ALWAYS_INLINE typename Numbers::template pack<4> entries(index i, index j) const
    {
        const const_pointer p = a_ + (i - j + Upper + j * (Lower + Upper + 1));
        if constexpr (Numbers::is_complex)
            return {every_tailth(p.re), every_tailth(p.im)};
        else
            return every_tailth(p);
    }
    IVP_ALWAYS_INLINE static real_pack<4> every_tailth(const double* p)
    {
        constexpr int tail = Lower + Upper;
        real_pack<4> x{};
        unrolled<tail>([&](auto j) { x.v[j.value] = p[j.value * tail]; });
        return x;
    }

private:
    const_pointer a_;
};

/// The rows of c I − J, J stored like that.
template <class Numbers, int Lower, int Upper>
class shifted_rows {
public:
    using scalar = typename Numbers::scalar;
    IVP_ALWAYS_INLINE shifted_rows(const double* jacobian, const scalar& c) : jacobian_(jacobian), c_(c) {}
    [[nodiscard]] IVP_ALWAYS_INLINE scalar entry(index i, index j) const
    {
        const scalar x = number<Numbers>(-jacobian_.entry(i, j));
        return i == j ? plus(x, c_) : x;
    }
    /// From column i − Lower + 1 on: the diagonal is at place Lower − 1.
    [[nodiscard]] IVP_ALWAYS_INLINE typename Numbers::template pack<4> entries(index i, index j) const
    {
        using pack = typename Numbers::template pack<4>;
        const pack x = minus<Numbers>(jacobian_.entries(i, j));
        return x + select(pack_rows<4>(0) == Lower - 1, spread<4>(c_), pack{});
    }

private:
    written_rows<real_numbers, Lower, Upper> jacobian_;
    scalar c_;
};

template <class Numbers, int Lower, int Upper, class Rows = written_rows<Numbers, Lower, Upper>>
class narrow_elimination {
    static constexpr int W = 4;
    static constexpr int tail = Lower + Upper;
    static_assert(tail <= W);
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;
    using kept = narrow_factors<Lower, Upper>;

public:
    IVP_ALWAYS_INLINE narrow_elimination(int n, const Rows& rows, pointer factors, int* pivot) : n_(n), rows_(rows), factors_(factors), pivot_(pivot)
    {
        kept::exchanged(n_, pivot_) = 0;
        unrolled<Lower>([&](auto i) { // row i, from column 0 on
            if (i.value < n_) {
                take_entries(i.value, 0, i.value);
            } else {
                head_[i.value] = scalar{};
                tail_[i.value] = pack{};
            }
        });
    }

    /// Step k; false: singular or not finite.
    IVP_ALWAYS_INLINE bool step(int k)
    {
        take_row(k + Lower);
        double largest = 0;
        unrolled<1, Lower + 1>([&](auto i) {
            const double s = size_of(head_[i.value]);
            largest = s > largest ? s : largest;
        });
        if (__builtin_expect(exchanged_, 0)) pivot_[k] = 0;
        if (__builtin_expect(!(size_of(head_[0]) >= largest), 0) && !exchange_with_largest(k)) return false;

        const scalar inverse = reciprocal(head_[0]);
        const pointer l = factors_ + kept::l(n_, k);
        put(l, 0, inverse);
        const pack u = tail_[0];
        const pack scaled = u * spread<W>(inverse);
        put_lanes<0, Upper>(factors_ + kept::u(k), scaled);
        if (__builtin_expect(exchanged_, 0)) put_lanes<Upper, Lower>(factors_ + kept::wider_u(n_, k), scaled);
        unrolled<1, Lower + 1>([&](auto i) {
            const scalar multiplier = times(head_[i.value], inverse);
            put(l, i.value, multiplier);
            pack rest = tail_[i.value];
            subtract_product(rest, u, spread<W>(multiplier));
            head_[i.value - 1] = lane<0>(rest);
            tail_[i.value - 1] = shifted(rest);
        });
        return usable(inverse);
    }

private:
    IVP_ALWAYS_INLINE static real_pack<W> shifted_part(const real_pack<W>& x)
    {
        return real_pack<W>::of(__builtin_shufflevector(x.v, real_pack<W>{}.v, 1, 2, 3, 4));
    }
    template <int First, int Count>
    IVP_ALWAYS_INLINE static void put_lanes(const pointer& p, const pack& x)
    {
        unrolled<Count>([&](auto i) { put(p, i.value, lane<First + i.value>(x)); });
    }
    IVP_ALWAYS_INLINE static pack shifted(const pack& x)
    {
        if constexpr (Numbers::is_complex)
            return {shifted_part(x.re), shifted_part(x.im)};
        else
            return shifted_part(x);
    }

    /// Row i from column j on becomes row `place` of those in use: entry by entry, for the first and the last rows.
    IVP_ALWAYS_INLINE void take_entries(int i, int j, int place)
    {
        alignas(32) double zeros[2 * (W + 1)]{};
        pointer line{};
        if constexpr (Numbers::is_complex)
            line = {zeros, zeros + W + 1};
        else
            line = zeros;
        for (int k = j; k <= i + Upper && k < n_; ++k) put(line, k - j, rows_.entry(i, k));
        head_[place] = at(line, 0);
        tail_[place] = load<W>(line + 1);
    }
    /// Row i from column i − Lower on becomes the last of those in use. Beyond the matrix it is zero.
    IVP_ALWAYS_INLINE void take_row(int i)
    {
        if (__builtin_expect(i + Upper < n_, 1)) {
            head_[Lower] = rows_.entry(i, i - Lower);
            tail_[Lower] = rows_.entries(i, i - Lower + 1);
        } else if (i < n_) {
            take_entries(i, i - Lower, Lower);
        } else {
            head_[Lower] = scalar{};
            tail_[Lower] = pack{};
        }
    }

    IVP_ALWAYS_INLINE bool exchange_with_largest(int k)
    {
        double best = size_of(head_[0]);
        if (best != best) return false;
        int p = 0;
        unrolled<1, Lower + 1>([&](auto i) {
            const double s = size_of(head_[i.value]);
            if (!(s <= best)) {
                best = s;
                p = i.value;
            }
        });
        if (!(best <= 0x1.fffffffffffffp+1023)) return false;
        if (!exchanged_) begin_exchanges(k);
        pivot_[k] = p;
        unrolled<1, Lower + 1>([&](auto i) {
            if (i.value == p) {
                const scalar h = head_[0];
                head_[0] = head_[i.value];
                head_[i.value] = h;
                const pack t = tail_[0];
                tail_[0] = tail_[i.value];
                tail_[i.value] = t;
            }
        });
        return true;
    }

    /// The rows before k had none.
    IVP_ALWAYS_INLINE void begin_exchanges(int k)
    {
        exchanged_ = true;
        kept::exchanged(n_, pivot_) = 1;
        for (int i = 0; i < k; ++i) pivot_[i] = 0;
        for (index i = kept::wider_u(n_, 0); i < kept::wider_u(n_, k); ++i) put(factors_, i, scalar{});
    }

    int n_;
    Rows rows_;
    pointer factors_;
    int* pivot_;
    bool exchanged_ = false;
    scalar head_[Lower + 1];
    pack tail_[Lower + 1];
};

/// Forward and backward substitution, one row at a time. Exchanged: whether the factorisation exchanged rows.
template <class Numbers, int Lower, int Upper, bool Exchanged>
class narrow_substitution {
    static constexpr int tail = Exchanged ? Lower + Upper : Upper;
    static constexpr int most = Lower > tail ? Lower : tail;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;
    using const_pointer = typename Numbers::const_pointer;
    using kept = narrow_factors<Lower, Upper>;

public:
    IVP_ALWAYS_INLINE narrow_substitution(int n, const_pointer factors, const int* pivot, pointer b) : n_(n), factors_(factors), pivot_(pivot), b_(b)
    {
        unrolled<Lower>([&](auto i) { x_[i.value] = i.value < n ? at(b, i.value) : scalar{}; });
    }

    IVP_ALWAYS_INLINE void forward(int k)
    {
        x_[Lower] = k + Lower < n_ ? at(b_, k + Lower) : scalar{};
        if constexpr (Exchanged)
            if (__builtin_expect(pivot_[k] != 0, 0))
                unrolled<1, Lower + 1>([&](auto i) {
                    if (i.value == pivot_[k]) {
                        const scalar y = x_[0];
                        x_[0] = x_[i.value];
                        x_[i.value] = y;
                    }
                });
        const const_pointer l = factors_ + kept::l(n_, k);
        put(b_, k, times(x_[0], at(l, 0)));
        const scalar y = x_[0];
        unrolled<1, Lower + 1>([&](auto i) { x_[i.value - 1] = minus_product(x_[i.value], at(l, i.value), y); });
    }
    IVP_ALWAYS_INLINE void turn()
    {
        unrolled<tail>([&](auto i) { x_[i.value] = scalar{}; });
    }
    IVP_ALWAYS_INLINE void backward(int k)
    {
        const const_pointer u = factors_ + kept::u(k);
        const const_pointer wider = factors_ + kept::wider_u(n_, k);
        scalar sum = at(b_, k);
        // NOTE: the value that was computed last comes last, so that only one product waits for it.
        unrolled<tail>([&](auto i) {
            constexpr int j = tail - 1 - decltype(i)::value;
            if constexpr (j < Upper)
                sum = minus_product(sum, at(u, j), x_[j]);
            else
                sum = minus_product(sum, at(wider, j - Upper), x_[j]);
        });
        unrolled<tail - 1>([&](auto i) {
            constexpr int j = tail - 1 - decltype(i)::value;
            x_[j] = x_[j - 1];
        });
        x_[0] = sum;
        put(b_, k, sum);
    }

private:
    int n_;
    const_pointer factors_;
    const int* pivot_;
    pointer b_;
    scalar x_[most + 1];
};

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
