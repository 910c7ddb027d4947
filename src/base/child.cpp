#include "child.hpp"

#include "descendants.hpp"
#include "lost_time.hpp"
#include "messages.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace ivp {

namespace {

using clock = std::chrono::steady_clock;

constexpr auto watch_period = std::chrono::milliseconds(20);
constexpr std::uint64_t longest_answer = 1ULL << 30U;
constexpr int address_space_factor = 16; // reserving is not using; this only stops what would exhaust the machine at once

[[noreturn]] void fail(const char* what) { throw machine_fault(std::string(what) + ": " + std::generic_category().message(errno)); }

class descriptor {
public:
    explicit descriptor(int fd) : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    descriptor& operator=(descriptor&&) = delete;
    ~descriptor() { close(); }
    void close()
    {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

/// Shared with the child; readable after its death.
struct shared_notes {
    std::atomic<std::uint64_t> signs_of_life{0};
    std::atomic<double> t{0};
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<bool> progress{false};
    std::atomic<bool> poor{false}; ///< it may use less memory than its limit says, because its parent may
};
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

class shared_page {
public:
    shared_page()
    {
        void* const memory = mmap(nullptr, sizeof(shared_notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) fail("cannot share memory with a child process");
        notes_ = new (memory) shared_notes;
    }
    shared_page(const shared_page&) = delete;
    shared_page& operator=(const shared_page&) = delete;
    ~shared_page() { munmap(notes_, sizeof(shared_notes)); }
    shared_notes* operator->() const { return notes_; }
    void clear() { notes_ = new (notes_) shared_notes; }

private:
    shared_notes* notes_;
};

// ---- What they say to each other ----

enum class word : std::uint32_t {
    go_on = 1000, ///< from the parent; beyond all endings
    turn_is_passed,
    machine_fault, ///< what the work should find in its process could not be had
};

struct conversation {
    int channel;
    std::uint64_t token;
};

void say(const conversation& c, word w, const std::vector<std::string>& parts = {})
{
    (void)messages::send(c.channel, c.token, {static_cast<std::uint32_t>(w), parts}); // no listener: then this process has little time left
}
void say(const conversation& c, child_ending e, const std::vector<std::string>& parts)
{
    (void)messages::send(c.channel, c.token, {static_cast<std::uint32_t>(e), parts});
}

// ---- The child ----

bool is_child = false; // set once, right after the fork

std::string size_text(std::uint64_t bytes)
{
    constexpr double mebibyte = 1024.0 * 1024.0;
    const double m = static_cast<double>(bytes) / mebibyte;
    return m < 1024 ? fmt::format("{:.0f} MiB", m) : fmt::format("{:.1f} GiB", m / 1024);
}

std::string too_little_memory(std::uint64_t limit)
{
    return "its limit is " + size_text(limit) + ", but ivp itself may not use that much (ulimit -v, ulimit -d)";
}

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

[[noreturn]] void be_child(const child_work& work, const child_limits& limits, conversation parent, int printed, const shared_page& page,
                           pid_t parent_process)
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

// ---- The parent ----

/// Children of this process that are no orphans: those that are watched.
std::vector<pid_t>& watched_children()
{
    static std::vector<pid_t> all;
    return all;
}

/// How many processes the system has ended so far because memory had run out. Of the whole machine: what a group of processes may not exceed counts
/// too.
std::uint64_t killed_for_memory()
{
    std::ifstream file("/proc/vmstat");
    std::uint64_t value = 0;
    for (std::string name; file >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

child_result without_answer(child_ending ending, std::string reason)
{
    child_result r;
    r.ending = ending;
    r.reason = std::move(reason);
    return r;
}

struct process_end {
    int status = 0;
    double cpu_s = 0;
};

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

/// A child that was forked just now, as its parent sees it.
class watch {
public:
    /// others: children this process had before.
    watch(pid_t pid, descriptor channel, descriptor printed, std::uint64_t token, const child_limits& limits, const shared_page& page,
          std::vector<pid_t> others)
        : pid_(pid),
          channel_(std::move(channel)),
          printed_(std::move(printed)),
          token_(token),
          inbox_(token),
          limits_(limits),
          page_(page),
          others_(std::move(others)),
          inherited_(resident_bytes(getpid())),
          killed_before_(killed_for_memory()),
          process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))
    {
        watched_children().push_back(pid);
        if (process_.get() < 0) {
            const int why = errno;
            end_it();
            errno = why;
            fail("cannot watch a child process");
        }
        note_sign();
    }
    ~watch()
    {
        if (!over_) end_it();
    }
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    void permit()
    {
        say({channel_.get(), token_}, word::go_on);
        note_sign();
    }

    /// Until it passes its turn (true) or has ended. Throws machine_fault.
    bool wait()
    {
        while (!message_ && !ended_ && !verdict_) {
            // Below 0: not looked at.
            std::array<pollfd, 3> events{pollfd{process_.get(), POLLIN, 0}, pollfd{channel_open_ ? channel_.get() : -1, POLLIN, 0},
                                         pollfd{printed_.get(), POLLIN, 0}};
            const int period = limits_.seconds || limits_.memory || limits_.stop ? static_cast<int>(watch_period.count()) : -1;
            const bool interrupted = poll(events.data(), events.size(), period) < 0; // by a signal for the parent
            if (limits_.stop && limits_.stop()) {
                verdict_ = without_answer(child_ending::stopped, "it was stopped");
                break;
            }
            if (interrupted) continue;
            ended_ = (events[0].revents & POLLIN) != 0; // looked at before the channel is read: nothing comes after its end
            if (channel_open_ && (ended_ || events[1].revents != 0)) read_channel();
            if (events[2].revents != 0) show_printed();
            if (!ended_ && !message_) look_at_limits();
        }
        if (!verdict_ && message_ && message_->kind == static_cast<std::uint32_t>(word::turn_is_passed)) {
            message_.reset();
            show_printed();
            return true;
        }
        const process_end end = end_it();
        show_printed();
        if (!verdict_ && message_ && message_->kind == static_cast<std::uint32_t>(word::machine_fault))
            throw machine_fault(message_->parts.empty() ? "a child process could not begin" : message_->parts[0]);
        if (!verdict_ && !message_) refuse_end_from_outside(end);
        killed_ = !verdict_ && !message_ && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
        result_ = verdict_ ? *verdict_ : from_message().value_or(from_status(end.status));
        if (page_->poor) refuse_poor_end();
        if (page_->progress.load()) {
            result_->t = page_->t.load();
            result_->accepted = page_->accepted.load();
        }
        return false;
    }
    [[nodiscard]] const std::optional<child_result>& result() const { return result_; }
    /// Whether SIGKILL ended it, and nobody knows who sent it.
    [[nodiscard]] bool killed() const { return killed_; }

private:
    /// What the child has printed until now, on our own standard error, which is a terminal.
    void show_printed()
    {
        std::array<char, 4096> text{};
        while (printed_.get() >= 0) {
            const ssize_t size = read(printed_.get(), text.data(), text.size());
            if (size < 0 && errno == EINTR) continue;
            if (size < 0 && errno == EAGAIN) return;
            if (size > 0)
                (void)std::fwrite(text.data(), 1, static_cast<std::size_t>(size), stderr);
            else
                printed_.close(); // nobody can print any more
        }
    }

    void read_channel()
    {
        std::uint64_t before = 0;
        do {
            before = inbox_.waiting_bytes();
            channel_open_ = inbox_.read(channel_.get());
            if (inbox_.waiting_bytes() > longest_answer) {
                verdict_ = without_answer(child_ending::crashed, "its answer is too long");
                return;
            }
        } while (channel_open_ && inbox_.waiting_bytes() > before);
        message_ = inbox_.take();
    }

    [[nodiscard]] std::optional<child_result> from_message() const
    {
        if (!message_ || message_->kind > static_cast<std::uint32_t>(child_ending::out_of_memory)) return std::nullopt;
        child_result r;
        r.ending = static_cast<child_ending>(message_->kind);
        if (r.ending == child_ending::refused)
            r.faults = message_->parts;
        else if (message_->parts.empty())
            return std::nullopt;
        else
            (r.ending == child_ending::answered ? r.answer : r.reason) = message_->parts[0];
        return r;
    }
    static std::string name_of_signal(int number) { return std::string(strsignal(number)) + " (signal " + std::to_string(number) + ")"; }
    [[nodiscard]] static child_result from_status(int status)
    {
        if (WIFSIGNALED(status)) return without_answer(child_ending::crashed, name_of_signal(WTERMSIG(status)));
        return without_answer(child_ending::exited, "it ended its process with exit code " + std::to_string(WEXITSTATUS(status)));
    }

    /// Throws machine_fault where the end of the process says nothing about the work.
    void refuse_end_from_outside(const process_end& end) const
    {
        if (!WIFSIGNALED(end.status)) return;
        const int number = WTERMSIG(end.status);
        rlimit cpu{};
        getrlimit(RLIMIT_CPU, &cpu);
        // The system counts this time in another way than it reports it.
        const auto reached = [&end](rlim_t limit) { return limit != RLIM_INFINITY && end.cpu_s > 0.5 * static_cast<double>(limit); };
        if (number == SIGXCPU && reached(cpu.rlim_cur)) refuse_cpu_limit(cpu.rlim_cur);
        if (number == SIGKILL && reached(cpu.rlim_max)) refuse_cpu_limit(cpu.rlim_max);
        if (number == SIGKILL && killed_for_memory() > killed_before_)
            throw machine_fault("the system ended a child process because memory had run out" +
                                (limits_.memory ? ", although its limit of " + size_text(*limits_.memory) + " allows more than it had" : ""));
    }
    [[noreturn]] static void refuse_cpu_limit(rlim_t seconds)
    {
        throw machine_fault("a child process needed more than " + std::to_string(seconds) +
                            " s of CPU time, which ivp itself may not use (ulimit -t)");
    }
    /// A library that is refused memory may end in any way.
    void refuse_poor_end()
    {
        const std::string why = too_little_memory(*limits_.memory);
        if (result_->ending == child_ending::crashed || result_->ending == child_ending::exited || result_->ending == child_ending::threw)
            throw machine_fault("a child process ended, perhaps for want of memory: " + result_->reason + "; " + why);
        result_->too_little_memory = why;
    }

    void note_sign()
    {
        last_sign_ = clock::now();
        if (limits_.seconds) lost_at_sign_ = seconds_lost(pid_);
    }

    void look_at_limits()
    {
        const std::uint64_t signs = page_->signs_of_life.load(std::memory_order_relaxed);
        if (signs != signs_seen_) {
            signs_seen_ = signs;
            note_sign();
        }
        if (limits_.seconds && is_too_late(*limits_.seconds))
            verdict_ = without_answer(child_ending::timed_out, "it did not end within " + to_text(*limits_.seconds) + " s");
        else if (limits_.memory && resident_bytes_of_family(pid_) > inherited_ + *limits_.memory)
            verdict_ = without_answer(child_ending::out_of_memory, "it uses more than " + size_text(*limits_.memory));
    }

    /// What the machine gave to others is not the child's fault.
    [[nodiscard]] bool is_too_late(double limit) const
    {
        const double passed = std::chrono::duration<double>(clock::now() - last_sign_).count();
        return passed > limit && passed - (seconds_lost(pid_) - lost_at_sign_) > limit;
    }

    /// Nothing of the child is left after this, nor of what it started. Until it is waited for, its number (and that of its group) cannot belong to
    /// anybody else.
    process_end end_it()
    {
        over_ = true;
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        process_end end;
        rusage used{};
        while (wait4(pid_, &end.status, 0, &used) < 0 && errno == EINTR) {}
        end.cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        std::erase(watched_children(), pid_);
        auto known = others_;
        known.insert(known.end(), watched_children().begin(), watched_children().end());
        end_orphans(known);
        return end;
    }

    pid_t pid_;
    descriptor channel_;
    descriptor printed_;
    std::uint64_t token_;
    messages::inbox inbox_;
    const child_limits& limits_;
    const shared_page& page_;
    std::vector<pid_t> others_;
    std::uint64_t inherited_;
    std::uint64_t killed_before_;
    descriptor process_;
    bool channel_open_ = true;
    bool ended_ = false;
    bool over_ = false; ///< waited for
    bool killed_ = false;
    std::optional<messages::message> message_;
    std::optional<child_result> verdict_;
    std::uint64_t signs_seen_ = 0;
    clock::time_point last_sign_;
    double lost_at_sign_ = 0;
    std::optional<child_result> result_;
};

} // namespace

class child_process::implementation {
public:
    implementation(child_work work, child_limits limits) : work_(std::move(work)), limits_(std::move(limits)) {}

    bool go_on()
    {
        if (watch_ && watch_->result()) throw std::logic_error("a child process that has ended cannot continue");
        if (watch_)
            watch_->permit();
        else
            start();
        if (watch_->wait()) return true;
        if (!watch_->killed() || made_again_) return false;
        made_again_ = true;
        watch_.reset();
        page_.clear();
        start();
        return watch_->wait();
    }
    [[nodiscard]] const child_result& result() const { return watch_->result().value(); }

private:
    void start()
    {
        const std::uint64_t token = messages::new_token();
        const messages::channel ends = messages::new_channel();
        descriptor here(ends.parent);
        descriptor there(ends.child);
        fcntl(here.get(), F_SETFL, O_NONBLOCK);
        std::array<int, 2> pipe_ends{-1, -1};
        if (limits_.output == child_output::to_standard_error && isatty(STDERR_FILENO) != 0 && pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
            fail("cannot make a pipe for the output of a child process");
        descriptor printed(pipe_ends[0]);
        descriptor print_here(pipe_ends[1]);
        if (printed.get() >= 0) fcntl(printed.get(), F_SETFL, O_NONBLOCK);
        adopt_orphans();
        auto others = children_of(getpid());
        // What is buffered now would be written by both.
        std::cout.flush();
        std::cerr.flush();
        (void)std::fflush(nullptr);
        const pid_t parent = getpid();
        const pid_t pid = fork();
        if (pid < 0) fail("cannot make a child process");
        if (pid == 0) be_child(work_, limits_, {there.get(), token}, print_here.get(), page_, parent);
        setpgid(pid, pid); // both do it: neither needs to wait for the other
        there.close();
        print_here.close();
        watch_.emplace(pid, std::move(here), std::move(printed), token, limits_, page_, std::move(others));
    }

    child_work work_;
    child_limits limits_;
    shared_page page_;
    std::optional<watch> watch_;
    bool made_again_ = false;
};

child_process::child_process(child_work work, child_limits limits) : own_(std::make_unique<implementation>(std::move(work), std::move(limits))) {}
child_process::~child_process() = default;
child_process::child_process(child_process&&) noexcept = default;
child_process& child_process::operator=(child_process&&) noexcept = default;
bool child_process::go_on() { return own_->go_on(); }
const child_result& child_process::result() const { return own_->result(); }

bool in_child() { return is_child; }

child_result run_in_child(const child_work& work, const child_limits& limits)
{
    child_process child(work, limits);
    while (child.go_on()) {}
    return child.result();
}

} // namespace ivp
