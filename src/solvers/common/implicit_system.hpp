// implicit_system: G(t, y, y') = 0 for the methods that iterate on it, whatever form the problem has (G = M y' − f of an ODE or DAE),
// with the matrix dG/dy + c dG/dy' of the iteration.
#ifndef IVP_SOLVERS_COMMON_IMPLICIT_SYSTEM_HPP
#define IVP_SOLVERS_COMMON_IMPLICIT_SYSTEM_HPP

#include "difference_jacobian.hpp"
#include "lanes.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <array>
#include <optional>
#include <vector>

namespace ivp::solvers {

class implicit_system {
public:
    implicit_system(evaluator& e, const solve_options& o)
        : e_(e),
          n_(e.n()),
          is_ide_(e.problem().info().form == form::ide),
          path_(choose_algebra(o.algebra, e.iteration_structure(), n_)),
          jacobian_(path_, e.iteration_structure(), n_),
          no_mass_(mass_matrix<double>::diagonal(std::vector<double>(n_, 0.0))),
          lu_(jacobian_, is_ide_ ? no_mass_ : e.mass(), 1, 0, e.count()),
          product_(n_)
    {
        if (o.jacobian == jacobian_source::differences || !e.has_exact_jacobian())
            differences_.emplace(e.problem(), e.iteration_structure(), path_, o);
    }

    [[nodiscard]] algebra path() const { return path_; }
    [[nodiscard]] bool by_differences() const { return differences_.has_value(); }

    /// out = G(t, y, y'). Vectors: whole groups.
    evaluation residual(double t, const double* y, const double* yp, double* out)
    {
        if (is_ide_) return e_.g(t, y, yp, out);
        return subtract_from_slope(e_.f(t, y, out), yp, out);
    }
    /// The same, counted as spent on difference quotients.
    evaluation residual_for_differences(double t, const double* y, const double* yp, double* out)
    {
        if (is_ide_) return e_.g_for_jacobian(t, y, yp, out);
        return subtract_from_slope(e_.f_for_jacobian(t, y, out), yp, out);
    }

    /// Evaluates the partial derivatives at (t, y, y'), where G = g. increment(y_j, j): the solver's own rule for difference quotients;
    /// y_j' is disturbed together with y_j, c times as much.
    template <class Increment>
    evaluation linearise(double t, const double* y, const double* yp, double c, const double* g, Increment increment)
    {
        if (!differences_) return is_ide_ ? e_.partials(t, y, yp, 1.0, c, jacobian_.view()) : e_.jacobian(t, y, jacobian_.view());
        double* const work = product_.data();
        if (is_ide_) {
            ++e_.count().jacobian;
            const auto residual = [&](const double* disturbed, double* out) {
                for (int i = 0; i < n_; ++i) work[i] = yp[i] + c * (disturbed[i] - y[i]);
                return e_.g_for_jacobian(t, disturbed, work, out);
            };
            return differences_->quotients(y, g, increment, residual, jacobian_.view());
        }
        // M y' is linear: what remains of the quotients of G are those of f = M y' − G.
        e_.mass().multiply(yp, work);
        for (int i = 0; i < n_; ++i) work[i] -= g[i];
        return (*differences_)(e_, t, y, work, increment, jacobian_.view());
    }

    /// Factors dG/dy + c dG/dy'; of an IDE with the c of linearise(). False: singular.
    [[nodiscard]] bool factor(double c) { return lu_.factor(std::array{is_ide_ ? 0.0 : c}, {}); }

    /// Of the solves that follow: root mean square of the error of b, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const double* weights, double tolerance)
    {
        if (path_ == algebra::krylov) lu_.set_accuracy({weights, tolerance});
    }

    /// b = factor · (dG/dy + c dG/dy')^-1 b
    void solve(double factor, double* b)
    {
        // The matrix of an IDE is stored with the opposite sign: 0 − P.
        const double signed_factor = is_ide_ ? -factor : factor;
        if (signed_factor != 1)
            for (int g = 0; g < groups_of(n_); ++g) store(b, g, load(b, g) * signed_factor);
        lu_.solve_real(0, b);
        ++e_.count().solve;
    }

private:
    // out = M y' − out
    evaluation subtract_from_slope(evaluation answer, const double* yp, double* out)
    {
        const double* slope = yp;
        if (e_.mass().kind() != mass_kind::identity) {
            e_.mass().multiply(yp, product_.data());
            slope = product_.data();
        }
        for (int g = 0; g < groups_of(n_); ++g) store(out, g, load(slope, g) - load_one_by_one(out, g));
        return answer;
    }

    evaluator& e_;
    int n_;
    bool is_ide_;
    algebra path_;
    jacobian_matrix<double> jacobian_; ///< df/dy; of an IDE the whole matrix
    mass_matrix<double> no_mass_;
    shifted_lu<double> lu_;
    std::optional<difference_jacobian> differences_;
    lane_vector product_;
};

} // namespace ivp::solvers

#endif
