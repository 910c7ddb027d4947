#include "families.hpp"

#include <array>

namespace ivp {

namespace {

using enum solver_family;

constexpr std::array<family_info, 7> families{{
    {implicit_runge_kutta, "implicit-runge-kutta", "implicit Runge-Kutta",
     "One-step methods whose stages depend on each other; Newton's method solves for them. Radau methods and PSIDE."},
    {rosenbrock, "rosenbrock", "Rosenbrock", "Linearly implicit one-step methods: each stage solves one linear system, without iteration."},
    {bdf, "bdf", "BDF", "Backward differentiation formulas, their extensions (MEBDF) and multistep formulas with second derivatives."},
    {block, "block", "block", "Block methods: each step computes the solution at several new times together."},
    {nonstiff, "explicit", "explicit",
     "Methods that solve no linear systems: explicit Runge-Kutta methods, and Adams methods with functional iteration."},
    {library, "library", "foreign library", "Solvers of other libraries, run through a driver with the defaults of the library."},
    {outside, "outside", "plug-in", "Solvers that are not part of the test set."},
}};

struct member {
    std::string_view solver;
    solver_family family;
    bool implicit = true;
};

/// In the order of the catalog; new members of a family come at its end, so that the colours of the others stay.
constexpr std::array members{
    member{"radau5", implicit_runge_kutta},
    member{"radau", implicit_runge_kutta},
    member{"pside", implicit_runge_kutta},
    member{"rodas", rosenbrock},
    member{"dassl", bdf},
    member{"vode", bdf},
    member{"mebdfi", bdf},
    member{"mebdfdae", bdf},
    member{"secder", bdf},
    member{"bimd", block},
    member{"gamd", block},
    member{"dopri5", nonstiff, false},
    member{"dop853", nonstiff, false},
    member{"dverk", nonstiff, false},
    member{"vode-adams", nonstiff, false},
    member{"cvode", library},
    member{"cvode-adams", library, false},
    member{"ida", library},
    member{"arkode", library},
    member{"arkode-3", library},
    member{"arkode-5", library},
    member{"arkode-erk", library, false},
    member{"odeint-rosenbrock4", library},
    member{"odeint-dopri5", library, false},
    member{"odeint-bulirsch-stoer", library, false},
    member{"petsc-bdf", library},
    member{"petsc-arkimex", library},
    member{"petsc-rosw", library},
};

} // namespace

std::span<const family_info> solver_families() { return families; }

const family_info& info_of(solver_family f) { return families[static_cast<std::size_t>(f)]; }

family_place family_of_solver(std::string_view name)
{
    std::array<int, families.size()> before{};
    for (const auto& m : members) {
        int& number = before[static_cast<std::size_t>(m.family)];
        if (m.solver == name) return {m.family, number, m.implicit};
        ++number;
    }
    return {};
}

} // namespace ivp
