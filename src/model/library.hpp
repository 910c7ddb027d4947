// Whether a library was compiled with optimisation: its inner loops are timed against the same arithmetic compiled by us.
#ifndef IVP_SRC_MODEL_LIBRARY_HPP
#define IVP_SRC_MODEL_LIBRARY_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// CPU seconds of one loop, run by the library and by us in turns.
struct loop_samples {
    std::vector<double> library;
    std::vector<double> ours;
};

/// How many times as long as ours the library's loops take: the geometric mean over the loops of the ratio of the least samples, because what
/// disturbs a sample only makes it longer. None where a loop has no sample that took time.
std::optional<double> slowdown_of(std::span<const loop_samples> loops);

/// From here on a library counts as compiled without optimisation. Ours are compiled with -O2 and without vectors: SUNDIALS comes to about 0.8 with
/// -O3, to 1.4 with -O1 and -O2, to 5 without optimisation.
constexpr double unoptimised_from = 2.5;
bool is_unoptimised(const std::optional<double>& slowdown);

/// The sentence that stands beside times of such a library, of which the name and the version are given.
std::string unoptimised_warning(const std::string& solvers, const std::string& library, double slowdown);

} // namespace ivp

#endif
