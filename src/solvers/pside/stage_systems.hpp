// stage_systems: the equations of a problem as PSIDE sees them, with the four matrices M + h d_s J of its iteration.
//
// An ODE or DAE is taken as it is, with the residual f − M y'; only an IDE evaluates G and both of its partial derivatives. With
// c_s = 1/(h d_s) the matrices of the two cases are c_s M − df/dy and −c_s dG/dy' − dG/dy: one sign apart, and so are the formulas.
#ifndef IVP_SOLVERS_PSIDE_STAGE_SYSTEMS_HPP
#define IVP_SOLVERS_PSIDE_STAGE_SYSTEMS_HPP

#include "coefficients.hpp"
#include "simd/components.hpp"
#include "solvers/common/iteration_matrix.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers::pside_method {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

class stage_systems {
public:
    stage_systems(evaluator& e, const solve_options& o)
        : e_(e),
          n_(e.n()),
          is_ide_(e.problem().info().form == form::ide),
          matrix_(e, o, {.real_shifts = stages, .work = {.real_matrices = stages}, .mass = is_ide_ ? matrix_mass::evaluated : matrix_mass::problem}),
          base_(matrix_.by_differences() ? n_ : 0)
    {}

    [[nodiscard]] algebra path() const { return matrix_.path(); }

    /// out = f − M y', or G. Any thread; product is working memory. All vectors are padded.
    evaluation residual(double t, const double* y, const double* yp, double* product, double* out)
    {
        if (is_ide_) return e_.g(t, y, yp, out);
        const evaluation answer = e_.f(t, y, out);
        const double* slope = yp;
        if (e_.mass().kind() != mass_kind::identity) {
            e_.mass().multiply(yp, product);
            slope = product;
        }
        simd::for_components<double>(n_, [&](auto at) { at(out) = at(simd::just_written<double>(out)) - at(slope); });
        return answer;
    }

    /// The partial derivatives at (t, y, y').
    evaluation linearise(double t, const double* y, const double* yp)
    {
        if (const evaluation e = matrix_.linearised_at(t, y); e != evaluation::ok) return e;
        if (!matrix_.by_differences()) {
            if (is_ide_) return e_.both_partials(t, y, yp, matrix_.jacobian(), matrix_.slope_jacobian());
            return e_.jacobian(t, y, matrix_.jacobian());
        }
        ++e_.count().jacobian;
        const auto increment = [](double x) { return std::sqrt(unit_roundoff) * std::max(std::abs(x), 1e-5); };
        const auto of_y = [&](const double* x, double* out) { return is_ide_ ? e_.g_for_jacobian(t, x, yp, out) : e_.f_for_jacobian(t, x, out); };
        const auto of_yp = [&](const double* x, double* out) { return e_.g_for_jacobian(t, y, x, out); };
        evaluation answer = of_y(y, base_.data());
        if (answer == evaluation::ok) answer = matrix_.differences().quotients(y, base_.data(), increment, of_y, matrix_.jacobian());
        if (answer == evaluation::ok && is_ide_)
            answer = matrix_.differences().quotients(yp, base_.data(), increment, of_yp, matrix_.slope_jacobian());
        return answer;
    }

    /// Factors the matrix of stage s, with shift = 1/(h d_s); different stages may run at the same time. False: singular.
    [[nodiscard]] bool factor(int s, double shift) { return matrix_.factor_real(s, is_ide_ ? -shift : shift); }

    /// Of the solves that follow: root mean square of the error of x, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const double* inverse_weights, double tolerance) { matrix_.set_accuracy(inverse_weights, tolerance); }
    /// x = −(M + h d_s J)^-1 x / shift; different stages may run at the same time.
    simd::just_written<double> solve(int s, double* x) const { return matrix_.solve(x, s); }

    /// out −= factor M x, with the sign that belongs to the matrix of solve(). product is working memory.
    void subtract_mass_times(double factor, const double* x, double* product, double* out) const
    {
        if (is_ide_)
            multiply(matrix_.slope_jacobian(), x, product);
        else
            e_.mass().multiply(x, product);
        const double signed_factor = is_ide_ ? -factor : factor;
        simd::for_components<double>(n_, [&](auto at) { at(out) -= signed_factor * at(product); });
    }

private:
    static void multiply(const matrix_view<double>& m, const double* x, double* out)
    {
        std::fill(out, out + m.n, 0.0);
        for (int j = 0; j < m.n; ++j) {
            if (m.kind == structure_kind::sparse) {
                for (int p = m.pattern->column_start[j]; p < m.pattern->column_start[j + 1]; ++p) out[m.pattern->row[p]] += m.data[p] * x[j];
                continue;
            }
            const bool full = m.kind == structure_kind::full;
            const int first = full ? 0 : std::max(0, j - m.upper);
            const int last = full ? m.n - 1 : std::min(m.n - 1, j + m.lower);
            const double* column = m.data + m.position(first, j);
            for (int i = first; i <= last; ++i) out[i] += column[i - first] * x[j];
        }
    }

    evaluator& e_;
    int n_;
    bool is_ide_;
    iteration_matrix matrix_;  ///< of df/dy, or of dG/dy and dG/dy'
    std::vector<double> base_; ///< the value that differences are taken from
};

} // namespace ivp::solvers::pside_method

#endif
