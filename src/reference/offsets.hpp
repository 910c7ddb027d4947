// How often each equation of a DAE must be differentiated, found from what depends on what (the signature method of J. D. Pryce).
#ifndef IVP_REFERENCE_OFFSETS_HPP
#define IVP_REFERENCE_OFFSETS_HPP

#include <optional>
#include <vector>

namespace ivp::reference {

/// Equation i, differentiated c_i times, determines together with the others the derivatives d_j of the variables.
struct offsets {
    std::vector<int> c;
    std::vector<int> d;
};

constexpr int absent = -1;

/// order[i·n + j]: the highest derivative of variable j that equation i has, or absent. None: the equations determine no solution.
std::optional<offsets> find_offsets(const std::vector<int>& order, int n);

} // namespace ivp::reference

#endif
