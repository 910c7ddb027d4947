// What a child can do to itself, and what the parent says of it.
#include "base/child.hpp"
#include "base/descendants.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <new>
#include <sched.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace ivp;
using namespace std::chrono_literals;

child_result ended_by(const std::function<void(child_link&)>& work, const child_limits& limits = {})
{
    return run_in_child(
        [&](child_link& link) {
            work(link);
            return std::string("survived");
        },
        limits);
}

child_limits seconds(double s)
{
    child_limits l;
    l.seconds = s;
    return l;
}

TEST(run_in_child, brings_the_answer_back)
{
    const std::string long_answer(3'000'000, 'x'); // longer than a pipe holds
    const auto r = run_in_child([&](child_link&) { return long_answer; });
    EXPECT_EQ(r.ending, child_ending::answered);
    EXPECT_EQ(r.answer, long_answer);
    EXPECT_FALSE(r.t.has_value());
}

TEST(run_in_child, changes_nothing_in_the_parent)
{
    int value = 1;
    const auto r = ended_by([&](child_link&) { value = 2; });
    EXPECT_EQ(r.ending, child_ending::answered);
    EXPECT_EQ(value, 1);
}

TEST(run_in_child, hands_on_every_fault_of_a_refusal)
{
    const auto r = ended_by([](child_link&) { throw bad_request(std::vector<std::string>{"first", "", "third"}); });
    EXPECT_EQ(r.ending, child_ending::refused);
    EXPECT_EQ(r.faults, (std::vector<std::string>{"first", "", "third"}));
}

TEST(run_in_child, names_exceptions)
{
    const auto known = ended_by([](child_link&) { throw std::runtime_error("disk full"); });
    EXPECT_EQ(known.ending, child_ending::threw);
    EXPECT_EQ(known.reason, "an exception left it: disk full");
    EXPECT_EQ(ended_by([](child_link&) { throw 1; }).reason, "an exception of unknown type left it");
}

TEST(run_in_child, names_the_signal_of_a_crash)
{
    const auto r = ended_by([](child_link& link) {
        link.note_progress(0.5, 17);
        std::raise(SIGSEGV);
    });
    EXPECT_EQ(r.ending, child_ending::crashed);
    EXPECT_EQ(r.reason, "Segmentation fault (signal 11)");
    EXPECT_EQ(r.t, 0.5);
    EXPECT_EQ(r.accepted, 17U);
    EXPECT_EQ(ended_by([](child_link&) { std::abort(); }).reason, "Aborted (signal 6)");
}

TEST(run_in_child, notices_an_exit)
{
    const auto r = ended_by([](child_link&) { std::exit(0); });
    EXPECT_EQ(r.ending, child_ending::exited);
    EXPECT_EQ(r.reason, "it ended its process with exit code 0");
    EXPECT_EQ(ended_by([](child_link&) { _exit(3); }).reason, "it ended its process with exit code 3");
}

TEST(run_in_child, ends_a_hang)
{
    const auto r = ended_by([](child_link&) { std::this_thread::sleep_for(1000s); }, seconds(0.2));
    EXPECT_EQ(r.ending, child_ending::timed_out);
    EXPECT_EQ(r.reason, "it did not end within 0.2 s");
}

TEST(run_in_child, a_sign_of_life_starts_the_clock_again)
{
    const auto r = ended_by(
        [](child_link& link) {
            for (int k = 0; k < 8; ++k) {
                std::this_thread::sleep_for(500ms);
                link.alive();
            }
        },
        seconds(3));
    EXPECT_EQ(r.ending, child_ending::answered) << r.reason;
}

TEST(run_in_child, ends_what_eats_memory)
{
    child_limits l;
    l.memory = 100ULL << 20U;
    const auto r = ended_by(
        [](child_link&) {
            std::vector<std::vector<char>> all;
            while (true) all.emplace_back(1 << 20, 'x');
        },
        l);
    EXPECT_EQ(r.ending, child_ending::out_of_memory);
    EXPECT_EQ(r.reason, "it uses more than 100 MiB");
}

