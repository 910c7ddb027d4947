#include "linalg/sparse_program.hpp"

#include <algorithm>

namespace ivp {

namespace {

std::vector<int> inverse_of(const std::vector<int>& permutation)
{
    std::vector<int> inverse(permutation.size());
    for (std::size_t k = 0; k < permutation.size(); ++k) inverse[permutation[k]] = static_cast<int>(k);
    return inverse;
}

/// The columns of one row, ascending, as a linked list that rows of U are merged into.
class merged_row {
public:
    explicit merged_row(int n) : next_(n + 1), end_(n) {}

    void assign(const std::vector<int>& sorted)
    {
        int last = end_; // the head is kept where the end points to
        for (const int j : sorted) {
            next_[last] = j;
            last = j;
        }
        next_[last] = end_;
    }
    [[nodiscard]] int first() const { return next_[end_]; }
    [[nodiscard]] int next(int j) const { return next_[j]; }
    [[nodiscard]] int end() const { return end_; }
    /// All of `columns` (ascending, above k) join; k itself is in the list.
    void merge(int k, const int* columns, int count)
    {
        int at = k;
        for (int m = 0; m < count; ++m) {
            const int j = columns[m];
            while (next_[at] < j) at = next_[at];
            if (next_[at] != j) {
                next_[j] = next_[at];
                next_[at] = j;
            }
            at = j;
        }
    }

private:
    std::vector<int> next_;
    int end_;
};

} // namespace

sparse_program compile(const sparsity& pattern, const pivot_order& order)
{
    const int n = pattern.n;
    sparse_program s;
    s.n = n;
    s.row_of = order.row;
    s.column_of = order.column;
    const auto step_of_row = inverse_of(order.row);
    const auto step_of_column = inverse_of(order.column);

    std::vector<std::vector<int>> given(n); // columns of the matrix, row by row, both in the order of the pivots
    for (int j = 0; j < n; ++j)
        for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) given[step_of_row[pattern.row[p]]].push_back(step_of_column[j]);

    s.start.assign(1, 0);
    s.diagonal.resize(n);
    merged_row row(n);
    std::vector<int> position(n);
    for (int i = 0; i < n; ++i) {
        std::sort(given[i].begin(), given[i].end());
        row.assign(given[i]);
        for (int k = row.first(); k < i; k = row.next(k)) {
            const int from = s.diagonal[k] + 1;
            row.merge(k, s.column.data() + from, s.start[k + 1] - from);
        }
        for (int j = row.first(); j != row.end(); j = row.next(j)) {
            position[j] = s.entries();
            s.column.push_back(j);
        }
        s.start.push_back(s.entries());
        s.diagonal[i] = position[i];
        for (int p = s.start[i]; p < s.diagonal[i]; ++p) {
            const int k = s.column[p];
            for (int q = s.diagonal[k] + 1; q < s.start[k + 1]; ++q) s.target.push_back(position[s.column[q]]);
        }
    }

    s.place.resize(pattern.row.size());
    std::vector<char> filled(s.column.size(), 1);
    for (int j = 0; j < n; ++j)
        for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
            const int i = step_of_row[pattern.row[p]];
            const auto begin = s.column.begin() + s.start[i];
            s.place[p] = static_cast<int>(std::lower_bound(begin, s.column.begin() + s.start[i + 1], step_of_column[j]) - s.column.begin());
            filled[s.place[p]] = 0;
        }
    for (int p = 0; p < s.entries(); ++p)
        if (filled[p] != 0) s.fill.push_back(p);
    return s;
}

} // namespace ivp
