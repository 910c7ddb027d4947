#include "linalg/band_lu.hpp"
#include "linalg/eliminated_path.hpp"

#include <ivp/scalar/quad.hpp>

namespace ivp {

namespace {

template <class R>
struct band_storage {
    kernels::band_shape shape;

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(shape.ld) * shape.n; }
    [[nodiscard]] std::size_t matrix_size() const { return size(); }
    [[nodiscard]] std::size_t pivots() const { return static_cast<std::size_t>(shape.n); }
    [[nodiscard]] std::size_t work() const { return 0; }
    [[nodiscard]] R* entry(R* a, int i, int j) const { return shape.diagonal(a, j) + (i - j); }
    void clear_column(R* a, int j) const { std::fill_n(kernels::column(a, j, shape.ld), shape.ld, R(0)); }

    bool factor(R* a, int* pivots) const { return kernels::factor_band(shape, a, pivots); }
    bool factor(R* re, R* im, int* pivots) const { return kernels::factor_band(shape, re, im, pivots); }
    void solve(const R* a, const int* pivots, R* /*work*/, R* b) const { kernels::solve_band(shape, a, pivots, b); }
    void solve(const R* re, const R* im, const int* pivots, R* /*work*/, R* b_re, R* b_im) const
    {
        kernels::solve_band(shape, re, im, pivots, b_re, b_im);
    }
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_band_path(const path_request<R>& request)
{
    const matrix_view<R>& j = request.jacobian;
    return std::make_unique<eliminated_path<R, band_storage<R>>>(request, band_storage<R>{{j.n, j.lower, j.upper, 2 * j.lower + j.upper + 1}});
}

template std::unique_ptr<linear_path<double>> make_band_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_band_path(const path_request<quad>&);

} // namespace ivp
