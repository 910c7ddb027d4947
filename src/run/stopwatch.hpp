// CPU time (of all threads) and wall time of a piece of work, in seconds.
#ifndef IVP_SRC_RUN_STOPWATCH_HPP
#define IVP_SRC_RUN_STOPWATCH_HPP

#include "base/cpu_time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <sys/resource.h>

namespace ivp {

/// Of child processes that have ended: work that a solver gives to others is its work too.
inline double children_cpu_seconds()
{
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

inline double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Adds up the time of several pieces.
struct stopwatch {
    double cpu = 0;
    double wall = 0;

    template <class Work>
    auto around(Work&& work)
    {
        const double cpu_begin = process_cpu_seconds();
        const double wall_begin = wall_seconds();
        auto result = work();
        cpu += process_cpu_seconds() - cpu_begin;
        wall += wall_seconds() - wall_begin;
        return result;
    }
};

/// The least CPU time of several samples of the same work. Where a virtual machine was stopped for a while, the clock of a process runs on and is put
/// back later: a sample in between shows less than the work takes. Its wall time does not, so samples with much more wall time than CPU time
/// count only where there are no others.
inline double least_cpu(std::span<const double> cpu, std::span<const double> wall)
{
    constexpr double resolution = 1e-6; // of reading two clocks one after the other
    double undisturbed = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < std::min(cpu.size(), wall.size()); ++k)
        if (wall[k] - cpu[k] <= 0.05 * wall[k] + resolution) undisturbed = std::min(undisturbed, cpu[k]);
    return undisturbed < std::numeric_limits<double>::infinity() ? undisturbed : *std::ranges::min_element(cpu);
}

/// Runs since it was made.
class running_clock {
public:
    [[nodiscard]] double cpu() const { return std::max(0.0, process_cpu_seconds() - cpu_begin_); } // it may be put back, see least_cpu
    [[nodiscard]] double wall() const { return wall_seconds() - wall_begin_; }

private:
    double cpu_begin_ = process_cpu_seconds();
    double wall_begin_ = wall_seconds();
};

} // namespace ivp

#endif
