#include <ivp/worker/child.hpp>

#include <ivp/model/parameter.hpp>
#include <ivp/scalar/decimal.hpp>

#include <fcntl.h>
#include <poll.h>
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
#include <random>
#include <system_error>
#include <utility>
#include <vector>

namespace ivp {

namespace {

using clock = std::chrono::steady_clock;

constexpr int lowest_link_descriptor = 200; // out of the way of what foreign code may close or write to by mistake
constexpr auto watch_period = std::chrono::milliseconds(20);
constexpr std::uint64_t longest_answer = 1ULL << 30U;
constexpr int address_space_factor = 16; // reserving is not using; this only stops what would exhaust the machine at once

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

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

private:
    shared_notes* notes_;
};

// ---- What the child sends: one message, headed by a number only these two know, so that stray output is not taken for it ----

struct message_head {
    std::uint64_t token;
    std::uint32_t kind;
    std::uint32_t parts;
    std::uint64_t length;
};

std::uint64_t new_token()
{
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) ^ device() ^ 1U;
}

void write_all(int fd, const void* data, std::size_t length)
{
    const auto* bytes = static_cast<const char*>(data);
    while (length > 0) {
        const ssize_t written = ::write(fd, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // the parent is gone: so is this process, soon
        bytes += written;
        length -= static_cast<std::size_t>(written);
    }
}

/// Parts are joined with their lengths in front.
std::string packed(const std::vector<std::string>& parts)
{
    std::string all;
    for (const auto& p : parts) {
        const std::uint64_t length = p.size();
        all.append(reinterpret_cast<const char*>(&length), sizeof(length));
        all += p;
    }
    return all;
}

std::optional<std::vector<std::string>> unpacked(std::string_view all, std::uint32_t parts)
{
    std::vector<std::string> result;
    for (std::uint32_t k = 0; k < parts; ++k) {
        std::uint64_t length = 0;
        if (all.size() < sizeof(length)) return std::nullopt;
        std::memcpy(&length, all.data(), sizeof(length));
        all.remove_prefix(sizeof(length));
        if (length > all.size()) return std::nullopt;
        result.emplace_back(all.substr(0, length));
        all.remove_prefix(length);
    }
    return all.empty() ? std::optional(result) : std::nullopt;
}

void send(int fd, std::uint64_t token, child_ending kind, const std::vector<std::string>& parts)
{
    const std::string body = packed(parts);
    const message_head head{token, static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(parts.size()), body.size()};
    write_all(fd, &head, sizeof(head));
    write_all(fd, body.data(), body.size());
}

// ---- The child ----

class link_to_parent final : public child_link {
public:
    explicit link_to_parent(const shared_page& page) : page_(page) {}
    void alive() override { page_->signs_of_life.fetch_add(1, std::memory_order_relaxed); }
    void note_progress(double t, std::uint64_t accepted) override
    {
        page_->t.store(t, std::memory_order_relaxed);
        page_->accepted.store(accepted, std::memory_order_relaxed);
        page_->progress.store(true, std::memory_order_relaxed);
    }

private:
    const shared_page& page_;
};

void use_standard_streams(child_output output)
{
    const int nothing = ::open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(output == child_output::discarded ? nothing : STDERR_FILENO, STDOUT_FILENO);
    if (output == child_output::discarded) dup2(nothing, STDERR_FILENO);
    if (nothing > STDERR_FILENO) ::close(nothing);
}

std::uint64_t pages_of(pid_t pid, int column)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t value = 0;
    for (int k = 0; k <= column; ++k) file >> value;
    return file ? value : 0;
}
std::uint64_t virtual_bytes(pid_t pid) { return pages_of(pid, 0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }
std::uint64_t resident_bytes(pid_t pid) { return pages_of(pid, 1) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

[[noreturn]] void be_child(const std::function<std::string(child_link&)>& work, const child_limits& limits, int pipe_end, std::uint64_t token,
                           const shared_page& page, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (const int s : {SIGINT, SIGTERM, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGCHLD}) std::signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int fd = fcntl(pipe_end, F_DUPFD_CLOEXEC, lowest_link_descriptor);
    ::close(pipe_end);
    use_standard_streams(limits.output);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (limits.memory) {
        const rlim_t bytes = virtual_bytes(getpid()) + address_space_factor * *limits.memory;
        const rlimit space{bytes, bytes};
        setrlimit(RLIMIT_AS, &space);
    }

    link_to_parent link(page);
    try {
        const std::string answer = work(link);
        std::fflush(nullptr); // what it printed
        send(fd, token, child_ending::answered, {answer});
    } catch (const bad_request& e) {
        send(fd, token, child_ending::refused, e.faults());
    } catch (const std::bad_alloc&) {
        send(fd, token, child_ending::out_of_memory, {"an allocation was refused"});
    } catch (const std::exception& e) {
        send(fd, token, child_ending::threw, {std::string("an exception left it: ") + e.what()});
    } catch (...) {
        send(fd, token, child_ending::threw, {"an exception of unknown type left it"});
    }
    // NOTE: not exit(): what the parent wants done at its own end is not done twice.
    _exit(0);
}

// ---- The parent ----

std::string size_text(std::uint64_t bytes)
{
    constexpr double mebibyte = 1024.0 * 1024.0;
    const double m = static_cast<double>(bytes) / mebibyte;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), m < 1024 ? "%.0f MiB" : "%.1f GiB", m < 1024 ? m : m / 1024);
    return text.data();
}

