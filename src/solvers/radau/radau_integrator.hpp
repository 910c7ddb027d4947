// integrate_radau: Radau IIA methods of fixed or variable order with simplified Newton iterations and step-size control, in double or quad.
//
// RADAU5 is this integrator with three stages, RADAU the one that chooses between them; what the two decide differently stands in radau_settings.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_INTEGRATOR_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_INTEGRATOR_HPP

#include "model/option_table.hpp"
#include "solvers/common/predictive_control.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ivp::solvers {

struct radau_settings {
    double safety = 0.9;
    double thet = 0.001;                   ///< a Newton contraction above this asks for a new Jacobian; negative: after every step
    double quot1 = 1.0;                    ///< a step ratio between quot1 and quot2 keeps step size and factorisation
    double quot2 = 1.2;                    ///< see quot1
    double growth = 8;                     ///< largest step ratio
    double shrink = 0.2;                   ///< smallest step ratio
    int newton_limit = 7;                  ///< iterations with three stages; 5/2 more for each further one
    double newton_tolerance = 0;           ///< 0: from rtol
    bool newton_tolerance_of_last = false; ///< from that of the last component (RADAU), not of the first (RADAU5)
    bool zero_start = false;               ///< no extrapolation of the last step
    bool predictive = true;                ///< Gustafsson's controller
    bool hessenberg = false;               ///< Jacobians in Hessenberg form
    int least_stages = 3;                  ///< 1, 3, 5, 7
    int most_stages = 3;
    int start_stages = 3;
    double order_up = 0.002; ///< the order rises while the iteration contracts faster than this,
    double order_down = 0.8; ///< and falls when it contracts slower than this;
    double ratio_up = 1.2;   ///< it rises only at step ratios between ratio_down and ratio_up
    double ratio_down = 0.8;
};

/// What every Radau code has: its abilities and its options.
solver_info common_radau_description();
const option_table<radau_settings>& common_radau_options();

template <class R>
struct radau_request {
    basic_evaluator<R>& evaluator;
    R t0;
    R tend;
    std::span<R> y; ///< in: the start, out: the solution reached
    std::uint64_t max_steps;
    const solve_options& options;
    radau_settings settings;
    step_observer* observer = nullptr; ///< called in double only
};

template <class R>
solve_result integrate_radau(const radau_request<R>& request);

extern template solve_result integrate_radau(const radau_request<double>&);
extern template solve_result integrate_radau(const radau_request<quad>&);

} // namespace ivp::solvers

#endif
