// What a problem claims of itself, tried: derivatives, structure, initial values, index, reference. The result says
// what was proven and what was only claimed.
#ifndef IVP_CHECK_HPP
#define IVP_CHECK_HPP

#include <ivp/problem.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class proof {
    proven,  ///< tried, and found true
    claimed, ///< the problem says so; it was not, or not wholly, possible to try it
    failed,  ///< tried, and found false
    none,    ///< nothing is claimed
};
std::string_view label(proof p);

struct finding {
    std::string what; ///< the property that was checked
    ivp::proof proof = proof::proven;
    std::string detail; ///< what was measured; for a failure the component and the size
};

struct check_report {
    std::string problem;
    std::vector<finding> findings;
    /// Nothing that was tried is false.
    [[nodiscard]] bool passed() const;
};

struct check_options {
    double reference_s = 10; ///< CPU seconds, about, for the integrations that try the reference
};

/// The random points come from a fixed seed. No work grows with the square of n unless the problem claims nothing of its structure.
check_report check_problem(const problem& p, const check_options& options = {});

} // namespace ivp

#endif
