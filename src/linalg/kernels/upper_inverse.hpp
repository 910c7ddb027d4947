// Whether the inverse of a triangular block may be used in place of substitution.
//
// NOTE: the inverse of a triangular matrix is nearly as good as substitution, with the exception that is looked for here: U^-1 is not good where a
// small pivot stands before large ones (solves are then by substitution).
#ifndef IVP_LINALG_KERNELS_UPPER_INVERSE_HPP
#define IVP_LINALG_KERNELS_UPPER_INVERSE_HPP

#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

constexpr double largest_number = 0x1.fffffffffffffp+1023;

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

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
