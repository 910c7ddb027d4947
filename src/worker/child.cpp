#include <ivp/worker/child.hpp>

#include <ivp/model/parameter.hpp>
#include <ivp/scalar/decimal.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
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

constexpr std::uint32_t turn_is_passed = 1000; // beyond all endings

void send(int fd, std::uint64_t token, std::uint32_t kind, const std::vector<std::string>& parts)
{
    const std::string body = packed(parts);
    const message_head head{token, kind, static_cast<std::uint32_t>(parts.size()), body.size()};
    write_all(fd, &head, sizeof(head));
    write_all(fd, body.data(), body.size());
}
void send(int fd, std::uint64_t token, child_ending ending, const std::vector<std::string>& parts)
{
    send(fd, token, static_cast<std::uint32_t>(ending), parts);
}

/// The two ends of the conversation: answers go up the pipe, permissions to go on come down.
struct conversation {
    int pipe;
    int permission;
    std::uint64_t token;
};

// ---- The child ----

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
        send(parent_.pipe, parent_.token, turn_is_passed, {});
        std::uint64_t permission = 0;
        while (::read(parent_.permission, &permission, sizeof(permission)) < 0 && errno == EINTR) {}
    }

private:
    const shared_page& page_;
    const conversation& parent_;
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

int out_of_the_way(int fd)
{
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest_link_descriptor);
    ::close(fd);
    return moved;
}

void stay_on(int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(core), &cores);
    (void)sched_setaffinity(0, sizeof(cores), &cores); // where it is not allowed the run is less quiet, not wrong
}

[[noreturn]] void be_child(const child_work& work, const child_limits& limits, conversation talk, const shared_page& page, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    (void)std::signal(SIGTERM, SIG_IGN); // batch systems send it to every process of a job: that is no crash; the parent decides
    for (const int s : {SIGINT, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGCHLD}) std::signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    talk.pipe = out_of_the_way(talk.pipe);
    talk.permission = out_of_the_way(talk.permission);
    if (limits.core) stay_on(*limits.core);
    use_standard_streams(limits.output);
    close_range(STDERR_FILENO + 1, lowest_link_descriptor - 1, 0); // the parent's files are not the child's
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (limits.memory) {
        const rlim_t bytes = virtual_bytes(getpid()) + address_space_factor * *limits.memory;
        const rlimit space{bytes, bytes};
        setrlimit(RLIMIT_AS, &space);
    }

    link_to_parent link(page, talk);
    const auto tell = [&talk](child_ending ending, const std::vector<std::string>& parts) { send(talk.pipe, talk.token, ending, parts); };
    try {
        const std::string answer = work(link);
        std::fflush(nullptr); // what it printed
        tell(child_ending::answered, {answer});
    } catch (const bad_request& e) {
        tell(child_ending::refused, e.faults());
    } catch (const std::bad_alloc&) {
        tell(child_ending::out_of_memory, {"an allocation was refused"});
    } catch (const std::exception& e) {
        tell(child_ending::threw, {std::string("an exception left it: ") + e.what()});
    } catch (...) {
        tell(child_ending::threw, {"an exception of unknown type left it"});
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

/// A child that was forked just now, as its parent sees it.
class watch {
public:
    watch(pid_t pid, descriptor pipe_end, descriptor permission, std::uint64_t token, const child_limits& limits, const shared_page& page)
        : pid_(pid),
          pipe_(std::move(pipe_end)),
          permission_(std::move(permission)),
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
    ~watch()
    {
        if (!result_) end_it();
    }
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    void permit()
    {
        const std::uint64_t once = 1;
        (void)!::write(permission_.get(), &once, sizeof(once));
        last_sign_ = clock::now();
    }

    /// Until it passes its turn (true) or has ended.
    bool wait()
    {
        while (!message_complete() && !ended_ && !verdict_) {
            std::array<pollfd, 2> events{pollfd{process_.get(), POLLIN, 0}, pollfd{pipe_.get(), POLLIN, 0}};
            const int period = limits_.seconds || limits_.memory ? static_cast<int>(watch_period.count()) : -1;
            if (poll(events.data(), pipe_open_ ? 2 : 1, period) < 0) continue; // a signal for the parent
            ended_ = (events[0].revents & POLLIN) != 0;                        // looked at before the pipe is read: nothing comes after its end
            if (pipe_open_) read_pipe();
            if (!ended_ && !message_complete()) look_at_limits();
        }
        if (!verdict_ && message_complete() && head()->kind == turn_is_passed) {
            received_.erase(0, sizeof(message_head) + head()->length);
            return true;
        }
        const int status = end_it();
        result_ = verdict_ ? *verdict_ : from_message().value_or(from_status(status));
        if (page_->progress.load()) {
            result_->t = page_->t.load();
            result_->accepted = page_->accepted.load();
        }
        return false;
    }
    [[nodiscard]] const std::optional<child_result>& result() const { return result_; }

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
    descriptor permission_;
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
    std::optional<child_result> result_;
};

} // namespace

class child_process::implementation {
public:
    implementation(child_work work, child_limits limits) : work_(std::move(work)), limits_(limits) {}

    bool go_on()
    {
        if (watch_ && watch_->result()) throw std::logic_error("a child that has ended cannot go on");
        if (watch_)
            watch_->permit();
        else
            start();
        return watch_->wait();
    }
    [[nodiscard]] const child_result& result() const { return watch_->result().value(); }

private:
    void start()
    {
        const std::uint64_t token = new_token();
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe to a child process");
        descriptor reading(ends[0]);
        descriptor writing(ends[1]);
        descriptor permission(eventfd(0, EFD_CLOEXEC));
        if (permission.get() < 0) fail("cannot make a channel to a child process");
        fcntl(reading.get(), F_SETFL, O_NONBLOCK);
        // What is buffered now would be written by both.
        std::cout.flush();
        std::cerr.flush();
        std::fflush(nullptr);
        const pid_t parent = getpid();
        const pid_t pid = fork();
        if (pid < 0) fail("cannot make a child process");
        if (pid == 0) be_child(work_, limits_, {writing.get(), permission.get(), token}, page_, parent);
        setpgid(pid, pid); // both do it: neither needs to wait for the other
        writing.close();
        watch_.emplace(pid, std::move(reading), std::move(permission), token, limits_, page_);
    }

    child_work work_;
    child_limits limits_;
    shared_page page_;
    std::optional<watch> watch_;
};

child_process::child_process(child_work work, child_limits limits) : own_(std::make_unique<implementation>(std::move(work), limits)) {}
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
