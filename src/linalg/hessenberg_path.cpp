// Full matrices c I − J, brought to Hessenberg form once for each Jacobian: J = Q H Qᵀ. Every further shift then costs n² operations instead of n³.
#include "linalg/dense_lu.hpp"
#include "linalg/linear_path.hpp"
#include <ivp/work_memory.hpp>

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <vector>

namespace ivp {

namespace {

/// y = A x, columns of A contiguous
template <class R>
void multiply(int n, const R* a, const R* x, R* y)
{
    std::fill_n(y, n, R(0));
    for (int j = 0; j < n; ++j) kernels::subtract_multiple(n, -x[j], kernels::column(a, j, n), y);
}

/// J = Q H Qᵀ with H zero below the first subdiagonal, by reflections.
template <class R>
class hessenberg_form {
public:
    explicit hessenberg_form(int n) : n_(n), h_(square()), q_(square()), q_transposed_(square()), v_(n), w_(n) {}

    [[nodiscard]] const R* h() const { return h_.data(); }
    [[nodiscard]] const R* q() const { return q_.data(); }
    [[nodiscard]] const R* q_transposed() const { return q_transposed_.data(); }

    void reduce(const R* j)
    {
        std::copy_n(j, square(), h_.begin());
        std::fill(q_.begin(), q_.end(), R(0));
        for (int i = 0; i < n_; ++i) column(q_, i)[i] = R(1);
        for (int k = 0; k + 2 < n_; ++k) {
            if (!make_reflection(k)) continue;
            reflect_rows(k);
            reflect_columns(h_);
            reflect_columns(q_);
        }
        for (int j2 = 0; j2 < n_; ++j2)
            for (int i = 0; i < n_; ++i) column(q_transposed_, i)[j2] = column(q_, j2)[i];
    }

private:
    [[nodiscard]] std::size_t square() const { return static_cast<std::size_t>(n_) * n_; }
    R* column(work_vector<R>& a, int j) { return kernels::column(a.data(), j, n_); }

    /// v with (I − v vᵀ) x = multiple of the unit vector, x the part of column k below the diagonal. False: nothing to do.
    bool make_reflection(int k)
    {
        using std::abs;
        using std::sqrt;
        const R* const x = column(h_, k);
        R scale(0);
        for (int i = k + 1; i < n_; ++i) scale = std::max(scale, R(abs(x[i])));
        std::fill(v_.begin(), v_.end(), R(0));
        R below(0);
        if (scale > R(0))
            for (int i = k + 2; i < n_; ++i) below += (x[i] / scale) * (x[i] / scale);
        if (below == R(0)) return false;
        const R first = x[k + 1] / scale;
        const R norm = sqrt(first * first + below);
        const R pivot = first + (first >= R(0) ? norm : -norm);
        const R factor = sqrt(R(2) / (pivot * pivot + below));
        v_[k + 1] = pivot * factor;
        for (int i = k + 2; i < n_; ++i) v_[i] = (x[i] / scale) * factor;
        first_ = k + 1;
        return true;
    }
    /// H ← (I − v vᵀ) H; columns before k are zero where v is not.
    void reflect_rows(int k)
    {
        for (int j = k; j < n_; ++j) {
            R* const c = column(h_, j);
            R dot(0);
            for (int i = first_; i < n_; ++i) dot += v_[i] * c[i];
            kernels::subtract_multiple(n_ - first_, dot, v_.data() + first_, c + first_);
        }
        std::fill(column(h_, k) + k + 2, column(h_, k) + n_, R(0));
    }
    /// A ← A (I − v vᵀ)
    void reflect_columns(work_vector<R>& a)
    {
        std::fill(w_.begin(), w_.end(), R(0));
        for (int j = first_; j < n_; ++j) kernels::subtract_multiple(n_, -v_[j], column(a, j), w_.data());
        for (int j = first_; j < n_; ++j) kernels::subtract_multiple(n_, v_[j], w_.data(), column(a, j));
    }

