#include "lost_time.hpp"

#include <fstream>
#include <string>
#include <unistd.h>

namespace ivp {

namespace {

/// Second number of the file: nanoseconds spent waiting for a core.
double seconds_waiting(const std::string& schedstat)
{
    std::ifstream file(schedstat);
    double running = 0, waiting = 0;
    return file >> running >> waiting ? 1e-9 * waiting : 0;
}

/// Of all cores together: an upper limit for what one thread lost.
double seconds_stolen()
{
    std::ifstream file("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0;
    if (!(file >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> stolen)) return 0;
    return stolen / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace

double seconds_lost() { return seconds_waiting("/proc/thread-self/schedstat") + seconds_stolen(); }
double seconds_lost(pid_t process) { return seconds_waiting("/proc/" + std::to_string(process) + "/schedstat") + seconds_stolen(); }

} // namespace ivp
