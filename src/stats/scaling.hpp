// Runs of one problem that differ in its size: what work becomes of more equations. Pure functions over records.
#ifndef IVP_SRC_STATS_SCALING_HPP
#define IVP_SRC_STATS_SCALING_HPP

#include <ivp/record.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// What is drawn and fitted against the number of equations.
enum class scaled_quantity { cpu, wall, steps, f, lu, memory };
std::string_view label(scaled_quantity q);
std::optional<scaled_quantity> scaled_quantity_from_label(std::string_view text);
std::string_view title(scaled_quantity q); ///< as an axis is called

/// None where it was not measured or is zero, and of a run that failed.
std::optional<double> value_of(const run_record& r, scaled_quantity q);

/// One solver, from the smallest size to the largest.
struct scaling_curve {
    std::string label;             ///< the solver's name, with the settings in which its curves differ
    std::vector<std::size_t> runs; ///< positions in the records
};

/// One problem at one tolerance.
struct scaling {
    std::string problem;
    double rtol = 0;
    std::vector<scaling_curve> curves; ///< in the order in which the solvers appear first
};

/// The sweeps over size in these records: runs with the same problem and tolerance with at least `fewest` different numbers of equations.
constexpr std::size_t fewest_sizes = 3;
std::vector<scaling> scalings_of(std::span<const run_record> records, std::size_t fewest = fewest_sizes);

/// How many different numbers of equations its runs have, whatever became of them.
std::size_t sizes_of(std::span<const run_record> records, const scaling& s);

/// p such that the quantity follows n^p, over the runs that succeeded with at least a tenth of the largest n among them: what small sizes cost
/// besides does not count. None: fewer than two sizes.
std::optional<double> exponent_of(std::span<const run_record> records, const scaling_curve& c, scaled_quantity q);

} // namespace ivp

#endif
