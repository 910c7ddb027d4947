// LU factorisation with partial pivoting of dense matrices, real and complex.
//
// Matrices are column-major: (i, j) at i + j·ld. Complex matrices and vectors are two real arrays, real and imaginary parts apart, so that
// the inner loops are plain real arithmetic on contiguous numbers and the compiler vectorises them without shuffles.
//
// A factored matrix holds U on and above the diagonal, with the reciprocals of the pivots on it (a solve then has no division in its
// dependency chain), and the multipliers of L below. Row interchanges are not applied to multipliers already stored: a solve replays them
// one by one, as the factorisation did. pivot[k] is the row that was exchanged with row k.
//
// NOTE: a factorisation fails for a matrix with an infinity or a NaN anywhere, although only the candidates for pivots are looked at: a non-finite
// entry above the diagonal spreads over the active part of its column when its row is the pivot row (the test for zero never skips it, and 0·NaN =
// 0·∞ = NaN), so it is met when that column's turn comes.
#ifndef IVP_LINALG_DENSE_LU_HPP
#define IVP_LINALG_DENSE_LU_HPP

#include <cmath>
#include <cstddef>
#include <utility>

namespace ivp::kernels {

constexpr int no_pivot = -1;

template <class R>
R* column(R* a, int j, int ld)
{
    return a + static_cast<std::ptrdiff_t>(j) * ld;
}

/// y -= c x
template <class R>
void subtract_multiple(int n, R c, const R* __restrict x, R* __restrict y)
{
    for (int i = 0; i < n; ++i) y[i] -= c * x[i];
}

template <class R>
void subtract_multiple(int n, R c_re, R c_im, const R* __restrict x_re, const R* __restrict x_im, R* __restrict y_re, R* __restrict y_im)
{
    for (int i = 0; i < n; ++i) {
        y_re[i] -= c_re * x_re[i] - c_im * x_im[i];
        y_im[i] -= c_re * x_im[i] + c_im * x_re[i];
    }
}

/// x *= c
template <class R>
void scale(int n, R c, R* x)
{
    for (int i = 0; i < n; ++i) x[i] *= c;
}

template <class R>
void scale(int n, R c_re, R c_im, R* __restrict x_re, R* __restrict x_im)
{
    for (int i = 0; i < n; ++i) {
        const R re = x_re[i];
        const R im = x_im[i];
        x_re[i] = c_re * re - c_im * im;
        x_im[i] = c_re * im + c_im * re;
    }
}

/// Index of the largest of n sizes, or no_pivot if all are zero or one is not finite.
template <class R, class Size>
int largest(int n, const Size& size)
{
    using std::isfinite;
    R best(0);
    int row = no_pivot;
    for (int i = 0; i < n; ++i) {
        const R candidate = size(i);
        // NOTE: "not <=" lets a NaN in, at no cost for the other entries.
        if (!(candidate <= best)) {
            if (candidate != candidate) return no_pivot;
            best = candidate;
            row = i;
        }
    }
    return isfinite(best) ? row : no_pivot;
}

template <class R>
int pivot_row(int n, const R* x)
{
    using std::abs;
    return largest<R>(n, [x](int i) { return abs(x[i]); });
}

template <class R>
int pivot_row(int n, const R* x_re, const R* x_im)
{
    using std::abs;
    return largest<R>(n, [x_re, x_im](int i) { return abs(x_re[i]) + abs(x_im[i]); });
}

template <class R>
struct complex_value {
    R re;
    R im;
};

template <class R>
complex_value<R> product(R a_re, R a_im, R b_re, R b_im)
{
    return {a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re};
}

/// 1/(re + i im), not both zero. Smith's formula: re² + im² would overflow or vanish for sizes beyond 1e±154.
template <class R>
complex_value<R> reciprocal(R re, R im)
{
    using std::abs;
    if (abs(re) >= abs(im)) {
        const R ratio = im / re;
        const R inverse = R(1) / (re + im * ratio);
        return {inverse, -ratio * inverse};
    }
    const R ratio = re / im;
    const R inverse = R(1) / (im + re * ratio);
    return {ratio * inverse, -inverse};
}

// One step of elimination, shared by dense and band matrices: `diagonal` points to entry (k, k) of a column that holds `below` entries under
// it, and row k reaches `right` columns further, `stride` apart.

/// Brings the largest entry of a column to the diagonal, as its reciprocal, and divides the others by it.
/// Returns the pivot's distance below the diagonal, or no_pivot.
template <class R>
int take_pivot(int below, R* diagonal)
{
    using std::isfinite;
    const int p = pivot_row(below + 1, diagonal);
    if (p == no_pivot) return no_pivot;
    std::swap(diagonal[p], diagonal[0]);
    diagonal[0] = R(1) / diagonal[0];
    // NOTE: a pivot so small (subnormal) that its reciprocal overflows counts as zero.
    if (!isfinite(diagonal[0])) return no_pivot;
    scale(below, diagonal[0], diagonal + 1);
    return p;
}

template <class R>
int take_pivot(int below, R* diagonal_re, R* diagonal_im)
{
    using std::isfinite;
    const int p = pivot_row(below + 1, diagonal_re, diagonal_im);
    if (p == no_pivot) return no_pivot;
    std::swap(diagonal_re[p], diagonal_re[0]);
    std::swap(diagonal_im[p], diagonal_im[0]);
    const auto inverse = reciprocal(diagonal_re[0], diagonal_im[0]);
    if (!isfinite(inverse.re) || !isfinite(inverse.im)) return no_pivot;
    diagonal_re[0] = inverse.re;
    diagonal_im[0] = inverse.im;
    scale(below, inverse.re, inverse.im, diagonal_re + 1, diagonal_im + 1);
    return p;
}

/// Exchanges the diagonal's row and the one p below it in the columns to the right.
template <class R>
void swap_rows(int p, int right, R* diagonal, int stride)
{
    for (int j = 1; j <= right; ++j) {
        R* const c = column(diagonal, j, stride);
        std::swap(c[p], c[0]);
    }
}

/// Subtracts multiples of the diagonal's row, which is p below it, from the rows below it in the columns to the right.
template <class R>
void eliminate(int p, int below, int right, R* diagonal, int stride)
{
    // NOTE: in a loop of its own: a vector load right after the scalar store of the exchange would wait for it. Halves the time at n = 20.
    if (p != 0) swap_rows(p, right, diagonal, stride);
    for (int j = 1; j <= right; ++j) {
        R* const c = column(diagonal, j, stride);
        // NOTE: most Jacobians that are treated as dense have many zeros; this test saves up to half of the work on them.
        if (c[0] != R(0)) subtract_multiple(below, c[0], diagonal + 1, c + 1);
    }
}

template <class R>
void eliminate(int p, int below, int right, R* diagonal_re, R* diagonal_im, int stride)
{
    if (p != 0) {
        swap_rows(p, right, diagonal_re, stride);
        swap_rows(p, right, diagonal_im, stride);
    }
    for (int j = 1; j <= right; ++j) {
        R* const c_re = column(diagonal_re, j, stride);
        R* const c_im = column(diagonal_im, j, stride);
        if (c_re[0] != R(0) || c_im[0] != R(0)) subtract_multiple(below, c_re[0], c_im[0], diagonal_re + 1, diagonal_im + 1, c_re + 1, c_im + 1);
    }
}

/// Factors the n×n matrix a in place; false if it is singular or not finite (a is then spoilt).
template <class R>
[[nodiscard]] bool factor_dense(int n, R* a, int ld, int* pivot)
{
    for (int k = 0; k < n; ++k) {
        const int rest = n - k - 1;
        R* const diagonal = column(a, k, ld) + k;
        const int p = take_pivot(rest, diagonal);
        if (p == no_pivot) return false;
        pivot[k] = k + p;
        eliminate(p, rest, rest, diagonal, ld);
    }
    return true;
}

/// b = A^-1 b with a factored matrix.
template <class R>
void solve_dense(int n, const R* a, int ld, const int* pivot, R* b)
{
    for (int k = 0; k < n - 1; ++k) {
        std::swap(b[pivot[k]], b[k]);
        subtract_multiple(n - k - 1, b[k], column(a, k, ld) + k + 1, b + k + 1);
    }
    for (int k = n - 1; k >= 0; --k) {
        const R* const u = column(a, k, ld);
        b[k] *= u[k];
        subtract_multiple(k, b[k], u, b);
    }
}

/// The same for a complex matrix.
template <class R>
[[nodiscard]] bool factor_dense(int n, R* a_re, R* a_im, int ld, int* pivot)
{
    for (int k = 0; k < n; ++k) {
        const int rest = n - k - 1;
        R* const diagonal_re = column(a_re, k, ld) + k;
        R* const diagonal_im = column(a_im, k, ld) + k;
        const int p = take_pivot(rest, diagonal_re, diagonal_im);
        if (p == no_pivot) return false;
        pivot[k] = k + p;
        eliminate(p, rest, rest, diagonal_re, diagonal_im, ld);
    }
    return true;
}

template <class R>
void solve_dense(int n, const R* a_re, const R* a_im, int ld, const int* pivot, R* b_re, R* b_im)
{
    for (int k = 0; k < n - 1; ++k) {
        std::swap(b_re[pivot[k]], b_re[k]);
        std::swap(b_im[pivot[k]], b_im[k]);
        const R* const l_re = column(a_re, k, ld) + k + 1;
        const R* const l_im = column(a_im, k, ld) + k + 1;
        subtract_multiple(n - k - 1, b_re[k], b_im[k], l_re, l_im, b_re + k + 1, b_im + k + 1);
    }
    for (int k = n - 1; k >= 0; --k) {
        const R* const u_re = column(a_re, k, ld);
        const R* const u_im = column(a_im, k, ld);
        const auto x = product(u_re[k], u_im[k], b_re[k], b_im[k]);
        b_re[k] = x.re;
        b_im[k] = x.im;
        subtract_multiple(k, x.re, x.im, u_re, u_im, b_re, b_im);
    }
}

} // namespace ivp::kernels

#endif
