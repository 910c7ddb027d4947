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
IVP_ALWAYS_INLINE bool upper_inverse_is_accurate(int n, typename Numbers::const_pointer u, index stride, typename Numbers::const_pointer inverse)
{
    constexpr int packs = Rows / W;
    using pack = real_pack<W>;
    struct line {
        pack p[packs];
    };
    // Where no row of U has an entry above half its pivot, the inverse is good without further ado.
    line reciprocals{};
    line beside{};
    for (int j = 0; j < n; ++j)
        unrolled<packs>([&](auto q) {
            const pack_rows<W> row(q.value * W);
            const pack x = sizes(load<W>(u + (q.value * W + j * stride)));
            reciprocals.p[q.value] = select(row == j, x, reciprocals.p[q.value]);
            beside.p[q.value] = larger(select(row < j, x, pack{}), beside.p[q.value]);
        });
    pack ratio{};
    pack largest_reciprocal{};
    unrolled<packs>([&](auto q) {
        ratio = larger(beside.p[q.value] * reciprocals.p[q.value], ratio);
        largest_reciprocal = larger(reciprocals.p[q.value], largest_reciprocal);
    });
    if (largest_of(ratio) <= 0.5 && largest_of(largest_reciprocal) <= 1e300) return true;

    const auto add_multiple = [](line& sum, const line& x, double factor) {
        unrolled<packs>([&](auto q) { sum.p[q.value] += x.p[q.value] * factor; });
    };
    // NOTE: packs are put together in registers: numbers stored one by one and loaded as a pack would delay.
    const auto put_line = [](double* to, const line& x) { unrolled<packs>([&](auto q) { x.p[q.value].store(to + q.value * W); }); };
    line columns[Rows];
    line column_size;
    unrolled<packs>([&](auto q) { column_size.p[q.value] = 1.0; });
    for (int j = 0; j < n; ++j) {
        pack largest{};
        unrolled<packs>([&](auto q) {
            const pack_rows<W> row(q.value * W);
            const pack x = select(row < j, sizes(load<W>(u + (q.value * W + j * stride))), select(row == j, 1.0 / reciprocals.p[q.value], pack{}));
            columns[j].p[q.value] = x;
            largest = larger(x, largest);
        });
        const pack size = largest_of(largest);
        unrolled<packs>([&](auto q) { column_size.p[q.value] = select(pack_rows<W>(q.value * W) == j, size, column_size.p[q.value]); });
    }
    alignas(64) double scale[Rows];
    unrolled<packs>([&](auto q) { rough_reciprocal(column_size.p[q.value]).store(scale + q.value * W); });

    line given{};
    for (int j = 0; j < n; ++j) add_multiple(given, columns[j], scale[j]);
    put_line(scale, given);
    line solved{};
    for (int j = 0; j < n; ++j) {
        line x;
        unrolled<packs>([&](auto q) { x.p[q.value] = sizes(load<W>(inverse + (j * Rows + q.value * W))); });
        add_multiple(solved, x, scale[j]);
    }
    put_line(scale, solved);
    line back{};
    for (int j = 0; j < n; ++j) add_multiple(back, columns[j], scale[j]);
    pack excess = -1.0;
    double total = 0;
    unrolled<packs>([&](auto q) {
        excess = larger(excess, back.p[q.value] - largest_amplification * given.p[q.value]);
        unrolled<W>([&](auto i) { total += back.p[q.value][i.value]; });
    });
    return largest_of(excess) <= 0 && total <= largest_number;
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