TEST(run_in_child, a_huge_allocation_is_refused_inside)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the allocator of the sanitizer ends the process itself";
#endif
    const auto r = ended_by([](child_link&) { ::operator delete(::operator new(std::size_t(1) << 45U)); });
    EXPECT_EQ(r.ending, child_ending::out_of_memory);
    EXPECT_EQ(r.reason, "an allocation was refused");
}

TEST(run_in_child, output_of_the_child_is_not_the_parents)
{
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    (void)ended_by([](child_link&) {
        std::printf("garbage");
        std::fprintf(stderr, "noise");
    });
    child_limits shown;
    shown.output = child_output::to_standard_error;
    (void)ended_by([](child_link&) { std::printf("a note"); }, shown);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "a note");
}

/// A terminal that shows everything, but slowly, as the standard error of this process.
class terminal {
public:
    terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), before_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    {
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
        const int there = open(ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (there < 0) return;
        dup2(there, STDERR_FILENO);
        close(there);
        reader_ = fork();
        std::array<char, 4096> text{};
        if (reader_ == 0)
            while (read(master_, text.data(), text.size()) != 0) std::this_thread::sleep_for(1ms);
    }
    ~terminal()
    {
        if (reader_ > 0) {
            kill(reader_, SIGKILL);
            waitpid(reader_, nullptr, 0);
        }
        dup2(before_, STDERR_FILENO);
        close(before_);
        close(master_);
    }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;
    [[nodiscard]] bool there() const { return reader_ > 0; }

private:
    int master_;
    int before_;
    pid_t reader_ = -1;
};

TEST(run_in_child, who_prints_without_end_has_limits_too)
{
    child_limits limits = seconds(0.3);
    limits.output = child_output::to_standard_error;
    child_result r;
    {
        const terminal t;
        if (!t.there()) GTEST_SKIP() << "this machine gives no terminal";
        alarm(120); // a parent that only listens would never come back
        r = ended_by(
            [](child_link&) {
                const std::string line(60'000, '.');
                while (true) (void)!write(STDOUT_FILENO, line.data(), line.size());
            },
            limits);
        alarm(0);
    }
    EXPECT_EQ(r.ending, child_ending::timed_out) << r.reason;
}

TEST(run_in_child, garbage_on_every_descriptor_is_no_answer)
{
    const auto r = ended_by([](child_link&) {
        for (int fd = 0; fd < 1024; ++fd) (void)!write(fd, "garbage garbage garbage garbage garbage", 40);
        _exit(0);
    });
    EXPECT_NE(r.ending, child_ending::answered); // exited, or ended by SIGPIPE where a descriptor of ours has no reader
}

TEST(run_in_child, garbage_on_the_channel_is_no_reason_to_wait)
{
    const auto write_garbage = [](std::string_view garbage) {
        for (int fd = 1023; fd > STDERR_FILENO; --fd)
            if (send(fd, garbage.data(), garbage.size(), MSG_NOSIGNAL) > 0) return;
    };
    const std::string reason = "it wrote to the channel that only ivp uses";
    alarm(120); // without a time limit, each would wait for the other for ever
    for (const std::string_view garbage : {"x", "garbage garbage garbage garbage garbage"}) {
        const auto turn = ended_by([&](child_link& link) {
            write_garbage(garbage);
            link.pass_turn();
        });
        EXPECT_EQ(turn.ending, child_ending::crashed);
        EXPECT_EQ(turn.reason, reason);
        const auto answer = ended_by([&](child_link&) { write_garbage(garbage); });
        EXPECT_EQ(answer.ending, child_ending::crashed);
        EXPECT_EQ(answer.reason, reason);
    }
    alarm(0);
}

TEST(run_in_child, closing_every_descriptor_is_an_end_without_answer)
{
    const auto r = ended_by([](child_link&) {
        for (int fd = 3; fd < 1024; ++fd) close(fd);
    });
    EXPECT_EQ(r.ending, child_ending::exited);
}

int entries(const char* folder)
{
    int count = 0;
    for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

TEST(run_in_child, leaves_no_process_of_its_group_behind)
{
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    const int writing = fcntl(channel[1], F_DUPFD, 500); // above those that a child does not inherit
    close(channel[1]);
    channel[1] = writing;
    (void)ended_by([&](child_link&) {
        if (fork() == 0) {
            std::this_thread::sleep_for(100s);
            _exit(0);
        }
    });
    close(channel[1]);
    char c = 0;
    EXPECT_EQ(read(channel[0], &c, 1), 0); // end of file: nobody holds the other end
    close(channel[0]);
}

long pages_in_use()
{
    std::ifstream file("/proc/self/statm");
    long pages = 0;
    file >> pages;
    return pages;
}

/// Starts a process that has nothing to do with its maker any more: another session, another parent. Returns its number.
pid_t detached(const std::function<void()>& work)
{
    int channel[2];
    if (pipe(channel) != 0) return -1;
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) {
            setsid();
            const pid_t self = getpid();
            (void)!write(channel[1], &self, sizeof(self));
            work();
            _exit(0);
        }
        _exit(0);
    }
    waitpid(between, nullptr, 0);
    pid_t pid = -1;
    (void)!read(channel[0], &pid, sizeof(pid));
    return pid;
}

