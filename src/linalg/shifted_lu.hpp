// shifted_lu: the systems (c_k M − J) x = b of an implicit method, for several shifts c_k that share J and M.
//
// A solver never knows whether the matrices are dense, band or sparse: it lets the evaluator write J into a jacobian_matrix, factors
// all its shifts in one call (one LU in the sense of its counters), and solves. This is the only place that factorises.
#ifndef IVP_SRC_LINALG_SHIFTED_LU_HPP
#define IVP_SRC_LINALG_SHIFTED_LU_HPP

#include <ivp/work_memory.hpp>

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace ivp {

/// What a method does with its matrices between two Jacobians, on average: decides which path is the fastest.
struct linear_work {
    int complex_matrices = 0; ///< beside each real one
    double solves = 6;        ///< for each factorisation
    int real_matrices = 1;
    int eliminated = 0; ///< unknowns that a dense matrix is freed from before (derivative_chain)
};

/// The path that serves a structure: what was asked for, or the best for it. Throws bad_request where the request cannot be met, such as a band for
/// a full matrix.
algebra choose_algebra(algebra asked, const structure& iteration_structure, int n, const linear_work& work = {});

/// Storage for J, laid out for the chosen path.
template <class R>
class jacobian_matrix {
public:
    jacobian_matrix(algebra path, const structure& iteration_structure, int n);
    // A copy's view would write into the original.
    jacobian_matrix(const jacobian_matrix&) = delete;
    jacobian_matrix(jacobian_matrix&&) noexcept = default;
    jacobian_matrix& operator=(const jacobian_matrix&) = delete;
    jacobian_matrix& operator=(jacobian_matrix&&) noexcept = default;

    [[nodiscard]] const matrix_view<R>& view() const { return view_; }
    [[nodiscard]] int n() const { return view_.n; }
    [[nodiscard]] algebra path() const { return path_; }

private:
    algebra path_;
    std::shared_ptr<const sparsity> pattern_; // what view_ points to
    work_vector<R> values_;
    matrix_view<R> view_;
};

template <class R>
struct complex_shift {
    R re;
    R im;
};

/// Ways to make a dense factorisation smaller.
struct reduction {
    derivative_chain chain;  ///< the unknowns of y_i' = y_{i+m2} are eliminated beforehand
    bool hessenberg = false; ///< full J, M the identity: J is brought to Hessenberg form once, which pays with many shifts for each Jacobian
};

/// How near the solution of a linear system must be, for paths that iterate: the root mean square of its error, each component times its weight.
template <class R>
struct solve_accuracy {
    const R* weights = nullptr; ///< read in every solve; null: all digits that the iteration can give
    R tolerance{};
};

/// What a linear solve by iteration may leave of the tolerance of the Newton iteration around it.
constexpr double linear_fraction = 0.05;

/// What an iteration (algebra krylov) consists of. The numbers are those of the options.
struct preconditioning {
    enum kinds {
        ilu0,         ///< incomplete factors of the whole matrix, with no entries beside its own
        block_jacobi, ///< the same of its diagonal blocks: complete factors if a block is full, or a band
        none,
        user ///< given from outside: set_preconditioner()
    };
    enum sources { by_matrix, by_differences, by_duals };

    int kind = ilu0;
    int block = 1;            ///< block_jacobi: consecutive unknowns that form a block
    int products = by_matrix; ///< where J times a vector comes from; not by_matrix: set_product()
};

/// out_k = J v_k for one or two directions, the parts of a complex one. False: it cannot be had.
template <class R>
using jacobian_product = std::function<bool(std::span<const R* const> v, std::span<R* const> out)>;

/// A preconditioner from outside for one matrix c M − J with real c.
template <class R>
class given_preconditioner {
public:
    given_preconditioner() = default;
    given_preconditioner(const given_preconditioner&) = delete;
    given_preconditioner& operator=(const given_preconditioner&) = delete;
    virtual ~given_preconditioner() = default;
    [[nodiscard]] virtual bool factor(const R& c) = 0;
    /// x near (c M − J)^-1 b. False: it cannot be had.
    [[nodiscard]] virtual bool solve(const R* b, R* x) = 0;
};
template <class R>
using preconditioner_maker = std::function<std::unique_ptr<given_preconditioner<R>>()>;

/// What a sparse path did beside its fixed order of pivots, and an iterative one altogether; all zero on the other paths.
struct lu_events {
    int reorderings = 0;          ///< orders made from the numbers, because the one before did not suit them (these allocate)
    int dense_factorisations = 0; ///< matrices that no order suited
    std::uint64_t krylov_iterations = 0;
    std::uint64_t unconverged = 0; ///< solves by iteration that did not reach their accuracy
    std::uint64_t preconditioner_solves = 0;

    lu_events& operator+=(const lu_events& other)
    {
        reorderings += other.reorderings;
        dense_factorisations += other.dense_factorisations;
        krylov_iterations += other.krylov_iterations;
        unconverged += other.unconverged;
        preconditioner_solves += other.preconditioner_solves;
        return *this;
    }
};
/// The reduction for a problem: Hessenberg form where it is asked for, else the problem's own chain. Throws bad_request where Hessenberg form
/// is not possible: band matrices, a mass matrix.
template <class R>
reduction choose_reduction(const derivative_chain& chain, bool hessenberg, const jacobian_matrix<R>& j, const mass_matrix<R>& m);

template <class R>
class shifted_lu {
public:
    /// The references must outlive this object. Nothing is allocated after construction.
    shifted_lu(const jacobian_matrix<R>& j, const mass_matrix<R>& m, int real_shifts, int complex_shifts, counters& count, const reduction& r = {});
    /// For implicit equations: M is itself evaluated (dG/dy'), stored like J.
    shifted_lu(const jacobian_matrix<R>& j, const jacobian_matrix<R>& m, int real_shifts, int complex_shifts, counters& count);
    ~shifted_lu();
    shifted_lu(shifted_lu&& other) noexcept;
    shifted_lu& operator=(shifted_lu&& other) = delete;

    /// Factors c M − J for every shift; at most as many as the object was made for. False if one of them is exactly singular or not finite; no
    /// solve is allowed then. Counted as one LU when all succeed.
    [[nodiscard]] bool factor(std::span<const R> real_shifts, std::span<const complex_shift<R>> complex_shifts);

    /// One real matrix alone, not counted; for solvers that spread their matrices over threads: different k may run at the same time.
    [[nodiscard]] bool factor_real(int k, const R& shift);

    /// x = (c_k M − J)^-1 b, in place. Different k may run at the same time.
    void solve_real(int k, R* b) const;
    /// The same for a complex shift; real and imaginary parts apart.
    void solve_complex(int k, R* b_re, R* b_im) const;
    /// x = (c_k M − J)^-1 (a + b) for a real shift, which spares few equations the way of the sum through memory. x may be a or b.
    void solve_sum(int k, const R* a, const R* b, R* x) const;
    /// All systems of factor() in one call, which is faster than one after the other: a right-hand side for each real shift, then real and
    /// imaginary part for each complex one.
    void solve_all(std::span<R* const> b) const;

    /// Of all solves that follow. The weights must outlive them, and may change between them. Paths that factor the whole matrix take no notice.
    void set_accuracy(const solve_accuracy<R>& accuracy);
    /// Of all factorisations that follow; paths that factor the whole matrix take no notice.
    void set_preconditioning(const preconditioning& choice);
    /// Of all solves that follow: J times a vector, instead of the product with the entries of J. Only an iteration takes notice, and only if M is
    /// constant.
    void set_product(jacobian_product<R> product);
    /// Of all factorisations that follow: one of these for each matrix, instead of incomplete factors. For a complex shift it gets the modulus of the
    /// shift, and real and imaginary parts one after the other.
    void set_preconditioner(const preconditioner_maker<R>& make);

    /// Threads that share the matrices of factor() and solve_all(), if these are large enough and the path treats them apart.
    void set_team(thread_team* team);

    /// Not while a factorisation is running.
    [[nodiscard]] lu_events events() const;

private:
    struct implementation;
    std::unique_ptr<implementation> impl_;
};

} // namespace ivp

#endif
