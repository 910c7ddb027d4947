// columns: several vectors of the same length, and the product of a small matrix with all of them.
#ifndef IVP_SOLVERS_BIMD_COLUMNS_HPP
#define IVP_SOLVERS_BIMD_COLUMNS_HPP

#include "../common/lanes.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace ivp::solvers::bimd_method {

/// Vectors of n entries in whole groups of lanes, one behind the other.
class columns {
public:
    columns(int n, int count) : stride_(groups_of(n) * lane_count), values_(static_cast<std::size_t>(stride_) * count) {}
    [[nodiscard]] double* operator[](int j) { return values_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }
    [[nodiscard]] const double* operator[](int j) const { return values_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }

private:
    int stride_;
    std::vector<double> values_;
};

/// A dense matrix whose columns fit into registers.
class small_matrix {
public:
    static constexpr int largest = 3 * lane_count;

    explicit small_matrix(int n) : n_(n), entries_(n, n) {}
    [[nodiscard]] double* column(int j) { return entries_[j]; }
    [[nodiscard]] const double* column(int j) const { return entries_[j]; }

    /// x_j ← A x_j for the first `count` columns.
    void multiply(columns& x, int count) const
    {
        for (int j = 0; j < count; ++j) multiply(x[j]);
    }
    /// x ← A x; x: whole groups.
    void multiply(double* x) const
    {
        switch (groups_of(n_)) {
        case 1: return product<1>(x);
        case 2: return product<2>(x);
        default: return product<3>(x);
        }
    }

private:
    template <int Groups>
    void product(double* x) const
    {
        std::array<lanes, Groups> sum{};
        for (int j = 0; j < n_; ++j)
            for (int g = 0; g < Groups; ++g) sum[g] += x[j] * load(entries_[j], g);
        for (int g = 0; g < Groups; ++g) store(x, g, sum[g]);
    }

    int n_;
    columns entries_;
};

} // namespace ivp::solvers::bimd_method

#endif
