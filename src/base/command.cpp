#include "command.hpp"

#include "child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to the program

namespace ivp {

namespace {

[[noreturn]] void fail(int code, const std::string& program)
{
    throw std::system_error(code, std::generic_category(), "cannot run '" + program + "'");
}

/// A pipe that closes itself.
struct pipe_ends {
    std::array<int, 2> fd{-1, -1};
    explicit pipe_ends(const std::string& program)
    {
        if (pipe2(fd.data(), O_CLOEXEC) != 0) fail(errno, program);
    }
    ~pipe_ends()
    {
        for (const int end : fd)
            if (end >= 0) ::close(end);
    }
    pipe_ends(const pipe_ends&) = delete;
    pipe_ends& operator=(const pipe_ends&) = delete;
    void close_writing()
    {
        ::close(fd[1]);
        fd[1] = -1;
    }
};

/// Both to their ends, whichever speaks first.
void read_both(int out_fd, int err_fd, std::string& out, std::string& err)
{
    std::array<pollfd, 2> ends{pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}};
    const std::array<std::string*, 2> texts{&out, &err};
    std::array<char, 4096> block{};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return;
        for (std::size_t k = 0; k < ends.size(); ++k) {
            if (ends[k].fd < 0 || ends[k].revents == 0) continue;
            const ssize_t got = ::read(ends[k].fd, block.data(), block.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0)
                ends[k].fd = -1; // poll leaves it out
            else
                texts[k]->append(block.data(), static_cast<std::size_t>(got));
        }
    }
}

template <class Resource> // an enumeration in C++, an int in C
void lower_limit(Resource what, rlim_t most)
{
    rlimit limit{};
    getrlimit(what, &limit);
    limit.rlim_cur = std::min(limit.rlim_cur, most);
    setrlimit(what, &limit);
}

} // namespace

command_result run_command(const std::vector<std::string>& words)
{
    const std::string& program = words.at(0);
    pipe_ends out(program), err(program);
    std::vector<char*> arguments;
    for (const auto& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.fd[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.fd[1], STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) fail(failed, program);
    out.close_writing();
    err.close_writing();
    command_result r;
    read_both(out.fd[0], err.fd[0], r.out, r.err);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail(errno, program);
    r.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return r;
}

std::optional<command_result> run_command(const std::vector<std::string>& words, const command_limits& limits, std::string& ended)
{
    const auto work = [&](child_link&) {
        constexpr double later = 60; // the limit of the child comes first; this one ends what outlives a tool that was killed
        lower_limit(RLIMIT_FSIZE, limits.file);
        lower_limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds + later));
        const command_result r = run_command(words);
        return std::to_string(r.code) + "\n" + std::to_string(r.out.size()) + "\n" + r.out + r.err;
    };
    child_limits all;
    all.seconds = limits.seconds;
    all.memory = limits.memory;
    const child_result r = run_in_child(work, all);
    if (r.ending != child_ending::answered) {
        ended = r.reason;
        return std::nullopt;
    }
    command_result said;
    std::istringstream answer(r.answer);
    std::size_t out = 0;
    answer >> said.code >> out;
    const auto texts = static_cast<std::size_t>(answer.tellg()) + 1;
    said.out = r.answer.substr(texts, out);
    said.err = r.answer.substr(texts + out);
    return said;
}

bool command_exists(const std::string& name)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = (folder.empty() ? "." : folder) + "/" + name;
        std::error_code ignored;
        if (!std::filesystem::is_directory(file, ignored) && access(file.c_str(), X_OK) == 0) return true;
    }
    return false;
}

} // namespace ivp
