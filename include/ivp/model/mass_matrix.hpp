// The constant mass matrix M of M y' = f(t, y).
#ifndef IVP_MODEL_MASS_MATRIX_HPP
#define IVP_MODEL_MASS_MATRIX_HPP

#include <ivp/model/structure.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

enum class mass_kind { identity, diagonal, band, full, sparse };

template <class R>
class mass_matrix {
public:
    static mass_matrix identity(int n) { return {mass_kind::identity, n, 0, 0, {}}; }
    static mass_matrix diagonal(std::vector<R> d)
    {
        const int n = static_cast<int>(d.size());
        return {mass_kind::diagonal, n, 0, 0, std::move(d)};
    }
    /// All entries zero; fill with set().
    static mass_matrix band(int n, int lower, int upper)
    {
        return {mass_kind::band, n, lower, upper, std::vector<R>(static_cast<std::size_t>(n) * (lower + upper + 1), R(0))};
    }
    static mass_matrix full(int n) { return {mass_kind::full, n, 0, 0, std::vector<R>(static_cast<std::size_t>(n) * n, R(0))}; }

    /// The entries of a pattern, in its order; all zero, fill with set().
    static mass_matrix sparse(std::shared_ptr<const sparsity> pattern) // NOLINT(performance-unnecessary-value-param): it is moved from
    {
        mass_matrix m{mass_kind::sparse, pattern->n, 0, 0, std::vector<R>(pattern->row.size(), R(0))};
        m.pattern_ = std::move(pattern);
        return m;
    }

    [[nodiscard]] mass_kind kind() const { return kind_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] int lower() const { return reaches_everywhere() ? n_ - 1 : lower_; }
    [[nodiscard]] int upper() const { return reaches_everywhere() ? n_ - 1 : upper_; }
    [[nodiscard]] const sparsity* pattern() const { return pattern_.get(); } ///< sparse only
    [[nodiscard]] const std::vector<R>& values() const { return values_; }

    [[nodiscard]] R at(int i, int j) const
    {
        if (kind_ == mass_kind::identity) return i == j ? R(1) : R(0);
        const int p = view().position(i, j);
        return p < 0 ? R(0) : values_[p];
    }
    void set(int i, int j, const R& value) { values_.at(static_cast<std::size_t>(view().position(i, j))) = value; }

    /// out = M x
    void multiply(const R* x, R* out) const;

    /// visit(i, j, value) for everything that is stored, column by column.
    template <class Visit>
    void for_each_entry(Visit visit) const
    {
        for (int j = 0; j < n_; ++j) {
            if (kind_ == mass_kind::sparse) {
                for (int p = pattern_->column_start[j]; p < pattern_->column_start[j + 1]; ++p) visit(pattern_->row[p], j, values_[p]);
                continue;
            }
            for (int i = std::max(0, j - upper()); i <= std::min(n_ - 1, j + lower()); ++i) visit(i, j, at(i, j));
        }
    }

    /// "identity", "diagonal", "band 1,1", "full", "sparse 12 entries"
    [[nodiscard]] std::string describe() const;

private:
    mass_matrix(mass_kind kind, int n, int lower, int upper, std::vector<R> values)
        : kind_(kind), n_(n), lower_(lower), upper_(upper), values_(std::move(values))
    {}
    // A diagonal is a band of width one, so one rule gives the position of an entry.
    [[nodiscard]] matrix_view<const R> view() const
    {
        if (kind_ == mass_kind::sparse) return {structure_kind::sparse, n_, 0, 0, 0, pattern_.get(), values_.data()};
        const bool full = kind_ == mass_kind::full;
        return {full ? structure_kind::full : structure_kind::band, n_, lower_, upper_, full ? n_ : lower_ + upper_ + 1, nullptr, values_.data()};
    }

    [[nodiscard]] bool reaches_everywhere() const { return kind_ == mass_kind::full || kind_ == mass_kind::sparse; }

    mass_kind kind_;
    int n_;
    int lower_;
    int upper_;
    std::vector<R> values_;
    std::shared_ptr<const sparsity> pattern_;
};

} // namespace ivp

#endif
