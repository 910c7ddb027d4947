// Sparse matrices of the kernel table, and KLU (LGPL, linked dynamically, in these programs only) as the other side.
#ifndef IVP_BENCH_SPARSE_SYSTEMS_HPP
#define IVP_BENCH_SPARSE_SYSTEMS_HPP

#include "systems.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ivp::bench {

/// J with its pattern and numbers, and M.
struct sparse_matrix {
    structure s;
    std::vector<double> values; ///< of J, in the order of the pattern
    mass_matrix<double> m;
    int n;

    /// Written for a path; the structure must live as long.
    [[nodiscard]] jacobian_matrix<double> jacobian(algebra path) const;
};

/// The Jacobian of a problem near its start, where fewer entries vanish than at it.
sparse_matrix of_problem(const std::string& id, const std::map<std::string, std::string>& parameters = {});
/// The five-point formula on a grid of rows × columns points.
sparse_matrix of_grid(int rows, int columns);

/// The same matrices with KLU: the order is made once, and the numbers are in place already. Null where KLU was not there at build time.
std::unique_ptr<timed_system> make_klu_system(const sparse_matrix& a, number_kind numbers);

} // namespace ivp::bench

#endif
