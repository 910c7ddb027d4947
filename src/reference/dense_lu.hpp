// Small dense systems of equations in more than double precision. Everything that has to be fast factorises in linalg.
#ifndef IVP_REFERENCE_DENSE_LU_HPP
#define IVP_REFERENCE_DENSE_LU_HPP

#include <ivp/scalar.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ivp::reference {

template <class N>
class dense_lu {
public:
    /// By rows, with row pivoting after each row is divided by its largest entry; false: singular.
    bool factor(std::vector<N> a, int n);
    void solve(std::vector<N>& b) const;

private:
    std::vector<N> a_;
    std::vector<N> row_unit_;
    std::vector<int> pivot_;
    int n_ = 0;
};

template <class N>
bool dense_lu<N>::factor(std::vector<N> a, int n)
{
    a_ = std::move(a);
    n_ = n;
    row_unit_.assign(n, N(1));
    pivot_.resize(n);
    const auto at = [this](int i, int j) -> N& { return a_[static_cast<std::size_t>(i) * n_ + j]; };
    for (int i = 0; i < n; ++i) {
        N largest = 0;
        for (int j = 0; j < n; ++j) largest = std::max(largest, abs(at(i, j)));
        if (!(largest > N(0)) || !isfinite(largest)) return false;
        row_unit_[i] = N(1) / largest;
        for (int j = 0; j < n; ++j) at(i, j) *= row_unit_[i];
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (abs(at(i, k)) > abs(at(best, k))) best = i;
        pivot_[k] = best;
        if (!(abs(at(best, k)) > N(0))) return false;
        if (best != k) {
            for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
            std::swap(row_unit_[k], row_unit_[best]);
        }
        const N inverse = N(1) / at(k, k);
        for (int i = k + 1; i < n; ++i) {
            if (at(i, k) == N(0)) continue;
            const N factor = at(i, k) *= inverse;
            for (int j = k + 1; j < n; ++j)
                if (!(at(k, j) == N(0))) at(i, j) -= factor * at(k, j);
        }
    }
    return true;
}

template <class N>
void dense_lu<N>::solve(std::vector<N>& b) const
{
    const auto at = [this](int i, int j) -> const N& { return a_[static_cast<std::size_t>(i) * n_ + j]; };
    for (int k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[k]]);
    for (int k = 0; k < n_; ++k) b[k] *= row_unit_[k];
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < i; ++j)
            if (!(at(i, j) == N(0))) b[i] -= at(i, j) * b[j];
    for (int i = n_ - 1; i >= 0; --i) {
        for (int j = i + 1; j < n_; ++j)
            if (!(at(i, j) == N(0))) b[i] -= at(i, j) * b[j];
        b[i] /= at(i, i);
    }
}

} // namespace ivp::reference

#endif
