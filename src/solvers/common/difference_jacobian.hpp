// Jacobians by difference quotients: columns that share no row are disturbed together.
#ifndef IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP
#define IVP_SOLVERS_COMMON_DIFFERENCE_JACOBIAN_HPP

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace ivp::solvers {

template <class R>
class basic_difference_jacobian {
public:
    /// As few evaluations as what is known of the Jacobian allows; where the options ask for full differences, as few as its declared band does.
    basic_difference_jacobian(const problem& p, const structure& known, algebra path, const solve_options& o)
        : basic_difference_jacobian(used(p, known, path, o), p.n())
    {}

    /// df/dy at (t, y), where f(t, y) = f0. increment(y_j), or increment(y_j, j), is the solver's own rule.
    template <class Increment>
    evaluation operator()(basic_evaluator<R>& e, const R& t, const R* y, const R* f0, Increment increment, const matrix_view<R>& out)
    {
        ++e.count().jacobian;
        return quotients(
            y, f0, increment, [&](const R* disturbed, R* f) { return e.f_for_jacobian(t, disturbed, f); }, out);
    }

    /// The derivative of any function of the problem's structure at `at`, where it has the value value0; nothing is counted here.
    template <class Increment, class Function>
    evaluation quotients(const R* at, const R* value0, Increment increment, Function function, const matrix_view<R>& out)
    {
        const int n = static_cast<int>(value_.size());
        std::fill(out.data, out.data + out.size(), R(0));
        std::copy(at, at + n, disturbed_.begin());
        for (const auto& together : columns_) {
            for (const int j : together) {
                if constexpr (std::is_invocable_v<Increment, R, int>)
                    increment_[j] = increment(at[j], j);
                else
                    increment_[j] = increment(at[j]);
                disturbed_[j] = at[j] + increment_[j];
            }
            const evaluation status = function(disturbed_.data(), value_.data());
            if (status != evaluation::ok) return status;
            for (const int j : together) {
                disturbed_[j] = at[j];
                write_column(j, value0, out);
            }
        }
        return evaluation::ok;
    }

private:
    static structure used(const problem& p, const structure& known, algebra path, const solve_options& o)
    {
        const structure& declared = p.info().jacobian_structure;
        if (o.full_differences) return declared.kind == structure_kind::band ? declared : structure::full();
        return path == algebra::sparse || path == algebra::krylov ? known : declared;
    }
    basic_difference_jacobian(const structure& s, int n) : structure_(s), disturbed_(n), increment_(n), value_(n)
    {
        const colouring found = colour_columns(s, n);
        columns_.resize(found.colours);
        for (int j = 0; j < n; ++j) columns_[found.colour_of_column[j]].push_back(j);
    }

    void write_column(int j, const R* value0, const matrix_view<R>& out) const
    {
        const auto quotient = [&](int i) { return (value_[i] - value0[i]) / increment_[j]; };
        if (out.kind == structure_kind::sparse) { // what is not stored is zero
            const auto& s = *out.pattern;
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) out.data[p] = quotient(s.row[p]);
            return;
        }
        if (structure_.kind == structure_kind::sparse) {
            const auto& s = *structure_.pattern;
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) out.set(s.row[p], j, quotient(s.row[p]));
            return;
        }
        const int n = static_cast<int>(value_.size());
        const bool band = structure_.kind == structure_kind::band;
        const int first = band ? std::max(0, j - structure_.upper) : 0;
        const int last = band ? std::min(n - 1, j + structure_.lower) : n - 1;
        R* const column = out.data + out.position(first, j); // contiguous, as a band and as a full matrix
        for (int i = first; i <= last; ++i) column[i - first] = quotient(i);
    }

    structure structure_;
    std::vector<std::vector<int>> columns_; ///< by colour
    std::vector<R> disturbed_;
    std::vector<R> increment_;
    std::vector<R> value_;
};

using difference_jacobian = basic_difference_jacobian<double>;

} // namespace ivp::solvers

#endif
