// Systems of second (or higher) order written with their derivatives: y_i' = y_{i+m2} for the first m1 equations. The unknowns of these are
// eliminated by hand, x_i = (b_i + x_{i+m2})/c, and only the remaining n − m1 are left for the factorisation.
#include "linalg/dense_lu.hpp"
#include "linalg/linear_path.hpp"
#include <ivp/work_memory.hpp>

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ivp {

namespace {

/// The last rows and columns of M, which has nothing beside them.
template <class R>
mass_matrix<R> last_block(const mass_matrix<R>& m, int first)
{
    const int rest = m.n() - first;
    if (m.kind() == mass_kind::identity) return mass_matrix<R>::identity(rest);
    const bool diagonal = m.lower() == 0 && m.upper() == 0;
    auto block = diagonal ? mass_matrix<R>::band(rest, 0, 0) : mass_matrix<R>::full(rest);
    m.for_each_entry([&](int i, int j, const R& value) {
        if (i >= first && j >= first) block.set(i - first, j - first, value);
    });
    return block;
}

/// Row i < m1 of the system says c x_i − x_{i+m2} = b_i. In the other rows the column of x_i is replaced, from the first on: J_i x_i = J_i (b_i +
/// x_{i+m2})/c adds J_i/c to the column of x_{i+m2} and J_i b_i/c to the right-hand side. What remains is c M − J of dimension n − m1, with a J
/// that depends on c and is complex where c is: every shift has a dense path for itself.
template <class R>
class chained_path final : public linear_path<R> {
public:
    explicit chained_path(const path_request<R>& request)
        : jacobian_(request.jacobian),
          mass_(last_block(*request.mass.constant, request.reduction.chain.m1)),
          n_(jacobian_.n),
          m1_(request.reduction.chain.m1),
          m2_(request.reduction.chain.m2),
          rest_(n_ - m1_),
          reals_(request.reals),
          inverse_shifts_(request.reals + request.complexes),
          values_(size() * (request.reals + 2 * request.complexes))
    {
        for (int k = 0; k < request.reals; ++k) reduced_.push_back(make_dense_path<R>({reduced(matrix(k)), {&mass_, {}}, 1, 0}));
        for (int k = 0; k < request.complexes; ++k) {
            R* const re = matrix(reals_ + 2 * k);
            reduced_.push_back(make_dense_path<R>({reduced(re), {&mass_, {}}, 0, 1, {}, {}, reduced(re + size())}));
        }
    }

    bool factor_real(int k, const R& c) override
    {
        if (c == R(0)) return false;
        const R inverse = R(1) / c;
        R* const a = matrix(k);
        inverse_shifts_[k] = {inverse, R(0)};
        copy_lower_rows(a);
        for (int j = 0; j < m1_; ++j) kernels::subtract_multiple(rest_, -inverse, column(a, j), column(a, j + m2_));
        return reduced_[k]->factor_real(0, c);
    }

    bool factor_complex(int k, const complex_shift<R>& c) override
    {
        if (c.re == R(0) && c.im == R(0)) return false;
        const auto inverse = kernels::reciprocal(c.re, c.im);
        R* const re = matrix(reals_ + 2 * k);
        R* const im = re + size();
        inverse_shifts_[reals_ + k] = {inverse.re, inverse.im};
        copy_lower_rows(re);
        std::fill_n(im, size(), R(0));
        for (int j = 0; j < m1_; ++j)
            kernels::subtract_multiple(rest_, -inverse.re, -inverse.im, column(re, j), column(im, j), column(re, j + m2_), column(im, j + m2_));
        return reduced_[reals_ + k]->factor_complex(0, c);
    }

    void solve_real(int k, R* b) const override
    {
        const R inverse = inverse_shifts_[k].re;
        const R* const a = matrix(k);
        for (int j = 0; j < m1_; ++j) kernels::subtract_multiple(rest_, -b[j] * inverse, column(a, j), b + m1_);
        reduced_[k]->solve_real(0, b + m1_);
        for (int j = m1_ - 1; j >= 0; --j) b[j] = (b[j] + b[j + m2_]) * inverse;
    }

    void solve_complex(int k, R* b_re, R* b_im) const override
    {
        const auto inverse = inverse_shifts_[reals_ + k];
        const R* const re = matrix(reals_ + 2 * k);
        const R* const im = re + size();
        for (int j = 0; j < m1_; ++j) {
            const auto factor = kernels::product(b_re[j], b_im[j], inverse.re, inverse.im);
            kernels::subtract_multiple(rest_, -factor.re, -factor.im, column(re, j), column(im, j), b_re + m1_, b_im + m1_);
        }
        reduced_[reals_ + k]->solve_complex(0, b_re + m1_, b_im + m1_);
        for (int j = m1_ - 1; j >= 0; --j) {
            const auto x = kernels::product(b_re[j] + b_re[j + m2_], b_im[j] + b_im[j + m2_], inverse.re, inverse.im);
            b_re[j] = x.re;
            b_im[j] = x.im;
        }
    }

private:
    // A matrix here is the last rest_ rows of all columns of J: first the columns that are eliminated, which a solve needs, then the reduced matrix.
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rest_) * n_; }
    [[nodiscard]] R* matrix(int k) { return values_.data() + size() * k; }
    [[nodiscard]] const R* matrix(int k) const { return values_.data() + size() * k; }
    [[nodiscard]] matrix_view<R> reduced(R* a) const { return {structure_kind::full, rest_, 0, 0, rest_, nullptr, column(a, m1_)}; }
    template <class S>
    [[nodiscard]] S* column(S* a, int j) const
    {
        return kernels::column(a, j, rest_);
    }

    void copy_lower_rows(R* a) const
    {
        for (int j = 0; j < n_; ++j) std::copy_n(jacobian_.data + jacobian_.position(m1_, j), rest_, column(a, j));
    }

    matrix_view<R> jacobian_;
    mass_matrix<R> mass_;
    int n_, m1_, m2_, rest_;
    int reals_;
    std::vector<complex_shift<R>> inverse_shifts_;
    work_vector<R> values_;
    std::vector<std::unique_ptr<linear_path<R>>> reduced_;
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_chained_path(const path_request<R>& request)
{
    return std::make_unique<chained_path<R>>(request);
}

template std::unique_ptr<linear_path<double>> make_chained_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_chained_path(const path_request<quad>&);

} // namespace ivp
