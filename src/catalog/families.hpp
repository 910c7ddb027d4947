// The families of methods: solvers are compared inside a family, and the best of each family against each other.
#ifndef IVP_SRC_CATALOG_FAMILIES_HPP
#define IVP_SRC_CATALOG_FAMILIES_HPP

#include <span>
#include <string_view>

namespace ivp {

enum class solver_family { implicit_runge_kutta, rosenbrock, bdf, block, nonstiff, library, outside };

struct family_info {
    solver_family family;
    std::string_view id;    ///< letters and '-'
    std::string_view title; ///< as it is called in a sentence
    std::string_view about; ///< what its methods have in common, in a sentence
};

/// All families, in the order in which they are shown.
std::span<const family_info> solver_families();
const family_info& info_of(solver_family f);

struct family_place {
    solver_family family = solver_family::outside;
    int number = 0;       ///< among the solvers of its family, from 0
    bool implicit = true; ///< it solves linear systems; nobody expects the others to solve stiff problems
};

/// Where a solver of the catalog belongs; solvers that are not part of it come from outside.
family_place family_of_solver(std::string_view name);

} // namespace ivp

#endif
