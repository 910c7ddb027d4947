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

/// What a path belongs to.
struct path_owner {
    const problem* p;
    std::string typed; ///< how the user named it: an id, or a file
    reference_recipe recipe;
};

std::string kept_path_name(const problem& p);
/// Throw bad_request where it cannot be written, or would replace a file that is not ours (`force`: it may). The first is for before the derivation.
void try_path(const path_owner& owner, bool force);
void keep_path(const path_owner& owner, const std::vector<solution_path>& paths, bool force);
/// Empty: there is none for the problem as it is now, its parameters and this recipe. Throws bad_request where the file is damaged.
std::vector<solution_path> kept_path(const path_owner& owner);

} // namespace ivp

#endif
