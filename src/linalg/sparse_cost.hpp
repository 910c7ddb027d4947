// sparse_cost: what a factorisation of a sparse matrix takes, by lists of indices and by fronts, and where fronts take over.
//
// NOTE: nanoseconds, fitted to measured times (bench/algebra_fit). Only ratios matter.
#ifndef IVP_LINALG_SPARSE_COST_HPP
#define IVP_LINALG_SPARSE_COST_HPP

#include "linalg/front_tree.hpp"

namespace ivp {

/// One factorisation by lists, of a real matrix or of a real and a complex one together. Long lists do not stay in the caches.
inline double time_by_lists(double n, double entries, double updates, bool complex_too)
{
    constexpr double cached = 1e5; // updates
    const double beyond = updates > cached ? updates - cached : 0;
    const double both = 8 * n + 0.5 * updates + 3 * entries;
    return complex_too ? both + 0.35 * beyond : 0.7 * both + 0.15 * beyond;
}

/// Smaller matrices are always eliminated by lists: the smallest that suits fronts has more unknowns.
constexpr int few_for_fronts = 200;

constexpr double complex_in_fronts = 2.4; // times as long as a real matrix

/// One real factorisation.
inline double time_by_fronts(const front_tree& tree) { return 0.11 * tree.multiplications + static_cast<double>(tree.factor_size) + 60.0 * tree.n; }

/// The updates of a factorisation by lists from which on fronts are faster; 0: they are in any case. Infinite in a build without fronts.
double most_updates_by_lists(const sparsity& pattern, bool complex_too);

} // namespace ivp

#endif