TEST(run_in_child, what_has_detached_itself_ends_too)
{
    const auto r = run_in_child([](child_link&) { return std::to_string(detached([] { std::this_thread::sleep_for(1000s); })); });
    ASSERT_EQ(r.ending, child_ending::answered);
    const pid_t left = std::stoi(r.answer);
    ASSERT_GT(left, 0);
    EXPECT_EQ(kill(left, 0), -1) << "it lives";
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no child at all
}

TEST(run_in_child, ends_only_what_its_own_child_left)
{
    const pid_t bystander = fork();
    if (bystander == 0) {
        std::this_thread::sleep_for(1000s);
        _exit(0);
    }
    child_process other([](child_link& link) {
        link.pass_turn();
        return std::string("untouched");
    });
    EXPECT_TRUE(other.go_on());
    (void)ended_by([](child_link&) { (void)detached([] { std::this_thread::sleep_for(1000s); }); });
    EXPECT_EQ(waitpid(bystander, nullptr, WNOHANG), 0) << "it has ended";
    EXPECT_FALSE(other.go_on());
    EXPECT_EQ(other.result().answer, "untouched");
    kill(bystander, SIGKILL);
    waitpid(bystander, nullptr, 0);
}

/// Makes a process that says with one byte that it is ready, or that it cannot do its work, and then waits for its end.
pid_t made_ready(const std::function<bool()>& work)
{
    std::array<int, 2> channel{};
    if (pipe(channel.data()) != 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)!write(channel[1], work() ? "y" : "n", 1);
        while (true) pause();
    }
    char ready = 0;
    (void)!read(channel[0], &ready, 1);
    for (const int end : channel) close(end);
    return ready == 'y' ? pid : -1;
}

TEST(end_orphans, comes_back_although_one_does_not_end)
{
    const pid_t held = made_ready([] { return prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY) == 0 || errno == EINVAL; });
    const pid_t holder = made_ready([held] { return held > 0 && ptrace(PTRACE_SEIZE, held, nullptr, nullptr) == 0; });
    if (holder > 0) {
        alarm(120);
        EXPECT_EQ(end_orphans({holder}, 200ms), std::vector{held}) << "it is not gone before its tracer says so";
        alarm(0);
    }
    EXPECT_TRUE(end_orphans({}).empty());
    if (holder < 0) GTEST_SKIP() << "no process may hold another one here";
}

