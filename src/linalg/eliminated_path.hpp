// eliminated_path: dense and band matrices, stored by columns and eliminated with row exchanges. The storage differs, the bookkeeping does not.
#ifndef IVP_LINALG_ELIMINATED_PATH_HPP
#define IVP_LINALG_ELIMINATED_PATH_HPP

#include "linalg/dense_lu.hpp"
#include "linalg/linear_path.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ivp {

/// A contiguous piece of one column of a matrix.
template <class R>
struct column_piece {
    const R* from;
    int first; ///< row of the first entry
    int rows;
};

/// Column j of a matrix that is stored dense or as a band.
template <class R>
column_piece<R> stored_column(const matrix_view<R>& a, int j)
{
    const bool full = a.kind == structure_kind::full;
    const int first = full ? 0 : std::max(0, j - a.upper);
    const int last = full ? a.n - 1 : std::min(a.n - 1, j + a.lower);
    return {a.data + a.position(first, j), first, last - first + 1};
}

/// Storage supplies size(), entry(a, i, j), clear_column(a, j) (zeros where J has no entries and fill will come), factor and solve.
template <class R, class Storage>
class eliminated_path final : public linear_path<R> {
public:
    eliminated_path(const path_request<R>& request, const Storage& storage)
        : storage_(storage),
          jacobian_(request.jacobian),
          mass_(request.mass),
          reals_(request.reals),
          values_(storage_.size() * (request.reals + 2 * request.complexes)),
          pivots_(static_cast<std::size_t>(jacobian_.n) * (request.reals + request.complexes))
    {}

    bool factor_real(int k, const R& c) override
    {
        R* const a = matrix(k);
        write_minus_jacobian(a);
        add_mass(c, a);
        return storage_.factor(a, pivots(k));
    }

    bool factor_complex(int k, const complex_shift<R>& c) override
    {
        R* const re = matrix(reals_ + 2 * k);
        R* const im = re + storage_.size();
        write_minus_jacobian(re);
        add_mass(c.re, re);
        std::fill_n(im, storage_.size(), R(0));
        add_mass(c.im, im);
        return storage_.factor(re, im, pivots(reals_ + k));
    }

    void solve_real(int k, R* b) const override { storage_.solve(matrix(k), pivots(k), b); }

    void solve_complex(int k, R* b_re, R* b_im) const override
    {
        const R* const re = matrix(reals_ + 2 * k);
        storage_.solve(re, re + storage_.size(), pivots(reals_ + k), b_re, b_im);
    }

private:
    // The real matrices come first, then real and imaginary parts of the complex ones.
    [[nodiscard]] R* matrix(int k) { return values_.data() + storage_.size() * k; }
    [[nodiscard]] const R* matrix(int k) const { return values_.data() + storage_.size() * k; }
    [[nodiscard]] int* pivots(int k) { return kernels::column(pivots_.data(), k, jacobian_.n); }
    [[nodiscard]] const int* pivots(int k) const { return kernels::column(pivots_.data(), k, jacobian_.n); }

    void write_minus_jacobian(R* a) const
    {
        for (int j = 0; j < jacobian_.n; ++j) {
            const auto piece = stored_column(jacobian_, j);
            storage_.clear_column(a, j);
            std::transform(piece.from, piece.from + piece.rows, storage_.entry(a, piece.first, j), [](const R& x) { return -x; });
        }
    }

    /// a += c M
    void add_mass(const R& c, R* a) const
    {
        const int n = jacobian_.n;
        if (mass_.constant == nullptr) {
            for (int j = 0; j < n; ++j) add_piece(stored_column(mass_.evaluated, j), c, j, a);
            return;
        }
        const mass_matrix<R>& m = *mass_.constant;
        if (m.kind() == mass_kind::identity) {
            for (int j = 0; j < n; ++j) *storage_.entry(a, j, j) += c;
            return;
        }
        const bool full = m.kind() == mass_kind::full;
        const int ld = full ? n : m.lower() + m.upper() + 1;
        for (int j = 0; j < n; ++j) {
            const int first = std::max(0, j - m.upper());
            const int rows = std::min(n - 1, j + m.lower()) - first + 1;
            add_piece({kernels::column(m.values().data(), j, ld) + (full ? 0 : m.upper() + first - j), first, rows}, c, j, a);
        }
    }
    void add_piece(const column_piece<R>& piece, const R& c, int j, R* a) const
    {
        kernels::subtract_multiple(piece.rows, -c, piece.from, storage_.entry(a, piece.first, j));
    }

    Storage storage_;
    matrix_view<R> jacobian_;
    mass_source<R> mass_;
    int reals_;
    std::vector<R> values_;
    std::vector<int> pivots_;
};

} // namespace ivp

#endif
