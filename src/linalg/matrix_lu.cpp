#include <ivp/linalg/matrix_lu.hpp>

#include "linalg/dense_lu.hpp"

#include <cmath>

namespace ivp {

matrix_lu::matrix_lu(int n, counters& count) : n_(n), count_(count), values_(static_cast<std::size_t>(n) * n), pivots_(n) {}

bool matrix_lu::factor()
{
    ++count_.lu;
    ++count_.real_factorisations;
    return kernels::factor_dense(n_, values_.data(), n_, pivots_.data());
}

// The diagonal holds reciprocals.
double matrix_lu::pivot(int k) const { return 1 / std::abs(values_[k + static_cast<std::size_t>(k) * n_]); }

void matrix_lu::solve(double* b) const { kernels::solve_dense(n_, values_.data(), n_, pivots_.data(), b); }

} // namespace ivp
