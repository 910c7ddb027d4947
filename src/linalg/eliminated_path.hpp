// eliminated_path: dense and band matrices, stored by columns and eliminated with row exchanges. The storage differs, the bookkeeping does not.
#ifndef IVP_LINALG_ELIMINATED_PATH_HPP
#define IVP_LINALG_ELIMINATED_PATH_HPP

#include "linalg/dense_lu.hpp"
#include "linalg/kernel_set.hpp"
#include "linalg/linear_path.hpp"
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <cstddef>

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

/// Storage supplies size() (numbers for a matrix and its factors, the matrix_size() of the matrix first), pivots() and work() beside them,
/// entry(a, i, j), clear_column(a, j) (zeros where J has no entries), factor and solve, and factor_pair and solve_pair
/// where it treats a real and a complex matrix together, takes_shifts and factor_shifted where it makes c I − J from J itself.
template <class R, class Storage>
class eliminated_path final : public linear_path<R> {
public:
    eliminated_path(const path_request<R>& request, const Storage& storage)
        : storage_(storage),
          jacobian_(request.jacobian),
          imaginary_(request.imaginary_jacobian),
          mass_(request.mass),
          reals_(request.reals),
          stride_(whole_lines(storage_.size())),
          work_stride_(whole_lines(storage_.work())),
          values_(stride_ * (request.reals + 2 * request.complexes)),
          work_(work_stride_ * (request.reals + request.complexes)),
          pivots_(storage_.pivots() * (request.reals + request.complexes))
    {
        if constexpr (shifts)
            in_one_go_ = storage_.takes_shifts(jacobian_) && mass_.constant != nullptr && mass_.constant->kind() == mass_kind::identity;
    }

    bool factor_real(int k, const R& c) override
    {
        if constexpr (shifts)
            if (in_one_go_) return storage_.factor_shifted(jacobian_.data, c, matrix(k), pivots(k));
        write_real(k, c);
        return storage_.factor(matrix(k), pivots(k));
    }

    bool factor_complex(int k, const complex_shift<R>& c) override
    {
        R* const re = matrix(reals_ + 2 * k);
        if constexpr (shifts)
            if (in_one_go_) return storage_.factor_shifted(jacobian_.data, c, re, re + stride_, pivots(reals_ + k));
        write_complex(k, c);
        return storage_.factor(re, re + stride_, pivots(reals_ + k));
    }

    bool factor(std::span<const R> reals, std::span<const complex_shift<R>> complexes) override
    {
        if constexpr (requires { &Storage::factor_pair; }) {
            if (reals.size() == 1 && complexes.size() == 1) {
                const kernels::factored_pair pair{{matrix(0)}, pivots(0), {matrix(1), matrix(2)}, pivots(1)};
                if (in_one_go_) return storage_.factor_shifted_pair(jacobian_.data, reals[0], complexes[0], pair);
                write_real(0, reals[0]);
                write_complex(0, complexes[0]);
                return storage_.factor_pair(pair);
            }
        }
        return linear_path<R>::factor(reals, complexes);
    }

    void solve_real(int k, R* b) const override { storage_.solve(matrix(k), pivots(k), work(k), b); }

    void solve_complex(int k, R* b_re, R* b_im) const override
    {
        const R* const re = matrix(reals_ + 2 * k);
        storage_.solve(re, re + stride_, pivots(reals_ + k), work(reals_ + k), b_re, b_im);
    }

    void solve_all(int reals, int complexes, R* const* b) const override
    {
        if constexpr (requires { &Storage::solve_pair; }) {
            if (reals == 1 && complexes == 1) {
                storage_.solve_pair({{matrix(0)}, pivots(0), work(0), {b[0]}}, {{matrix(1), matrix(2)}, pivots(1), work(1), {b[1], b[2]}});
                return;
            }
        }
        linear_path<R>::solve_all(reals, complexes, b);
    }

private:
    /// The storage has kernels that make c I − J themselves.
    static constexpr bool shifts = requires(const Storage& s, const matrix_view<R>& j) { s.takes_shifts(j); };

    // Every matrix begins on a cache line.
    static std::size_t whole_lines(std::size_t numbers) { return work_memory::distance(numbers * sizeof(R)) / sizeof(R); }

    // The real matrices come first, then real and imaginary parts of the complex ones.
    [[nodiscard]] R* matrix(int k) { return values_.data() + stride_ * k; }
    [[nodiscard]] const R* matrix(int k) const { return values_.data() + stride_ * k; }
    [[nodiscard]] R* work(int k) const { return work_.data() + work_stride_ * k; }
    [[nodiscard]] int* pivots(int k) { return pivots_.data() + storage_.pivots() * k; }
    [[nodiscard]] const int* pivots(int k) const { return pivots_.data() + storage_.pivots() * k; }

    void write_real(int k, const R& c)
    {
        R* const a = matrix(k);
        write_minus(jacobian_, a);
        add_mass(c, a);
    }
    void write_complex(int k, const complex_shift<R>& c)
    {
        R* const re = matrix(reals_ + 2 * k);
        R* const im = re + stride_;
        write_minus(jacobian_, re);
        add_mass(c.re, re);
        if (imaginary_.data == nullptr)
            std::fill_n(im, storage_.matrix_size(), R(0));
        else
            write_minus(imaginary_, im);
        add_mass(c.im, im);
    }

    void write_minus(const matrix_view<R>& m, R* a) const
    {
        for (int j = 0; j < m.n; ++j) {
            const auto piece = stored_column(m, j);
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
    matrix_view<R> imaginary_;
    mass_source<R> mass_;
    int reals_;
    bool in_one_go_ = false;
    std::size_t stride_;      // from one matrix to the next
    std::size_t work_stride_; // and their work
    work_vector<R> values_;
    mutable work_vector<R> work_; // apart for each matrix, so that different k can be solved at the same time
    work_vector<int> pivots_;
};

} // namespace ivp

#endif
