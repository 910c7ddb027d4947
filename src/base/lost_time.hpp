// Time that a thread did not have because the machine worked for others: it does not count for time limits.
#ifndef IVP_SRC_BASE_LOST_TIME_HPP
#define IVP_SRC_BASE_LOST_TIME_HPP

#include <algorithm>
#include <chrono>
#include <sys/types.h>

namespace ivp {

/// Seconds in which the calling thread was ready to run and another one had the core, or the host had taken the core from this (virtual)
/// machine. Only grows; 0 on a system that does not say it. Reads two files: not for a loop.
double seconds_lost();
/// The same for the first thread of another process.
double seconds_lost(pid_t process);

/// Any number of seconds for the clock, which counts no more than some centuries.
inline std::chrono::steady_clock::duration clock_duration(double seconds)
{
    constexpr double a_human_life = 3e9;
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(std::clamp(seconds, -a_human_life, a_human_life)));
}

} // namespace ivp

#endif
