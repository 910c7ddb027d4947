#include "linalg/sparse_cost.hpp"

#include <limits>

namespace ivp {

#ifdef IVP_HAS_KLU
namespace {

bool is_symmetric(const sparsity& s)
{
    for (int j = 0; j < s.n; ++j)
        for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p)
            if (s.find(j, s.row[p]) < 0) return false;
    return true;
}

} // namespace

double most_updates_by_lists(const sparsity& pattern, bool complex_too)
{
    constexpr int many_unknowns = 4000;   // an order would take as long as many factorisations by fronts
    constexpr double longest_lists = 2e7; // 80 MB of indices
    if (pattern.n <= few_for_fronts) return longest_lists;
    if (pattern.n > many_unknowns) return 0;
    const front_tree tree(pattern);
    const double limit = (complex_too ? 1 + complex_in_fronts : 1) * time_by_fronts(tree);
    double below = 0;
    double above = longest_lists;
    while (above - below > 0.01 * above) {
        const double middle = 0.5 * (below + above);
        (time_by_lists(0, 0, middle, complex_too) < limit ? below : above) = middle;
    }
    // Of a symmetric pattern the order of the lists has as many updates as that of the fronts, and need not be looked for.
    return is_symmetric(pattern) && tree.least_updates > above ? 0 : above;
}
#else
double most_updates_by_lists(const sparsity& /*pattern*/, bool /*complex_too*/) { return std::numeric_limits<double>::infinity(); }
#endif

} // namespace ivp
