// matrix_lu: LU factorisation of one full matrix that a solver forms itself, because it is no c M − J (a polynomial in J).
//
// Plain Gaussian elimination, every product rounded: the same bits on every machine.
#ifndef IVP_SRC_LINALG_MATRIX_LU_HPP
#define IVP_SRC_LINALG_MATRIX_LU_HPP

#include <ivp/evaluator.hpp>

#include <cstddef>
#include <vector>

namespace ivp {

/// Real: double or float.
template <class Real>
class basic_matrix_lu {
public:
    /// The counters must outlive this object. Nothing is allocated after construction.
    basic_matrix_lu(int n, counters& count);

    /// Row i of the matrix, to be written before factor(), which replaces it.
    [[nodiscard]] Real* row(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
    [[nodiscard]] const Real* row(int i) const { return values_.data() + static_cast<std::ptrdiff_t>(i) * n_; }

    /// With partial pivoting. False if the matrix is exactly singular or not finite; no solve is allowed then. Every call counts as one LU.
    [[nodiscard]] bool factor();
    /// The k-th pivot, from 0.
    [[nodiscard]] Real pivot(int k) const { return row(k)[k]; }

    /// b = A^-1 b
    void solve(Real* b) const;

private:
    int n_;
    counters& count_;
    std::vector<Real> values_;  // by rows: U on and above the diagonal, the multipliers below
    std::vector<int> exchange_; // the row that became the k-th
};

extern template class basic_matrix_lu<double>;
extern template class basic_matrix_lu<float>;

using matrix_lu = basic_matrix_lu<double>;

} // namespace ivp

#endif
