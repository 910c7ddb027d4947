// LU factorisation with partial pivoting of band matrices, real and complex (split as in dense_lu.hpp).
//
// Row interchanges move entries up to `lower` places above the upper band, so a column holds lower (fill) + upper + 1 + lower numbers:
// (i, j) at lower + upper + i − j + j·ld, ld >= 2 lower + upper + 1, the layout of LAPACK. The fill rows must be zero before factoring.
// A band may be wider than the matrix. Reciprocal pivots, multipliers and pivot[] are as in dense_lu.hpp.
#ifndef IVP_LINALG_BAND_LU_HPP
#define IVP_LINALG_BAND_LU_HPP

#include "linalg/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::kernels {

/// Extent and storage of a band matrix.
struct band_shape {
    int n;
    int lower;
    int upper;
    int ld;

    /// Entries below the diagonal in column k.
    [[nodiscard]] int below(int k) const { return std::min(lower, n - 1 - k); }
    /// Entries above the diagonal in column k of U.
    [[nodiscard]] int above(int k) const { return std::min(lower + upper, k); }
    /// From an entry to its right neighbour in the same row.
    [[nodiscard]] int stride() const { return ld - 1; }
    /// The diagonal entry of column k; the column's other entries lie above and below it in memory.
    template <class R>
    [[nodiscard]] R* diagonal(R* a, int k) const
    {
        return column(a, k, ld) + lower + upper;
    }
};

// NOTE: without a lower band nothing is eliminated, so entries above the diagonal never reach a pivot and have to be looked at.
template <class R>
[[nodiscard]] bool upper_band_is_finite(const band_shape& s, const R* a)
{
    using std::isfinite;
    for (int k = 0; k < s.n; ++k) {
        const R* const d = s.diagonal(a, k);
        if (!std::all_of(d - s.above(k), d, [](const R& u) { return isfinite(u); })) return false;
    }
    return true;
}

/// Factors a in place; false if it is singular or not finite (a is then spoilt).
template <class R>
[[nodiscard]] bool factor_band(const band_shape& s, R* a, int* pivot)
{
    if (s.lower == 0 && !upper_band_is_finite(s, a)) return false;
    int last = 0; // the last column that a pivot row so far reaches
    for (int k = 0; k < s.n; ++k) {
        const int below = s.below(k);
        R* const diagonal = s.diagonal(a, k);
        const int p = take_pivot(below, diagonal);
        if (p == no_pivot) return false;
        pivot[k] = k + p;
        last = std::max(last, std::min(k + p + s.upper, s.n - 1));
        eliminate(p, below, last - k, diagonal, s.stride());
    }
    return true;
}

/// b = A^-1 b with a factored matrix.
template <class R>
void solve_band(const band_shape& s, const R* a, const int* pivot, R* b)
{
    if (s.lower > 0)
        for (int k = 0; k < s.n - 1; ++k) {
            std::swap(b[pivot[k]], b[k]);
            subtract_multiple(s.below(k), b[k], s.diagonal(a, k) + 1, b + k + 1);
        }
    for (int k = s.n - 1; k >= 0; --k) {
        const R* const u = s.diagonal(a, k);
        const int above = s.above(k);
        b[k] *= u[0];
        subtract_multiple(above, b[k], u - above, b + k - above);
    }
}

/// The same for a complex matrix.
template <class R>
[[nodiscard]] bool factor_band(const band_shape& s, R* a_re, R* a_im, int* pivot)
{
    if (s.lower == 0 && !(upper_band_is_finite(s, a_re) && upper_band_is_finite(s, a_im))) return false;
    int last = 0;
    for (int k = 0; k < s.n; ++k) {
        const int below = s.below(k);
        R* const diagonal_re = s.diagonal(a_re, k);
        R* const diagonal_im = s.diagonal(a_im, k);
        const int p = take_pivot(below, diagonal_re, diagonal_im);
        if (p == no_pivot) return false;
        pivot[k] = k + p;
        last = std::max(last, std::min(k + p + s.upper, s.n - 1));
        eliminate(p, below, last - k, diagonal_re, diagonal_im, s.stride());
    }
    return true;
}

template <class R>
void solve_band(const band_shape& s, const R* a_re, const R* a_im, const int* pivot, R* b_re, R* b_im)
{
    if (s.lower > 0)
        for (int k = 0; k < s.n - 1; ++k) {
            std::swap(b_re[pivot[k]], b_re[k]);
            std::swap(b_im[pivot[k]], b_im[k]);
            const R* const l_re = s.diagonal(a_re, k) + 1;
            const R* const l_im = s.diagonal(a_im, k) + 1;
            subtract_multiple(s.below(k), b_re[k], b_im[k], l_re, l_im, b_re + k + 1, b_im + k + 1);
        }
    for (int k = s.n - 1; k >= 0; --k) {
        const R* const u_re = s.diagonal(a_re, k);
        const R* const u_im = s.diagonal(a_im, k);
        const int above = s.above(k);
        const auto x = product(u_re[0], u_im[0], b_re[k], b_im[k]);
        b_re[k] = x.re;
        b_im[k] = x.im;
        subtract_multiple(above, x.re, x.im, u_re - above, u_im - above, b_re + k - above, b_im + k - above);
    }
}

} // namespace ivp::kernels

#endif
