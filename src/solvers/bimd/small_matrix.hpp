// small_matrix: a dense matrix whose columns fit into registers; a product with it has no chain of dependent operations.
#ifndef IVP_SOLVERS_BIMD_SMALL_MATRIX_HPP
#define IVP_SOLVERS_BIMD_SMALL_MATRIX_HPP

#include "solvers/common/lanes.hpp"

#include <array>
#include <vector>

namespace ivp::solvers::bimd_method {

class small_matrix {
public:
    static constexpr int largest = 4 * lane_count;

    explicit small_matrix(int n) : n_(n), column_(n, lane_vector(n)) {}

    [[nodiscard]] double* column(int j) { return column_[j].data(); }

    /// x becomes the product; x: whole groups.
    void multiply(double* x) const
    {
        switch (groups_of(n_)) {
        case 1: return product<1>(x);
        case 2: return product<2>(x);
        case 3: return product<3>(x);
        default: return product<4>(x);
        }
    }

private:
    template <int Groups>
    void product(double* x) const
    {
        std::array<lanes, Groups> sum{};
        for (int j = 0; j < n_; ++j)
            for (int g = 0; g < Groups; ++g) sum[g] += x[j] * load(column_[j].data(), g);
        for (int g = 0; g < Groups; ++g) store(x, g, sum[g]);
    }

    int n_;
    std::vector<lane_vector> column_;
};

} // namespace ivp::solvers::bimd_method

#endif
