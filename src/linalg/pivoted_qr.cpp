#include "pivoted_qr.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ivp {

namespace {

template <class R>
R length(const R* x, int n)
{
    using std::sqrt;
    R sum(0);
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

/// Brings the first `steps` columns to triangular form below their diagonal and applies the reflection of the last of them to all others.
template <class R>
void reflect(R* a, int rows, int columns, int k)
{
    const auto column = [&](int j) { return a + static_cast<std::ptrdiff_t>(j) * rows; };
    R* const pivot = column(k);
    const R norm = length(pivot + k, rows - k);
    if (norm == R(0)) return;
    const R alpha = pivot[k] > R(0) ? -norm : norm;
    std::vector<R> u(pivot + k, pivot + rows);
    u[0] -= alpha;
    R square(0);
    for (const R& x : u) square += x * x;
    for (int j = k; j < columns; ++j) {
        R* const c = column(j) + k;
        R dot(0);
        for (int i = 0; i < rows - k; ++i) dot += u[i] * c[i];
        const R factor = R(2) * dot / square;
        for (int i = 0; i < rows - k; ++i) c[i] -= factor * u[i];
    }
    std::fill(pivot + k + 1, pivot + rows, R(0));
}

} // namespace

template <class R>
std::vector<R> pivoted_qr<R>::combination(int k) const
{
    const auto at = [this](int i, int j) { return r[i + static_cast<std::size_t>(j) * rows]; };
    std::vector<R> x(static_cast<std::size_t>(rank));
    for (int i = rank - 1; i >= 0; --i) {
        R sum = at(i, k);
        for (int j = i + 1; j < rank; ++j) sum -= at(i, j) * x[j];
        x[i] = sum / at(i, i);
    }
    return x;
}

template <class R>
pivoted_qr<R> independent_columns(std::vector<R> a, int rows, int columns, const R& negligible)
{
    pivoted_qr<R> result{rows, columns, 0, std::vector<int>(static_cast<std::size_t>(columns)), {}};
    std::iota(result.order.begin(), result.order.end(), 0);
    const auto column = [&](int j) { return a.begin() + static_cast<std::ptrdiff_t>(j) * rows; };
    R largest(0);
    for (int k = 0; k < std::min(rows, columns); ++k) {
        int longest = k;
        R most(0);
        for (int j = k; j < columns; ++j)
            if (const R left = length(&*column(j) + k, rows - k); left > most) {
                most = left;
                longest = j;
            }
        if (k == 0) largest = most;
        if (!(most > negligible * largest)) break;
        std::swap_ranges(column(k), column(k) + rows, column(longest));
        std::swap(result.order[k], result.order[longest]);
        reflect(a.data(), rows, columns, k);
        ++result.rank;
    }
    result.r = std::move(a);
    return result;
}

template struct pivoted_qr<double>;
template struct pivoted_qr<quad>;
template pivoted_qr<double> independent_columns(std::vector<double>, int, int, const double&);
template pivoted_qr<quad> independent_columns(std::vector<quad>, int, int, const quad&);

} // namespace ivp