    int n_;
    int first_ = 0;
    work_vector<R> h_, q_, q_transposed_;
    work_vector<R> v_, w_;
};

/// c I − H is made upper triangular from the right: the entry below the diagonal of column k falls by a multiple of column k + 1 (the two
/// exchanged if that one has the smaller pivot), from the last column to the first. Only whole columns are touched.
template <class R>
class hessenberg_path final : public linear_path<R> {
public:
    explicit hessenberg_path(const path_request<R>& request)
        : jacobian_(request.jacobian),
          n_(jacobian_.n),
          reals_(request.reals),
          form_(n_),
          seen_(square()),
          values_(square() * (request.reals + 2 * request.complexes)),
          multipliers_(static_cast<std::size_t>(n_) * (request.reals + 2 * request.complexes)),
          exchanged_(static_cast<std::size_t>(n_) * (request.reals + request.complexes)),
          work_(multipliers_.size())
    {}

    bool factor_real(int k, const R& c) override
    {
        if (!bring_up_to_date()) return false;
        R* const a = matrix(k);
        write_shifted(c, a);
        R* const m = multipliers(k);
        char* const swapped = exchanged(k);
        using std::abs;
        for (int j = n_ - 2; j >= 0; --j) {
            R* const left = kernels::column(a, j, n_);
            R* const right = left + n_;
            swapped[j] = abs(left[j + 1]) > abs(right[j + 1]);
            if (swapped[j]) std::swap_ranges(left, left + j + 2, right);
            if (!usable(right[j + 1], R(0))) return false;
            right[j + 1] = R(1) / right[j + 1];
            m[j] = left[j + 1] * right[j + 1];
            kernels::subtract_multiple(j + 1, m[j], right, left);
        }
        if (!usable(a[0], R(0))) return false;
        a[0] = R(1) / a[0];
        return true;
    }

    bool factor_complex(int k, const complex_shift<R>& c) override
    {
        if (!bring_up_to_date()) return false;
        R* const re = matrix(reals_ + 2 * k);
        R* const im = re + square();
        write_shifted(c.re, re);
        std::fill_n(im, square(), R(0));
        for (int j = 0; j < n_; ++j) kernels::column(im, j, n_)[j] = c.im;
        R* const m_re = multipliers(reals_ + 2 * k);
        R* const m_im = m_re + n_;
        char* const swapped = exchanged(reals_ + k);
        using std::abs;
        const auto invert = [](R& x, R& y) {
            const auto inverse = kernels::reciprocal(x, y);
            x = inverse.re;
            y = inverse.im;
        };
        for (int j = n_ - 2; j >= 0; --j) {
            R* const left_re = kernels::column(re, j, n_);
            R* const left_im = kernels::column(im, j, n_);
            R* const right_re = left_re + n_;
            R* const right_im = left_im + n_;
            swapped[j] = abs(left_re[j + 1]) + abs(left_im[j + 1]) > abs(right_re[j + 1]) + abs(right_im[j + 1]);
            if (swapped[j]) {
                std::swap_ranges(left_re, left_re + j + 2, right_re);
                std::swap_ranges(left_im, left_im + j + 2, right_im);
            }
            if (!usable(right_re[j + 1], right_im[j + 1])) return false;
            invert(right_re[j + 1], right_im[j + 1]);
            const auto factor = kernels::product(left_re[j + 1], left_im[j + 1], right_re[j + 1], right_im[j + 1]);
            m_re[j] = factor.re;
            m_im[j] = factor.im;
            kernels::subtract_multiple(j + 1, factor.re, factor.im, right_re, right_im, left_re, left_im);
        }
        if (!usable(re[0], im[0])) return false;
        invert(re[0], im[0]);
        return true;
    }

    void solve_real(int k, R* b) const override
    {
        const R* const a = matrix(k);
        const R* const m = multipliers(k);
        const char* const swapped = exchanged(k);
        R* const x = work(k);
        multiply(n_, form_.q_transposed(), b, x);
        for (int j = n_ - 1; j >= 0; --j) {
            const R* const u = kernels::column(a, j, n_);
            x[j] *= u[j];
            kernels::subtract_multiple(j, x[j], u, x);
        }
        for (int j = 0; j + 1 < n_; ++j) {
            x[j + 1] -= m[j] * x[j];
            if (swapped[j]) std::swap(x[j], x[j + 1]);
        }
        multiply(n_, form_.q(), x, b);
    }