TEST(run_in_child, memory_of_what_it_started_counts)
{
    child_limits l;
    l.memory = 100ULL << 20U;
    const auto r = ended_by(
        [](child_link&) {
            (void)detached([] {
                std::vector<std::vector<char>> all;
                while (true) all.emplace_back(1 << 20, 'x');
            });
            std::this_thread::sleep_for(1000s);
        },
        l);
    EXPECT_EQ(r.ending, child_ending::out_of_memory);
    EXPECT_EQ(r.reason, "it uses more than 100 MiB");
}

/// What an inner child answers, or what is wrong with the machine, after this process was given less of something.
std::string within_limit(decltype(RLIMIT_NOFILE) resource, rlim_t least, const child_work& work)
{
    const auto outer = run_in_child([&](child_link&) -> std::string {
        const rlimit limit{least, least};
        setrlimit(resource, &limit);
        try {
            const auto r = run_in_child(work);
            return r.ending == child_ending::answered ? r.answer : "ended: " + r.reason;
        } catch (const machine_fault& e) {
            return std::string("machine: ") + e.what();
        }
    });
    return outer.ending == child_ending::answered ? outer.answer : "the outer child ended: " + outer.reason;
}

TEST(machine_fault, few_descriptors_are_no_fault_of_the_work)
{
    const auto fine = [](child_link&) { return std::string("fine"); };
    EXPECT_EQ(within_limit(RLIMIT_NOFILE, 200, fine), "fine");
    EXPECT_EQ(within_limit(RLIMIT_NOFILE, 40, fine), "fine");
    EXPECT_EQ(within_limit(RLIMIT_NOFILE, 5, fine),
              "machine: a child process cannot get the file descriptors it needs (ulimit -n 5): Too many open files");
#ifndef __SANITIZE_ADDRESS__ // which opens a file itself to throw
    EXPECT_EQ(within_limit(RLIMIT_NOFILE, 4, fine), "machine: cannot make a channel to a child process: Too many open files");
#endif
}

TEST(machine_fault, memory_that_the_parent_may_not_use_is_no_fault_of_the_work)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the allocator of the sanitizer ends the process itself";
#endif
    const rlim_t little = static_cast<rlim_t>(pages_in_use()) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (256ULL << 20U);
    const std::string said = within_limit(RLIMIT_AS, little, [](child_link&) {
        ::operator delete(::operator new(std::size_t(1) << 30U));
        return std::string("had it");
    });
    EXPECT_EQ(said, "machine: a child process ran out of memory: its limit is 8.0 GiB, but ivp itself may not use that much (ulimit -v, ulimit -d)");
    // The library of a solver does not throw: it ends in its own way.
    const std::string crashed = within_limit(RLIMIT_AS, little, [](child_link&) {
        void* const memory = std::malloc(std::size_t(1) << 30U);
        if (memory == nullptr) std::raise(SIGSEGV);
        std::free(memory);
        return std::string("had it");
    });
    EXPECT_EQ(crashed,
              "machine: a child process ended, perhaps for want of memory: Segmentation fault (signal 11); its limit is 8.0 GiB, but ivp itself "
              "may not use that much (ulimit -v, ulimit -d)");
    const std::string exited = within_limit(RLIMIT_DATA, little, [](child_link&) {
        void* const memory = std::malloc(std::size_t(1) << 30U);
        if (memory == nullptr) _exit(1);
        std::free(memory);
        return std::string("had it");
    });
    EXPECT_TRUE(exited.starts_with("machine: a child process ended, perhaps for want of memory: it ended its process with exit code 1")) << exited;
    const auto told = within_limit(RLIMIT_AS, little, [](child_link&) { return std::string("needs little"); });
    EXPECT_EQ(told, "needs little");
}

