// linear_path: one way to keep and factor the matrices c_k M − J of a shifted_lu. Dense, band and sparse storage are one class each.
#ifndef IVP_LINALG_LINEAR_PATH_HPP
#define IVP_LINALG_LINEAR_PATH_HPP

#include "base/thread_team.hpp"
#include "shifted_lu.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace ivp {

/// M, given either as the constant mass matrix of M y' = f or as the matrix dG/dy' of an implicit equation, stored like J.
template <class R>
struct mass_source {
    const mass_matrix<R>* constant = nullptr; ///< null: it is evaluated
    matrix_view<R> evaluated{};
};

/// What every path is made from.
template <class R>
struct path_request {
    matrix_view<R> jacobian;
    mass_source<R> mass;
    int reals;
    int complexes;
    algebra path = algebra::automatic; ///< krylov, or whatever follows from the way J is stored
    ivp::reduction reduction{};
    matrix_view<R> imaginary_jacobian{}; ///< dense paths: J + i times this for the complex shifts; no data: none
};

/// The pieces for one matrix may run at the same time for different k.
template <class R>
class linear_path {
public:
    virtual ~linear_path() = default;
    [[nodiscard]] virtual bool factor_real(int k, const R& c) = 0;
    [[nodiscard]] virtual bool factor_complex(int k, const complex_shift<R>& c) = 0;
    virtual void solve_real(int k, R* b) const = 0;
    virtual void solve_complex(int k, R* b_re, R* b_im) const = 0;

    /// x = (c_k M − J)^-1 (a + b) for a real shift; a path that can add while it reads overrides this.
    virtual void solve_sum(int k, int n, const R* a, const R* b, R* x) const
    {
        for (int i = 0; i < n; ++i) x[i] = a[i] + b[i];
        solve_real(k, x);
    }

    /// All matrices; a path that gains from treating them together overrides these two.
    [[nodiscard]] virtual bool factor(std::span<const R> reals, std::span<const complex_shift<R>> complexes)
    {
        if (team_ != nullptr) return factor_together(reals, complexes);
        for (std::size_t k = 0; k < reals.size(); ++k)
            if (!factor_real(static_cast<int>(k), reals[k])) return false;
        for (std::size_t k = 0; k < complexes.size(); ++k)
            if (!factor_complex(static_cast<int>(k), complexes[k])) return false;
        return true;
    }
    /// b: one vector for each real shift, then real and imaginary part for each complex one.
    [[gnu::noinline]] virtual void solve_all(int reals, int complexes, R* const* b) const // inlined, it would burden the calls of the others
    {
        if (team_ != nullptr) return solve_together(reals, complexes, b);
        for (int k = 0; k < reals; ++k) solve_real(k, b[k]);
        for (int k = 0; k < complexes; ++k) solve_complex(k, b[reals + 2 * k], b[reals + 2 * k + 1]);
    }

    /// Of the solves that follow; only a path that iterates asks for it.
    virtual void set_accuracy(const solve_accuracy<R>& /*accuracy*/) {}
    /// Of the factorisations that follow.
    virtual void set_preconditioning(const preconditioning& /*choice*/) {}
    virtual void set_product(jacobian_product<R> /*product*/) {}
    virtual void set_preconditioner(const preconditioner_maker<R>& /*make*/) {}

    [[nodiscard]] virtual lu_events events() const { return {}; }

    /// Threads that factor and solve different matrices at the same time.
    void set_team(thread_team* team) { team_ = team; }

private:
    // The complex matrices come first: each has more work than a real one.
    [[nodiscard]] bool factor_together(std::span<const R> reals, std::span<const complex_shift<R>> complexes)
    {
        const int first = static_cast<int>(complexes.size());
        const int matrices = first + static_cast<int>(reals.size());
        std::array<bool, thread_team::most_tasks> done{};
        team_->each(matrices, [&](int k) { done[k] = k < first ? factor_complex(k, complexes[k]) : factor_real(k - first, reals[k - first]); });
        return std::all_of(done.begin(), done.begin() + matrices, [](bool d) { return d; });
    }
    void solve_together(int reals, int complexes, R* const* b) const
    {
        team_->each(reals + complexes, [&](int k) {
            if (k < complexes)
                solve_complex(k, b[reals + 2 * k], b[reals + 2 * k + 1]);
            else
                solve_real(k - complexes, b[k - complexes]);
        });
    }

    thread_team* team_ = nullptr;
};

template <class R>
std::unique_ptr<linear_path<R>> make_dense_path(const path_request<R>& request);
/// Dense, at most kernels::largest_small equations.
std::unique_ptr<linear_path<double>> make_small_path(const path_request<double>& request);
/// Dense, more, and at most kernels::largest_middle.
std::unique_ptr<linear_path<double>> make_middle_path(const path_request<double>& request);
template <class R>
std::unique_ptr<linear_path<R>> make_band_path(const path_request<R>& request);
/// Every entry of M is one of the pattern.
template <class R>
std::unique_ptr<linear_path<R>> make_sparse_path(const path_request<R>& request);

/// The same for many unknowns, in builds that have AMD and KLU: by dense matrices where it can, by KLU where that has far less to do. Throws
/// bad_request if the factors would not fit into memory.
std::unique_ptr<linear_path<double>> make_large_path(const path_request<double>& request);
std::unique_ptr<linear_path<double>> make_frontal_path(const path_request<double>& request);
std::unique_ptr<linear_path<double>> make_klu_path(const path_request<double>& request);
/// Whether the factors of so many matrices fit into the memory that is free; complex ones count twice.
bool factors_fit(const sparsity& pattern, int matrices);
/// Multiplications of a factorisation by KLU, as far as they can be known beforehand; not finite: they cannot.
double klu_multiplications(const sparsity& pattern);

/// A sparse matrix by GMRES with ILU(0). Throws bad_request for a matrix that lacks an entry on its diagonal.
std::unique_ptr<linear_path<double>> make_krylov_path(const path_request<double>& request);

/// M constant; the first m1 rows of M are those of the identity, and the others have nothing in the first m1 columns.
template <class R>
std::unique_ptr<linear_path<R>> make_chained_path(const path_request<R>& request);
/// M the identity.
template <class R>
std::unique_ptr<linear_path<R>> make_hessenberg_path(const path_request<R>& request);

} // namespace ivp

#endif
