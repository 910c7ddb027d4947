// Upper limits of what can be asked for, the same on the command line and in plans.
#ifndef IVP_SRC_MODEL_LIMITS_HPP
#define IVP_SRC_MODEL_LIMITS_HPP

#include <cstddef>
#include <cstdint>

namespace ivp::limits {

constexpr std::uint64_t most_steps = 1'000'000'000'000'000;    ///< every whole number up to here is a double
constexpr std::uint64_t most_counted = std::uint64_t{1} << 53; ///< of a count in a record: as exact in every program that reads JSON
constexpr std::size_t longest_label = 4000;                    ///< bytes of the name of a CPU, a system, a computer or a campaign in a store
constexpr int most_threads = 1024;
constexpr int most_repeats = 1'000'000;
constexpr double longest_ladder = 1'000'000; ///< values
constexpr std::uint64_t most_planned_runs = 1'000'000;
constexpr std::size_t most_imported = 1'000'000; ///< records of one file, which are all in memory before the first is stored
constexpr double least_memory_gib = 0.001;
constexpr double most_memory_gib = 1e6;

} // namespace ivp::limits

#endif