class watch {
public:
    watch(pid_t pid, descriptor pipe_end, std::uint64_t token, const child_limits& limits, const shared_page& page)
        : pid_(pid),
          pipe_(std::move(pipe_end)),
          token_(token),
          limits_(limits),
          page_(page),
          inherited_(resident_bytes(getpid())),
          process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))
    {
        if (process_.get() < 0) {
            const int why = errno;
            end_it();
            errno = why;
            fail("cannot watch a child process");
        }
    }

    child_result wait()
    {
        while (!message_complete() && !ended_ && !verdict_) {
            std::array<pollfd, 2> events{pollfd{process_.get(), POLLIN, 0}, pollfd{pipe_.get(), POLLIN, 0}};
            const int period = limits_.seconds || limits_.memory ? static_cast<int>(watch_period.count()) : -1;
            if (poll(events.data(), pipe_open_ ? 2 : 1, period) < 0) continue; // a signal for the parent
            ended_ = (events[0].revents & POLLIN) != 0;                        // looked at before the pipe is read: nothing comes after its end
            if (pipe_open_) read_pipe();
            if (!ended_ && !message_complete()) look_at_limits();
        }
        const int status = end_it();
        child_result r = verdict_ ? *verdict_ : from_message().value_or(from_status(status));
        if (page_->progress.load()) {
            r.t = page_->t.load();
            r.accepted = page_->accepted.load();
        }
        return r;
    }

private:
    void read_pipe()
    {
        std::array<char, 65536> chunk{};
        while (true) {
            const ssize_t got = ::read(pipe_.get(), chunk.data(), chunk.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return; // nothing more now
            if (got == 0) {
                pipe_open_ = false;
                return;
            }
            received_.append(chunk.data(), static_cast<std::size_t>(got));
            if (received_.size() > longest_answer) {
                verdict_ = child_result{child_ending::crashed, {}, {}, "it floods the channel of its answer", {}, 0};
                return;
            }
        }
    }

    [[nodiscard]] std::optional<message_head> head() const
    {
        message_head h{};
        if (received_.size() < sizeof(h)) return std::nullopt;
        std::memcpy(&h, received_.data(), sizeof(h));
        return h;
    }
    [[nodiscard]] bool message_complete() const
    {
        const auto h = head();
        return h && h->token == token_ && received_.size() - sizeof(message_head) >= h->length;
    }
    [[nodiscard]] std::optional<child_result> from_message() const
    {
        if (!message_complete()) return std::nullopt;
        const message_head h = *head();
        const auto parts = unpacked(std::string_view(received_).substr(sizeof(h), h.length), h.parts);
        if (!parts) return std::nullopt;
        child_result r;
        r.ending = static_cast<child_ending>(h.kind);
        if (r.ending == child_ending::answered)
            r.answer = parts->at(0);
        else if (r.ending == child_ending::refused)
            r.faults = *parts;
        else
            r.reason = parts->at(0);
        return r;
    }
    [[nodiscard]] static child_result from_status(int status)
    {
        child_result r;
        if (WIFSIGNALED(status)) {
            const int number = WTERMSIG(status);
            r.ending = child_ending::crashed;
            r.reason = std::string(strsignal(number)) + " (signal " + std::to_string(number) + ")";
        } else {
            r.ending = child_ending::exited;
            r.reason = "it ended its process with exit code " + std::to_string(WEXITSTATUS(status));
        }
        return r;
    }

    void look_at_limits()
    {
        const auto now = clock::now();
        const std::uint64_t signs = page_->signs_of_life.load(std::memory_order_relaxed);
        if (signs != signs_seen_) {
            signs_seen_ = signs;
            last_sign_ = now;
        }
        if (limits_.seconds && std::chrono::duration<double>(now - last_sign_).count() > *limits_.seconds)
            verdict_ = child_result{child_ending::timed_out, {}, {}, "it did not end within " + to_text(*limits_.seconds) + " s", {}, 0};
        else if (limits_.memory && resident_bytes(pid_) > inherited_ + *limits_.memory)
            verdict_ = child_result{child_ending::out_of_memory, {}, {}, "it uses more than " + size_text(*limits_.memory), {}, 0};
    }

    /// Nothing of the child is left after this. Until it is waited for, its number (and that of its group) cannot belong to anybody else.
    int end_it() const
    {
        kill(-pid_, SIGKILL);
        kill(pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
        return status;
    }

    pid_t pid_;
    descriptor pipe_;
    std::uint64_t token_;
    const child_limits& limits_;
    const shared_page& page_;
    std::uint64_t inherited_;
    descriptor process_;
    bool pipe_open_ = true;
    bool ended_ = false;
    std::string received_;
    std::optional<child_result> verdict_;
    std::uint64_t signs_seen_ = 0;
    clock::time_point last_sign_ = clock::now();
};

} // namespace

child_result run_in_child(const std::function<std::string(child_link&)>& work, const child_limits& limits)
{
    const shared_page page;
    const std::uint64_t token = new_token();
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe to a child process");
    descriptor reading(ends[0]);
    descriptor writing(ends[1]);
    fcntl(reading.get(), F_SETFL, O_NONBLOCK);
    // What is buffered now would be written by both.
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) fail("cannot make a child process");
    if (pid == 0) be_child(work, limits, writing.get(), token, page, parent);
    setpgid(pid, pid); // both do it: neither needs to wait for the other
    writing.close();
    return watch(pid, std::move(reading), token, limits, page).wait();
}

} // namespace ivp
