// Measured orders: how fast an error falls with the step size, where all steps have the same size.
#ifndef IVP_TESTS_SOLVERS_CONVERGENCE_HPP
#define IVP_TESTS_SOLVERS_CONVERGENCE_HPP

#include <array>
#include <cmath>
#include <cstddef>

namespace ivp::testing_support {

/// errors_of(steps) gives the errors of several groups of components after an integration with that many equal steps; the result is the order of
/// each group, seen between `coarse` and `fine` steps.
template <class Errors>
auto measured_orders(int coarse, int fine, Errors errors_of)
{
    const auto first = errors_of(coarse);
    const auto second = errors_of(fine);
    auto order = first;
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = std::log(first[k] / second[k]) / std::log(static_cast<double>(fine) / coarse);
    return order;
}

} // namespace ivp::testing_support

#endif
