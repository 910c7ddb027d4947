// Dense matrices up to 8×8: the whole matrix in registers. P A = L U, and above 4×4 also L^-1 P and U^-1 are kept: a solve is two products, which
// have no chain of dependent operations as substitution has.
//
// NOTE: the product of the two, A^-1, would halve the work of a solve, but its residual is larger by the condition of A, which is large for
// every stiff problem. The inverse of a triangular matrix is nearly as good as substitution, with exceptions that are looked for:
// L^-1 is large where exchanges were spared (the matrix is then factored again with all of them); U^-1 is not good where a small pivot stands
// before large ones (solves are then by substitution).
#ifndef IVP_LINALG_KERNELS_SMALL_DENSE_HPP
#define IVP_LINALG_KERNELS_SMALL_DENSE_HPP

#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

constexpr int largest_small = 8;
/// An exchange of rows is spared while the diagonal is not smaller than this part of the largest candidate: the search for the largest then does
/// not delay the elimination.
constexpr double spared_exchange = 0.5;
constexpr double largest_lower_inverse = 20;
constexpr double largest_number = 0x1.fffffffffffffp+1023;

template <class Numbers>
struct small_parts {
    typename Numbers::const_pointer matrix;
    typename Numbers::pointer lu;    ///< reciprocal pivots on the diagonal
    typename Numbers::pointer lower; ///< L^-1 P
    typename Numbers::pointer upper; ///< U^-1
};

/// Largest |U| |U^-1| |U| x, divided by |U| x, for which U^-1 is used: how much larger than that of substitution the residual can become. In
/// x the unknowns are scaled so that the columns of U are of equal size. Rounding errors stay far below this bound.
constexpr double largest_amplification = 10;

/// U (n×n, n ≤ Rows) with reciprocals on the diagonal; its inverse in columns of Rows.
template <class Numbers, int W, int Rows>
IVP_INLINE bool upper_inverse_is_accurate(int n, typename Numbers::const_pointer u, index stride, typename Numbers::const_pointer inverse)
{
    constexpr int packs = Rows / W;
    using numbers = typename lanes<W>::numbers;
    using integers = typename lanes<W>::integers;
    struct line {
        numbers p[packs];
    };
    // Where no row of U has an entry above half its pivot, the inverse is good without further ado.
    line reciprocals{};
    line beside{};
    for (int j = 0; j < n; ++j)
        repeat<0, packs>([&](auto q) {
            const auto row = rows_from<W>(q.value * W);
            const numbers zero{};
            const numbers x = sizes(load<W>(u + (q.value * W + j * stride)));
            reciprocals.p[q.value] = row == j ? x : reciprocals.p[q.value];
            const numbers above = row < j ? x : zero;
            beside.p[q.value] = above > beside.p[q.value] ? above : beside.p[q.value];
        });
    numbers ratio{};
    numbers largest_reciprocal{};
    repeat<0, packs>([&](auto q) {
        const numbers r = beside.p[q.value] * reciprocals.p[q.value];
        ratio = r > ratio ? r : ratio;
        largest_reciprocal = reciprocals.p[q.value] > largest_reciprocal ? reciprocals.p[q.value] : largest_reciprocal;
    });
    if (largest_lane<W>(ratio) <= 0.5 && largest_lane<W>(largest_reciprocal) <= 1e300) return true;

    const auto add_multiple = [](line& sum, const line& x, double factor) {
        repeat<0, packs>([&](auto q) { sum.p[q.value] += x.p[q.value] * spread_lanes<W>(factor); });
    };
    // NOTE: packs are put together in registers: numbers stored one by one and loaded as a pack would delay.
    const auto put_line = [](double* to, const line& x) { repeat<0, packs>([&](auto q) { store_lanes<W>(to + q.value * W, x.p[q.value]); }); };
    line columns[Rows];
    line column_size;
    repeat<0, packs>([&](auto q) { column_size.p[q.value] = spread_lanes<W>(1.0); });
    for (int j = 0; j < n; ++j) {
        numbers largest{};
        repeat<0, packs>([&](auto q) {
            const auto row = rows_from<W>(q.value * W);
            const numbers zero{};
            const numbers pivot = 1.0 / reciprocals.p[q.value];
            const numbers x = row < j ? sizes(load<W>(u + (q.value * W + j * stride))) : (row == j ? pivot : zero);
            columns[j].p[q.value] = x;
            largest = x > largest ? x : largest;
        });
        const numbers size = spread_lanes<W>(largest_lane<W>(largest));
        repeat<0, packs>([&](auto q) { column_size.p[q.value] = rows_from<W>(q.value * W) == j ? size : column_size.p[q.value]; });
    }
    // 1/size but for a factor below 2: the exponent with its sign changed
    alignas(64) double scale[Rows];
    repeat<0, packs>([&](auto q) {
        const integers exponent = (integers)column_size.p[q.value] & 0x7ff0000000000000LL;
        store_lanes<W>(scale + q.value * W, (numbers)(0x7fe0000000000000LL - exponent));
    });

    line given{};
    for (int j = 0; j < n; ++j) add_multiple(given, columns[j], scale[j]);
    put_line(scale, given);
    line solved{};
    for (int j = 0; j < n; ++j) {
        line x;
        repeat<0, packs>([&](auto q) { x.p[q.value] = sizes(load<W>(inverse + (j * Rows + q.value * W))); });
        add_multiple(solved, x, scale[j]);
    }
    put_line(scale, solved);
    line back{};
    for (int j = 0; j < n; ++j) add_multiple(back, columns[j], scale[j]);
    numbers excess = spread_lanes<W>(-1.0);
    double total = 0;
    repeat<0, packs>([&](auto q) {
        const numbers e = back.p[q.value] - largest_amplification * given.p[q.value];
        excess = excess > e ? excess : e;
        repeat<0, W>([&](auto i) { total += back.p[q.value][i.value]; });
    });
    return largest_lane<W>(excess) <= 0 && total <= largest_number;
}

