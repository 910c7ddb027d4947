// implicit_system: G(t, y, y') = 0 for the methods that iterate on it, whatever form the problem has (G = M y' − f of an ODE or DAE),
// with the matrix dG/dy + c dG/dy' of the iteration.
#ifndef IVP_SOLVERS_COMMON_IMPLICIT_SYSTEM_HPP
#define IVP_SOLVERS_COMMON_IMPLICIT_SYSTEM_HPP

#include "iteration_matrix.hpp"
#include "simd/components.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

namespace ivp::solvers {

class implicit_system {
public:
    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    implicit_system(evaluator& e, const solve_options& o, Memory&... memory)
        : e_(e),
          n_(e.n()),
          is_ide_(e.problem().info().form == form::ide),
          matrix_(e, o, {.mass = is_ide_ ? matrix_mass::none : matrix_mass::problem}),
          product_(n_, memory...)
    {}

    [[nodiscard]] algebra path() const { return matrix_.path(); }
    [[nodiscard]] bool by_differences() const { return matrix_.by_differences(); }

    /// out = G(t, y, y'). All vectors are padded.
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
        double* const work = product_.data();
        if (is_ide_) {
            if (!by_differences()) return e_.partials(t, y, yp, 1.0, c, matrix_.jacobian());
            ++e_.count().jacobian;
            const auto residual = [&](const double* disturbed, double* out) {
                for (int i = 0; i < n_; ++i) work[i] = yp[i] + c * (disturbed[i] - y[i]);
                return e_.g_for_jacobian(t, disturbed, work, out);
            };
            return matrix_.differences().quotients(y, g, increment, residual, matrix_.jacobian());
        }
        // M y' is linear: what remains of the quotients of G are those of f = M y' − G.
        if (by_differences()) {
            e_.mass().multiply(yp, work);
            for (int i = 0; i < n_; ++i) work[i] -= g[i];
        }
        return matrix_.linearise(t, y, work, increment);
    }

    /// Factors dG/dy + c dG/dy'; of an IDE with the c of linearise(). False: singular.
    [[nodiscard]] bool factor(double c) { return matrix_.factor(is_ide_ ? 0.0 : c); }

    /// Of the solves that follow: root mean square of the error of b, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const double* inverse_weights, double tolerance) { matrix_.set_accuracy(inverse_weights, tolerance); }

    /// b = factor · (dG/dy + c dG/dy')^-1 b
    simd::just_written<double> solve(double factor, double* b)
    {
        // The matrix of an IDE is stored with the opposite sign: 0 − P.
        const double signed_factor = is_ide_ ? -factor : factor;
        if (signed_factor != 1) simd::for_components<double>(n_, [&](auto at) { at(b) *= signed_factor; });
        ++e_.count().solve;
        return matrix_.solve(b);
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
        simd::for_components<double>(n_, [&](auto at) { at(out) = at(slope) - at(simd::just_written<double>(out)); });
        return answer;
    }

    evaluator& e_;
    int n_;
    bool is_ide_;
    iteration_matrix matrix_; ///< its J is df/dy; of an IDE the whole matrix
    simd::padded_vector<double> product_;
};

} // namespace ivp::solvers

#endif
