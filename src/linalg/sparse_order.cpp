#include "linalg/sparse_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ivp {

namespace {

double size_of(double x) { return std::abs(x); }
double size_of(const std::complex<double>& x) { return std::abs(x.real()) + std::abs(x.imag()); }

/// Lines (rows or columns) by their number of entries, for the search of the shortest.
class by_length {
public:
    explicit by_length(int n) : first_(n + 1, none), next_(n, none), previous_(n, none), length_(n, none) {}

    void insert(int line, int length)
    {
        length_[line] = length;
        previous_[line] = none;
        next_[line] = first_[length];
        if (next_[line] != none) previous_[next_[line]] = line;
        first_[length] = line;
    }
    void remove(int line)
    {
        if (previous_[line] != none)
            next_[previous_[line]] = next_[line];
        else
            first_[length_[line]] = next_[line];
        if (next_[line] != none) previous_[next_[line]] = previous_[line];
    }
    void move(int line, int length)
    {
        if (length_[line] == length) return;
        remove(line);
        insert(line, length);
    }
    [[nodiscard]] int first(int length) const { return first_[length]; }
    /// At least `from`.
    [[nodiscard]] int shortest(int from) const
    {
        while (from < static_cast<int>(first_.size()) - 1 && first_[from] == none) ++from;
        return from;
    }
    [[nodiscard]] int next(int line) const { return next_[line]; }

    static constexpr int none = -1;

private:
    std::vector<int> first_, next_, previous_, length_;
};

/// Multiplications that are left whatever the order, if no row and no column of the rest is shorter: each step shortens them by one entry at most.
double least_updates(int row, int column)
{
    const double a = std::min(row, column) - 1;
    const double longer = std::max(row, column) - 1 - a;
    return a * (a + 1) * (2 * a + 1) / 6 + longer * a * (a + 1) / 2;
}

template <class number>
class elimination {
public:
    elimination(const sparsity& pattern, std::span<const number> values, double threshold)
        : n_(pattern.n),
          threshold_(threshold),
          rows_(n_),
          rows_of_column_(n_),
          short_rows_(n_),
          short_columns_(n_),
          largest_(n_, unknown),
          place_(n_, absent)
    {
        for (int j = 0; j < n_; ++j)
            for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
                rows_[pattern.row[p]].push_back({j, values[p]});
                rows_of_column_[j].push_back(pattern.row[p]);
            }
        for (int i = 0; i < n_; ++i) {
            short_rows_.insert(i, length_of_row(i));
            short_columns_.insert(i, length_of_column(i));
        }
    }

    pivot_order run(double most_updates)
    {
        pivot_order order;
        for (int k = 0; k < n_ && order.updates <= most_updates; ++k) {
            if (const double more = least_updates(short_rows_.shortest(1), short_columns_.shortest(1)); order.updates + more > most_updates) {
                order.updates += more;
                break;
            }
            const candidate c = choose();
            if (c.row < 0) break;
            order.updates += cost_of(c.row, c.column);
            order.entries += length_of_row(c.row) + length_of_column(c.column) - 1;
            if (!eliminate(c)) break;
            order.row.push_back(c.row);
            order.column.push_back(c.column);
        }
        return order;
    }

private:
    struct entry {
        int column;
        number value;
    };
    struct candidate {
        int row = -1;
        int column = -1;
        double cost = std::numeric_limits<double>::infinity();
        double share = 0; // of the largest entry of its row
    };

    [[nodiscard]] int length_of_row(int i) const { return static_cast<int>(rows_[i].size()); }
    [[nodiscard]] int length_of_column(int j) const { return static_cast<int>(rows_of_column_[j].size()); }

    // The shortest rows and columns, in turn, until some of them had candidates: the best of all is seldom far better.
    [[nodiscard]] candidate choose() const
    {
        candidate best;
        int looked_at = 0;
        for (int length = 1; length <= n_; ++length) {
            const double least = static_cast<double>(length - 1) * (length - 1);
            if (best.row >= 0 && (best.cost <= least || looked_at >= enough_lines)) return best;
            for (int i = short_rows_.first(length); i != by_length::none && looked_at < enough_lines; i = short_rows_.next(i))
                looked_at += consider_row(i, best) ? 1 : 0;
            for (int j = short_columns_.first(length); j != by_length::none && looked_at < enough_lines; j = short_columns_.next(j))
                looked_at += consider_column(j, best) ? 1 : 0;
        }
        return best;
    }