enum class small_answer { done, singular, lower_inaccurate, upper_inaccurate };

template <class Numbers, int N>
struct small_dense {
    static constexpr int rows = N <= 4 ? 4 : 8;
    static constexpr int W = rows < widest ? rows : widest;
    static constexpr int packs = rows / W;
    static constexpr bool inverted = N > 4; // below, substitution is as fast
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using parts = small_parts<Numbers>;

    struct column {
        pack p[packs];
    };

    template <int Row>
    IVP_INLINE static pack spread_row(const column& c)
    {
        return spread_lane<Row % W>(c.p[Row / W]);
    }
    template <class Pointer>
    IVP_INLINE static column load_column(const Pointer& p)
    {
        column c;
        repeat<0, packs>([&](auto q) { c.p[q.value] = load<W>(p + q.value * W); });
        return c;
    }
    template <class Pointer>
    IVP_INLINE static void store_column(const Pointer& p, const column& c)
    {
        repeat<0, packs>([&](auto q) { store(p + q.value * W, c.p[q.value]); });
    }

    IVP_INLINE static small_answer factor_with(double spared, const parts& m, int* order)
    {
        column a[N]; // column k becomes one of L^-1 when it has been eliminated
        column upper[N];
        repeat<0, N>([&](auto j) { a[j.value] = load_column(m.matrix + j.value * rows); });
        for (int i = 0; i < N; ++i) order[i] = i;
        bool regular = true;

        repeat<0, N>([&](auto step) {
            constexpr int k = decltype(step)::value;
            if (!regular) return;
            if constexpr (k + 1 < N) {
                auto candidates = spread_lanes<W>(0.0);
                repeat<k / W, packs>([&](auto q) {
                    const auto s = rows_from<W>(q.value * W) >= k ? sizes(a[k].p[q.value]) : spread_lanes<W>(0.0);
                    candidates = candidates > s ? candidates : s;
                });
                if (__builtin_expect(!(size_of(lane<k % W>(a[k].p[k / W])) >= spared * largest_lane<W>(candidates)), 0)) {
                    regular = exchange_rows(k, a, m.lu, order);
                    if (!regular) return;
                }
            }
            const scalar inverse = reciprocal(lane<k % W>(a[k].p[k / W]));
            if (!usable(inverse)) {
                regular = false;
                return;
            }
            const pack inverses = spread<W>(inverse);
            column multipliers;
            column u;
            repeat<0, packs>([&](auto q) {
                const auto row = rows_from<W>(q.value * W);
                multipliers.p[q.value] = select(row > k, product(a[k].p[q.value], inverses), pack{});
                u.p[q.value] = select(row < k, a[k].p[q.value], select(row == k, inverses, multipliers.p[q.value]));
            });
            store_column(m.lu + k * rows, u);

            if constexpr (inverted) {
                // U^-1: column k is (e_k − sum over j < k of column j times u_jk)/u_kk
                repeat<0, packs>([&](auto q) { upper[k].p[q.value] = select(rows_from<W>(q.value * W) == k, spread<W>(one()), pack{}); });
                repeat<0, k>([&](auto j) {
                    const pack u_jk = spread_row<j.value>(a[k]);
                    repeat<0, packs>([&](auto q) { subtract_product(upper[k].p[q.value], upper[j.value].p[q.value], u_jk); });
                });
                repeat<0, packs>([&](auto q) { upper[k].p[q.value] = product(upper[k].p[q.value], inverses); });

                repeat<0, packs>([&](auto q) {
                    a[k].p[q.value] = difference(select(rows_from<W>(q.value * W) == k, spread<W>(one()), pack{}), multipliers.p[q.value]);
                });
            }
            repeat<0, N>([&](auto j) {
                if constexpr (inverted ? j.value != k : j.value > k) {
                    const pack factor = spread_row<k>(a[j.value]);
                    repeat<k / W, packs>([&](auto q) { subtract_product(a[j.value].p[q.value], multipliers.p[q.value], factor); });
                }
            });
        });
        if (!regular) return small_answer::singular;
        if constexpr (!inverted) return small_answer::done;

        auto lower_size = spread_lanes<W>(0.0);
        repeat<0, N>([&](auto j) {
            store_column(m.lower + order[j.value] * rows, a[j.value]);
            store_column(m.upper + j.value * rows, upper[j.value]);
            repeat<0, packs>([&](auto q) {
                const auto l = sizes(a[j.value].p[q.value]);
                lower_size = l > lower_size ? l : lower_size;
            });
        });
        if (!(largest_lane<W>(lower_size) <= largest_lower_inverse)) return small_answer::lower_inaccurate;
        return upper_inverse_is_accurate<Numbers, W, rows>(N, m.lu, rows, m.upper) ? small_answer::done : small_answer::upper_inaccurate;
    }