TEST(machine_fault, time_that_the_parent_may_not_use_is_no_fault_of_the_work)
{
    const auto spin = [](child_link&) -> std::string {
        while (true) {}
    };
    EXPECT_EQ(within_limit(RLIMIT_CPU, 1, spin),
              "machine: a child process needed more than 1 s of CPU time, which ivp itself may not use (ulimit -t)");
    EXPECT_EQ(within_limit(RLIMIT_CPU, 100000,
                           [](child_link&) -> std::string {
                               std::raise(SIGXCPU); // its own doing
                               return {};
                           }),
              "ended: CPU time limit exceeded (signal 24)");
}

TEST(machine_fault, an_end_that_the_system_does_not_tell_is_no_result)
{
    const auto outer = run_in_child([](child_link&) -> std::string {
        (void)std::signal(SIGCHLD, SIG_IGN);
        try {
            return "ended: " + run_in_child([](child_link&) -> std::string { std::abort(); }).reason;
        } catch (const machine_fault& e) {
            return e.what();
        }
    });
    EXPECT_TRUE(outer.answer.starts_with("the system does not say how a child process ended")) << outer.answer << outer.reason;
}

/// Sends the signal to each child as soon as it says its number, the first `times` times. A child waits until it is told that the signal was sent, or
/// is killed by it. Returns what came of the work.
std::string with_signals_from_outside(int number, int times)
{
    constexpr int not_closed = 500; // above the descriptors that a child does not inherit
    std::array<int, 2> numbers{};
    std::array<int, 2> sent{};
    if (pipe(numbers.data()) != 0 || pipe(sent.data()) != 0) return "no pipe";
    const int say = fcntl(numbers[1], F_DUPFD, not_closed);
    const int hear = fcntl(sent[0], F_DUPFD, not_closed);
    const pid_t sender = fork();
    if (sender == 0) {
        setpgid(0, 0);
        pid_t child = 0;
        for (int k = 0; read(numbers[0], &child, sizeof(child)) == sizeof(child); ++k) {
            if (k < times) kill(child, number);
            if (k >= times || number != SIGKILL) (void)!write(sent[1], "", 1); // one that was killed would leave it to the next
        }
        _exit(0);
    }
    const auto r = run_in_child([&](child_link&) {
        const pid_t self = getpid();
        char told = 0;
        (void)!write(say, &self, sizeof(self));
        while (read(hear, &told, 1) < 0 && errno == EINTR) {}
        return std::string("survived");
    });
    kill(sender, SIGKILL);
    waitpid(sender, nullptr, 0);
    for (const int fd : {numbers[0], numbers[1], sent[0], sent[1], say, hear}) close(fd);
    return r.ending == child_ending::answered ? r.answer : "ended: " + r.reason;
}

TEST(machine_fault, a_signal_from_outside_is_no_end_of_the_work)
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU}) EXPECT_EQ(with_signals_from_outside(number, 1), "survived") << number;
    EXPECT_EQ(with_signals_from_outside(SIGKILL, 1), "survived") << "the work is done again";
    EXPECT_EQ(with_signals_from_outside(SIGKILL, 2), "ended: Killed (signal 9)");
}

TEST(run_in_child, a_signal_that_work_sends_itself_is_its_end)
{
    EXPECT_EQ(ended_by([](child_link&) { std::raise(SIGINT); }).reason, "Interrupt (signal 2)");
    EXPECT_EQ(ended_by([](child_link&) { kill(getpid(), SIGHUP); }).reason, "Hangup (signal 1)");
    EXPECT_EQ(ended_by([](child_link&) { std::raise(SIGKILL); }).reason, "Killed (signal 9)");
    const auto helper = ended_by([](child_link&) { // of its own
        if (const pid_t pid = fork(); pid == 0) {
            kill(getppid(), SIGUSR2);
            _exit(0);
        }
        std::this_thread::sleep_for(1000s);
    });
    EXPECT_EQ(helper.reason, "User defined signal 2 (signal 12)");
    const auto victim = ended_by([](child_link&) {
        const pid_t pid = fork();
        if (pid == 0) std::this_thread::sleep_for(1000s);
        kill(pid, SIGINT);
        int status = 0;
        waitpid(pid, &status, 0);
        if (!WIFSIGNALED(status)) _exit(1);
    });
    EXPECT_EQ(victim.ending, child_ending::answered) << victim.reason;
}

