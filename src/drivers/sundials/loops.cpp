// NOTE: compiled with -O2 and without vectors whatever the rest is compiled with (src/CMakeLists.txt), so that a library of any optimisation
// passes, and one without is told apart.
#include "loops.hpp"

#include <cmath>
#include <utility>

namespace ivp::sundials {

void linear_sum(std::int64_t n, double a, const double* x, double b, const double* y, double* z)
{
    for (std::int64_t i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

double weighted_norm(std::int64_t n, const double* x, const double* w)
{
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += (x[i] * w[i]) * (x[i] * w[i]);
    return std::sqrt(sum / static_cast<double>(n));
}

bool eliminate(double** a, std::int64_t n, std::int64_t* pivots)
{
    for (std::int64_t k = 0; k < n; ++k) {
        double* const column = a[k];
        std::int64_t pivot = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
        pivots[k] = pivot;
        if (column[pivot] == 0) return false;
        if (pivot != k)
            for (std::int64_t j = 0; j < n; ++j) std::swap(a[j][pivot], a[j][k]);
        const double factor = 1 / column[k];
        for (std::int64_t i = k + 1; i < n; ++i) column[i] *= factor;
        for (std::int64_t j = k + 1; j < n; ++j) {
            const double head = a[j][k];
            if (head == 0) continue;
            for (std::int64_t i = k + 1; i < n; ++i) a[j][i] -= head * column[i];
        }
    }
    return true;
}

} // namespace ivp::sundials
