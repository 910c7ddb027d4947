// Large sparse matrices by KLU (SuiteSparse): block triangular form, minimum degree, and rows exchanged as the numbers need it. For matrices that
// fall apart into small blocks, and for those that our own elimination in fronts does not suit.
#include "linalg/linear_path.hpp"
#include "linalg/sparse_system.hpp"

#include <ivp/work_memory.hpp>

#include <klu.h>

#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace ivp {

namespace {

/// The pattern with its order, which all matrices share.
class klu_pattern {
public:
    explicit klu_pattern(const sparsity& s) : start_(s.column_start.begin(), s.column_start.end()), row_(s.row.begin(), s.row.end())
    {
        klu_defaults(&common_);
        symbolic_ = klu_analyze(s.n, start_.data(), row_.data(), &common_);
        if (symbolic_ == nullptr && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    }
    ~klu_pattern() { klu_free_symbolic(&symbolic_, &common_); }
    klu_pattern(const klu_pattern&) = delete;
    klu_pattern& operator=(const klu_pattern&) = delete;

    [[nodiscard]] int* start() const { return start_.data(); }
    [[nodiscard]] int* row() const { return row_.data(); }
    /// Null: whatever the numbers, the matrix is singular.
    [[nodiscard]] klu_symbolic* symbolic() const { return symbolic_; }

private:
    // The functions of KLU take pointers to what they only read.
    mutable std::vector<int> start_, row_;
    klu_common common_;
    klu_symbolic* symbolic_ = nullptr;
};

struct real_functions {
    static constexpr int width = 1; ///< numbers for each entry
    static constexpr auto factor = klu_factor;
    static constexpr auto refactor = klu_refactor;
    static constexpr auto growth = klu_rgrowth;
    static constexpr auto solve = klu_solve;
    static constexpr auto free = klu_free_numeric;
};
struct complex_functions {
    static constexpr int width = 2;
    static constexpr auto factor = klu_z_factor;
    static constexpr auto refactor = klu_z_refactor;
    static constexpr auto growth = klu_z_rgrowth;
    static constexpr auto solve = klu_z_solve;
    static constexpr auto free = klu_z_free_numeric;
};

/// One factored matrix.
template <class Functions>
class klu_slot {
public:
    klu_slot(const sparse_system<double>& system, std::shared_ptr<const klu_pattern> pattern)
        : system_(&system),
          pattern_(std::move(pattern)),
          values_(static_cast<std::size_t>(Functions::width) * system.entries()),
          work_(static_cast<std::size_t>(Functions::width) * system.n())
    {
        klu_defaults(&common_);
        common_.halt_if_singular = 1;
        // KLU keeps a pivot on the diagonal, which keeps the factors sparse, down to this part of the largest entry of its column. Its own choice,
        // 0.001, loses up to three digits in a step.
        common_.tol = 0.01;
    }
    ~klu_slot() { forget(); }
    klu_slot(klu_slot&& other) noexcept
        : system_(other.system_),
          pattern_(std::move(other.pattern_)),
          values_(std::move(other.values_)),
          work_(std::move(other.work_)),
          numeric_(std::exchange(other.numeric_, nullptr)),
          fresh_growth_(other.fresh_growth_),
          common_(other.common_)
    {}
    klu_slot& operator=(klu_slot&&) = delete;

    /// Real and imaginary part of the shift.
    [[nodiscard]] bool factor(const double* shift)
    {
        if (pattern_->symbolic() == nullptr || !system_->all_finite()) return false;
        constexpr int width = Functions::width;
        double* const a = values_.data();
        for (int p = 0; p < system_->entries(); ++p) {
            a[width * p] = -system_->jacobian(p);
            if constexpr (width == 2) a[width * p + 1] = 0;
        }
        system_->for_mass([&](int p, double m) {
            for (int part = 0; part < width; ++part) a[width * p + part] += shift[part] * m;
        });
        return refactor() || factor_with_new_pivots();
    }

    double* work() const { return work_.data(); }
    void solve(double* b) const { (void)Functions::solve(pattern_->symbolic(), numeric_, system_->n(), 1, b, &common_); }

private:
    /// With the pivots of the factorisation before, as long as they suit the numbers: rows must not grow much more than they did with pivots of their
    /// own.
    bool refactor()
    {
        constexpr double allowed_loss = 0.1;
        if (numeric_ == nullptr) return false;
        return Functions::refactor(pattern_->start(), pattern_->row(), values_.data(), pattern_->symbolic(), numeric_, &common_) != 0 &&
               common_.status == KLU_OK && growth() >= allowed_loss * fresh_growth_;
    }
    bool factor_with_new_pivots()
    {
        forget();
        numeric_ = Functions::factor(pattern_->start(), pattern_->row(), values_.data(), pattern_->symbolic(), &common_);
        if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
        if (numeric_ == nullptr || common_.status != KLU_OK) return false;
        fresh_growth_ = growth();
        return true;
    }
    /// Reciprocal pivot growth, at most 1; NaN or 0 where it went wrong.
    double growth()
    {
        const int known = Functions::growth(pattern_->start(), pattern_->row(), values_.data(), pattern_->symbolic(), numeric_, &common_);
        return known != 0 ? common_.rgrowth : 0;
    }
    void forget()
    {
        if (numeric_ != nullptr) (void)Functions::free(&numeric_, &common_);
    }

    const sparse_system<double>* system_;
    std::shared_ptr<const klu_pattern> pattern_;
    work_vector<double> values_;
    mutable work_vector<double> work_;
    klu_numeric* numeric_ = nullptr;
    double fresh_growth_ = 0;
    mutable klu_common common_; // of each matrix: they may be factored and solved at the same time
};

class klu_path final : public linear_path<double> {
public:
    explicit klu_path(const path_request<double>& request) : system_(request)
    {
        const auto pattern = std::make_shared<const klu_pattern>(system_.pattern());
        for (int k = 0; k < request.reals; ++k) reals_.emplace_back(system_, pattern);
        for (int k = 0; k < request.complexes; ++k) complexes_.emplace_back(system_, pattern);
    }

    bool factor_real(int k, const double& c) override { return reals_[k].factor(&c); }
    bool factor_complex(int k, const complex_shift<double>& c) override
    {
        const double shift[2] = {c.re, c.im};
        return complexes_[k].factor(shift);
    }
    void solve_real(int k, double* b) const override { reals_[k].solve(b); }
    void solve_complex(int k, double* b_re, double* b_im) const override
    {
        double* const b = complexes_[k].work();
        for (int i = 0; i < system_.n(); ++i) {
            b[2 * i] = b_re[i];
            b[2 * i + 1] = b_im[i];
        }
        complexes_[k].solve(b);
        for (int i = 0; i < system_.n(); ++i) {
            b_re[i] = b[2 * i];
            b_im[i] = b[2 * i + 1];
        }
    }

private:
    sparse_system<double> system_;
    std::vector<klu_slot<real_functions>> reals_;
    std::vector<klu_slot<complex_functions>> complexes_;
};

} // namespace

double klu_multiplications(const sparsity& pattern)
{
    const klu_pattern analysed(pattern);
    if (analysed.symbolic() == nullptr || analysed.symbolic()->est_flops < 0) return std::numeric_limits<double>::infinity();
    return analysed.symbolic()->est_flops / 2;
}

std::unique_ptr<linear_path<double>> make_klu_path(const path_request<double>& request) { return std::make_unique<klu_path>(request); }

} // namespace ivp
