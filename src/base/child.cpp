#include "child.hpp"

#include "child_contact.hpp"
#include "child_inside.hpp"
#include "descendants.hpp"
#include "lost_time.hpp"
#include "messages.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ivp::child_parts {

namespace {

using clock = std::chrono::steady_clock;

constexpr auto watch_period = std::chrono::milliseconds(20);
constexpr std::uint64_t longest_answer = 1ULL << 30U;

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

/// Of the cores.
int allowed_to_use()
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const bool told = sched_getaffinity(0, sizeof(cores), &cores) == 0; // not where there are more than the set has room for
    return std::max(1, told ? CPU_COUNT(&cores) : static_cast<int>(std::thread::hardware_concurrency()));
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
    int unknown = 0;         ///< not 0: why the system does not tell how it ended
    std::vector<pid_t> left; ///< of what it started, and cannot be ended
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
          process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
          cores_(limits.core ? 1 : allowed_to_use())
    {
        watched_children().push_back(pid);
        if (process_.get() < 0) {
            const int why = errno;
            end_it();
            if (why == ESRCH) refuse_unknown_end(why); // it has ended already, and nothing of it is left
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
            if (!ended_ && !message_ && !verdict_) look_at_limits();
        }
        if (!verdict_ && message_ && message_->kind == static_cast<std::uint32_t>(word::turn_is_passed)) {
            message_.reset();
            show_printed();
            return true;
        }
        const process_end end = end_it();
        show_printed();
        if (end.unknown != 0) refuse_unknown_end(end.unknown);
        if (!end.left.empty()) refuse_what_is_left(end.left);
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
    /// What the child has printed until now, on our own standard error, which is a terminal. Not what it prints meanwhile: who never stops to print
    /// has limits, too.
    void show_printed()
    {
        if (printed_.get() < 0) return;
        std::array<char, 4096> text{};
        int left = 0;
        (void)ioctl(printed_.get(), FIONREAD, &left);
        do {
            const ssize_t size = read(printed_.get(), text.data(), text.size());
            if (size < 0 && errno == EINTR) continue;
            if (size < 0 && errno == EAGAIN) return;
            if (size <= 0) return printed_.close(); // nobody can print any more
            (void)std::fwrite(text.data(), 1, static_cast<std::size_t>(size), stderr);
            left -= static_cast<int>(size);
        } while (left > 0);
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
        if (inbox_.is_spoilt() && !ended_) verdict_ = wrote_to_the_channel();
    }
    static child_result wrote_to_the_channel() { return without_answer(child_ending::crashed, "it wrote to the channel that only ivp uses"); }

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
    [[nodiscard]] child_result from_status(int status) const
    {
        if (inbox_.is_spoilt() && !WIFSIGNALED(status)) return wrote_to_the_channel(); // an answer may be lost
        if (WIFSIGNALED(status)) return without_answer(child_ending::crashed, name_of_signal(WTERMSIG(status)));
        return without_answer(child_ending::exited, "it ended its process with exit code " + std::to_string(WEXITSTATUS(status)));
    }

    [[noreturn]] static void refuse_unknown_end(int why)
    {
        errno = why;
        fail("the system does not say how a child process ended (its parent ignores SIGCHLD, or another part of it waits for children)");
    }
    /// They would disturb what is measured next.
    [[noreturn]] static void refuse_what_is_left(const std::vector<pid_t>& left)
    {
        constexpr std::size_t most_named = 5;
        std::string numbers;
        for (const pid_t p : std::span(left).first(std::min(left.size(), most_named))) numbers += ' ' + std::to_string(p);
        throw machine_fault("processes that a child process has started do not end, although they were killed:" + numbers +
                            (left.size() > most_named ? " and others" : ""));
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
        if (!limits_.seconds) return;
        lost_at_sign_ = seconds_lost(pid_);
        cpu_at_sign_ = cpu_seconds_of_family(pid_);
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

    /// What the machine gave to others is not the child's fault. What its own threads and processes take from each other is: together they had at
    /// least so many seconds of all cores.
    [[nodiscard]] bool is_too_late(double limit) const
    {
        const double passed = std::chrono::duration<double>(clock::now() - last_sign_).count();
        if (passed <= limit) return false;
        const double left = passed - (seconds_lost(pid_) - lost_at_sign_);
        const double had = (cpu_seconds_of_family(pid_) - cpu_at_sign_) / cores_;
        return std::max(left, had) > limit;
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
        pid_t waited_for = 0;
        do waited_for = wait4(pid_, &end.status, 0, &used);
        while (waited_for < 0 && errno == EINTR);
        end.unknown = waited_for < 0 ? errno : 0;
        end.cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
        std::erase(watched_children(), pid_);
        auto known = others_;
        known.insert(known.end(), watched_children().begin(), watched_children().end());
        end.left = end_orphans(known);
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
    double cpu_at_sign_ = 0;
    int cores_;
    std::optional<child_result> result_;
};

} // namespace

} // namespace ivp::child_parts

namespace ivp {

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
        child_parts::descriptor here(ends.parent);
        child_parts::descriptor there(ends.child);
        fcntl(here.get(), F_SETFL, O_NONBLOCK);
        std::array<int, 2> pipe_ends{-1, -1};
        if (limits_.output == child_output::to_standard_error && isatty(STDERR_FILENO) != 0 && pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
            child_parts::fail("cannot make a pipe for the output of a child process");
        child_parts::descriptor printed(pipe_ends[0]);
        child_parts::descriptor print_here(pipe_ends[1]);
        if (printed.get() >= 0) fcntl(printed.get(), F_SETFL, O_NONBLOCK);
        expect_processes_to_be_shown();
        adopt_orphans();
        auto others = children_of(getpid());
        // What is buffered now would be written by both.
        std::cout.flush();
        std::cerr.flush();
        (void)std::fflush(nullptr);
        const pid_t parent = getpid();
        const pid_t pid = fork();
        if (pid < 0) child_parts::fail("cannot make a child process");
        if (pid == 0) child_parts::be_child(work_, limits_, {there.get(), token}, print_here.get(), page_, parent);
        setpgid(pid, pid); // both do it: neither needs to wait for the other
        there.close();
        print_here.close();
        watch_.emplace(pid, std::move(here), std::move(printed), token, limits_, page_, std::move(others));
    }

    child_work work_;
    child_limits limits_;
    child_parts::shared_page page_;
    std::optional<child_parts::watch> watch_;
    bool made_again_ = false;
};

child_process::child_process(child_work work, child_limits limits) : own_(std::make_unique<implementation>(std::move(work), std::move(limits))) {}
child_process::~child_process() = default;
child_process::child_process(child_process&&) noexcept = default;
child_process& child_process::operator=(child_process&&) noexcept = default;
bool child_process::go_on() { return own_->go_on(); }
const child_result& child_process::result() const { return own_->result(); }

child_result run_in_child(const child_work& work, const child_limits& limits)
{
    child_process child(work, limits);
    while (child.go_on()) {}
    return child.result();
}

} // namespace ivp
