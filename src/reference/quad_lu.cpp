#include "quad_lu.hpp"

#include <algorithm>

namespace ivp::reference {

bool quad_lu::factor(std::vector<quad> a, int n)
{
    a_ = std::move(a);
    n_ = n;
    row_unit_.assign(n, quad(1));
    pivot_.resize(n);
    const auto at = [this](int i, int j) -> quad& { return a_[static_cast<std::size_t>(i) * n_ + j]; };
    for (int i = 0; i < n; ++i) {
        quad largest = 0;
        for (int j = 0; j < n; ++j) largest = std::max(largest, abs(at(i, j)));
        if (!(largest > quad(0)) || !isfinite(largest)) return false;
        row_unit_[i] = quad(1) / largest;
        for (int j = 0; j < n; ++j) at(i, j) *= row_unit_[i];
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (abs(at(i, k)) > abs(at(best, k))) best = i;
        pivot_[k] = best;
        if (!(abs(at(best, k)) > quad(0))) return false;
        if (best != k) {
            for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
            std::swap(row_unit_[k], row_unit_[best]);
        }
        const quad inverse = quad(1) / at(k, k);
        for (int i = k + 1; i < n; ++i) {
            if (at(i, k) == quad(0)) continue;
            const quad factor = at(i, k) *= inverse;
            for (int j = k + 1; j < n; ++j)
                if (!(at(k, j) == quad(0))) at(i, j) -= factor * at(k, j);
        }
    }
    return true;
}

void quad_lu::solve(std::vector<quad>& b) const
{
    const auto at = [this](int i, int j) -> const quad& { return a_[static_cast<std::size_t>(i) * n_ + j]; };
    for (int k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[k]]);
    for (int k = 0; k < n_; ++k) b[k] *= row_unit_[k];
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < i; ++j)
            if (!(at(i, j) == quad(0))) b[i] -= at(i, j) * b[j];
    for (int i = n_ - 1; i >= 0; --i) {
        for (int j = i + 1; j < n_; ++j)
            if (!(at(i, j) == quad(0))) b[i] -= at(i, j) * b[j];
        b[i] /= at(i, i);
    }
}

} // namespace ivp::reference
