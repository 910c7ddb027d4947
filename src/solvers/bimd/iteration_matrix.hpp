// iteration_matrix: J, and θ = (M − h γ J)^-1 by the factors of M/(h γ) − J.
#ifndef IVP_SOLVERS_BIMD_ITERATION_MATRIX_HPP
#define IVP_SOLVERS_BIMD_ITERATION_MATRIX_HPP

#include "columns.hpp"
#include "linalg/shifted_lu.hpp"
#include "solvers/common/difference_jacobian.hpp"
#include "solvers/common/lanes.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ivp::solvers::bimd_method {

class iteration_matrix {
public:
    iteration_matrix(evaluator& e, const solve_options& o)
        : e_(e),
          path_(choose_algebra(o.algebra, e.iteration_structure(), e.n(), linear_work{.eliminated = e.problem().info().chain.m1})),
          jacobian_(path_, e.iteration_structure(), e.n()),
          lu_(jacobian_, e.mass(), 1, 0, e.count(), reduction{e.problem().info().chain}),
          row_(e.n())
    {
        if (o.jacobian == jacobian_source::differences || !e.has_exact_jacobian())
            differences_.emplace(e.problem(), e.iteration_structure(), path_, o);
    }

    [[nodiscard]] evaluation evaluate(double t, const double* y, const double* f)
    {
        if (!differences_) return e_.jacobian(t, y, jacobian_.view());
        const auto increment = [](double v) { return std::sqrt(increment_roundoff * std::max(1e-5, std::abs(v))); };
        return (*differences_)(e_, t, y, f, increment, jacobian_.view());
    }
    /// Largest row sum of |J|, divided by n.
    [[nodiscard]] double size_of_jacobian()
    {
        const auto& j = jacobian_.view();
        std::fill(row_.begin(), row_.end(), 0.0);
        for (int column = 0; column < j.n; ++column)
            for (int i = 0; i < j.n; ++i)
                if (const int p = j.position(i, column); p >= 0) row_[i] += std::abs(j.data[p]);
        return *std::max_element(row_.begin(), row_.end()) / j.n;
    }

    [[nodiscard]] bool factor(double h_gamma)
    {
        scale_ = 1 / h_gamma;
        return lu_.factor(std::array{scale_}, {});
    }
    /// b_j ← θ b_j / scale() for the first `count` columns: the factor is left to the loop that takes the result.
    void solve(columns& b, int count) const
    {
        e_.count().solve += static_cast<std::uint64_t>(count);
        for (int j = 0; j < count; ++j) lu_.solve_real(0, b[j]);
    }
    [[nodiscard]] double scale() const { return scale_; }
    /// b ← θ b; b: whole groups.
    void apply(double* b) const
    {
        ++e_.count().solve;
        lu_.solve_real(0, b);
        for (int i = 0; i < e_.n(); ++i) b[i] *= scale_;
    }

    [[nodiscard]] std::string path() const { return std::string(label(path_)); }
    [[nodiscard]] lu_events events() const { return lu_.events(); }

private:
    static constexpr double increment_roundoff = 1e-16;

    evaluator& e_;
    algebra path_;
    jacobian_matrix<double> jacobian_;
    shifted_lu<double> lu_;
    std::optional<difference_jacobian> differences_;
    double scale_ = 1;
    std::vector<double> row_;
};

} // namespace ivp::solvers::bimd_method

#endif