TEST(run_in_child, needs_no_standard_streams)
{
    const auto outer = run_in_child([](child_link&) {
        for (int fd = 0; fd <= 2; ++fd) close(fd);
        std::string all;
        for (const auto output : {child_output::discarded, child_output::to_standard_error}) {
            child_limits limits;
            limits.output = output;
            const auto r = run_in_child(
                [](child_link&) {
                    std::printf("garbage");
                    std::fprintf(stderr, "noise");
                    return std::string("answered ");
                },
                limits);
            all += r.ending == child_ending::answered ? r.answer : r.reason;
        }
        return all;
    });
    EXPECT_EQ(outer.answer, "answered answered ") << outer.reason;
}

TEST(run_in_child, reads_nothing_of_what_its_parent_is_given)
{
    const auto outer = run_in_child([](child_link&) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0 || write(ends[1], "secret", 6) != 6) return std::string("no pipe");
        dup2(ends[0], STDIN_FILENO);
        const auto inner = run_in_child([](child_link&) {
            char byte = 0;
            return std::to_string(read(STDIN_FILENO, &byte, 1));
        });
        return inner.answer;
    });
    EXPECT_EQ(outer.answer, "0") << outer.reason;
}

TEST(run_in_child, a_child_that_only_lost_the_machine_is_not_late)
{
    // Four on one core: each has a quarter of it.
    child_limits busy = seconds(0.3);
    busy.core = sched_getcpu();
    std::vector<pid_t> others;
    for (int k = 0; k < 3; ++k) {
        const pid_t other = fork();
        if (other == 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(*busy.core, &set);
            sched_setaffinity(0, sizeof(set), &set);
            while (true) {}
        }
        others.push_back(other);
    }
    const auto r = ended_by(
        [](child_link&) {
            const std::clock_t begin = std::clock();
            while (std::clock() - begin < CLOCKS_PER_SEC * 2 / 10) {}
        },
        busy);
    for (const pid_t other : others) {
        kill(other, SIGKILL);
        waitpid(other, nullptr, 0);
    }
    EXPECT_EQ(r.ending, child_ending::answered) << r.reason;
}

