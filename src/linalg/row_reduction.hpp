// Row reduction of a singular matrix: separates what an implicit equation says about y' from what it says about y alone.
#ifndef IVP_SRC_LINALG_ROW_REDUCTION_HPP
#define IVP_SRC_LINALG_ROW_REDUCTION_HPP

#include <vector>

namespace ivp {

/// E B = [R; 0] with regular E and R of full row rank.
struct row_reduction {
    int n = 0;
    int rank = 0;
    std::vector<double> transform; ///< E, column-major; its last n − rank rows span the left null space of B

    /// (E v)_i
    [[nodiscard]] double apply(int i, const double* v) const;
};

/// By Gaussian elimination with complete pivoting; entries below n·eps·max|B| count as zero.
row_reduction reduce_rows(std::vector<double> b_column_major, int n);

} // namespace ivp

#endif
