// newton_matrix: J, and the factors of c M − J, one real matrix.
#ifndef IVP_SOLVERS_COMMON_NEWTON_MATRIX_HPP
#define IVP_SOLVERS_COMMON_NEWTON_MATRIX_HPP

#include "difference_jacobian.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <array>
#include <optional>

namespace ivp::solvers {

class newton_matrix {
public:
    newton_matrix(evaluator& e, const solve_options& o, const linear_work& work = {}, const reduction& reduced = {})
        : e_(e),
          path_(choose_algebra(o.algebra, e.iteration_structure(), e.n(), work)),
          jacobian_(path_, e.iteration_structure(), e.n()),
          lu_(jacobian_, e.mass(), 1, 0, e.count(), reduced)
    {
        if (o.jacobian == jacobian_source::differences || !e.has_exact_jacobian())
            differences_.emplace(e.problem(), e.iteration_structure(), path_, o);
    }

    [[nodiscard]] algebra path() const { return path_; }
    [[nodiscard]] bool by_differences() const { return differences_.has_value(); }
    [[nodiscard]] const jacobian_matrix<double>& jacobian() const { return jacobian_; }

    /// J at (t, y), where f(t, y) = f; increment(y_j), or increment(y_j, j), is the solver's own rule for difference quotients.
    template <class Increment>
    [[nodiscard]] evaluation linearise(double t, const double* y, const double* f, Increment increment)
    {
        return differences_ ? (*differences_)(e_, t, y, f, increment, jacobian_.view()) : e_.jacobian(t, y, jacobian_.view());
    }
    /// False: singular.
    [[nodiscard]] bool factor(double c) { return lu_.factor(std::array{c}, {}); }
    /// Of the solves that follow: root mean square of the error of x, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const double* weights, double tolerance)
    {
        if (path_ == algebra::krylov) lu_.set_accuracy({weights, tolerance});
    }
    /// Not counted here. b: whole groups.
    void solve(double* b) const { lu_.solve_real(0, b); }
    [[nodiscard]] const shifted_lu<double>& lu() const { return lu_; }

private:
    evaluator& e_;
    algebra path_;
    jacobian_matrix<double> jacobian_;
    shifted_lu<double> lu_;
    std::optional<difference_jacobian> differences_;
};

} // namespace ivp::solvers

#endif
