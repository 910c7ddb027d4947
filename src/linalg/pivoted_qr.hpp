// QR factorisation with column pivoting: how many columns of a matrix are independent, and how the others depend on them.
#ifndef IVP_SRC_LINALG_PIVOTED_QR_HPP
#define IVP_SRC_LINALG_PIVOTED_QR_HPP

#include <vector>

namespace ivp {

template <class R>
struct pivoted_qr {
    int rows = 0;
    int columns = 0;
    int rank = 0;
    std::vector<int> order; ///< of the columns; the first `rank` of them are independent
    std::vector<R> r;       ///< upper triangle, by columns in that order

    /// The k-th column of the order, rank <= k, as a combination of the first `rank` ones.
    [[nodiscard]] std::vector<R> combination(int k) const;
};

/// By Householder reflections. A column counts as dependent where what is left of it is below `negligible` times the largest column.
template <class R>
pivoted_qr<R> independent_columns(std::vector<R> a_by_columns, int rows, int columns, const R& negligible);

} // namespace ivp

#endif
