// Explicit methods of high order for what is not stiff: power series (Taylor) and extrapolation of the midpoint rule (Gragg, Bulirsch, Stoer).
//
// Both take the formula from a tape. A DAE is taken through its expansion: what is integrated are the differential variables, and the constraints
// hold at every step. The two share the tape and the differentiation of a DAE, and nothing with the collocation of stage_integrator.hpp.
// Kinks that depend on the state are found: the tape holds its branches, and a step ends where the two numbers of a comparison are equal.
#ifndef IVP_REFERENCE_MARCH_HPP
#define IVP_REFERENCE_MARCH_HPP

#include "stage_integrator.hpp"

#include <span>

namespace ivp::reference {

/// Power series to this order; the tolerance bounds the last two terms, relative to each component.
integration integrate_by_series(const problem& p, int order, std::span<const quad> times, const integration_settings& s);

/// Extrapolation over this number of columns (order twice as many); the tolerance bounds the difference of the last two.
integration integrate_by_extrapolation(const problem& p, int columns, std::span<const quad> times, const integration_settings& s);

} // namespace ivp::reference

#endif
