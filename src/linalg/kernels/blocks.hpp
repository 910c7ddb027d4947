// The pieces of a blocked elimination, shared by dense and band matrices: blocks of 8 columns, row exchanges within them, and the inverses of
// the 8×8 diagonal blocks of L and U (see upper_inverse.hpp for their accuracy), so that neither the elimination nor a solve waits for a
// substitution.
//
// Entry (i, j) is at i + j·stride. Blocks begin at multiples of 8 and are treated in whole packs: what lies beside the matrix must be zero.
#ifndef IVP_LINALG_KERNELS_BLOCKS_HPP
#define IVP_LINALG_KERNELS_BLOCKS_HPP

#include "linalg/kernels/packs.hpp"
#include "linalg/kernels/upper_inverse.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

constexpr int block = 8;

/// C −= A B for MV packs of rows and NR columns; A has k columns.
template <class Numbers, int MV, int NR>
IVP_ALWAYS_INLINE void subtract_tile(int k, typename Numbers::const_pointer a, typename Numbers::const_pointer b, typename Numbers::pointer c,
                                     int stride)
{
    constexpr int W = widest;
    typename Numbers::template pack<W> sum[MV][NR];
    unrolled<NR>([&](auto j) { unrolled<MV>([&](auto i) { sum[i.value][j.value] = load<W>(c + (i.value * W + j.value * index(stride))); }); });
    for (int l = 0; l < k; ++l) {
        typename Numbers::template pack<W> x[MV];
        unrolled<MV>([&](auto i) { x[i.value] = load<W>(a + (i.value * W + l * index(stride))); });
        unrolled<NR>([&](auto j) {
            const auto y = spread<W>(at(b, l + j.value * index(stride)));
            unrolled<MV>([&](auto i) { subtract_product(sum[i.value][j.value], x[i.value], y); });
        });
    }
    unrolled<NR>([&](auto j) { unrolled<MV>([&](auto i) { store(c + (i.value * W + j.value * index(stride)), sum[i.value][j.value]); }); });
}

template <class Numbers, int MV>
void subtract_rows(int k, int columns, typename Numbers::const_pointer a, typename Numbers::const_pointer b, typename Numbers::pointer c, int stride)
{
    constexpr int NR = Numbers::is_complex ? (widest == 8 ? 4 : 2) : (widest == 8 ? 8 : 4);
    int j = 0;
    for (; j + NR <= columns; j += NR) subtract_tile<Numbers, MV, NR>(k, a, b + j * index(stride), c + j * index(stride), stride);
    if constexpr (NR > 4)
        for (; j + 4 <= columns; j += 4) subtract_tile<Numbers, MV, 4>(k, a, b + j * index(stride), c + j * index(stride), stride);
    if constexpr (NR > 2)
        for (; j + 2 <= columns; j += 2) subtract_tile<Numbers, MV, 2>(k, a, b + j * index(stride), c + j * index(stride), stride);
    for (; j < columns; ++j) subtract_tile<Numbers, MV, 1>(k, a, b + j * index(stride), c + j * index(stride), stride);
}

/// C −= A B, rows a multiple of 8, all three parts of one matrix.
template <class Numbers>
void subtract_product_of_blocks(int rows, int k, int columns, typename Numbers::const_pointer a, typename Numbers::const_pointer b,
                                typename Numbers::pointer c, int stride)
{
    constexpr int W = widest;
    constexpr int MV = Numbers::is_complex ? 2 : 3;
    int i = 0;
    for (; i + MV * W <= rows; i += MV * W) subtract_rows<Numbers, MV>(k, columns, a + i, b, c + i, stride);
    if constexpr (MV > 2)
        for (; i + 2 * W <= rows; i += 2 * W) subtract_rows<Numbers, 2>(k, columns, a + i, b, c + i, stride);
    for (; i < rows; i += W) subtract_rows<Numbers, 1>(k, columns, a + i, b, c + i, stride);
}

template <class Numbers>
class block_elimination {
protected:
    static constexpr int W = widest;
    static constexpr int packs = block / W;
    using pointer = typename Numbers::pointer;
    using const_pointer = typename Numbers::const_pointer;
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    struct column {
        pack p[packs];
    };

public:
    block_elimination(int n, int stride, pointer a, pointer lower, pointer upper, int* pivot)
        : n_(n), stride_(stride), a_(a), lower_(lower), upper_(upper), pivot_(pivot)
    {}

    /// The inverses of the blocks of U can be used.
    [[nodiscard]] bool inverses_are_accurate() const { return accurate_; }

protected:
    [[nodiscard]] pointer at_(int i, int j) const { return a_ + (i + j * index(stride_)); }

