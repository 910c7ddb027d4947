// Proof that a problem is what it says: derivatives, structure, initial values, index, reference.
#ifndef IVP_MEASURE_CHECK_HPP
#define IVP_MEASURE_CHECK_HPP

#include <ivp/model/problem.hpp>

#include <string>
#include <vector>

namespace ivp {

struct finding {
    std::string what; ///< the property that was checked
    bool passed = true;
    std::string detail; ///< what was measured; for a failure the component and the size
};

struct check_report {
    std::string problem;
    std::vector<finding> findings;
    [[nodiscard]] bool passed() const;
};

/// Deterministic: the random points come from a fixed seed.
check_report check_problem(const problem& p);

} // namespace ivp

#endif
