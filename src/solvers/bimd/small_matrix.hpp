// small_matrix: a dense matrix whose columns fit into registers; a product with it has no chain of dependent operations.
#ifndef IVP_SOLVERS_BIMD_SMALL_MATRIX_HPP
#define IVP_SOLVERS_BIMD_SMALL_MATRIX_HPP

#include "simd/components.hpp"

#include <array>
#include <cstddef>

namespace ivp::solvers::bimd_method {

class small_matrix {
public:
    static constexpr int width = simd::pack<double>::width;
    static constexpr int largest = 3 * width;

    explicit small_matrix(int n) : n_(n), column_(n, n) {}

    [[nodiscard]] double* column(int j) { return column_[j]; }

    /// x becomes the product; x: padded.
    void multiply(double* x) const
    {
        switch (simd::padded_size<double>(n_) / width) {
        case 1: return product<1>(x);
        case 2: return product<2>(x);
        default: return product<3>(x);
        }
    }

private:
    template <int Packs>
    void product(double* x) const
    {
        std::array<simd::pack<double>, Packs> sum{};
        for (int j = 0; j < n_; ++j) simd::unrolled<Packs>([&](auto k) { sum[k] += x[j] * place(k)(column_[j]); });
        simd::unrolled<Packs>([&](auto k) { place(k)(x) = sum[k]; });
    }
    static simd::components<double> place(int k) { return simd::components<double>(static_cast<std::ptrdiff_t>(k) * width); }

    int n_;
    simd::padded_vectors<double, largest> column_;
};

} // namespace ivp::solvers::bimd_method

#endif
