#include "dense.hpp"

#include <cmath>
#include <utility>

namespace sdirk {

bool dense::factor()
{
    for (int k = 0; k < n_; ++k) {
        int p = k;
        for (int i = k + 1; i < n_; ++i)
            if (std::abs((*this)(i, k)) > std::abs((*this)(p, k))) p = i;
        pivot_[k] = p;
        if (!((*this)(p, k) != 0)) return false;
        for (int j = 0; j < n_; ++j) std::swap((*this)(k, j), (*this)(p, j));
        for (int i = k + 1; i < n_; ++i) {
            const double factor = (*this)(i, k) /= (*this)(k, k);
            for (int j = k + 1; j < n_; ++j) (*this)(i, j) -= factor * (*this)(k, j);
        }
    }
    return true;
}

void dense::solve(double* b) const
{
    const auto at = [this](int i, int j) { return a_[i + static_cast<std::size_t>(j) * n_]; };
    for (int k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[k]]);
    for (int j = 0; j < n_; ++j)
        for (int i = j + 1; i < n_; ++i) b[i] -= at(i, j) * b[j];
    for (int j = n_ - 1; j >= 0; --j) {
        b[j] /= at(j, j);
        for (int i = 0; i < j; ++i) b[i] -= at(i, j) * b[j];
    }
}

} // namespace sdirk
