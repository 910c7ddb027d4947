// The solution between its end points: one polynomial for each step of two runs of different families, kept in a file.
#ifndef IVP_REFERENCE_PATH_HPP
#define IVP_REFERENCE_PATH_HPP

#include "derive.hpp"

#include <string>
#include <vector>

namespace ivp {

struct solution_piece {
    quad t, h;               ///< beginning and length of the step
    std::vector<quad> value; ///< y at its nodes, one after the other
};

struct solution_path {
    reference_run run; ///< its family and stages say where the nodes are
    std::vector<solution_piece> pieces;

    /// y at a time of the path.
    [[nodiscard]] std::vector<quad> at(const quad& t, int n) const;
};

/// The tightest run of each collocation of the recipe. Throws bad_request where the recipe has fewer than two of them, or a run fails.
std::vector<solution_path> derive_path(const problem& p, const reference_recipe& recipe, const derivation_request& request);

/// Values at these times, with the digits on which the paths agree, less one.
std::vector<reference_values> values_on(const std::vector<solution_path>& paths, const std::vector<decimal>& times, int n);

std::string kept_path_name(const problem& p);
void keep_path(const problem& p, const reference_recipe& recipe, const std::vector<solution_path>& paths);
/// Empty: there is none for the problem, its parameters and this recipe. Throws bad_request where the file is damaged.
std::vector<solution_path> kept_path(const problem& p, const reference_recipe& recipe);

} // namespace ivp

#endif
