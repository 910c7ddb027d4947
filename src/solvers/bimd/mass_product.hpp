// mass_product: M times several vectors, in place.
#ifndef IVP_SOLVERS_BIMD_MASS_PRODUCT_HPP
#define IVP_SOLVERS_BIMD_MASS_PRODUCT_HPP

#include "point_vectors.hpp"
#include "small_matrix.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <optional>

namespace ivp::solvers::bimd_method {

class mass_product {
public:
    explicit mass_product(const mass_matrix<double>& m) : m_(m), work_(m.n())
    {
        if (m.kind() == mass_kind::identity || m.n() > small_matrix::largest) return;
        small_.emplace(m.n());
        m.for_each_entry([&](int i, int j, double value) { small_->column(j)[i] = value; });
    }
    [[nodiscard]] int n() const { return m_.n(); }
    [[nodiscard]] bool is_identity() const { return m_.kind() == mass_kind::identity; }

    /// x ← M x; x: padded.
    void multiply(double* x) const
    {
        if (is_identity()) return;
        if (small_) return small_->multiply(x);
        m_.multiply(x, work_.data());
        std::copy_n(work_.data(), m_.n(), x);
    }
    void multiply(point_vectors& x, int count) const
    {
        for (int j = 0; j < count; ++j) multiply(x[j]);
    }

private:
    const mass_matrix<double>& m_;
    std::optional<small_matrix> small_;
    mutable simd::padded_vector<double> work_;
};

} // namespace ivp::solvers::bimd_method

#endif
