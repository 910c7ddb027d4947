// matrix_lu: LU factorisation of one full matrix that a solver forms itself, because it is no c M − J (a polynomial in J).
#ifndef IVP_LINALG_MATRIX_LU_HPP
#define IVP_LINALG_MATRIX_LU_HPP

#include <ivp/model/counters.hpp>

#include <vector>

namespace ivp {

class matrix_lu {
public:
    /// The counters must outlive this object. Nothing is allocated after construction.
    matrix_lu(int n, counters& count);

    /// Column j of the matrix, to be written before factor(), which replaces it.
    [[nodiscard]] double* column(int j) { return values_.data() + static_cast<std::ptrdiff_t>(j) * n_; }

    /// With partial pivoting. False if the matrix is exactly singular or not finite; no solve is allowed then. Every call counts as one LU.
    [[nodiscard]] bool factor();
    /// Size of the k-th pivot.
    [[nodiscard]] double pivot(int k) const;

    /// b = A^-1 b
    void solve(double* b) const;

private:
    int n_;
    counters& count_;
    std::vector<double> values_;
    std::vector<int> pivots_;
};

} // namespace ivp

#endif
