// Matrices as the other side of the contract writes them.
#ifndef IVP_DRIVERS_PLUGIN_NATIVE_MATRIX_HPP
#define IVP_DRIVERS_PLUGIN_NATIVE_MATRIX_HPP

#include <ivp/plugin.h>
#include <ivp/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ivp::plugin {

/// A Jacobian in its own structure, without room between the columns, and the way from there to where our solver wants it.
class native_matrix {
public:
    native_matrix(structure s, int n) : structure_(std::move(s)), n_(n), view_(view()) {}

    [[nodiscard]] const structure& kind() const { return structure_; }
    [[nodiscard]] std::size_t size() const { return view_.size(); }

    /// fill(double*) writes all of it; values: room for it, used where out is of another kind.
    template <class Fill>
    evaluation write(double* values, const matrix_view<double>& out, Fill&& fill) const
    {
        const bool sparse = view_.kind == structure_kind::sparse;
        const bool same = out.kind == view_.kind && out.lower == view_.lower && out.upper == view_.upper &&
                          (sparse ? out.pattern == view_.pattern : out.ld == view_.ld);
        if (same) return fill(out.data);
        const evaluation e = fill(values);
        if (e != evaluation::ok) return e;
        matrix_view<double> own = view_;
        own.data = values;
        std::fill(out.data, out.data + out.size(), 0.0);
        for (int j = 0; j < n_; ++j) copy_column(own, j, out);
        return evaluation::ok;
    }

private:
    [[nodiscard]] matrix_view<double> view() const
    {
        const bool band = structure_.kind == structure_kind::band;
        return {structure_.kind,          n_,     structure_.lower, structure_.upper, band ? structure_.lower + structure_.upper + 1 : n_,
                structure_.pattern.get(), nullptr};
    }

    void copy_column(const matrix_view<double>& from, int j, const matrix_view<double>& out) const
    {
        const auto copy = [&](int i) {
            if (const auto p = out.position(i, j); p >= 0) out.data[p] = from.at(i, j);
        };
        if (structure_.kind == structure_kind::sparse) {
            const sparsity& s = *structure_.pattern;
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) copy(s.row[p]);
            return;
        }
        const bool band = structure_.kind == structure_kind::band;
        const int last = band ? std::min(n_ - 1, j + structure_.lower) : n_ - 1;
        for (int i = band ? std::max(0, j - structure_.upper) : 0; i <= last; ++i) copy(i);
    }

    structure structure_;
    int n_;
    matrix_view<double> view_; ///< without its numbers
};

/// Fills what others gave us room for: the first entries of each column of a full or band matrix and nothing between the columns, which a
/// matrix_view covers too. fill(view) evaluates; room: for a matrix without gaps, used where there are some.
template <class Fill>
evaluation fill_columns(const matrix_view<double>& out, std::vector<double>& room, Fill&& fill)
{
    const int rows = out.kind == structure_kind::band ? out.lower + out.upper + 1 : out.n;
    if (out.kind == structure_kind::sparse || out.ld == rows) return fill(out);
    room.resize(static_cast<std::size_t>(rows) * out.n);
    matrix_view<double> compact = out;
    compact.ld = rows;
    compact.data = room.data();
    const evaluation e = fill(compact);
    for (std::ptrdiff_t j = 0; j < out.n; ++j) std::copy_n(compact.data + j * rows, rows, out.data + j * out.ld);
    return e;
}

/// kind: IVP_MASS_...; values as the contract stores them.
inline mass_matrix<double> mass_of(int kind, int n, int lower, int upper, const double* values)
{
    if (kind == IVP_MASS_IDENTITY) return mass_matrix<double>::identity(n);
    if (kind == IVP_MASS_DIAGONAL) return mass_matrix<double>::diagonal({values, values + n});
    const bool full = kind == IVP_MASS_FULL;
    const int rows = full ? n : lower + upper + 1;
    auto m = full ? mass_matrix<double>::full(n) : mass_matrix<double>::band(n, lower, upper);
    for (int j = 0; j < n; ++j) {
        const int first = full ? 0 : std::max(0, j - upper);
        const int last = full ? n - 1 : std::min(n - 1, j + lower);
        for (int i = first; i <= last; ++i) m.set(i, j, values[static_cast<std::size_t>(j) * rows + (full ? i : upper + i - j)]);
    }
    return m;
}

} // namespace ivp::plugin

#endif
