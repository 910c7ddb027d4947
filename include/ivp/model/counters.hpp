// counters: what a run cost, counted at the boundary of the problem and of the linear algebra.
#ifndef IVP_MODEL_COUNTERS_HPP
#define IVP_MODEL_COUNTERS_HPP

#include <cstdint>

namespace ivp {

struct counters {
    std::uint64_t f = 0;          ///< evaluations of f or G for stepping
    std::uint64_t f_jacobian = 0; ///< evaluations of f or G spent on difference quotients
    std::uint64_t jacobian = 0;   ///< Jacobian evaluations, exact or by differences
    std::uint64_t lu = 0;         ///< factorisations in the unit of the solver's chapter
    std::uint64_t solve = 0;      ///< solves in the unit of the solver's chapter
    std::uint64_t real_factorisations = 0;
    std::uint64_t complex_factorisations = 0;
    std::uint64_t refused = 0;   ///< evaluations outside the domain
    std::uint64_t nonfinite = 0; ///< evaluations that gave an infinity or NaN

    counters& operator+=(const counters& o)
    {
        f += o.f;
        f_jacobian += o.f_jacobian;
        jacobian += o.jacobian;
        lu += o.lu;
        solve += o.solve;
        real_factorisations += o.real_factorisations;
        complex_factorisations += o.complex_factorisations;
        refused += o.refused;
        nonfinite += o.nonfinite;
        return *this;
    }
};

} // namespace ivp

#endif