    void solve_complex(int k, R* b_re, R* b_im) const override
    {
        const R* const re = matrix(reals_ + 2 * k);
        const R* const im = re + square();
        const R* const m_re = multipliers(reals_ + 2 * k);
        const R* const m_im = m_re + n_;
        const char* const swapped = exchanged(reals_ + k);
        R* const x_re = work(reals_ + 2 * k);
        R* const x_im = x_re + n_;
        multiply(n_, form_.q_transposed(), b_re, x_re);
        multiply(n_, form_.q_transposed(), b_im, x_im);
        for (int j = n_ - 1; j >= 0; --j) {
            const R* const u_re = kernels::column(re, j, n_);
            const R* const u_im = kernels::column(im, j, n_);
            const auto x = kernels::product(u_re[j], u_im[j], x_re[j], x_im[j]);
            x_re[j] = x.re;
            x_im[j] = x.im;
            kernels::subtract_multiple(j, x.re, x.im, u_re, u_im, x_re, x_im);
        }
        for (int j = 0; j + 1 < n_; ++j) {
            const auto x = kernels::product(m_re[j], m_im[j], x_re[j], x_im[j]);
            x_re[j + 1] -= x.re;
            x_im[j + 1] -= x.im;
            if (swapped[j]) {
                std::swap(x_re[j], x_re[j + 1]);
                std::swap(x_im[j], x_im[j + 1]);
            }
        }
        multiply(n_, form_.q(), x_re, b_re);
        multiply(n_, form_.q(), x_im, b_im);
    }

private:
    [[nodiscard]] std::size_t square() const { return static_cast<std::size_t>(n_) * n_; }
    [[nodiscard]] R* matrix(int k) { return values_.data() + square() * k; }
    [[nodiscard]] const R* matrix(int k) const { return values_.data() + square() * k; }
    [[nodiscard]] R* multipliers(int k) { return kernels::column(multipliers_.data(), k, n_); }
    [[nodiscard]] const R* multipliers(int k) const { return kernels::column(multipliers_.data(), k, n_); }
    [[nodiscard]] char* exchanged(int k) { return kernels::column(exchanged_.data(), k, n_); }
    [[nodiscard]] const char* exchanged(int k) const { return kernels::column(exchanged_.data(), k, n_); }
    [[nodiscard]] R* work(int k) const { return kernels::column(work_.data(), k, n_); }

    static bool usable(const R& re, const R& im)
    {
        using std::abs;
        using std::isfinite;
        const R size = abs(re) + abs(im);
        return size > R(0) && isfinite(size) && isfinite(R(1) / size);
    }

    /// The form belongs to the Jacobian as it was seen last. Comparing costs n², which is nothing beside what it saves. False: not finite.
    bool bring_up_to_date()
    {
        const std::scoped_lock lock(update_);
        if (known_ && std::equal(seen_.begin(), seen_.end(), jacobian_.data)) return true;
        std::copy_n(jacobian_.data, square(), seen_.begin());
        using std::isfinite;
        known_ = std::all_of(seen_.begin(), seen_.end(), [](const R& x) { return isfinite(x); });
        if (known_) form_.reduce(seen_.data());
        return known_;
    }
    void write_shifted(const R& c, R* a) const
    {
        std::transform(form_.h(), form_.h() + square(), a, [](const R& x) { return -x; });
        for (int j = 0; j < n_; ++j) kernels::column(a, j, n_)[j] += c;
    }

    matrix_view<R> jacobian_;
    int n_;
    int reals_;
    hessenberg_form<R> form_;
    work_vector<R> seen_;
    bool known_ = false;
    std::mutex update_;
    work_vector<R> values_;
    work_vector<R> multipliers_;
    std::vector<char> exchanged_;
    mutable work_vector<R> work_; // one vector for each matrix, so that different k can be solved at the same time
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_hessenberg_path(const path_request<R>& request)
{
    return std::make_unique<hessenberg_path<R>>(request);
}

template std::unique_ptr<linear_path<double>> make_hessenberg_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_hessenberg_path(const path_request<quad>&);

} // namespace ivp
