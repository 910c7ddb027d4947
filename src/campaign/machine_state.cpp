#include "campaign/machine_state.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sched.h>
#include <sstream>

namespace ivp {

namespace {

std::string first_word(const std::string& file)
{
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
}

std::string cpu_folder(int core) { return "/sys/devices/system/cpu/cpu" + std::to_string(core); }

/// Processes that run or want to at this moment, this one and the campaign's other jobs not counted.
int other_processes(int jobs)
{
    std::ifstream in("/proc/loadavg");
    double one = 0;
    double five = 0;
    double fifteen = 0;
    int running = 0;
    in >> one >> five >> fifteen >> running;
    return in ? std::max(0, running - jobs) : 0;
}

struct processor_time {
    std::uint64_t stolen = 0; ///< by the host of a virtual machine
    std::uint64_t all = 0;
};

/// In ticks, of one core.
processor_time times_of(int core)
{
    std::ifstream in("/proc/stat");
    const std::string name = "cpu" + std::to_string(core) + " ";
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(name)) continue;
        std::istringstream numbers(line.substr(name.size()));
        processor_time t;
        std::uint64_t ticks = 0;
        for (int column = 0; column < 8 && numbers >> ticks; ++column) {
            t.all += ticks;
            if (column == 7) t.stolen = ticks;
        }
        return t;
    }
    return {};
}

} // namespace

machine_watch::machine_watch(std::optional<int> core, int jobs) : core_(core), jobs_(jobs), others_(other_processes(jobs))
{
    const auto t = times_of(core.value_or(0));
    stolen_ = t.stolen;
    elapsed_ = t.all;
}

std::vector<std::string> machine_watch::notes() const
{
    std::vector<std::string> all;
    if (std::max(others_, other_processes(jobs_)) > 0) all.emplace_back("other processes were running");
    if (!core_) all.emplace_back("other campaigns on this machine use all cores");
    const std::string governor = first_word(cpu_folder(core_.value_or(0)) + "/cpufreq/scaling_governor");
    if (!governor.empty() && governor != "performance") all.push_back("the frequency of the processor varies (governor " + governor + ")");
    const auto now = times_of(core_.value_or(0));
    constexpr double noticeable = 0.02;
    if (static_cast<double>(now.stolen - stolen_) > noticeable * static_cast<double>(now.all - elapsed_))
        all.emplace_back("the host took processor time away from this virtual machine");
    return all;
}

std::vector<std::string> notes_on_samples(const run_record& r)
{
    std::vector<std::string> all;
    if (r.cpu_samples.empty()) return all;
    const double cpu = std::accumulate(r.cpu_samples.begin(), r.cpu_samples.end(), 0.0);
    const double wall = std::accumulate(r.wall_samples.begin(), r.wall_samples.end(), 0.0);
    if (r.threads == 1 && wall > 1.1 * cpu && wall - cpu > 1e-3) all.emplace_back("the run had to wait for its core");
    std::vector<double> sorted = r.cpu_samples;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (*middle > 1.25 * r.cpu_s) all.emplace_back("the CPU time varies: the median of the samples is more than 1.25 times their minimum");
    return all;
}

std::vector<int> allowed_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return {0};
    std::vector<int> first;
    std::vector<int> siblings; // of a physical core that is in the list already
    std::vector<std::string> physical;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(static_cast<std::size_t>(core), &set)) continue;
        const std::string shared = first_word(cpu_folder(core) + "/topology/thread_siblings_list");
        const bool known = !shared.empty() && std::find(physical.begin(), physical.end(), shared) != physical.end();
        (known ? siblings : first).push_back(core);
        physical.push_back(shared);
    }
    first.insert(first.end(), siblings.begin(), siblings.end());
    return first;
}

} // namespace ivp
