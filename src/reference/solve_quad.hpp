// solve_quad: a problem integrated in quadruple precision, for reference work.
//
// The method is Radau IIA of order 5, 9 and 13 (solver `radau`), with exact Jacobians. The run is restarted at every breakpoint and at every other
// known discontinuity, each taken to all the digits it is given with.
#ifndef IVP_SRC_REFERENCE_SOLVE_QUAD_HPP
#define IVP_SRC_REFERENCE_SOLVE_QUAD_HPP

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

struct quad_settings {
    std::optional<decimal> tend{};       ///< none: the problem's
    int order = 0;                       ///< 5, 9 or 13 throughout; 0: chosen from step to step
    std::optional<double> h0{};          ///< first step of every segment; none: the problem's for rtol 1e-10
    std::uint64_t max_steps = 1'000'000; ///< attempted steps of the whole run
    std::optional<double> timeout_s{};   ///< none: no limit
    ivp::algebra algebra = algebra::automatic;
};

struct quad_solution {
    ivp::outcome outcome = outcome::success;
    std::string message;
    double t = 0;        ///< reached
    std::vector<quad> y; ///< of an IDE without the derivatives
    std::uint64_t steps = 0;
    std::uint64_t accepted = 0;
    counters count;
};

/// rtol and atol as in a run in double, but rtol as small as 1e-30. Throws bad_request, with every fault at once, where the problem cannot be
/// evaluated in quad or a setting is not possible.
quad_solution solve_quad(const problem& p, const tolerances& tolerance, const quad_settings& settings = {});

} // namespace ivp

#endif
