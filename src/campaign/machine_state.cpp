#include "campaign/machine_state.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <numeric>
#include <sched.h>
#include <sstream>
#include <unistd.h>

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

std::map<int, core_ticks> ticks_now()
{
    std::ifstream in("/proc/stat");
    return read_core_ticks(in);
}

/// Ticks that a process has worked.
double ticks_of(pid_t process)
{
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return (static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)) * static_cast<double>(sysconf(_SC_CLK_TCK));
}

core_ticks since(const std::map<int, core_ticks>& before, const std::map<int, core_ticks>& now, int core)
{
    const auto a = before.find(core);
    const auto b = now.find(core);
    if (a == before.end() || b == now.end()) return {};
    return {b->second.busy - a->second.busy, b->second.stolen - a->second.stolen, b->second.all - a->second.all};
}

} // namespace

std::map<int, core_ticks> read_core_ticks(std::istream& stat)
{
    // Columns of time: user, nice, system, idle, waiting for input and output, interrupts, soft interrupts, stolen.
    constexpr int columns = 8;
    constexpr int idle = 3;
    constexpr int waiting = 4;
    constexpr int stolen = 7;
    std::map<int, core_ticks> cores;
    for (std::string line; std::getline(stat, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (!name.starts_with("cpu") || name == "cpu") continue;
        core_ticks& t = cores[std::stoi(name.substr(3))];
        std::uint64_t ticks = 0;
        for (int column = 0; column < columns && words >> ticks; ++column) {
            t.all += ticks;
            if (column == stolen)
                t.stolen = ticks;
            else if (column != idle && column != waiting)
                t.busy += ticks;
        }
    }
    return cores;
}

bool others_were_running(const std::map<int, core_ticks>& before, const std::map<int, core_ticks>& now, const std::vector<int>& own,
                         double coordinating)
{
    constexpr double noticeable = 0.1;
    constexpr double unit_of_counting = 2; // a tick counts whole, whoever had most of it
    double busy = -coordinating;
    double longest = 0;
    for (const auto& [core, unused] : now) {
        const core_ticks t = since(before, now, core);
        longest = std::max(longest, static_cast<double>(t.all));
        if (std::ranges::find(own, core) == own.end()) busy += static_cast<double>(t.busy);
    }
    return busy > std::max(unit_of_counting, noticeable * longest);
}

machine_watch::machine_watch(std::optional<int> core, const campaign_places& places, bool spread)
    : core_(core), places_(places), spread_(spread), before_(ticks_now()), coordinating_before_(ticks_of(places.coordinator))
{}

std::vector<std::string> machine_watch::notes() const
{
    std::vector<std::string> all;
    const auto now = ticks_now();
    if (!spread_ && others_were_running(before_, now, places_.cores, ticks_of(places_.coordinator) - coordinating_before_))
        all.emplace_back("other processes were running");
    if (!core_) all.emplace_back("other campaigns on this machine use all cores");
    const std::string governor = first_word(cpu_folder(core_.value_or(0)) + "/cpufreq/scaling_governor");
    if (!governor.empty() && governor != "performance") all.push_back("the frequency of the processor varies (governor " + governor + ")");
    const core_ticks own = since(before_, now, core_.value_or(0));
    constexpr double noticeable = 0.02;
    if (static_cast<double>(own.stolen) > noticeable * static_cast<double>(own.all))
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
