// block_matrix: J, and θ = (M − h γ J)^-1 by the factors of M/(h γ) − J.
#ifndef IVP_SOLVERS_BIMD_BLOCK_MATRIX_HPP
#define IVP_SOLVERS_BIMD_BLOCK_MATRIX_HPP

#include "point_vectors.hpp"
#include "solvers/common/iteration_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::solvers::bimd_method {

class block_matrix : public iteration_matrix {
public:
    block_matrix(evaluator& e, const solve_options& o) : iteration_matrix(e, o, {.eliminates_chain = true}), e_(e), row_(e.n()) {}

    [[nodiscard]] evaluation evaluate(double t, const double* y, const double* f)
    {
        return linearise(t, y, f, root_increment<double>{increment_roundoff});
    }
    /// Largest row sum of |J|, divided by n.
    [[nodiscard]] double size_of_jacobian()
    {
        const auto& j = jacobian();
        std::fill(row_.begin(), row_.end(), 0.0);
        for (int column = 0; column < j.n; ++column) for_column(j, column, [&](int i, double value) { row_[i] += std::abs(value); });
        return *std::max_element(row_.begin(), row_.end()) / j.n;
    }

    [[nodiscard]] bool factor(double h_gamma)
    {
        scale_ = 1 / h_gamma;
        return iteration_matrix::factor(scale_);
    }
    /// b_j ← θ b_j / scale() for the first `count` vectors: the factor is left to the loop that takes the result.
    void solve(point_vectors& b, int count) const
    {
        e_.count().solve += static_cast<std::uint64_t>(count);
        for (int j = 0; j < count; ++j) iteration_matrix::solve(b[j]);
    }
    [[nodiscard]] double scale() const { return scale_; }
    /// b ← θ b; b: padded.
    void apply(double* b) const
    {
        ++e_.count().solve;
        iteration_matrix::solve(b);
        for (int i = 0; i < e_.n(); ++i) b[i] *= scale_;
    }

private:
    /// visit(row, value) for what is stored of a column.
    template <class Visit>
    static void for_column(const matrix_view<double>& j, int column, Visit visit)
    {
        if (j.kind == structure_kind::sparse) {
            for (int p = j.pattern->column_start[column]; p < j.pattern->column_start[column + 1]; ++p) visit(j.pattern->row[p], j.data[p]);
            return;
        }
        const bool band = j.kind == structure_kind::band;
        const int first = band ? std::max(0, column - j.upper) : 0;
        const int last = band ? std::min(j.n - 1, column + j.lower) : j.n - 1;
        for (int i = first; i <= last; ++i) visit(i, j.data[j.position(i, column)]);
    }

    static constexpr double increment_roundoff = 1e-16;

    evaluator& e_;
    double scale_ = 1;
    std::vector<double> row_;
};

} // namespace ivp::solvers::bimd_method

#endif
