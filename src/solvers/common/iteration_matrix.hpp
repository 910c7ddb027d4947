// iteration_matrix: what every implicit method does with the matrices c_k M − J of its iteration: it linearises, factors and solves.
//
// J comes from the problem or from difference quotients with the solver's own increments; the shifts c_k, real and complex, share it. How J is kept,
// dense, band or sparse, is chosen once.
#ifndef IVP_SOLVERS_COMMON_ITERATION_MATRIX_HPP
#define IVP_SOLVERS_COMMON_ITERATION_MATRIX_HPP

#include "difference_jacobian.hpp"
#include "krylov_setup.hpp"
#include "linalg/shifted_lu.hpp"
#include "simd/components.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace ivp::solvers {

/// The increment for difference quotients of the one-step codes: √(u max(10^-5, |y|)).
template <class R>
struct root_increment {
    R roundoff;
    R operator()(const R& y) const
    {
        using std::abs;
        using std::sqrt;
        return R(sqrt(roundoff * std::max(R(1e-5), R(abs(y)))));
    }
};

/// Where M comes from.
enum class matrix_mass {
    problem,  ///< M y' = f
    none,     ///< J is the whole matrix
    evaluated ///< dG/dy' of an implicit equation, stored like J
};

struct matrix_request {
    int real_shifts = 1;
    int complex_shifts = 0;
    linear_work work{};
    matrix_mass mass = matrix_mass::problem;
    bool eliminates_chain = false; ///< the unknowns of a derivative_chain are eliminated beforehand
    bool hessenberg = false;
};

/// J = df/dy, from the problem or from difference quotients.
template <class R>
class basic_linearisation {
public:
    basic_linearisation(basic_evaluator<R>& e, const solve_options& o, algebra path, const structure& known)
        : e_(e), path_(path), jacobian_(path, known, e.n())
    {
        if (o.jacobian == jacobian_source::differences || !e.has_exact_jacobian()) differences_.emplace(e.problem(), known, path, o);
    }
    basic_linearisation(const basic_linearisation&) = delete;
    basic_linearisation& operator=(const basic_linearisation&) = delete;

    [[nodiscard]] algebra path() const { return path_; }
    [[nodiscard]] bool by_differences() const { return differences_.has_value(); }
    [[nodiscard]] const matrix_view<R>& jacobian() const { return jacobian_.view(); }

    /// J at (t, y), where f(t, y) = f; increment(y_j), or increment(y_j, j), is the solver's own rule for difference quotients.
    template <class Increment>
    [[nodiscard]] evaluation linearise(const R& t, const R* y, const R* f, const Increment& increment)
    {
        return differences_ ? (*differences_)(e_, t, y, f, increment, jacobian_.view()) : e_.jacobian(t, y, jacobian_.view());
    }
    /// The difference quotients of any function of the problem's structure, for what linearise() does not do; only by_differences().
    [[nodiscard]] basic_difference_jacobian<R>& differences() { return *differences_; }

protected:
    basic_evaluator<R>& e_;
    algebra path_;
    jacobian_matrix<R> jacobian_;

private:
    std::optional<basic_difference_jacobian<R>> differences_;
};

template <class R>
class basic_iteration_matrix : public basic_linearisation<R> {
public:
    basic_iteration_matrix(basic_evaluator<R>& e, const solve_options& o, const matrix_request& q = {})
        : basic_linearisation<R>(e, o, choose_algebra(asked(e, o, q), e.iteration_structure(), e.n(), work(e, q)), e.iteration_structure()),
          slope_jacobian_(make_slope_jacobian(q)),
          no_mass_(mass_matrix<R>::diagonal(std::vector<R>(q.mass == matrix_mass::none ? e.n() : 0, R(0)))),
          lu_(make_lu(q)),
          krylov_(e, o, path_, q.mass == matrix_mass::problem && q.real_shifts == 1 && (q.complex_shifts == 0 || o.threads < 2),
                  q.mass == matrix_mass::problem, lu_)
    {
        lu_.set_team(e.team());
    }

