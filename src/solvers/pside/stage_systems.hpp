// stage_systems: the equations of a problem as PSIDE sees them, with the four matrices M + h d_s J of its iteration.
//
// An ODE or DAE is taken as it is, with the residual f − M y'; only an IDE evaluates G and both of its partial derivatives. With
// c_s = 1/(h d_s) the matrices of the two cases are c_s M − df/dy and −c_s dG/dy' − dG/dy: one sign apart, and so are the formulas.
#ifndef IVP_SOLVERS_PSIDE_STAGE_SYSTEMS_HPP
#define IVP_SOLVERS_PSIDE_STAGE_SYSTEMS_HPP

#include "coefficients.hpp"
#include "linalg/shifted_lu.hpp"
#include "solvers/common/componentwise.hpp"
#include "solvers/common/difference_jacobian.hpp"
#include "solvers/common/krylov_setup.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace ivp::solvers::pside_method {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

class stage_systems {
public:
    stage_systems(evaluator& e, const solve_options& o)
        : e_(e),
          n_(e.n()),
          is_ide_(e.problem().info().form == form::ide),
          path_(choose_algebra(o.algebra, e.iteration_structure(), n_, linear_work{.real_matrices = stages})),
          jacobian_(path_, e.iteration_structure(), n_),
          slope_jacobian_(make_slope_jacobian()),
          lu_(make_lu()),
          krylov_(e, o, path_, false, lu_) // its threads solve at the same time
    {
        if (o.jacobian != jacobian_source::differences && e.has_exact_jacobian()) return;
        differences_.emplace(e.problem(), e.iteration_structure(), path_, o);
        base_.resize(n_);
    }

    [[nodiscard]] algebra path() const { return path_; }

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
        for_components<double>(n_, [&](auto at) { at.put(out, at.one_by_one(out) - at(slope)); });
        return answer;
    }

    /// The partial derivatives at (t, y, y').
    evaluation linearise(double t, const double* y, const double* yp)
    {
        if (!differences_) {
            if (is_ide_) return e_.both_partials(t, y, yp, jacobian_.view(), slope_jacobian_->view());
            return e_.jacobian(t, y, jacobian_.view());
        }
        ++e_.count().jacobian;
        const auto increment = [](double x) { return std::sqrt(unit_roundoff) * std::max(std::abs(x), 1e-5); };
        const auto of_y = [&](const double* x, double* out) { return is_ide_ ? e_.g_for_jacobian(t, x, yp, out) : e_.f_for_jacobian(t, x, out); };
        const auto of_yp = [&](const double* x, double* out) { return e_.g_for_jacobian(t, y, x, out); };
        evaluation answer = of_y(y, base_.data());
        if (answer == evaluation::ok) answer = differences_->quotients(y, base_.data(), increment, of_y, jacobian_.view());
        if (answer == evaluation::ok && is_ide_) answer = differences_->quotients(yp, base_.data(), increment, of_yp, slope_jacobian_->view());
        return answer;
    }

    /// Factors the matrix of stage s, with shift = 1/(h d_s); different stages may run at the same time. False: singular.
    [[nodiscard]] bool factor(int s, double shift) { return lu_.factor_real(s, is_ide_ ? -shift : shift); }

    /// Of the solves that follow: root mean square of the error of x, each component times its weight. Only an iteration takes notice.
    void set_accuracy(const double* weights, double tolerance)
    {
        if (path_ == algebra::krylov) lu_.set_accuracy({weights, tolerance});
    }
    /// x = −(M + h d_s J)^-1 x / shift; different stages may run at the same time.
    void solve(int s, double* x) const { lu_.solve_real(s, x); }

    /// out −= factor M x, with the sign that belongs to the matrix of solve(). product is working memory.
    void subtract_mass_times(double factor, const double* x, double* product, double* out) const
    {
        if (is_ide_)
            multiply(slope_jacobian_->view(), x, product);
        else
            e_.mass().multiply(x, product);
        const double signed_factor = is_ide_ ? -factor : factor;
        for_components<double>(n_, [&](auto at) { at.put(out, at(out) - signed_factor * at(product)); });
    }

private:
    [[nodiscard]] std::optional<jacobian_matrix<double>> make_slope_jacobian() const
    {
        if (!is_ide_) return std::nullopt;
        return std::optional<jacobian_matrix<double>>(std::in_place, path_, e_.iteration_structure(), n_);
    }
    shifted_lu<double> make_lu()
    {
        if (is_ide_) return {jacobian_, *slope_jacobian_, stages, 0, e_.count()};
        return {jacobian_, e_.mass(), stages, 0, e_.count()};
    }

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
    algebra path_;
    jacobian_matrix<double> jacobian_;                      ///< df/dy or dG/dy
    std::optional<jacobian_matrix<double>> slope_jacobian_; ///< dG/dy' of an IDE
    shifted_lu<double> lu_;
    krylov_setup<double> krylov_;
    std::optional<difference_jacobian> differences_;
    std::vector<double> base_; ///< the value that differences are taken from
};

} // namespace ivp::solvers::pside_method

#endif
