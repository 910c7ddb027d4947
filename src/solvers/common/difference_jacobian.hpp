// Jacobians by difference quotients: columns that share no row are disturbed together.
#ifndef IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP
#define IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP

#include <ivp/model/evaluator.hpp>
#include <ivp/model/structure.hpp>

#include <algorithm>
#include <vector>

namespace ivp::solvers {

class difference_jacobian {
public:
    explicit difference_jacobian(const problem& p)
        : structure_(p.info().jacobian_structure),
          colours_(colour_columns(structure_, p.n())),
          disturbed_(p.n()),
          disturbed_slope_(p.n()),
          increment_(p.n()),
          value_(p.n())
    {}

    /// df/dy at (t, y), where f(t, y) = f0. increment(y_j) is the solver's own rule.
    template <class Increment>
    evaluation operator()(evaluator& e, double t, const double* y, const double* f0, Increment increment, const matrix_view<double>& out)
    {
        return by_column(
            e, t, y, f0, [&](int j) { return increment(y[j]); }, out);
    }

    /// The same with a rule for each column: increment(j).
    template <class Increment>
    evaluation by_column(evaluator& e, double t, const double* y, const double* f0, Increment increment, const matrix_view<double>& out)
    {
        std::copy(y, y + e.n(), disturbed_.begin());
        return quotients(
            e, f0, out,
            [&](int j) {
                increment_[j] = increment(j);
                disturbed_[j] = y[j] + increment_[j];
            },
            [&](int j) { disturbed_[j] = y[j]; }, [&] { return e.f_for_jacobian(t, disturbed_.data(), value_.data()); });
    }

    /// dG/dy + c dG/dy' at (t, y, y'), where G(t, y, y') = g0: y_j' is disturbed together with y_j, c times as much.
    template <class Increment>
    evaluation implicit(evaluator& e, double t, const double* y, const double* yp, double c, const double* g0, Increment increment,
                        const matrix_view<double>& out)
    {
        std::copy(y, y + e.n(), disturbed_.begin());
        std::copy(yp, yp + e.n(), disturbed_slope_.begin());
        return quotients(
            e, g0, out,
            [&](int j) {
                increment_[j] = increment(j);
                disturbed_[j] = y[j] + increment_[j];
                disturbed_slope_[j] = yp[j] + c * increment_[j];
            },
            [&](int j) {
                disturbed_[j] = y[j];
                disturbed_slope_[j] = yp[j];
            },
            [&] { return e.g_for_jacobian(t, disturbed_.data(), disturbed_slope_.data(), value_.data()); });
    }

private:
    template <class Disturb, class Restore, class Evaluate>
    evaluation quotients(evaluator& e, const double* value0, const matrix_view<double>& out, Disturb disturb, Restore restore, Evaluate evaluate)
    {
        const int n = e.n();
        ++e.count().jacobian;
        std::fill(out.data, out.data + out.size(), 0.0);
        for (int colour = 0; colour < colours_.colours; ++colour) {
            for (int j = 0; j < n; ++j)
                if (colours_.colour_of_column[j] == colour) disturb(j);
            const evaluation status = evaluate();
            for (int j = 0; j < n; ++j) {
                if (colours_.colour_of_column[j] != colour) continue;
                restore(j);
                if (status == evaluation::ok) write_column(j, value0, out);
            }
            if (status != evaluation::ok) return status;
        }
        return evaluation::ok;
    }

    void write_column(int j, const double* value0, const matrix_view<double>& out) const
    {
        const auto write = [&](int i) { out.set(i, j, (value_[i] - value0[i]) / increment_[j]); };
        if (structure_.kind == structure_kind::sparse) {
            const auto& s = *structure_.pattern;
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) write(s.row[p]);
            return;
        }
        const int n = static_cast<int>(value_.size());
        const bool band = structure_.kind == structure_kind::band;
        const int last = band ? std::min(n - 1, j + structure_.lower) : n - 1;
        for (int i = band ? std::max(0, j - structure_.upper) : 0; i <= last; ++i) write(i);
    }

    structure structure_;
    colouring colours_;
    std::vector<double> disturbed_;
    std::vector<double> disturbed_slope_;
    std::vector<double> increment_;
    std::vector<double> value_;
};

} // namespace ivp::solvers

#endif
