#include "child_inside.hpp"

#include "descendants.hpp"
#include "messages.hpp"

#include <ivp/error.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

namespace ivp::child_parts {

namespace {

constexpr int address_space_factor = 16; // reserving is not using; this only stops what would exhaust the machine at once

bool is_child = false; // set once, right after the fork

class link_to_parent final : public child_link {
public:
    link_to_parent(const shared_page& page, const conversation& parent) : page_(page), parent_(parent) {}
    void alive() override { page_->signs_of_life.fetch_add(1, std::memory_order_relaxed); }
    void note_progress(double t, std::uint64_t accepted) override
    {
        page_->t.store(t, std::memory_order_relaxed);
        page_->accepted.store(accepted, std::memory_order_relaxed);
        page_->progress.store(true, std::memory_order_relaxed);
    }
    void pass_turn() override
    {
        say(parent_, word::turn_is_passed);
        messages::inbox answers(parent_.token);
        if (!messages::receive(parent_.channel, answers)) _exit(0); // there is no parent any more
    }

private:
    const shared_page& page_;
    const conversation& parent_;
};

[[noreturn]] void give_up(const conversation& parent, const std::string& what)
{
    say(parent, word::machine_fault, {what + ": " + std::generic_category().message(errno)});
    _exit(0);
}

// ---- Signals from outside, in the child ----

pid_t child_number = 0; // set once, before the handler is

/// Batch systems and people send these to all processes of a job. That is no crash: the parent decides. What the work sends to itself, or what it
/// started sends to it, takes the usual way.
void look_at_sender(int number, siginfo_t* info, void* /*context*/)
{
    const bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
    const bool from_outside = sent && (info->si_pid == 0 || getpgid(info->si_pid) != child_number); // 0: from where processes have other numbers
    if (from_outside && getpid() == child_number) return;
    (void)std::signal(number, SIG_DFL);
    (void)std::raise(number); // comes when this returns
}

void ignore_signals_from_outside()
{
    child_number = getpid();
    struct sigaction action {};
    action.sa_sigaction = look_at_sender;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (const int s : {SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU}) {
        struct sigaction before {};
        const bool ignored = sigaction(s, nullptr, &before) == 0 && before.sa_handler == SIG_IGN; // by nohup, for example
        if (s == SIGINT || !ignored) sigaction(s, &action, nullptr);
    }
}

/// After this /dev/tty opens nothing, for the child and for what it starts: what foreign code prints takes the way that is guarded.
/// NOTE: not setsid(): Linux shares cores between sessions, so a campaign that was started with nice would get more of them.
void leave_the_terminal()
{
    const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal < 0) return; // there is none
    (void)ioctl(terminal, TIOCNOTTY);
    ::close(terminal);
}

/// printed: what takes its output; below 0: the standard error of the parent.
void use_standard_streams(child_output output, int printed, const conversation& parent)
{
    const int nothing = ::open("/dev/null", O_RDWR);
    if (nothing < 0) give_up(parent, "a child process cannot open /dev/null");
    dup2(nothing, STDIN_FILENO);
    if (output == child_output::discarded) printed = nothing;
    dup2(printed >= 0 ? printed : STDERR_FILENO, STDOUT_FILENO);
    if (printed >= 0) dup2(printed, STDERR_FILENO);
    for (const int done : {nothing, printed})
        if (done > STDERR_FILENO) ::close(done);
}

/// Moves the channel out of the way of what foreign code may close or write to by mistake, and closes the files of the parent. What takes the output
/// is moved, too, and closed when it has become a standard stream.
void keep_only_the_channel(conversation& parent, int& printed)
{
    constexpr rlim_t lowest_wanted = 200, left_above = 8;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    const rlim_t lowest = std::clamp<rlim_t>(files.rlim_cur, STDERR_FILENO + 1 + left_above, lowest_wanted + left_above) - left_above;
    const int moved = fcntl(parent.channel, F_DUPFD_CLOEXEC, static_cast<int>(lowest));
    const bool prints = printed >= 0;
    if (prints) printed = fcntl(printed, F_DUPFD_CLOEXEC, static_cast<int>(lowest));
    if (moved < 0 || (prints && printed < 0))
        give_up(parent, "a child process cannot get the file descriptors it needs (ulimit -n " + std::to_string(files.rlim_cur) + ")");
    parent.channel = moved;
    if (lowest > STDERR_FILENO + 1) close_range(STDERR_FILENO + 1, static_cast<unsigned>(lowest) - 1, 0);
}

/// Sets what the work may use. True: the process may use less than the limit asked for says, because its parent may.
bool limit_memory(std::uint64_t bytes)
{
    const rlim_t in_use = virtual_bytes(getpid());
    rlimit space{};
    getrlimit(RLIMIT_AS, &space);
    const rlim_t wanted = in_use + address_space_factor * bytes;
    rlimit data{};
    getrlimit(RLIMIT_DATA, &data);
    if (std::min(space.rlim_cur, data.rlim_cur) < in_use + bytes) return true;
    space.rlim_cur = space.rlim_max = std::min(space.rlim_cur, wanted);
    setrlimit(RLIMIT_AS, &space);
    return false;
}

void stay_on(int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(core), &cores);
    (void)sched_setaffinity(0, sizeof(cores), &cores); // where it is not allowed the run is less quiet, not wrong
}

} // namespace

void be_child(const child_work& work, const child_limits& limits, conversation parent, int printed, const shared_page& page, pid_t parent_process)
{
    is_child = true;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent_process) _exit(0);
    adopt_orphans();
    (void)std::signal(SIGTERM, SIG_IGN); // as those from outside, and whoever sends it
    for (const int s : {SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGCHLD}) (void)std::signal(s, SIG_DFL);
    ignore_signals_from_outside();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (limits.core) stay_on(*limits.core);
    leave_the_terminal();
    keep_only_the_channel(parent, printed); // first: where the parent has no standard streams, the channel may be one of them
    use_standard_streams(limits.output, printed, parent);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const bool poor = limits.memory && limit_memory(*limits.memory);
    page->poor = poor;

    link_to_parent link(page, parent);
    try {
        const std::string answer = work(link);
        (void)std::fflush(nullptr); // what it printed
        say(parent, child_ending::answered, {answer});
    } catch (const bad_request& e) {
        say(parent, child_ending::refused, e.faults());
    } catch (const std::bad_alloc&) {
        if (poor)
            say(parent, word::machine_fault, {"a child process ran out of memory: " + too_little_memory(*limits.memory)});
        else
            say(parent, child_ending::out_of_memory, {"an allocation was refused"});
    } catch (const machine_fault& e) {
        say(parent, word::machine_fault, {e.what()});
    } catch (const std::exception& e) {
        say(parent, child_ending::threw, {std::string("an exception left it: ") + e.what()});
    } catch (...) {
        say(parent, child_ending::threw, {"an exception of unknown type left it"});
    }
    // NOTE: not exit(): what the parent wants done at its own end is not done twice.
    _exit(0);
}

} // namespace ivp::child_parts

bool ivp::in_child() { return ivp::child_parts::is_child; }
