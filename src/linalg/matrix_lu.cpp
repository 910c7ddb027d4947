#include "matrix_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp {

template <class Real>
basic_matrix_lu<Real>::basic_matrix_lu(int n, counters& count) : n_(n), count_(count), values_(static_cast<std::size_t>(n) * n), exchange_(n)
{}

template <class Real>
bool basic_matrix_lu<Real>::factor()
{
    ++count_.lu;
    ++count_.real_factorisations;
    for (int k = 0; k < n_; ++k) {
        Real largest = 0;
        int best = k;
        for (int i = k; i < n_; ++i) {
            const Real size = std::abs(row(i)[k]);
            if (size <= largest) continue;
            largest = size; // also a NaN
            best = i;
        }
        // NOTE: an infinity or a NaN to the right spreads over its column, and is met when that column's turn comes.
        if (!(largest > 0) || !std::isfinite(largest)) return false;
        exchange_[k] = best;
        Real* const pivot_row = row(k);
        if (best != k) std::swap_ranges(pivot_row, pivot_row + n_, row(best));
        for (int i = k + 1; i < n_; ++i) {
            Real* const target = row(i);
            const Real multiplier = target[k] / pivot_row[k];
            target[k] = multiplier;
            if (multiplier == 0) continue;
            for (int j = k + 1; j < n_; ++j) target[j] -= multiplier * pivot_row[j];
        }
    }
    return true;
}

template <class Real>
void basic_matrix_lu<Real>::solve(Real* b) const
{
    for (int k = 0; k < n_; ++k) std::swap(b[k], b[exchange_[k]]);
    for (int k = 1; k < n_; ++k) {
        const Real* const l = row(k);
        Real sum = b[k];
        for (int j = 0; j < k; ++j) sum -= l[j] * b[j];
        b[k] = sum;
    }
    for (int k = n_ - 1; k >= 0; --k) {
        const Real* const u = row(k);
        Real sum = b[k];
        for (int j = k + 1; j < n_; ++j) sum -= u[j] * b[j];
        b[k] = sum / u[k];
    }
}

template class basic_matrix_lu<double>;
template class basic_matrix_lu<float>;

} // namespace ivp
