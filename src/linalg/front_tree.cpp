#include "linalg/front_tree.hpp"

#include <amd.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <utility>

namespace ivp {

namespace {

/// The pattern of A + Aᵀ without its diagonal, with rows and columns in a new order: for each column the rows behind it and those before it.
struct symmetric_pattern {
    symmetric_pattern(const sparsity& s, const std::vector<int>& place_of) : start(s.n + 1, 0)
    {
        const auto each = [&](auto visit) {
            for (int j = 0; j < s.n; ++j)
                for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p)
                    if (s.row[p] != j) {
                        visit(place_of[s.row[p]], place_of[j]);
                        visit(place_of[j], place_of[s.row[p]]);
                    }
        };
        each([&](int /*row*/, int column) { ++start[column + 1]; });
        std::partial_sum(start.begin(), start.end(), start.begin());
        row.resize(start.back());
        std::vector<int> next(start.begin(), start.end() - 1);
        each([&](int i, int column) { row[next[column]++] = i; });
    }
    std::vector<int> start;
    std::vector<int> row; ///< some perhaps twice
};

/// parent[j]: the first row behind j in column j of the factors; -1: none.
std::vector<int> elimination_tree(int n, const symmetric_pattern& s)
{
    std::vector<int> parent(n, -1);
    std::vector<int> shortcut(n, -1);
    for (int j = 0; j < n; ++j)
        for (int p = s.start[j]; p < s.start[j + 1]; ++p) {
            int i = s.row[p];
            while (i != -1 && i < j) {
                const int next = std::exchange(shortcut[i], j);
                if (next == -1) parent[i] = j;
                i = next;
            }
        }
    return parent;
}

/// Entries of each column of L behind its diagonal.
std::vector<int> column_counts(int n, const symmetric_pattern& s, const std::vector<int>& parent)
{
    std::vector<int> count(n, 0);
    std::vector<int> seen(n, -1);
    for (int i = 0; i < n; ++i) {
        seen[i] = i;
        for (int p = s.start[i]; p < s.start[i + 1]; ++p)
            for (int j = s.row[p]; j < i && seen[j] != i; j = parent[j]) {
                ++count[j];
                seen[j] = i;
            }
    }
    return count;
}

/// Every node behind all its descendants. Of the children of a node those come first that need most memory beyond what they leave (J. W. H. Liu,
/// 1986): what waits on the stack is then the least that this tree allows.
std::vector<int> postorder(const std::vector<int>& parent, const std::vector<int>& count)
{
    const int n = static_cast<int>(parent.size());
    const auto left = [&](int j) { return static_cast<double>(count[j]) * count[j]; };
    std::vector<int> first_child(n, -1);
    std::vector<int> sibling(n, -1);
    std::vector<double> peak(n, 0.0);
    std::vector<int> children;
    for (int j = 0; j < n; ++j) { // its children have been here
        children.clear();
        for (int c = first_child[j]; c >= 0; c = sibling[c]) children.push_back(c);
        std::sort(children.begin(), children.end(), [&](int a, int b) { return std::pair(peak[a] - left(a), a) < std::pair(peak[b] - left(b), b); });
        first_child[j] = -1;
        for (const int c : children) sibling[c] = std::exchange(first_child[j], c); // the last one becomes the first
        double waiting = 0;
        for (int c = first_child[j]; c >= 0; c = sibling[c]) {
            peak[j] = std::max(peak[j], waiting + peak[c]);
            waiting += left(c);
        }
        peak[j] = std::max(peak[j], waiting + left(j));
        if (parent[j] >= 0) sibling[j] = std::exchange(first_child[parent[j]], j);
    }
    std::vector<int> order;
    std::vector<int> open;
    order.reserve(n);
    for (int root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        open.push_back(root);
        while (!open.empty()) {
            const int j = open.back();
            if (first_child[j] >= 0) {
                open.push_back(std::exchange(first_child[j], -1));
                continue;
            }
            open.pop_back();
            order.push_back(j);
            if (parent[j] >= 0 && sibling[j] >= 0) open.push_back(sibling[j]);
        }
    }
    return order;
}

/// Zeros that a front is allowed for having more pivots: loops over few columns cost more than they compute.
bool worth_joining(double zeros, double entries, int pivots)
{
    return (pivots <= 4 && zeros < 0.8 * entries) || (pivots <= 16 && zeros < 0.5 * entries) || (pivots <= 48 && zeros < 0.15 * entries) ||
           zeros < 0.05 * entries;
}

} // namespace

