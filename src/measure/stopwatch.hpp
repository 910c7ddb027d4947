// CPU time (of all threads) and wall time of a piece of work, in seconds.
#ifndef IVP_MEASURE_STOPWATCH_HPP
#define IVP_MEASURE_STOPWATCH_HPP

#include <chrono>
#include <ctime>

namespace ivp {

inline double process_cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
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

/// Runs since it was made.
class running_clock {
public:
    [[nodiscard]] double cpu() const { return process_cpu_seconds() - cpu_begin_; }
    [[nodiscard]] double wall() const { return wall_seconds() - wall_begin_; }

private:
    double cpu_begin_ = process_cpu_seconds();
    double wall_begin_ = wall_seconds();
};

} // namespace ivp

#endif
