// stage_integrator: M y' = f(t, y) by an implicit Runge-Kutta method of high order, in quadruple precision.
//
// The stages solve M (Y_i - y) = h sum a_ij f(Y_j) to the last digit of quad: the residual is computed in quad, the correction comes from a
// simplified Newton iteration in double, which only has to point the way. What is left is the error of the method, which `tolerance` bounds: the
// leading coefficient of the polynomial through the stages, relative to each component.
#ifndef IVP_REFERENCE_STAGE_INTEGRATOR_HPP
#define IVP_REFERENCE_STAGE_INTEGRATOR_HPP

#include "derive.hpp"
#include "stage_method.hpp"

#include <ivp/problem.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp::reference {

struct integration_settings {
    double tolerance = 1e-16; ///< of the leading coefficient
    number_kind numbers = number_kind::quad;
    double floor = 1e-6;                 ///< a component counts as at least this part of the largest value it has had
    double stall = 0;                    ///< part of the tolerance: corrections below it that stall end an iteration
    std::optional<double> first{};       ///< first step of a segment, as a part of it; none: by the index
    std::vector<double> size{};          ///< of each component, roughly, for those that begin at zero; empty: not known
    std::vector<double> least{};         ///< each component counts as at least this; empty: nothing
    std::vector<kept_sum> keep{};        ///< enforced after every step
    std::uint64_t max_steps = 1'000'000; ///< attempted
    std::optional<double> timeout_s{};   ///< of CPU time
    /// Called after every accepted step of a collocation: its beginning and length, y at its nodes one after the other, the number of components.
    std::function<void(const quad& t, const quad& h, const std::vector<quad>& stages, int n)> on_step{};
};

struct integration {
    std::string failure;               ///< empty: it reached the end
    quad t = 0;                        ///< reached
    std::vector<std::vector<quad>> at; ///< y at each of the times asked for
    std::uint64_t steps = 0;           ///< attempted
    std::uint64_t accepted = 0;
    std::uint64_t evaluations = 0; ///< of f
    std::uint64_t turns = 0;       ///< kinks that depend on the state, and were found
    double cpu_s = 0;
};

/// What is known of the size of an unknown; 0: nothing. The unknowns that an IDE as DAE has besides are the derivatives.
double known_size(const integration_settings& s, const problem_info& info, int i);

/// A component counts as at least this: what the recipe says, or what quadruple precision can still divide by.
quad least_weight(const integration_settings& s, int i);

/// From t0 through the given times, ascending, restarted at each breakpoint and discontinuity of the problem between. An IDE is taken as a DAE;
/// y has the problem's own components. Throws bad_request where the problem has no quadruple precision.
integration integrate(const problem& p, const stage_method& m, std::span<const quad> times, const integration_settings& s);

} // namespace ivp::reference

namespace ivp {

/// What the runs of a derivation have in common.
reference::integration_settings integration_settings_of(const problem& p, const reference_recipe& recipe, const derivation_request& request);

/// What the runs agree on at one of the times.
derived_values agreement_of(const derivation& d, std::size_t time, const decimal& t);

} // namespace ivp

#endif
