// The symbolic side of a sparse factorisation with a fixed pivot order: where every number goes, found once, so that the numeric side is a
// plain walk over index lists.
#ifndef IVP_LINALG_SPARSE_PROGRAM_HPP
#define IVP_LINALG_SPARSE_PROGRAM_HPP

#include "linalg/sparse_order.hpp"

#include <vector>

namespace ivp {

/// L (unit diagonal) and U in one array, row by row in the order of the pivots; within a row the columns ascend: L, pivot, U.
struct sparse_program {
    int n = 0;
    std::vector<int> row_of;    ///< original row of each step
    std::vector<int> column_of; ///< original column of each step
    std::vector<int> start;     ///< of each row, n + 1 entries
    std::vector<int> diagonal;  ///< position of each pivot
    std::vector<int> column;    ///< of each position
    std::vector<int> place;     ///< position of each entry of the original pattern
    std::vector<int> fill;      ///< positions that are zero at first
    /// For every entry (i, k) of L in turn, the positions in row i of the entries of row k of U: what one multiple of a row is subtracted from.
    std::vector<int> target;

    [[nodiscard]] int entries() const { return static_cast<int>(column.size()); }
};

sparse_program compile(const sparsity& pattern, const pivot_order& order);

} // namespace ivp

#endif