double cpu_seconds_of_children()
{
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TEST(run_in_child, what_its_own_threads_take_from_each_other_counts)
{
    // Eight on one core: each has an eighth of it, and the limit is for all.
    child_limits busy = seconds(0.5);
    busy.core = sched_getcpu();
    const double before = cpu_seconds_of_children();
    const auto r = ended_by(
        [](child_link&) {
            const auto spin = [] {
                for (std::atomic<int> k = 0;;) ++k;
            };
            for (int k = 0; k < 7; ++k) std::thread(spin).detach();
            spin();
        },
        busy);
    EXPECT_EQ(r.ending, child_ending::timed_out) << r.reason;
    EXPECT_LT(cpu_seconds_of_children() - before, 4 * 0.5) << "it would have had eight times the limit";
}

TEST(run_in_child, can_be_stopped)
{
    child_limits l;
    l.stop = [] { return true; };
    EXPECT_EQ(ended_by([](child_link&) { std::this_thread::sleep_for(1000s); }, l).ending, child_ending::stopped);
}

TEST(run_in_child, a_thousand_leave_nothing_behind)
{
    const int descriptors = entries("/proc/self/fd");
    const long pages = pages_in_use();
    for (int k = 0; k < 1000; ++k) {
        const auto r = k % 3 == 0 ? ended_by([](child_link&) { _exit(1); }) : ended_by([](child_link&) {});
        ASSERT_EQ(r.ending, k % 3 == 0 ? child_ending::exited : child_ending::answered);
    }
    EXPECT_EQ(entries("/proc/self/fd"), descriptors);
    EXPECT_LT(pages_in_use() - pages, 100);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no child at all
}

TEST(run_in_child, has_no_files_of_its_parent)
{
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    const auto r = run_in_child([&](child_link&) { return std::to_string(write(channel[1], "x", 1)); });
    EXPECT_EQ(r.answer, "-1");
    close(channel[0]);
    close(channel[1]);
}

TEST(run_in_child, stays_on_the_core_it_is_given)
{
    child_limits limits;
    limits.core = 0;
    const auto cores = [](child_link&) {
        cpu_set_t set;
        sched_getaffinity(0, sizeof(set), &set);
        return std::to_string(CPU_COUNT(&set)) + (CPU_ISSET(0, &set) ? " with 0" : "");
    };
    EXPECT_EQ(run_in_child(cores, limits).answer, "1 with 0");
}

/// Numbers that children write and the parent reads, in the order of writing.
class shared_log {
public:
    shared_log() : log_(static_cast<entries*>(mmap(nullptr, sizeof(entries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        new (log_) entries;
    }
    ~shared_log() { munmap(log_, sizeof(entries)); }
    shared_log(const shared_log&) = delete;
    shared_log& operator=(const shared_log&) = delete;
    void add(int value) { log_->values[log_->count++] = value; }
    [[nodiscard]] std::vector<int> all() const { return {log_->values.begin(), log_->values.begin() + log_->count}; }

private:
    struct entries {
        std::atomic<int> count{0};
        std::array<int, 1000> values{};
    };
    entries* log_;
};

child_work three_turns(shared_log& log, int number)
{
    return [&log, number](child_link& link) {
        for (int turn = 0; turn < 3; ++turn) {
            if (turn > 0) link.pass_turn();
            log.add(number);
            std::this_thread::sleep_for(5ms);
            log.add(number);
        }
        return "answer of " + std::to_string(number);
    };
}

TEST(child_process, one_at_a_time_goes_on)
{
    shared_log log;
    std::vector<child_process> children;
    for (int k = 0; k < 3; ++k) children.emplace_back(three_turns(log, k));
    EXPECT_TRUE(log.all().empty()) << "nobody begins before it is told to";
    for (int turn = 0; turn < 3; ++turn)
        for (auto& c : children) EXPECT_EQ(c.go_on(), turn < 2);
    EXPECT_EQ(log.all(), (std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(children[k].result().answer, "answer of " + std::to_string(k));
    EXPECT_THROW((void)children[0].go_on(), std::logic_error);
}

TEST(child_process, waiting_for_a_turn_is_not_a_hang)
{
    child_process c(
        [](child_link& link) {
            link.pass_turn();
            return std::string("done");
        },
        seconds(1));
    EXPECT_TRUE(c.go_on());
    std::this_thread::sleep_for(1500ms);
    EXPECT_FALSE(c.go_on());
    EXPECT_EQ(c.result().answer, "done");
}

TEST(child_process, ends_with_its_object_and_may_die_between_its_turns)
{
    const auto waiting = [](child_link& link) {
        link.pass_turn();
        return std::string();
    };
    {
        child_process c(waiting);
        EXPECT_TRUE(c.go_on());
    }
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no child at all
    child_process dies([](child_link& link) {
        ualarm(100'000, 0);
        link.pass_turn();
        return std::string();
    });
    EXPECT_TRUE(dies.go_on());
    std::this_thread::sleep_for(300ms);
    EXPECT_FALSE(dies.go_on());
    EXPECT_EQ(dies.result().ending, child_ending::crashed);
}

TEST(run_in_child, a_turn_that_is_passed_comes_back_at_once_where_nobody_else_is_there)
{
    const auto r = run_in_child([](child_link& link) {
        link.pass_turn();
        link.pass_turn();
        return std::string("alone");
    });
    EXPECT_EQ(r.answer, "alone");
}

} // namespace
