#include "campaign/lanes.hpp"

#include "campaign/columns.hpp"
#include "campaign/machine_state.hpp"

#include <ivp/measure/contained.hpp>
#include <ivp/model/parameter.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace ivp {

namespace {

constexpr int stop_is_asked_every_ms = 200;

// ---- Messages: a kind, a number, and a text ----

enum class kind : std::uint32_t { task, run, task_done, broken };

struct head {
    kind what;
    std::uint32_t number;
    std::uint64_t length;
};

bool write_all(int fd, const char* bytes, std::size_t length)
{
    while (length > 0) {
        const ssize_t written = ::send(fd, bytes, length, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        length -= static_cast<std::size_t>(written);
    }
    return true;
}
bool read_all(int fd, char* bytes, std::size_t length)
{
    while (length > 0) {
        const ssize_t got = ::read(fd, bytes, length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        length -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_message(int fd, kind what, std::size_t number, const std::string& text)
{
    const head h{what, static_cast<std::uint32_t>(number), text.size()};
    std::string all(reinterpret_cast<const char*>(&h), sizeof(h));
    all += text;
    return write_all(fd, all.data(), all.size());
}

struct message {
    kind what;
    std::size_t number;
    std::string text;
};

std::optional<message> receive(int fd)
{
    head h{};
    if (!read_all(fd, reinterpret_cast<char*>(&h), sizeof(h))) return std::nullopt;
    message m{h.what, h.number, std::string(h.length, '\0')};
    if (!read_all(fd, m.text.data(), m.text.size())) return std::nullopt;
    return m;
}

std::string task_text(const lane_task& t)
{
    std::string text = std::to_string(t.group);
    for (const auto run : t.runs) text += ' ' + std::to_string(run);
    return text;
}
lane_task task_of(const std::string& text)
{
    lane_task t;
    const char* at = text.c_str();
    char* end = nullptr;
    t.group = std::strtoull(at, &end, 10);
    while (*end != '\0') t.runs.push_back(std::strtoull(end, &end, 10));
    return t;
}

// ---- In the lane ----

struct running {
    std::size_t position;
    contained_run run;
};

/// A solver may refuse a run only when it sees it: that is a row too.
run_record record_of(const contained_run& run, const campaign_run& planned)
{
    try {
        return run.record();
    } catch (const bad_request& e) {
        run_record r = planned.planned.record;
        r.outcome = outcome::unsupported;
        r.message = e.what();
        r.t_end_reached = r.t0;
        r.cpu_s = r.wall_s = std::numeric_limits<double>::quiet_NaN();
        return r;
    }
}

/// All runs of a task, sampled in turns; each is reported as soon as it is finished.
void make_runs(int fd, const campaign& c, const lane_task& task, std::optional<int> core, const campaign_places& places)
{
    const auto planned = c.runs(task.group);
    const bool spread = std::ranges::any_of(task.runs, [&](std::size_t position) { return planned.at(position).settings.threads > 1; });
    const machine_watch watch(core, places, spread);
    std::vector<running> runs;
    for (const auto position : task.runs) {
        const campaign_run& p = planned.at(position);
        child_limits limits = p.limits;
        if (p.settings.threads == 1) limits.core = core;
        runs.push_back({position, contained_run(*p.problem, *p.solver, p.settings, limits)});
    }
    while (!runs.empty()) {
        for (auto& r : runs) {
            r.run.sample();
            if (r.run.wants_sample()) continue;
            const run_record record = record_of(r.run, planned.at(r.position));
            auto notes = watch.notes();
            for (auto& note : notes_on_samples(record)) notes.push_back(std::move(note));
            if (!send_message(fd, kind::run, r.position, columns::to_text(notes) + '\n' + to_json(record))) _exit(0);
        }
        std::erase_if(runs, [](const running& r) { return !r.run.wants_sample(); });
    }
}

[[noreturn]] void be_lane(int fd, const campaign& c, std::optional<int> core, const campaign_places& places)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != places.coordinator) _exit(0);
    // Ctrl-C reaches the whole group of processes; the parent decides.
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) (void)std::signal(s, SIG_IGN);
    try {
        while (const auto m = receive(fd)) {
            make_runs(fd, c, task_of(m->text), core, places);
            if (!send_message(fd, kind::task_done, 0, "")) break;
        }
    } catch (const std::exception& e) {
        send_message(fd, kind::broken, 0, e.what());
    }
    _exit(0);
}

} // namespace

// ---- In the parent ----

struct lanes::lane {
    pid_t pid = -1;
    int fd = -1;
    std::optional<lane_task> task; ///< at work on
};

lanes::lanes(const campaign& c, int count)
{
    std::vector<std::optional<int>> cores; // none: other campaigns have all of them
    campaign_places places{{}, getpid()};
    for (const int core : allowed_cores()) {
        if (static_cast<int>(cores.size()) == count) break;
        auto free = claim::of("core-" + std::to_string(core));
        if (!free) continue;
        cores_.push_back(std::move(*free));
        cores.emplace_back(core);
        places.cores.push_back(core);
    }
    cores.resize(static_cast<std::size_t>(count));
    std::cout.flush();
    std::cerr.flush();
    (void)std::fflush(nullptr);
    for (int k = 0; k < count; ++k) {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot make a channel to a process");
        const pid_t pid = fork();
        if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot make a process");
        if (pid == 0) {
            for (const auto& other : lanes_) ::close(other->fd);
            ::close(ends[0]);
            be_lane(ends[1], c, cores[static_cast<std::size_t>(k)], places);
        }
        ::close(ends[1]);
        lanes_.push_back(std::make_unique<lane>(lane{pid, ends[0], {}}));
    }
}

lanes::~lanes()
{
    for (const auto& l : lanes_) {
        kill(l->pid, SIGKILL); // its children end with it
        ::close(l->fd);
        while (waitpid(l->pid, nullptr, 0) < 0 && errno == EINTR) {}
    }
}

void lanes::work(const std::function<std::optional<lane_task>()>& next, const std::function<void(const lane_task&, lane_result)>& finished,
                 const std::function<bool()>& stop)
{
    bool more = true;
    const auto hand_out = [&](lane& l) {
        l.task = more ? next() : std::nullopt;
        more = l.task.has_value();
        if (l.task && !send_message(l.fd, kind::task, 0, task_text(*l.task))) throw std::runtime_error("a process that makes runs has ended");
    };
    for (const auto& l : lanes_) hand_out(*l);
    while (!stop()) {
        std::vector<pollfd> events;
        std::vector<lane*> busy;
        for (const auto& l : lanes_) {
            if (!l->task) continue;
            events.push_back({l->fd, POLLIN, 0});
            busy.push_back(l.get());
        }
        if (busy.empty()) return;
        if (poll(events.data(), events.size(), stop_is_asked_every_ms) <= 0) continue;
        for (std::size_t k = 0; k < busy.size(); ++k) {
            if (events[k].revents == 0) continue;
            const auto m = receive(busy[k]->fd);
            if (!m) throw std::runtime_error("a process that makes runs was ended from outside");
            if (m->what == kind::broken) throw std::runtime_error(m->text);
            if (m->what == kind::task_done) {
                hand_out(*busy[k]);
                continue;
            }
            lane_result result{m->number, {}, {}};
            const auto line = m->text.find('\n');
            columns::from_text(std::string_view(m->text).substr(0, line), result.notes);
            result.record = record_from_json(std::string_view(m->text).substr(line + 1));
            finished(*busy[k]->task, std::move(result));
        }
    }
}

} // namespace ivp
