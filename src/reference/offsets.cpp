#include "offsets.hpp"

#include <algorithm>
#include <limits>

namespace ivp::reference {

namespace {

/// For each equation its variable, such that the sum of the orders is largest; empty: there is no such matching. (Hungarian method.)
std::vector<int> best_matching(const std::vector<int>& order, int n)
{
    constexpr int forbidden = 1'000'000;
    constexpr int unreached = std::numeric_limits<int>::max();
    const auto cost = [&](int i, int j) {
        const int o = order[static_cast<std::size_t>(i) * n + j];
        return o == absent ? forbidden : -o;
    };
    std::vector<int> u(n + 1), v(n + 1), equation(n + 1, 0), way(n + 1); // from 1; column 0 is where a new row starts
    for (int i = 1; i <= n; ++i) {
        equation[0] = i;
        int column = 0;
        std::vector<int> least(n + 1, unreached);
        std::vector<bool> used(n + 1, false);
        do {
            used[column] = true;
            const int row = equation[column];
            int delta = unreached;
            int next = 0;
            for (int j = 1; j <= n; ++j) {
                if (used[j]) continue;
                const int reduced = cost(row - 1, j - 1) - u[row] - v[j];
                if (reduced < least[j]) {
                    least[j] = reduced;
                    way[j] = column;
                }
                if (least[j] < delta) {
                    delta = least[j];
                    next = j;
                }
            }
            for (int j = 0; j <= n; ++j) {
                if (used[j]) {
                    u[equation[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            column = next;
        } while (equation[column] != 0);
        for (; column != 0; column = way[column]) equation[column] = equation[way[column]];
    }
    std::vector<int> variable(n);
    for (int j = 1; j <= n; ++j) variable[equation[j] - 1] = j - 1;
    for (int i = 0; i < n; ++i)
        if (order[static_cast<std::size_t>(i) * n + variable[i]] == absent) return {};
    return variable;
}

} // namespace

std::optional<offsets> find_offsets(const std::vector<int>& order, int n)
{
    const std::vector<int> variable = best_matching(order, n);
    if (variable.empty() && n > 0) return std::nullopt;
    offsets o{std::vector<int>(n, 0), std::vector<int>(n, 0)};
    for (bool changed = true; changed;) { // the smallest offsets that fit
        changed = false;
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (const int s = order[static_cast<std::size_t>(i) * n + j]; s != absent) o.d[j] = std::max(o.d[j], s + o.c[i]);
        for (int i = 0; i < n; ++i) {
            const int c = o.d[variable[i]] - order[static_cast<std::size_t>(i) * n + variable[i]];
            changed = changed || c != o.c[i];
            o.c[i] = c;
        }
    }
    return o;
}

} // namespace ivp::reference
