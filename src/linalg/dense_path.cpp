#include "linalg/dense_lu.hpp"
#include "linalg/eliminated_path.hpp"
#include "linalg/kernel_set.hpp"

#include <ivp/scalar.hpp>

#include <type_traits>

namespace ivp {

namespace {

/// With the kernels written for any precision.
template <class R>
struct plain_dense {
    int n;

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n) * n; }
    [[nodiscard]] std::size_t matrix_size() const { return size(); }
    [[nodiscard]] std::size_t pivots() const { return static_cast<std::size_t>(n); }
    [[nodiscard]] std::size_t work() const { return 0; }
    [[nodiscard]] R* entry(R* a, int i, int j) const { return kernels::column(a, j, n) + i; }
    void clear_column(R* /*a*/, int /*j*/) const {} // J fills all of it

    bool factor(R* a, int* pivots) const { return kernels::factor_dense(n, a, n, pivots); }
    bool factor(R* re, R* im, int* pivots) const { return kernels::factor_dense(n, re, im, n, pivots); }
    void solve(const R* a, const int* pivots, R* /*work*/, R* b) const { kernels::solve_dense(n, a, n, pivots, b); }
    void solve(const R* re, const R* im, const int* pivots, R* /*work*/, R* b_re, R* b_im) const
    {
        kernels::solve_dense(n, re, im, n, pivots, b_re, b_im);
    }
};

/// With the kernels for this machine, which work on blocks.
class tuned_dense {
public:
    explicit tuned_dense(int n) : layout_(kernels::dense_layout::of(n)), kernels_(&kernels::chosen_kernels()) {}

    [[nodiscard]] std::size_t size() const { return layout_.size; }
    [[nodiscard]] std::size_t matrix_size() const { return static_cast<std::size_t>(layout_.ld) * layout_.n; }
    [[nodiscard]] std::size_t pivots() const { return layout_.pivots; }
    [[nodiscard]] std::size_t work() const { return layout_.work; }
    [[nodiscard]] double* entry(double* a, int i, int j) const { return kernels::column(a, j, layout_.ld) + i; }
    void clear_column(double* a, int j) const
    {
        double* const c = kernels::column(a, j, layout_.ld);
        std::fill(c + layout_.n, c + layout_.ld, 0.0); // the padding
    }

    bool factor(double* a, int* pivots) const { return kernels_->factor_dense(layout_, {a}, pivots); }
    bool factor(double* re, double* im, int* pivots) const { return kernels_->factor_dense(layout_, {re, im}, pivots); }
    void solve(const double* a, const int* pivots, double* work, double* b) const { kernels_->solve_dense(layout_, {{a}, pivots, work, {b}}); }
    void solve(const double* re, const double* im, const int* pivots, double* work, double* b_re, double* b_im) const
    {
        kernels_->solve_dense(layout_, {{re, im}, pivots, work, {b_re, b_im}});
    }

private:
    kernels::dense_layout layout_;
    const kernels::kernel_set* kernels_;
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_dense_path(const path_request<R>& request)
{
    const int n = request.jacobian.n;
    if constexpr (std::is_same_v<R, double>) {
        if (n <= kernels::largest_small) return make_small_path(request);
        if (n <= kernels::largest_middle) return make_middle_path(request);
        return std::make_unique<eliminated_path<R, tuned_dense>>(request, tuned_dense(n));
    }
    return std::make_unique<eliminated_path<R, plain_dense<R>>>(request, plain_dense<R>{n});
}

template std::unique_ptr<linear_path<double>> make_dense_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_dense_path(const path_request<quad>&);

} // namespace ivp
