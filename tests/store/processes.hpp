// Other processes that use a store: one that is killed, one that may do less than we.
#ifndef IVP_TESTS_STORE_PROCESSES_HPP
#define IVP_TESTS_STORE_PROCESSES_HPP

#include "campaign/sample_runs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace ivp::testing {

/// The work in a child, which ends by kill -9: nothing is put in order.
inline void killed_after(const std::function<void()>& work)
{
    const pid_t pid = fork();
    if (pid == 0) {
        work();
        (void)raise(SIGKILL);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
}

/// What a child process with these preparations and this work says.
inline std::string said_by_child(const std::function<void()>& prepare, const std::function<void()>& work)
{
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        prepare();
        const std::string text = fault_of(work);
        (void)!write(ends[1], text.data(), text.size());
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    for (char c = 0; read(ends[0], &c, 1) == 1;) text += c;
    close(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return text;
}

/// Permissions mean nothing to the superuser: a process of his becomes somebody else's.
inline void become_nobody()
{
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
}

} // namespace ivp::testing

#endif