    bool consider_row(int i, candidate& best) const
    {
        const double largest = largest_in(i);
        if (!(largest > 0)) return false;
        for (const entry& e : rows_[i]) consider(i, e, largest, best);
        return true;
    }
    bool consider_column(int j, candidate& best) const
    {
        bool found = false;
        for (const int i : rows_of_column_[j]) {
            if (found && cost_of(i, j) > best.cost) continue;
            const auto e = std::find_if(rows_[i].begin(), rows_[i].end(), [j](const entry& x) { return x.column == j; });
            found = consider(i, *e, largest_in(i), best) || found;
        }
        return found;
    }
    bool consider(int i, const entry& e, double largest, candidate& best) const
    {
        const double share = size_of(e.value) / largest;
        if (!(share >= threshold_)) return false;
        const double cost = cost_of(i, e.column);
        if (cost < best.cost || (cost == best.cost && share > best.share)) best = {i, e.column, cost, share};
        return true;
    }
    [[nodiscard]] double cost_of(int i, int j) const { return static_cast<double>(length_of_row(i) - 1) * (length_of_column(j) - 1); }
    [[nodiscard]] double largest_in(int i) const
    {
        if (largest_[i] != unknown) return largest_[i];
        double largest = 0;
        for (const entry& e : rows_[i]) largest = std::max(largest, size_of(e.value));
        return largest_[i] = largest;
    }

    // False: the pivot is not a number to divide by.
    bool eliminate(const candidate& c)
    {
        const std::vector<entry> pivot_row = std::move(rows_[c.row]);
        const std::vector<int> pivot_column = std::move(rows_of_column_[c.column]);
        short_rows_.remove(c.row);
        short_columns_.remove(c.column);
        number pivot{}; // the row of a candidate has its column
        for (const entry& e : pivot_row) {
            if (e.column == c.column) {
                pivot = e.value;
                continue;
            }
            auto& lines = rows_of_column_[e.column];
            lines.erase(std::find(lines.begin(), lines.end(), c.row));
        }
        const number inverse = 1.0 / pivot;
        if (!std::isfinite(size_of(inverse))) return false;
        for (std::size_t p = 0; p < pivot_row.size(); ++p)
            if (pivot_row[p].column != c.column) place_[pivot_row[p].column] = static_cast<int>(p);
        subtracted_from_.assign(pivot_row.size(), absent);
        for (const int i : pivot_column)
            if (i != c.row) subtract_from(i, pivot_row, c.column, inverse);
        for (const entry& e : pivot_row) {
            if (e.column == c.column) continue;
            place_[e.column] = absent;
            short_columns_.move(e.column, length_of_column(e.column));
        }
        return true;
    }

    void subtract_from(int i, const std::vector<entry>& pivot_row, int pivot_column, const number& inverse)
    {
        auto& row = rows_[i];
        largest_[i] = unknown;
        const auto e = std::find_if(row.begin(), row.end(), [pivot_column](const entry& x) { return x.column == pivot_column; });
        const number factor = e->value * inverse;
        *e = row.back();
        row.pop_back();
        for (entry& x : row) // many, and few of them in the pivot row: they are read once
            if (const int p = place_[x.column]; p != absent) {
                x.value -= factor * pivot_row[p].value;
                subtracted_from_[p] = i;
            }
        for (std::size_t p = 0; p < pivot_row.size(); ++p) {
            const entry& u = pivot_row[p];
            if (u.column == pivot_column || subtracted_from_[p] == i) continue;
            row.push_back({u.column, -factor * u.value});
            rows_of_column_[u.column].push_back(i);
        }
        short_rows_.move(i, length_of_row(i));
    }

    static constexpr int absent = -1;
    static constexpr int enough_lines = 8;
    static constexpr double unknown = -1;

    int n_;
    double threshold_;
    std::vector<std::vector<entry>> rows_;
    std::vector<std::vector<int>> rows_of_column_;
    by_length short_rows_, short_columns_;
    mutable std::vector<double> largest_; // of each row, once it has been looked for
    std::vector<int> place_;              // of a column in the pivot row
    std::vector<int> subtracted_from_;    // the row that an entry of the pivot row was subtracted from last
};

} // namespace

pivot_order order_by_values(const sparsity& pattern, std::span<const double> values, double threshold, double most_updates)
{
    return elimination<double>(pattern, values, threshold).run(most_updates);
}
pivot_order order_by_values(const sparsity& pattern, std::span<const std::complex<double>> values, double threshold, double most_updates)
{
    return elimination<std::complex<double>>(pattern, values, threshold).run(most_updates);
}

std::vector<double> typical_values(const sparsity& pattern, const std::vector<char>& in_mass)
{
    std::vector<double> values(pattern.row.size());
    std::uint64_t state = 0x9e3779b97f4a7c15ULL;
    for (std::size_t p = 0; p < values.size(); ++p) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const double fraction = static_cast<double>(state >> 11) * 0x1p-53;
        values[p] = (in_mass[p] != 0 ? 20.0 : 1.0) * (0.5 + 0.5 * fraction);
    }
    return values;
}

} // namespace ivp