front_tree::front_tree(const sparsity& pattern) : n(pattern.n), order(pattern.n)
{
    std::array<double, AMD_INFO> found{};
    if (amd_order(n, pattern.column_start.data(), pattern.row.data(), order.data(), nullptr, found.data()) < 0) throw std::bad_alloc();
    least_updates = found[AMD_NMULTSUBS_LU];
    std::vector<int> place_of(n);
    const auto invert = [&] {
        for (int k = 0; k < n; ++k) place_of[order[k]] = k;
    };
    invert();
    {
        const symmetric_pattern s(pattern, place_of);
        const std::vector<int> above = elimination_tree(n, s);
        const std::vector<int> later = postorder(above, column_counts(n, s, above));
        std::vector<int> renumbered(n);
        for (int k = 0; k < n; ++k) renumbered[k] = order[later[k]];
        order.swap(renumbered);
    }
    invert();
    const symmetric_pattern s(pattern, place_of);
    const std::vector<int> parent = elimination_tree(n, s);
    const std::vector<int> count = column_counts(n, s, parent);

    // Groups of columns with the same rows, then with their parents if that costs few zeros.
    struct group {
        int first;
        int pivots;
        int rows;
        double zeros;
    };
    std::vector<group> groups;
    for (int j = 0; j < n; ++j) {
        group next{j, 1, count[j], 0};
        if (j > 0 && parent[j - 1] == j && count[j] == count[j - 1] - 1) {
            ++groups.back().pivots;
            groups.back().rows = count[j];
        } else {
            groups.push_back(next);
        }
        // The group before the one that has just got its first column is complete: it and those before it may join each other only through parents,
        // which come behind them; done below.
    }
    std::vector<group> joined;
    for (const group& g : groups) {
        joined.push_back(g);
        while (joined.size() > 1) {
            const group& upper = joined.back();
            const group& lower = joined[joined.size() - 2];
            const int end = lower.first + lower.pivots - 1;
            if (end + 1 != upper.first || parent[end] < upper.first || parent[end] >= upper.first + upper.pivots) break;
            const int pivots = lower.pivots + upper.pivots;
            const double size = pivots + upper.rows;
            const double entries = size * size - static_cast<double>(upper.rows) * upper.rows;
            const double more = 2.0 * lower.pivots * (upper.pivots + upper.rows - lower.rows);
            const double zeros = lower.zeros + upper.zeros + more;
            if (!worth_joining(zeros, entries, pivots)) break;
            const group both{lower.first, pivots, upper.rows, zeros};
            joined.pop_back();
            joined.back() = both;
        }
    }

    // The rows of each front: those of its own columns, and what its children leave.
    std::vector<int> front_of(n);
    fronts.reserve(joined.size());
    for (const group& g : joined) {
        std::fill_n(front_of.begin() + g.first, g.pivots, static_cast<int>(fronts.size()));
        fronts.push_back({g.first, g.pivots, {}, {}, -1, 0, 0, 0});
    }
    const int front_count = static_cast<int>(fronts.size());
    std::vector<std::vector<int>> children(front_count);
    std::vector<int> mark(n, -1);
    for (int f = 0; f < front_count; ++f) {
        front& here = fronts[f];
        const int end = here.first + here.pivots;
        const auto add = [&](int i) {
            if (i >= end && std::exchange(mark[i], f) != f) here.rows.push_back(i);
        };
        for (int j = here.first; j < end; ++j)
            for (int p = s.start[j]; p < s.start[j + 1]; ++p) add(s.row[p]);
        for (const int child : children[f])
            for (const int i : fronts[child].rows) add(i);
        std::sort(here.rows.begin(), here.rows.end());
        here.rows.shrink_to_fit();
        here.above.reserve(here.rows.size());
        if (here.rows.empty()) continue;
        here.parent = front_of[here.rows.front()];
        children[here.parent].push_back(f);
    }
    std::vector<int>& local = mark;
    for (int f = 0; f < front_count; ++f) {
        const front& here = fronts[f];
        for (int k = 0; k < static_cast<int>(here.rows.size()); ++k) local[here.rows[k]] = here.pivots + k;
        for (const int child : children[f])
            for (const int i : fronts[child].rows) fronts[child].above.push_back(i < here.first + here.pivots ? i - here.first : local[i]);
    }

    // Entries of the matrix belong to the front in which their row or column is eliminated first.
    std::vector<std::size_t> next(front_count + 1, 0);
    const auto each_entry = [&](auto visit) {
        for (int j = 0; j < n; ++j)
            for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) visit(p, place_of[pattern.row[p]], place_of[j]);
    };
    each_entry([&](int /*p*/, int i, int j) { ++next[front_of[std::min(i, j)] + 1]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (int f = 0; f < front_count; ++f) {
        fronts[f].first_entry = next[f];
        fronts[f].last_entry = next[f + 1];
    }
    entry.resize(pattern.row.size());
    place.resize(pattern.row.size());
    const auto local_place = [&](const front& f, int i) {
        if (i < f.first + f.pivots) return i - f.first;
        return f.pivots + static_cast<int>(std::lower_bound(f.rows.begin(), f.rows.end(), i) - f.rows.begin());
    };
    each_entry([&](int p, int i, int j) {
        const int f = front_of[std::min(i, j)];
        const std::size_t at = next[f]++;
        entry[at] = p;
        place[at] = local_place(fronts[f], i) + fronts[f].ld() * local_place(fronts[f], j);
    });

    std::size_t stack = 0;
    for (int f = 0; f < front_count; ++f) {
        front& here = fronts[f];
        const std::size_t ld = here.ld();
        const std::size_t rows = here.rows.size();
        here.factors = factor_size;
        factor_size += (here.size() + rows) * here.pivots;
        largest_front = std::max(largest_front, ld * here.size());
        for (const int child : children[f]) stack -= fronts[child].rows.size() * fronts[child].rows.size();
        stack += rows * rows;
        workspace = std::max(workspace, factor_size + stack);
        for (int k = 0; k < here.pivots; ++k) multiplications += static_cast<double>(here.size() - k - 1) * (here.size() - k);
    }
}

} // namespace ivp
