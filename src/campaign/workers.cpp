#include "workers.hpp"

#include "base/descendants.hpp"
#include "base/messages.hpp"
#include "machine_state.hpp"
#include "run/executor.hpp"
#include "store/columns.hpp"

#include <ivp/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace ivp {

namespace {

constexpr int stop_is_asked_every_ms = 200;

enum class word : std::uint32_t { task, run, task_done, machine_fault, broken };

/// What a worker and its parent say to each other: a number and texts.
struct speaker {
    int fd;
    std::uint64_t token;
    [[nodiscard]] bool say(word w, const std::vector<std::string>& parts = {}) const
    {
        return messages::send(fd, token, {static_cast<std::uint32_t>(w), parts});
    }
};

std::string task_text(const worker_task& t)
{
    std::string text = std::to_string(t.group);
    for (const auto run : t.runs) text += ' ' + std::to_string(run);
    return text;
}
worker_task task_of(const std::string& text)
{
    worker_task t;
    const char* at = text.c_str();
    char* end = nullptr;
    t.group = std::strtoull(at, &end, 10);
    while (*end != '\0') t.runs.push_back(std::strtoull(end, &end, 10));
    return t;
}

// ---- In the worker ----

/// All runs of a task, sampled in turns; each is reported as soon as it is finished.
void make_runs(const speaker& parent, const campaign& c, const worker_task& task, std::optional<int> core, const campaign_places& places)
{
    const auto planned = c.runs(task.group);
    const bool spread = std::ranges::any_of(task.runs, [&](std::size_t position) { return planned.at(position).settings.threads > 1; });
    const machine_watch watch(core, places, spread);
    std::vector<run_order> orders;
    for (const auto position : task.runs) {
        const campaign_run& p = planned.at(position);
        child_limits limits = p.limits;
        if (p.settings.threads == 1) limits.core = core;
        orders.push_back({p.problem, p.solver, p.settings, limits, {}});
    }
    execute(orders, [&](std::size_t k, const run_record& record) {
        auto notes = watch.notes();
        for (auto& note : notes_on_samples(record)) notes.push_back(std::move(note));
        if (!parent.say(word::run, {std::to_string(task.runs[k]), columns::to_text(notes), to_json(record)})) _exit(0);
    });
}

[[noreturn]] void be_lane(const speaker& parent, const campaign& c, std::optional<int> core, const campaign_places& places)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != places.coordinator) _exit(0);
    // Ctrl-C reaches the whole group of processes; the parent decides.
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) (void)std::signal(s, SIG_IGN);
    try {
        messages::inbox tasks(parent.token);
        while (const auto m = messages::receive(parent.fd, tasks)) {
            make_runs(parent, c, task_of(m->parts.at(0)), core, places);
            if (!parent.say(word::task_done)) break;
        }
    } catch (const machine_fault& e) {
        (void)parent.say(word::machine_fault, {e.what()});
    } catch (const std::bad_alloc&) {
        (void)parent.say(word::machine_fault, {"not enough memory for the process that makes the runs"});
    } catch (const std::exception& e) {
        (void)parent.say(word::broken, {e.what()});
    }
    _exit(0);
}

} // namespace

// ---- In the parent ----

struct workers::worker {
    pid_t pid;
    speaker channel;
    messages::inbox inbox;
    std::optional<worker_task> task; ///< at work on
};

workers::workers(const campaign& c, int count) : others_(children_of(getpid()))
{
    adopt_orphans();                       // of the runs of a worker that is ended
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
        const messages::channel ends = messages::new_channel();
        const std::uint64_t token = messages::new_token();
        const pid_t pid = fork();
        if (pid < 0) throw machine_fault("cannot make a process: " + std::generic_category().message(errno));
        if (pid == 0) {
            for (const auto& other : workers_) ::close(other->channel.fd);
            ::close(ends.parent);
            be_lane({ends.child, token}, c, cores[static_cast<std::size_t>(k)], places);
        }
        ::close(ends.child);
        workers_.push_back(std::make_unique<worker>(worker{pid, {ends.parent, token}, messages::inbox(token), {}}));
    }
}

workers::~workers()
{
    for (const auto& l : workers_) {
        kill(l->pid, SIGKILL); // its children end with it
        ::close(l->channel.fd);
        while (waitpid(l->pid, nullptr, 0) < 0 && errno == EINTR) {}
    }
    (void)end_orphans(others_); // but what these have started and detached does not
}

void workers::work(const std::function<std::optional<worker_task>()>& next, const std::function<void(const worker_task&, worker_result)>& finished,
                   const std::function<bool()>& stop)
{
    bool more = true;
    const auto hand_out = [&](worker& l) {
        l.task = more ? next() : std::nullopt;
        more = l.task.has_value();
        if (l.task && !l.channel.say(word::task, {task_text(*l.task)})) throw machine_fault("a process that makes runs was killed");
    };
    const auto answer = [&](worker& l, const messages::message& m) {
        switch (static_cast<word>(m.kind)) {
        case word::machine_fault: throw machine_fault(m.parts.at(0));
        case word::task_done: return hand_out(l);
        case word::run: break;
        case word::task:
        case word::broken: throw std::runtime_error(m.parts.at(0));
        }
        worker_result result{std::stoull(m.parts.at(0)), record_from_json(m.parts.at(2)), {}};
        columns::from_text(m.parts.at(1), result.notes);
        finished(*l.task, std::move(result));
    };
    for (const auto& l : workers_) hand_out(*l);
    while (!stop()) {
        std::vector<pollfd> events;
        std::vector<worker*> busy;
        for (const auto& l : workers_) {
            if (!l->task) continue;
            events.push_back({l->channel.fd, POLLIN, 0});
            busy.push_back(l.get());
        }
        if (busy.empty()) return;
        if (poll(events.data(), events.size(), stop_is_asked_every_ms) <= 0) continue;
        for (std::size_t k = 0; k < busy.size(); ++k) {
            if (events[k].revents == 0) continue;
            if (!busy[k]->inbox.read(busy[k]->channel.fd)) throw machine_fault("a process that makes runs was killed");
            while (const auto m = busy[k]->inbox.take()) answer(*busy[k], *m);
        }
    }
}

} // namespace ivp