    /// The exchanges of steps first … last − 1 in columns from … to − 1.
    void exchange_rows(int first, int last, int from, int to)
    {
        bool any = false;
        for (int k = first; k < last; ++k) any = any || pivot_[k] != k;
        if (!any) return;
        for (int j = from; j < to; ++j)
            for (int k = first; k < last; ++k) exchange(at_(0, j), k, pivot_[k]);
    }

    /// Columns first … last − 1, which have entries in the rows up to end − 1; false: singular or not finite.
    bool factor_panel(int first, int last, int end)
    {
        const int padded = first + (end - first + block - 1) / block * block;
        double candidates = largest_size<Numbers, W>(at_(0, first), first, padded);
        for (int k = first; k < last; ++k) {
            if (!(size_of(at(at_(k, k), 0)) >= candidates)) {
                const int p = largest_row<Numbers>(at_(0, k), k, end);
                if (p == no_row) return false;
                pivot_[k] = p;
                if (p != k)
                    for (int j = first; j < last; ++j) exchange(at_(0, j), k, p);
            } else {
                pivot_[k] = k;
            }
            const scalar inverse = reciprocal(at(at_(k, k), 0));
            if (!usable(inverse)) return false;
            switch (last - k - 1) {
            case 0: candidates = eliminate_in_panel<0>(k, padded, inverse); break;
            case 1: candidates = eliminate_in_panel<1>(k, padded, inverse); break;
            case 2: candidates = eliminate_in_panel<2>(k, padded, inverse); break;
            case 3: candidates = eliminate_in_panel<3>(k, padded, inverse); break;
            case 4: candidates = eliminate_in_panel<4>(k, padded, inverse); break;
            case 5: candidates = eliminate_in_panel<5>(k, padded, inverse); break;
            case 6: candidates = eliminate_in_panel<6>(k, padded, inverse); break;
            default: candidates = eliminate_in_panel<7>(k, padded, inverse);
            }
        }
        invert_diagonal_block(first, last - first);
        return true;
    }

    /// Divides column k by its pivot and eliminates in the `Right` columns that follow. The largest candidate for the next pivot is returned.
    template <int Right>
    double eliminate_in_panel(int k, int padded, const scalar& inverse)
    {
        const pack inverses = spread<W>(inverse);
        const pointer pivot_column = at_(0, k);
        pointer column_at[Right + 1];
        pack u[Right + 1];
        unrolled<Right>([&](auto j) {
            column_at[j.value] = at_(0, k + 1 + j.value);
            u[j.value] = spread<W>(at(column_at[j.value], k));
        });
        auto best = real_pack<W>{};
        const auto part = [&](int i, const auto& mask) {
            const pack x = load<W>(pivot_column + i);
            const pack multipliers = mask(i, x * inverses, pack{});
            store(pivot_column + i, mask(i, multipliers, x));
            unrolled<Right>([&](auto j) {
                pack c = load<W>(column_at[j.value] + i);
                subtract_product(c, multipliers, u[j.value]);
                store(column_at[j.value] + i, c);
                if constexpr (j.value == 0) best = larger(sizes(mask(i, c, pack{})), best);
            });
        };
        const int start = k / W * W;
        part(start, [k](int i, const pack& yes, const pack& no) { return select(pack_rows<W>(i) > k, yes, no); });
        for (int i = start + W; i < padded; i += W) part(i, [](int, const pack& yes, const pack&) { return yes; });
        put(pivot_column, k, inverse);
        return largest_of(best);
    }

    /// L_kk^-1 times the block's rows.
    void multiply_rows(int k, int from, int to)
    {
        const const_pointer l = lower_ + k * block;
        for (int j = from; j < to; ++j) {
            const pointer c = at_(k, j);
            column y{};
            unrolled<block>([&](auto i) {
                const pack f = spread<W>(at(c, i.value));
                unrolled<i.value / W, packs>([&](auto q) { add_product(y.p[q.value], load<W>(l + (i.value * block + q.value * W)), f); });
            });
            unrolled<packs>([&](auto q) { store(c + q.value * W, y.p[q.value]); });
        }
    }

