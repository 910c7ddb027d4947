#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace ivp {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// Of a line "name  number kB", in bytes.
std::optional<double> line_of(const char* path, std::string_view name)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name)) continue;
        constexpr double kib = 1024;
        return kib * static_cast<double>(std::strtoull(line.c_str() + name.size(), nullptr, 10));
    }
    return std::nullopt;
}

double left_by_the_limit()
{
    rlimit space{};
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return unknown;
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return std::max(0.0, static_cast<double>(space.rlim_cur) - pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

} // namespace

double available_memory() { return std::min(line_of("/proc/meminfo", "MemAvailable:").value_or(unknown), left_by_the_limit()); }

std::optional<double> peak_memory() { return line_of("/proc/self/status", "VmHWM:"); }

void forget_peak_memory()
{
    std::ofstream("/proc/self/clear_refs") << 5; // nothing but this number; see proc(5)
}

} // namespace ivp
