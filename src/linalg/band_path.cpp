#include "linalg/band_lu.hpp"
#include "linalg/eliminated_path.hpp"
#include "linalg/kernel_set.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ivp {

namespace {

/// With the kernels written for any precision.
template <class R>
class plain_band {
public:
    plain_band(int n, int lower, int upper) : shape_{n, lower, upper, 2 * lower + upper + 1} {}

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(shape_.ld) * shape_.n; }
    [[nodiscard]] std::size_t matrix_size() const { return size(); }
    [[nodiscard]] std::size_t pivots() const { return static_cast<std::size_t>(shape_.n); }
    [[nodiscard]] std::size_t work() const { return 0; }
    [[nodiscard]] R* entry(R* a, int i, int j) const { return shape_.diagonal(a, j) + (i - j); }
    void clear_column(R* a, int j) const { std::fill_n(kernels::column(a, j, shape_.ld), shape_.ld, R(0)); }

    bool factor(R* a, int* pivots) const { return kernels::factor_band(shape_, a, pivots); }
    bool factor(R* re, R* im, int* pivots) const { return kernels::factor_band(shape_, re, im, pivots); }
    void solve(const R* a, const int* pivots, R* /*work*/, R* b) const { kernels::solve_band(shape_, a, pivots, b); }
    void solve(const R* re, const R* im, const int* pivots, R* /*work*/, R* b_re, R* b_im) const
    {
        kernels::solve_band(shape_, re, im, pivots, b_re, b_im);
    }

private:
    kernels::band_shape shape_;
};

/// With the kernels for this machine.
class tuned_band {
public:
    tuned_band(int n, int lower, int upper)
        : layout_(kernels::band_layout::of(n, std::min(lower, n - 1), std::min(upper, n - 1))), kernels_(&kernels::chosen_kernels())
    {}

    [[nodiscard]] std::size_t size() const { return layout_.size; }
    [[nodiscard]] std::size_t matrix_size() const { return layout_.matrix; }
    [[nodiscard]] std::size_t pivots() const { return layout_.pivots; }
    [[nodiscard]] std::size_t work() const { return layout_.work; }
    [[nodiscard]] double* entry(double* a, int i, int j) const { return a + layout_.diagonal + i + static_cast<std::ptrdiff_t>(j) * layout_.stride; }
    void clear_column(double* a, int j) const
    {
        if (layout_.narrow) return; // the factors lie apart, so nothing but J was ever written
        std::fill_n(entry(a, j, j) - (layout_.lower + layout_.upper), layout_.stride + 1, 0.0);
    }

    /// Whether factor_shifted and factor_shifted_pair can be used: for c I − J.
    [[nodiscard]] bool takes_shifts(const matrix_view<double>& jacobian) const
    {
        return layout_.narrow && layout_.lower == jacobian.lower && layout_.upper == jacobian.upper;
    }
    bool factor_shifted(const double* jacobian, double c, double* a, int* pivots) const
    {
        return kernels_->factor_shifted_band(layout_, jacobian, c, 0, {a}, pivots);
    }
    bool factor_shifted(const double* jacobian, const complex_shift<double>& c, double* re, double* im, int* pivots) const
    {
        return kernels_->factor_shifted_band(layout_, jacobian, c.re, c.im, {re, im}, pivots);
    }
    bool factor_shifted_pair(const double* jacobian, double c, const complex_shift<double>& z, const kernels::factored_pair& pair) const
    {
        return kernels_->factor_shifted_band_pair(layout_, jacobian, c, z.re, z.im, pair);
    }

    bool factor(double* a, int* pivots) const { return pivots_will_see(a) && kernels_->factor_band(layout_, {a}, pivots); }
    bool factor(double* re, double* im, int* pivots) const
    {
        return pivots_will_see(re) && pivots_will_see(im) && kernels_->factor_band(layout_, {re, im}, pivots);
    }
    [[nodiscard]] bool factor_pair(const kernels::factored_pair& pair) const
    {
        return pivots_will_see(pair.real.re) && pivots_will_see(pair.complex.re) && pivots_will_see(pair.complex.im) &&
               kernels_->factor_band_pair(layout_, pair);
    }
    void solve(const double* a, const int* pivots, double* work, double* b) const { kernels_->solve_band(layout_, {{a}, pivots, work, {b}}); }
    void solve(const double* re, const double* im, const int* pivots, double* work, double* b_re, double* b_im) const
    {
        kernels_->solve_band(layout_, {{re, im}, pivots, work, {b_re, b_im}});
    }
    void solve_pair(const kernels::factored_system& real, const kernels::factored_system& complex) const
    {
        kernels_->solve_band_pair(layout_, real, complex);
    }

private:
    /// Whether an entry that is not finite would be met as a pivot. Without a lower or an upper band nothing is eliminated, so that entries beside
    /// the diagonal need not reach one and have to be looked at.
    bool pivots_will_see(double* a) const
    {
        if (layout_.lower > 0 && layout_.upper > 0) return true;
        for (int j = 0; j < layout_.n; ++j) {
            const double* const first = entry(a, std::max(0, j - layout_.upper), j);
            const double* const last = entry(a, std::min(layout_.n - 1, j + layout_.lower), j);
            if (!std::all_of(first, last + 1, [](double x) { return std::isfinite(x); })) return false;
        }
        return true;
    }

    kernels::band_layout layout_;
    const kernels::kernel_set* kernels_;
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_band_path(const path_request<R>& request)
{
    using storage = std::conditional_t<std::is_same_v<R, double>, tuned_band, plain_band<R>>;
    const matrix_view<R>& j = request.jacobian;
    return std::make_unique<eliminated_path<R, storage>>(request, storage(j.n, j.lower, j.upper));
}

template std::unique_ptr<linear_path<double>> make_band_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_band_path(const path_request<quad>&);

} // namespace ivp