    void invert_diagonal_block(int k, int width)
    {
        const pointer l = lower_ + k * block;
        const pointer u = upper_ + k * block;
        const const_pointer a = at_(k, k);
        const int stride = stride_;
        // U^-1 from the first column to the last, L^-1 from the last to the first: both are e_j − (columns before) (coefficients), one column at a
        // time.
        unrolled<block>([&](auto step) {
            constexpr int j = decltype(step)::value;
            column c = unit<j>();
            if (j < width) {
                const const_pointer given = a + j * index(stride);
                unrolled<j>([&](auto i) {
                    const pack factor = spread<W>(at(given, i.value));
                    unrolled<i.value / W + 1>([&](auto q) { subtract_product(c.p[q.value], load<W>(u + (i.value * block + q.value * W)), factor); });
                });
                const pack inverse = spread<W>(at(given, j));
                unrolled<packs>([&](auto q) { c.p[q.value] = c.p[q.value] * inverse; });
            }
            unrolled<packs>([&](auto q) { store(u + (j * block + q.value * W), c.p[q.value]); });
        });
        unrolled<block>([&](auto step) {
            constexpr int j = block - 1 - decltype(step)::value;
            column c = unit<j>();
            if (j < width) {
                const const_pointer given = a + j * index(stride);
                unrolled<j + 1, block>([&](auto i) {
                    const pack factor = spread<W>(at(given, i.value));
                    unrolled<i.value / W, packs>(
                        [&](auto q) { subtract_product(c.p[q.value], load<W>(l + (i.value * block + q.value * W)), factor); });
                });
            }
            unrolled<packs>([&](auto q) { store(l + (j * block + q.value * W), c.p[q.value]); });
        });
        accurate_ = accurate_ && upper_inverse_is_accurate<Numbers, W, block>(width, a, stride, u);
    }

    template <int J>
    IVP_ALWAYS_INLINE static column unit()
    {
        column c;
        unrolled<packs>([&](auto q) { c.p[q.value] = select(pack_rows<W>(q.value * W) == J, spread<W>(one()), pack{}); });
        return c;
    }

    static constexpr scalar one()
    {
        if constexpr (Numbers::is_complex)
            return {1.0, 0.0};
        else
            return 1.0;
    }

    int n_;
    int stride_;
    pointer a_;
    pointer lower_;
    pointer upper_;
    int* pivot_;

private:
    bool accurate_ = true;
};

/// w −= A f for `Columns` columns of A.
template <class Numbers, int Columns>
IVP_ALWAYS_INLINE void subtract_columns(int rows, typename Numbers::const_pointer a, int stride, typename Numbers::const_pointer f,
                                        typename Numbers::pointer w)
{
    constexpr int W = widest;
    typename Numbers::template pack<W> factor[Columns];
    unrolled<Columns>([&](auto j) { factor[j.value] = spread<W>(at(f, j.value)); });
    for (int i = 0; i < rows; i += W) {
        auto x = load<W>(w + i);
        unrolled<Columns>([&](auto j) { subtract_product(x, load<W>(a + (i + j.value * index(stride))), factor[j.value]); });
        store(w + i, x);
    }
}

/// w = B w for a block B of 8 columns.
template <class Numbers>
IVP_ALWAYS_INLINE void multiply_block(typename Numbers::const_pointer b, typename Numbers::pointer w)
{
    constexpr int W = widest;
    constexpr int packs = block / W;
    typename Numbers::template pack<W> even[packs]{};
    typename Numbers::template pack<W> odd[packs]{};
    unrolled<block>([&](auto j) {
        const auto f = spread<W>(at(w, j.value));
        unrolled<packs>(
            [&](auto q) { add_product(j.value % 2 == 0 ? even[q.value] : odd[q.value], load<W>(b + (j.value * block + q.value * W)), f); });
    });
    unrolled<packs>([&](auto q) { store(w + q.value * W, even[q.value] + odd[q.value]); });
}

/// What is kept beside the factors for their solves.
template <class Numbers>
struct block_inverses {
    typename Numbers::const_pointer lower;
    typename Numbers::const_pointer upper;
    bool upper_is_accurate;
};

/// w = U_kk^-1 w for the diagonal block at k.
template <class Numbers>
IVP_ALWAYS_INLINE void solve_upper_block(int n, int k, typename Numbers::const_pointer a, int stride, const block_inverses<Numbers>& inverses,
                                         typename Numbers::pointer w)
{
    if (__builtin_expect(inverses.upper_is_accurate, 1)) return multiply_block<Numbers>(inverses.upper + k * block, w);
    const auto u = a + (k + k * index(stride));
    for (int j = (n - k < block ? n - k : block) - 1; j >= 0; --j) {
        const auto x = times(at(w, j), at(u, j + j * index(stride)));
        put(w, j, x);
        for (int i = 0; i < j; ++i) put(w, i, minus_product(at(w, i), at(u, i + j * index(stride)), x));
    }
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
