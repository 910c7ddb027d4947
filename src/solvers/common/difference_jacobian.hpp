// Jacobians by difference quotients: columns that share no row are disturbed together.
#ifndef IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP
#define IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP

#include <ivp/model/evaluator.hpp>
#include <ivp/model/structure.hpp>

#include <algorithm>
#include <vector>

namespace ivp::solvers {

template <class R>
class basic_difference_jacobian {
public:
    explicit basic_difference_jacobian(const problem& p)
        : structure_(p.info().jacobian_structure), colours_(colour_columns(structure_, p.n())), disturbed_(p.n()), increment_(p.n()), value_(p.n())
    {}

    /// df/dy at (t, y), where f(t, y) = f0. increment(y_j) is the solver's own rule.
    template <class Increment>
    evaluation operator()(basic_evaluator<R>& e, const R& t, const R* y, const R* f0, Increment increment, const matrix_view<R>& out)
    {
        const int n = e.n();
        ++e.count().jacobian;
        std::fill(out.data, out.data + out.size(), R(0));
        std::copy(y, y + n, disturbed_.begin());
        for (int colour = 0; colour < colours_.colours; ++colour) {
            for (int j = 0; j < n; ++j) {
                if (colours_.colour_of_column[j] != colour) continue;
                disturbed_[j] = y[j] + increment(y[j]);
                increment_[j] = increment(y[j]);
            }
            const evaluation status = e.f_for_jacobian(t, disturbed_.data(), value_.data());
            for (int j = 0; j < n; ++j) {
                if (colours_.colour_of_column[j] != colour) continue;
                disturbed_[j] = y[j];
                if (status == evaluation::ok) write_column(j, f0, out);
            }
            if (status != evaluation::ok) return status;
        }
        return evaluation::ok;
    }

private:
    void write_column(int j, const R* f0, const matrix_view<R>& out) const
    {
        const auto write = [&](int i) { out.set(i, j, (value_[i] - f0[i]) / increment_[j]); };
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
    std::vector<R> disturbed_;
    std::vector<R> increment_;
    std::vector<R> value_;
};

using difference_jacobian = basic_difference_jacobian<double>;

} // namespace ivp::solvers

#endif
