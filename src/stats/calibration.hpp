// What a solver delivers for what it is asked, and what threads gain. Pure functions over records.
#ifndef IVP_SRC_STATS_CALIBRATION_HPP
#define IVP_SRC_STATS_CALIBRATION_HPP

#include <ivp/record.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// A successful run: digits asked for (−log10 rtol) and achieved (mescd).
struct calibration_point {
    std::size_t run = 0; ///< position in the records
    double asked = 0;
    double achieved = 0;
};

struct calibration {
    std::vector<calibration_point> points;
    std::optional<double> slope; ///< of the straight line achieved = slope · asked + offset, by least squares; none below 3 points or one tolerance
    std::optional<double> offset;
    std::optional<double> median_surplus; ///< of achieved − asked
    std::size_t short_of_it = 0;          ///< runs that achieved more than one digit less than asked
};

/// Of the records at these positions.
calibration calibrate(std::span<const run_record> records, std::span<const std::size_t> runs);

/// Time on the clock of a parallel solver, by tolerance and number of threads.
struct speedup_row {
    double rtol = 0;
    int threads = 0;
    double wall_s = 0;
    std::optional<double> speedup; ///< over one thread; none: that was not measured
};

/// Of one solver on one problem, tightest tolerance last, threads ascending; empty where only one number of threads was used. Runs with more threads
/// than the machine has cores tell nothing and are left out.
std::vector<speedup_row> speedup_of(std::span<const run_record> records, const std::string& solver);

} // namespace ivp

#endif
