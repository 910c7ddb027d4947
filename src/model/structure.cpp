#include <ivp/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ivp {

int sparsity::find(int i, int j) const
{
    const auto begin = row.begin() + column_start[j];
    const auto end = row.begin() + column_start[j + 1];
    const auto it = std::lower_bound(begin, end, i);
    return it != end && *it == i ? static_cast<int>(it - row.begin()) : -1;
}

sparsity sparsity::from_rows(int n, const std::vector<std::vector<int>>& columns_of_row)
{
    sparsity s;
    s.n = n;
    s.column_start.assign(n + 1, 0);
    for (const auto& columns : columns_of_row)
        for (const int j : columns) ++s.column_start[j + 1];
    std::partial_sum(s.column_start.begin(), s.column_start.end(), s.column_start.begin());
    s.row.resize(static_cast<std::size_t>(s.column_start.back()));
    auto next = s.column_start;
    for (std::size_t i = 0; i < columns_of_row.size(); ++i)
        for (const int j : columns_of_row[i]) s.row[static_cast<std::size_t>(next[j]++)] = static_cast<int>(i);
    return s;
}

structure structure::sparse(std::vector<std::vector<int>> columns_of_row)
{
    for (auto& columns : columns_of_row) {
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    }
    return sparse(std::make_shared<sparsity>(sparsity::from_rows(static_cast<int>(columns_of_row.size()), columns_of_row)));
}

bool structure::contains(int i, int j) const
{
    switch (kind) {
    case structure_kind::full: return true;
    case structure_kind::band: return i - j <= lower && j - i <= upper;
    case structure_kind::sparse: return pattern->find(i, j) >= 0;
    }
    return false;
}

std::string structure::describe() const
{
    switch (kind) {
    case structure_kind::full: return "full";
    case structure_kind::band: return "band " + std::to_string(lower) + "," + std::to_string(upper);
    case structure_kind::sparse: return "sparse " + std::to_string(pattern->entries()) + " entries";
    }
    return {};
}

namespace {

// Greedy: each column takes the first colour not used by a column it shares a row with.
colouring colour_sparse(const sparsity& s)
{
    std::vector<std::vector<int>> columns_of_row(static_cast<std::size_t>(s.n));
    for (int j = 0; j < s.n; ++j)
        for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) columns_of_row[s.row[p]].push_back(j);

    colouring c{0, std::vector<int>(static_cast<std::size_t>(s.n), -1)};
    std::vector<int> taken_by; // taken_by[colour] == j: forbidden for column j
    for (int j = 0; j < s.n; ++j) {
        for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p)
            for (const int k : columns_of_row[s.row[p]])
                if (const int used = c.colour_of_column[k]; used >= 0) taken_by[used] = j;
        const auto free = std::find_if(taken_by.begin(), taken_by.end(), [j](int t) { return t != j; });
        c.colour_of_column[j] = static_cast<int>(free - taken_by.begin());
        if (free == taken_by.end()) taken_by.push_back(-1);
    }
    c.colours = static_cast<int>(taken_by.size());
    return c;
}

} // namespace

colouring colour_columns(const structure& s, int n)
{
    if (s.kind == structure_kind::sparse) return colour_sparse(*s.pattern);
    const int colours = s.kind == structure_kind::full ? n : std::min(n, s.lower + s.upper + 1);
    colouring c{colours, std::vector<int>(n)};
    for (int j = 0; j < n; ++j) c.colour_of_column[j] = j % colours;
    return c;
}

} // namespace ivp