    /// J at (t, y), where f(t, y) = f; increment(y_j), or increment(y_j, j), is the solver's own rule for difference quotients.
    template <class Increment>
    [[nodiscard]] evaluation linearise(const R& t, const R* y, const R* f, const Increment& increment)
    {
        if (krylov_.needs_jacobian())
            if (const evaluation e = basic_linearisation<R>::linearise(t, y, f, increment); e != evaluation::ok) return e;
        return krylov_.linearise(t, y);
    }

    /// For a solver that evaluates J itself: where it did.
    [[nodiscard]] evaluation linearised_at(const R& t, const R* y) { return krylov_.linearise(t, y); }

    [[nodiscard]] const matrix_view<R>& slope_jacobian() const { return slope_jacobian_->view(); } ///< only if it is evaluated
    [[nodiscard]] lu_events events() const { return lu_.events(); }

    /// False: singular. All matrices of a call count as one factorisation.
    [[nodiscard]] bool factor(const R& c) { return lu_.factor(std::array{c}, {}); }
    [[nodiscard]] bool factor(std::span<const R> reals, std::span<const complex_shift<R>> complexes) { return lu_.factor(reals, complexes); }
    /// One of several real matrices, not counted; different k may run at the same time.
    [[nodiscard]] bool factor_real(int k, const R& c) { return lu_.factor_real(k, c); }

    /// Of the solves that follow: root mean square of the error of x, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const R* inverse_weights, const R& tolerance)
    {
        if (path_ == algebra::krylov) lu_.set_accuracy({inverse_weights, tolerance});
    }

    /// b ← (c_k M − J)^-1 b, padded; counted by the caller, who knows what belongs together. Different k may run at the same time.
    simd::just_written<R> solve(R* b, int k = 0) const
    {
        lu_.solve_real(k, b);
        return simd::just_written<R>(b);
    }
    /// x = (c_k M − J)^-1 (a + b): spares few equations the way of the sum through memory.
    simd::just_written<R> solve_sum(const R* a, const R* b, R* x) const
    {
        lu_.solve_sum(0, a, b, x);
        return simd::just_written<R>(x);
    }
    /// The systems of all shifts: a right-hand side for each real one, then real and imaginary part for each complex one.
    void solve_all(std::span<R* const> b) const { lu_.solve_all(b); }

private:
    static linear_work work(basic_evaluator<R>& e, const matrix_request& q)
    {
        linear_work w = q.work;
        if (q.eliminates_chain) w.eliminated = e.problem().info().chain.m1;
        return w;
    }
    /// Hessenberg form is one of dense matrices.
    static algebra asked(basic_evaluator<R>& e, const solve_options& o, const matrix_request& q)
    {
        const bool band = e.iteration_structure().kind == structure_kind::band; // refused, in words, where the reduction is chosen
        return q.hessenberg && o.algebra == algebra::automatic && !band ? algebra::dense : o.algebra;
    }
    [[nodiscard]] std::optional<jacobian_matrix<R>> make_slope_jacobian(const matrix_request& q) const
    {
        if (q.mass != matrix_mass::evaluated) return std::nullopt;
        return std::optional<jacobian_matrix<R>>(std::in_place, path_, e_.iteration_structure(), e_.n());
    }
    shifted_lu<R> make_lu(const matrix_request& q)
    {
        if (q.mass == matrix_mass::evaluated) return {jacobian_, *slope_jacobian_, q.real_shifts, q.complex_shifts, e_.count()};
        const mass_matrix<R>& mass = q.mass == matrix_mass::none ? no_mass_ : e_.mass();
        const derivative_chain chain = q.eliminates_chain ? e_.problem().info().chain : derivative_chain{};
        return {jacobian_, mass, q.real_shifts, q.complex_shifts, e_.count(), choose_reduction(chain, q.hessenberg, jacobian_, mass)};
    }

    using basic_linearisation<R>::e_;
    using basic_linearisation<R>::path_;
    using basic_linearisation<R>::jacobian_;
    std::optional<jacobian_matrix<R>> slope_jacobian_;
    mass_matrix<R> no_mass_;
    shifted_lu<R> lu_;
    krylov_setup<R> krylov_;
};

using linearisation = basic_linearisation<double>;
using iteration_matrix = basic_iteration_matrix<double>;

} // namespace ivp::solvers

#endif
