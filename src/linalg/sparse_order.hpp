// Pivot order of a sparse matrix: few new entries (Markowitz) and pivots that are not small in their rows (threshold).
#ifndef IVP_LINALG_SPARSE_ORDER_HPP
#define IVP_LINALG_SPARSE_ORDER_HPP

#include <ivp/problem.hpp>

#include <complex>
#include <span>
#include <vector>

namespace ivp {

/// In step k the entry (row[k], column[k]) is the pivot.
struct pivot_order {
    std::vector<int> row;
    std::vector<int> column;
    double updates = 0; ///< multiply-adds of a factorisation; of an incomplete order: at least as many
    double entries = 0; ///< of L and U together

    [[nodiscard]] bool complete(int n) const { return static_cast<int>(row.size()) == n; }
};

/// Eliminates the matrix with these values (one for each position of the pattern) and notes the pivots. A pivot is at least `threshold` times
/// as large as every entry of its row, so that no row grows by more than 1 + 1/threshold in one step. Incomplete where the matrix is singular
/// or not finite, or as soon as there must be more than `most_updates` multiplications of entries, when the caller has lost interest.
pivot_order order_by_values(const sparsity& pattern, std::span<const double> values, double threshold, double most_updates);
pivot_order order_by_values(const sparsity& pattern, std::span<const std::complex<double>> values, double threshold, double most_updates);

/// Values for an order that is good whatever the numbers will be: arbitrary ones of similar size where J stands, larger ones where M does, since
/// its multiple c M dominates with small steps. None of the sums that arise in the elimination vanishes by chance.
std::vector<double> typical_values(const sparsity& pattern, const std::vector<char>& in_mass);

} // namespace ivp

#endif
