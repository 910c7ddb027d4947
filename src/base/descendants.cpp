#include "descendants.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ivp {

namespace {

std::uint64_t pages_of(pid_t process, int column)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/statm");
    std::uint64_t value = 0;
    for (int k = 0; k <= column; ++k) file >> value;
    return file ? value : 0;
}

std::uint64_t page_size() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

std::uint64_t virtual_bytes(pid_t process) { return pages_of(process, 0) * page_size(); }
std::uint64_t resident_bytes(pid_t process) { return pages_of(process, 1) * page_size(); }

std::vector<pid_t> children_of(pid_t process)
{
    std::vector<pid_t> children;
    std::error_code gone; // a thread, or the whole process, may end while it is looked at
    const std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task", gone);
    if (gone) return children;
    for (auto thread = begin(threads); thread != end(threads); thread.increment(gone)) {
        std::ifstream file(thread->path() / "children");
        for (pid_t child = 0; file >> child;) children.push_back(child);
        if (gone) break;
    }
    return children;
}

std::uint64_t resident_bytes_of_family(pid_t process)
{
    std::uint64_t sum = resident_bytes(process);
    for (const pid_t child : children_of(process)) sum += resident_bytes_of_family(child);
    return sum;
}

namespace {

/// Fields of /proc/PID/stat, counted from 1, of which these are one after the other: CPU time of the process by itself and in the kernel, and that of
/// its children that it waited for.
double cpu_seconds(pid_t process)
{
    constexpr int first = 14;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text(std::istreambuf_iterator<char>(file), {});
    const auto name_ends = text.rfind(')'); // the second; it may contain anything
    if (name_ends == std::string::npos) return 0;
    std::istringstream fields(text.substr(name_ends + 1));
    std::string skipped;
    for (int k = 3; k < first; ++k) fields >> skipped;
    double user = 0, system = 0, user_of_children = 0, system_of_children = 0;
    if (!(fields >> user >> system >> user_of_children >> system_of_children)) return 0;
    return (user + system + user_of_children + system_of_children) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace

double cpu_seconds_of_family(pid_t process)
{
    double sum = cpu_seconds(process);
    for (const pid_t child : children_of(process)) sum += cpu_seconds_of_family(child);
    return sum;
}

void adopt_orphans() { (void)prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> end_orphans(const std::vector<pid_t>& known, std::chrono::milliseconds patience)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + patience;
    while (true) {
        auto orphans = children_of(getpid());
        std::erase_if(orphans, [&known](pid_t p) { return std::ranges::find(known, p) != known.end(); });
        if (orphans.empty() || clock::now() > end) return orphans;
        // All of them first: who is waited for must not find another one to start it again.
        for (const pid_t p : orphans) (void)kill(p, SIGKILL);
        if (std::ranges::count_if(orphans, [](pid_t p) { return waitpid(p, nullptr, WNOHANG) == p; }) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void expect_processes_to_be_shown()
{
    std::error_code failed;
    const auto shown = std::filesystem::read_symlink("/proc/self", failed);
    if (failed || shown != std::to_string(getpid()))
        throw machine_fault("/proc does not show the processes of ivp, which then can neither limit nor end what a run starts; allowed: a mounted "
                            "/proc, of the PID namespace that ivp is in");
}

} // namespace ivp
