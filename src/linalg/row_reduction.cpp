#include "row_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ivp {

double row_reduction::apply(int i, const double* v) const
{
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += transform[i + static_cast<std::size_t>(j) * n] * v[j];
    return sum;
}

row_reduction reduce_rows(std::vector<double> b, int n)
{
    row_reduction r{n, 0, std::vector<double>(static_cast<std::size_t>(n) * n, 0.0)};
    const auto at = [n](std::vector<double>& m, int i, int j) -> double& { return m[i + static_cast<std::size_t>(j) * n]; };
    for (int i = 0; i < n; ++i) at(r.transform, i, i) = 1;

    double largest = 0;
    for (const double v : b) largest = std::max(largest, std::abs(v));
    const double negligible = n * std::numeric_limits<double>::epsilon() * largest;

    std::vector<int> column(n); // columns are only renamed: E acts on rows
    for (int j = 0; j < n; ++j) column[j] = j;
    for (; r.rank < n; ++r.rank) {
        const int k = r.rank;
        int pivot_row = k;
        int pivot_column = k;
        for (int j = k; j < n; ++j)
            for (int i = k; i < n; ++i)
                if (std::abs(at(b, i, column[j])) > std::abs(at(b, pivot_row, column[pivot_column]))) {
                    pivot_row = i;
                    pivot_column = j;
                }
        std::swap(column[k], column[pivot_column]);
        if (std::abs(at(b, pivot_row, column[k])) <= negligible) break;
        for (int j = 0; j < n; ++j) {
            std::swap(at(b, k, j), at(b, pivot_row, j));
            std::swap(at(r.transform, k, j), at(r.transform, pivot_row, j));
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = at(b, i, column[k]) / at(b, k, column[k]);
            if (factor == 0) continue;
            for (int j = 0; j < n; ++j) {
                at(b, i, j) -= factor * at(b, k, j);
                at(r.transform, i, j) -= factor * at(r.transform, k, j);
            }
        }
    }
    return r;
}

} // namespace ivp
