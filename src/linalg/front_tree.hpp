// front_tree: in which groups the unknowns of a sparse matrix are eliminated, and what each group leaves for the next (multifrontal elimination).
//
// The order is minimum degree on the pattern of A + Aᵀ. Columns of the factors that have the same rows form a group, whose elimination is a dense
// one: of the `pivots` first rows and columns of its front. What remains of a front is added to that of its parent.
#ifndef IVP_LINALG_FRONT_TREE_HPP
#define IVP_LINALG_FRONT_TREE_HPP

#include <ivp/problem.hpp>

#include <cstddef>
#include <vector>

namespace ivp {

struct front_tree {
    struct front {
        int first; ///< of its pivots, in the order of elimination
        int pivots;
        std::vector<int> rows;   ///< the others, as places in the order
        std::vector<int> above;  ///< where these are in the front of the parent
        int parent;              ///< -1: none
        std::size_t first_entry; ///< of `entry` and `place`
        std::size_t last_entry;
        std::size_t factors; ///< where its factors begin, counted in numbers

        [[nodiscard]] int size() const { return pivots + static_cast<int>(rows.size()); }
        /// Columns of a front are as long as whole groups of four while it is eliminated; what is kept of them is not.
        [[nodiscard]] int ld() const { return (size() + 3) / 4 * 4; }
    };

    /// Throws bad_alloc. Every row of the pattern has its diagonal.
    explicit front_tree(const sparsity& pattern);

    int n;
    std::vector<int> order;        ///< order[k]: the unknown that is eliminated as k-th
    std::vector<front> fronts;     ///< children before their parents
    std::vector<int> entry;        ///< entries of the matrix, by fronts
    std::vector<int> place;        ///< where each is in its front
    std::size_t factor_size = 0;   ///< of all fronts together, in numbers
    std::size_t largest_front = 0; ///< in numbers
    std::size_t workspace = 0;     ///< factors and, behind them, what is left for the parents: the most of both together, in numbers
    double multiplications = 0;    ///< of a factorisation
    double least_updates = 0;      ///< multiply-adds without those of the zeros inside fronts

    /// Real matrices: what factors, stack and front need in bytes.
    [[nodiscard]] double bytes() const { return 8.0 * static_cast<double>(workspace + largest_front); }
};

} // namespace ivp

#endif
