// Errors along the path: the largest one and the root mean square, at many times, not at the end alone.
#ifndef IVP_SRC_RUN_PATH_ERROR_HPP
#define IVP_SRC_RUN_PATH_ERROR_HPP

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <optional>
#include <vector>

namespace ivp {

struct run_settings;

/// Of the mixed errors of all components at all times.
struct path_errors {
    double largest = 0;
    double root_mean_square = 0;
};

/// The solution at times along the path, from a run at a very small tolerance.
struct path_reference {
    std::vector<double> t;
    std::vector<std::vector<double>> y; ///< all components at each time
    path_errors agreement;              ///< mixed errors (atol = rtol) of a run at ten times the tolerance: all that is known of its accuracy
};

/// None where RADAU does not get to the end at such a tolerance.
std::optional<path_reference> make_path_reference(const problem& p);

struct path_accuracy {
    double worst = 0;            ///< mescd of the largest error
    double root_mean_square = 0; ///< mescd of the root mean square
};

/// Digits along the path, of this solver at this tolerance; none if it fails or has no interpolant.
std::optional<path_accuracy> path_digits(const problem& p, const solver& s, const run_settings& settings, const path_reference& reference);

/// Digits beyond which the reference says nothing.
path_accuracy reach_of(const path_reference& reference);

} // namespace ivp

#endif
