#include "linalg/dense_lu.hpp"
#include "linalg/eliminated_path.hpp"

#include <ivp/scalar/quad.hpp>

namespace ivp {

namespace {

template <class R>
struct dense_storage {
    int n;

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n) * n; }
    [[nodiscard]] R* entry(R* a, int i, int j) const { return kernels::column(a, j, n) + i; }
    void clear_column(R* /*a*/, int /*j*/) const {} // J fills all of it

    bool factor(R* a, int* pivots) const { return kernels::factor_dense(n, a, n, pivots); }
    bool factor(R* re, R* im, int* pivots) const { return kernels::factor_dense(n, re, im, n, pivots); }
    void solve(const R* a, const int* pivots, R* b) const { kernels::solve_dense(n, a, n, pivots, b); }
    void solve(const R* re, const R* im, const int* pivots, R* b_re, R* b_im) const { kernels::solve_dense(n, re, im, n, pivots, b_re, b_im); }
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_dense_path(const path_request<R>& request)
{
    return std::make_unique<eliminated_path<R, dense_storage<R>>>(request, dense_storage<R>{request.jacobian.n});
}

template std::unique_ptr<linear_path<double>> make_dense_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_dense_path(const path_request<quad>&);

} // namespace ivp
