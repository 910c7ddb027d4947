// Dense matrices above 32×32: recursive LU with partial pivoting over blocks of 8 columns.
//
// Columns are padded with zeros to a multiple of 8 rows.
#ifndef IVP_LINALG_KERNELS_BLOCKED_DENSE_HPP
#define IVP_LINALG_KERNELS_BLOCKED_DENSE_HPP

#include "linalg/kernels/blocks.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

template <class Numbers>
class blocked_dense : public block_elimination<Numbers> {
    using base = block_elimination<Numbers>;
    using base::at_;
    using base::n_;
    using base::stride_;

public:
    using base::base;

    /// False: singular or not finite.
    bool factor() { return factor_columns(0, n_); }

private:
    bool factor_columns(int first, int last)
    {
        const int blocks = (last - first + block - 1) / block;
        if (blocks == 1) return this->factor_panel(first, last, n_);
        const int middle = first + blocks / 2 * block;
        if (!factor_columns(first, middle)) return false;
        eliminate(first, middle, last);
        if (!factor_columns(middle, last)) return false;
        this->exchange_rows(middle, last, first, middle);
        return true;
    }

    /// Rows first … middle − 1 of U in the columns middle … last − 1, and the elimination below them.
    void eliminate(int first, int middle, int last)
    {
        this->exchange_rows(first, middle, middle, last);
        const int rows = (n_ + block - 1) / block * block;
        const int columns = last - middle;
        for (int k = first; k < middle; k += block) {
            this->multiply_rows(k, middle, last);
            if (k + block < middle)
                subtract_product_of_blocks<Numbers>(middle - k - block, block, columns, at_(k + block, k), at_(k, middle), at_(k + block, middle),
                                                    stride_);
        }
        subtract_product_of_blocks<Numbers>(rows - middle, middle - first, columns, at_(middle, first), at_(first, middle), at_(middle, middle),
                                            stride_);
    }
};

/// w = U^-1 L^-1 w, w padded with zeros to a multiple of 8.
template <class Numbers>
void solve_blocked(int n, int ld, typename Numbers::const_pointer a, const block_inverses<Numbers>& inverses, typename Numbers::pointer w)
{
    const int rows = (n + block - 1) / block * block;
    for (int k = 0; k < rows; k += block) {
        multiply_block<Numbers>(inverses.lower + k * block, w + k);
        if (k + block < rows) subtract_columns<Numbers, block>(rows - k - block, a + (k + block + k * index(ld)), ld, w + k, w + (k + block));
    }
    for (int k = rows - block; k >= 0; k -= block) {
        solve_upper_block<Numbers>(n, k, a, ld, inverses, w + k);
        if (k + block <= n)
            subtract_columns<Numbers, block>(k, a + k * index(ld), ld, w + k, w);
        else
            for (int j = k; j < n; ++j) subtract_columns<Numbers, 1>(k, a + j * index(ld), ld, w + j, w);
    }
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
