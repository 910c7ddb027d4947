#include "sparse_systems.hpp"

#include <ivp/catalog.hpp>
#include <ivp/problem.hpp>

#ifdef IVP_HAS_KLU
#include <klu.h>
#endif

#include <cmath>

namespace ivp::bench {

jacobian_matrix<double> sparse_matrix::jacobian(algebra path) const
{
    jacobian_matrix<double> j(path, s, n);
    const sparsity& p = *s.pattern;
    for (int c = 0; c < n; ++c)
        for (int k = p.column_start[c]; k < p.column_start[c + 1]; ++k) j.view().set(p.row[k], c, values[k]);
    return j;
}

sparse_matrix of_problem(const std::string& id, const std::map<std::string, std::string>& parameters)
{
    const problem p = open_problem(id, parameters);
    const auto& eq = p.in<double>();
    sparse_matrix a{p.finest_iteration_structure(), {}, eq.mass(), p.n()};
    const jacobian_matrix<double> j(algebra::sparse, a.s, a.n);
    auto y = eq.initial_values();
    for (int i = 0; i < a.n; ++i) y[i] += 1e-3 * (1 + i % 7) * std::max(1e-3, std::abs(y[i]));
    (void)eq.jacobian(p.info().t0.value(), y.data(), *eq.make_scratch(), j.view());
    a.values.assign(j.view().data, j.view().data + j.view().size());
    return a;
}

sparse_matrix of_grid(int rows, int columns)
{
    const int n = rows * columns;
    std::vector<std::vector<int>> of(n);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const int k = r * columns + c;
            of[k].push_back(k);
            if (r > 0) of[k].push_back(k - columns);
            if (r + 1 < rows) of[k].push_back(k + columns);
            if (c > 0) of[k].push_back(k - 1);
            if (c + 1 < columns) of[k].push_back(k + 1);
        }
    sparse_matrix a{structure::sparse(of), {}, mass_matrix<double>::identity(n), n};
    const sparsity& s = *a.s.pattern;
    for (int j = 0; j < n; ++j)
        for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) a.values.push_back(s.row[p] == j ? -4.0 : 1.0);
    return a;
}

#ifdef IVP_HAS_KLU
namespace {

class klu_system final : public timed_system {
public:
    klu_system(const sparse_matrix& a, number_kind numbers)
        : n_(a.n),
          real_(numbers != number_kind::complex),
          complex_(numbers != number_kind::real),
          start_(a.s.pattern->column_start),
          row_(a.s.pattern->row),
          values_(row_.size()),
          complex_values_(2 * row_.size()),
          x_(n_),
          z_(2 * static_cast<std::size_t>(n_))
    {
        for (int j = 0; j < n_; ++j)
            for (int p = start_[j]; p < start_[j + 1]; ++p) {
                const double m = a.m.at(row_[p], j);
                values_[p] = real_shift * m - a.values[p];
                complex_values_[2 * p] = complex_shift_used.re * m - a.values[p];
                complex_values_[2 * p + 1] = complex_shift_used.im * m;
            }
        klu_defaults(&common_);
        symbolic_ = klu_analyze(n_, start_.data(), row_.data(), &common_);
        real_factors_ = klu_factor(start_.data(), row_.data(), values_.data(), symbolic_, &common_);
        complex_factors_ = klu_z_factor(start_.data(), row_.data(), complex_values_.data(), symbolic_, &common_);
    }
    ~klu_system() override
    {
        klu_free_numeric(&real_factors_, &common_);
        klu_z_free_numeric(&complex_factors_, &common_);
        klu_free_symbolic(&symbolic_, &common_);
    }
    klu_system(const klu_system&) = delete;
    klu_system& operator=(const klu_system&) = delete;

    bool factor() override
    {
        if (real_factors_ == nullptr || complex_factors_ == nullptr) return false;
        return (!real_ || klu_refactor(start_.data(), row_.data(), values_.data(), symbolic_, real_factors_, &common_) != 0) &&
               (!complex_ || klu_z_refactor(start_.data(), row_.data(), complex_values_.data(), symbolic_, complex_factors_, &common_) != 0);
    }
    void solve() override
    {
        if (real_) {
            std::fill(x_.begin(), x_.end(), 1.0);
            klu_solve(symbolic_, real_factors_, n_, 1, x_.data(), &common_);
        }
        if (complex_) {
            std::fill(z_.begin(), z_.end(), 1.0);
            klu_z_solve(symbolic_, complex_factors_, n_, 1, z_.data(), &common_);
        }
    }

private:
    int n_;
    bool real_;
    bool complex_;
    std::vector<int> start_, row_;
    std::vector<double> values_, complex_values_, x_, z_;
    klu_common common_{};
    klu_symbolic* symbolic_ = nullptr;
    klu_numeric* real_factors_ = nullptr;
    klu_numeric* complex_factors_ = nullptr;
};

} // namespace

std::unique_ptr<timed_system> make_klu_system(const sparse_matrix& a, number_kind numbers) { return std::make_unique<klu_system>(a, numbers); }
#else
std::unique_ptr<timed_system> make_klu_system(const sparse_matrix& /*a*/, number_kind /*numbers*/) { return nullptr; }
#endif

} // namespace ivp::bench
