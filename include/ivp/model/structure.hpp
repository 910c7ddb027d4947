// Structure of matrices: which entries a Jacobian or a mass matrix can have, and where they are stored.
#ifndef IVP_MODEL_STRUCTURE_HPP
#define IVP_MODEL_STRUCTURE_HPP

#include <cassert>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ivp {

/// A fixed set of matrix positions in compressed columns (rows sorted within each column).
struct sparsity {
    int n = 0;
    std::vector<int> column_start; ///< n + 1 entries
    std::vector<int> row;          ///< one per stored position

    [[nodiscard]] int entries() const { return static_cast<int>(row.size()); }
    /// Position of (i, j) in the value array, or -1.
    [[nodiscard]] int find(int i, int j) const;
    /// From rows of sorted column indices, as a tracer gives them.
    static sparsity from_rows(int n, const std::vector<std::vector<int>>& columns_of_row);
};

enum class structure_kind { full, band, sparse };

/// What a problem declares of its Jacobian.
struct structure {
    structure_kind kind = structure_kind::full;
    int lower = 0;                           ///< band: entries below the diagonal
    int upper = 0;                           ///< band: entries above the diagonal
    std::shared_ptr<const sparsity> pattern; ///< sparse only

    static structure full() { return {}; }
    static structure band(int lower, int upper) { return {structure_kind::band, lower, upper, nullptr}; }
    static structure sparse(std::shared_ptr<const sparsity> p) { return {structure_kind::sparse, 0, 0, std::move(p)}; }
    /// From the columns of each row, in any order, some perhaps twice.
    static structure sparse(std::vector<std::vector<int>> columns_of_row);

    [[nodiscard]] bool contains(int i, int j) const;
    /// "full", "band 2,2", "sparse 86 entries"
    [[nodiscard]] std::string describe() const;
};

/// A system of higher order written with its derivatives: y_i' = y_{i+m2} for i = 1 … m1.
struct derivative_chain {
    int m1 = 0; ///< 0: none
    int m2 = 0;
};

/// Storage of one matrix, owned by somebody else. Columns are contiguous:
/// dense (i, j) at i + j·ld; band (i, j) at upper + i − j + j·ld; sparse in the order of the pattern.
template <class R>
struct matrix_view {
    structure_kind kind = structure_kind::full;
    int n = 0;
    int lower = 0;
    int upper = 0;
    int ld = 0;
    const sparsity* pattern = nullptr;
    R* data = nullptr;

    /// Index of (i, j) in data, or -1 where nothing is stored.
    [[nodiscard]] int position(int i, int j) const
    {
        switch (kind) {
        case structure_kind::full: return i + j * ld;
        case structure_kind::band: return i - j > lower || j - i > upper ? -1 : upper + i - j + j * ld;
        case structure_kind::sparse: return pattern->find(i, j);
        }
        return -1;
    }
    [[nodiscard]] R at(int i, int j) const
    {
        const int p = position(i, j);
        return p < 0 ? R(0) : data[p];
    }
    void set(int i, int j, const R& value) const
    {
        const int p = position(i, j);
        assert(p >= 0);
        data[p] = value;
    }
    /// Of a full or band matrix, where the places of entries need no decision: entries()(i, j).
    [[nodiscard]] auto entries() const
    {
        assert(kind != structure_kind::sparse);
        const bool band = kind == structure_kind::band;
        return [first = data + (band ? upper : 0), right = static_cast<std::ptrdiff_t>(band ? ld - 1 : ld)](int i, int j) -> R& {
            return first[i + j * right];
        };
    }
    [[nodiscard]] std::size_t size() const
    {
        return kind == structure_kind::sparse ? static_cast<std::size_t>(pattern->entries()) : static_cast<std::size_t>(ld) * n;
    }
};

/// Columns that share no row get one colour: they can be differentiated in one direction.
struct colouring {
    int colours = 0;
    std::vector<int> colour_of_column;
};
colouring colour_columns(const structure& s, int n);

} // namespace ivp

#endif
