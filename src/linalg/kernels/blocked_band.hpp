// Band matrices: LU with partial pivoting over blocks of 8 columns.
//
// Stored by columns that lie one number closer together than they are long, a band matrix is a dense one of which only the band is there: the
// blocks of dense matrices serve it. Between two columns lie at least 21 numbers that are zero at first: 7 for multipliers that the exchanges of
// a block move below the band, 14 for what a block and its packs have above it.
#ifndef IVP_LINALG_KERNELS_BLOCKED_BAND_HPP
#define IVP_LINALG_KERNELS_BLOCKED_BAND_HPP

#include "linalg/kernels/blocks.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

IVP_ALWAYS_INLINE int whole_blocks(int n) { return (n + block - 1) / block * block; }
IVP_ALWAYS_INLINE int smaller(int a, int b) { return a < b ? a : b; }
IVP_ALWAYS_INLINE int larger(int a, int b) { return a > b ? a : b; }

template <class Numbers>
class blocked_band : public block_elimination<Numbers> {
    using base = block_elimination<Numbers>;
    using base::at_;
    using base::n_;
    using base::pivot_;
    using base::stride_;
    using base::W;
    using pack = typename base::pack;

public:
    using base::base;

    /// False: singular or not finite.
    bool factor(int lower, int upper)
    {
        if (lower == 0) return factor_by_columns<0>(lower, upper);
        if (lower <= widest) return factor_by_columns<1>(lower, upper);
        if (lower <= 8) return factor_by_columns<8 / widest>(lower, upper);
        return factor_by_blocks(lower, upper);
    }

private:
    /// One column after the other; its entries below the diagonal are V packs.
    template <int V>
    bool factor_by_columns(int lower, int upper)
    {
        int reach = 0;
        for (int k = 0; k < n_; ++k) {
            const int first = k / block * block;
            const auto a_k = at_(0, k);
            auto candidates = real_pack<W>{};
            unrolled<V>([&](auto v) { candidates = larger(sizes(load<W>(a_k + (k + 1 + v * W))), candidates); });
            pivot_[k] = k;
            if (!(size_of(at(a_k, k)) >= largest_of(candidates))) {
                const int p = largest_row<Numbers>(a_k, k, smaller(k + lower + 1, n_));
                if (p == no_row) return false;
                pivot_[k] = p;
            }
            reach = larger(reach, smaller(pivot_[k] + upper + 1, n_));
            if (pivot_[k] != k)
                for (int j = first; j < reach; ++j) exchange(at_(0, j), k, pivot_[k]);
            const auto inverse = reciprocal(at(a_k, k));
            if (!usable(inverse)) return false;
            put(a_k, k, inverse);
            pack multipliers[V + 1];
            unrolled<V>([&](auto v) {
                multipliers[v.value] = load<W>(a_k + (k + 1 + v.value * W)) * spread<W>(inverse);
                store(a_k + (k + 1 + v.value * W), multipliers[v.value]);
            });
            if constexpr (V > 0)
                for (int j = k + 1; j < reach; ++j) {
                    const auto c = at_(k, j);
                    const pack u = spread<W>(at(c, 0));
                    unrolled<V>([&](auto v) {
                        pack x = load<W>(c + (1 + v.value * W));
                        subtract_product(x, multipliers[v.value], u);
                        store(c + (1 + v.value * W), x);
                    });
                }
            if (k + 1 == first + block || k + 1 == n_) this->invert_diagonal_block(first, k + 1 - first);
        }
        return true;
    }

    bool factor_by_blocks(int lower, int upper)
    {
        int reach = 0; // one beyond the last column that a pivot row so far has entries in
        for (int k = 0; k < n_; k += block) {
            const int next = smaller(k + block, n_);
            if (!this->factor_panel(k, next, smaller(next + lower, n_))) return false;
            for (int i = k; i < next; ++i) reach = larger(reach, smaller(pivot_[i] + upper + 1, n_));
            if (reach <= next) continue;
            this->exchange_rows(k, next, next, reach);
            this->multiply_rows(k, next, reach);
            const int below = smaller(whole_blocks(lower), whole_blocks(n_) - next);
            if (below > 0) subtract_product_of_blocks<Numbers>(below, block, reach - next, at_(next, k), at_(k, next), at_(next, next), stride_);
        }
        return true;
    }
};

/// w = A^-1 w, w padded with zeros to a multiple of 8; a points to the first diagonal entry.
template <class Numbers>
void solve_blocked_band(int n, int stride, int lower, int upper, typename Numbers::const_pointer a, const block_inverses<Numbers>& inverses,
                        const int* pivot, typename Numbers::pointer w)
{
    const int rows = whole_blocks(n);
    for (int k = 0; k < rows; k += block) {
        for (int i = k; i < smaller(k + block, n); ++i)
            if (pivot[i] != i) exchange(w, i, pivot[i]);
        multiply_block<Numbers>(inverses.lower + k * block, w + k);
        const int next = k + block;
        const int below = smaller(whole_blocks(lower), rows - next);
        if (below > 0) subtract_columns<Numbers, block>(below, a + (next + k * index(stride)), stride, w + k, w + next);
    }
    for (int k = rows - block; k >= 0; k -= block) {
        solve_upper_block<Numbers>(n, k, a, stride, inverses, w + k);
        const int above = smaller(whole_blocks(lower + upper), k);
        const int first = k - above;
        if (k + block <= n)
            subtract_columns<Numbers, block>(above, a + (first + k * index(stride)), stride, w + k, w + first);
        else
            for (int j = k; j < n; ++j) subtract_columns<Numbers, 1>(above, a + (first + j * index(stride)), stride, w + j, w + first);
    }
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
