// CPU time spent so far, in seconds.
#ifndef IVP_SRC_BASE_CPU_TIME_HPP
#define IVP_SRC_BASE_CPU_TIME_HPP

#include <ctime>

namespace ivp {

/// Of CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID.
inline double cpu_seconds(clockid_t clock)
{
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
inline double process_cpu_seconds() { return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID); } ///< all its threads
inline double thread_cpu_seconds() { return cpu_seconds(CLOCK_THREAD_CPUTIME_ID); }

} // namespace ivp

#endif
