// Tests what a problem claims: derivatives, structure, initial values, index, reference. The result says
// which claims were proven, which failed, and which could not be tested.
#ifndef IVP_CHECK_HPP
#define IVP_CHECK_HPP

#include <ivp/problem.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class proof {
    proven,  ///< tested, and true
    claimed, ///< the problem says so, but it could not be tested completely
    failed,  ///< tested, and false
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
    /// No test failed.
    [[nodiscard]] bool passed() const;
};

struct check_options {
    double reference_s = 10; ///< about how many CPU seconds the integrations that test the reference may take
};

/// The random points come from a fixed seed. No work grows with the square of n unless the problem claims nothing about its structure.
check_report check_problem(const problem& p, const check_options& options = {});

} // namespace ivp

#endif