    /// b = U^-1 L^-1 P b
    template <class Const, class Pointer>
    IVP_INLINE static void substitute(const Const& lu, const int* order, const Pointer& b)
    {
        scalar x[N];
        repeat<0, N>([&](auto i) { x[i.value] = at(b, order[i.value]); });
        repeat<0, N>([&](auto k) {
            repeat<k.value + 1, N>([&](auto i) { x[i.value] = minus_product(x[i.value], at(lu, k.value * rows + i.value), x[k.value]); });
        });
        repeat<0, N>([&](auto step) {
            constexpr int k = N - 1 - decltype(step)::value;
            x[k] = times(x[k], at(lu, k * rows + k));
            repeat<0, k>([&](auto i) { x[i.value] = minus_product(x[i.value], at(lu, k * rows + i.value), x[k]); });
        });
        repeat<0, N>([&](auto i) { put(b, i.value, x[i.value]); });
    }

    /// The same with the inverses.
    template <class Const, class Pointer>
    IVP_INLINE static void solve(const Const& lower, const Const& upper, const Pointer& b)
    {
        const column y = multiply(lower, [&](auto j) { return spread<W>(at(b, j.value)); });
        const column x = multiply(upper, [&](auto j) { return spread_row<j.value>(y); });
        repeat<0, N>([&](auto i) { put(b, i.value, lane<i.value % W>(x.p[i.value / W])); });
    }

private:
    static constexpr scalar one()
    {
        if constexpr (Numbers::is_complex)
            return {1.0, 0.0};
        else
            return 1.0;
    }

    template <class Const, class Factor>
    IVP_INLINE static column multiply(const Const& m, const Factor& factor)
    {
        // Two sums, so that additions overlap.
        column even{};
        column odd{};
        repeat<0, N>([&](auto j) {
            const pack f = factor(j);
            repeat<0, packs>(
                [&](auto q) { add_product(j.value % 2 == 0 ? even.p[q.value] : odd.p[q.value], load<W>(m + (j.value * rows + q.value * W)), f); });
        });
        repeat<0, packs>([&](auto q) { even.p[q.value] = sum(even.p[q.value], odd.p[q.value]); });
        return even;
    }

    /// The largest candidate to row k, through memory: rare. False if there is none.
    IVP_INLINE static bool exchange_rows(int k, column (&a)[N], const typename Numbers::pointer& lu, int* order)
    {
        store_column(lu + k * rows, a[k]);
        const int p = largest_row<Numbers>(lu + k * rows, k, N);
        if (p == no_row) return false;
        if (p == k) return true;
        for (int j = 0; j < k; ++j) exchange(lu + j * rows, k, p);
        const int row = order[k];
        order[k] = order[p];
        order[p] = row;
        // NOTE: one entry is read back from memory and put in its place in a register: numbers stored one by one and loaded as a pack would delay.
        constexpr int parts_of_a_number = Numbers::is_complex ? 2 : 1;
        alignas(64) double memory[parts_of_a_number * rows * N];
        repeat<0, N>([&](auto j) {
            typename Numbers::pointer line{};
            if constexpr (Numbers::is_complex)
                line = {memory + 2 * j.value * rows, memory + (2 * j.value + 1) * rows};
            else
                line = memory + j.value * rows;
            store_column(line, a[j.value]);
            const pack of_k = spread<W>(at(line, k));
            const pack of_p = spread<W>(at(line, p));
            repeat<0, packs>([&](auto q) {
                const auto rows_here = rows_from<W>(q.value * W);
                a[j.value].p[q.value] = select(rows_here == k, of_p, select(rows_here == p, of_k, a[j.value].p[q.value]));
            });
        });
        return true;
    }
};

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
