#include "base/child.hpp"
#include "base/thread_team.hpp"

#include <ivp/error.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace ivp::solvers {

class any_team : public ::testing::TestWithParam<int> {};

TEST_P(any_team, does_every_task_once_in_every_round)
{
    thread_team team(GetParam());
    std::array<int, 7> times{}; // not atomic: each is touched by one thread at a time, and the end of a round orders them
    for (int round = 1; round <= 20000; ++round) {
        const int tasks = round % 7 + 1;
        times = {};
        team.each(tasks, [&](int k) { ++times[k]; });
        for (int k = 0; k < 7; ++k) ASSERT_EQ(times[k], k < tasks ? 1 : 0) << "round " << round;
    }
}

TEST_P(any_team, a_round_sees_what_the_one_before_wrote)
{
    thread_team team(GetParam());
    std::array<long, 4> value{0, 1, 2, 3};
    std::array<long, 4> next{};
    for (int round = 0; round < 20000; ++round) {
        team.each(4, [&](int k) { next[k] = value[(k + 1) % 4] + 1; });
        value = next;
    }
    EXPECT_EQ(std::accumulate(value.begin(), value.end(), 0L), 6 + 4 * 20000L);
}

TEST_P(any_team, wakes_up_after_a_long_rest)
{
    thread_team team(GetParam());
    std::atomic<int> done{0};
    for (int round = 0; round < 3; ++round) {
        team.each(4, [&](int) { ++done; });
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    EXPECT_EQ(done, 12);
}

TEST_P(any_team, hands_on_what_a_task_throws_and_goes_on)
{
    thread_team team(GetParam());
    const auto failing = [](int k) {
        if (k == 2) throw std::runtime_error("task 2");
    };
    EXPECT_THROW(team.each(4, failing), std::runtime_error);
    EXPECT_THROW(team.each(4, failing), std::runtime_error);
    int sum = 0;
    team.each(1, [&](int) { ++sum; });
    EXPECT_EQ(sum, 1);
}

INSTANTIATE_TEST_SUITE_P(sizes, any_team, ::testing::Values(1, 2, 3, 4));

TEST(thread_team, works_on_several_threads)
{
    thread_team team(2);
    std::set<std::thread::id> seen;
    std::mutex guard;
    // Each of the two tasks waits for the other one, so one thread alone could not finish.
    std::atomic<int> present{0};
    team.each(2, [&](int) {
        ++present;
        while (present < 2) std::this_thread::yield();
        const std::scoped_lock lock(guard);
        seen.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(seen.size(), 2u);
}

TEST(thread_team, that_cannot_be_had_is_a_fault_of_the_machine)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs more memory than is left";
#endif
    std::string what;
    try {
        (void)run_in_child([](child_link&) {
            std::ifstream file("/proc/self/statm");
            rlim_t pages = 0;
            file >> pages;
            const rlim_t room_for_no_stack = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (4U << 20U);
            const rlimit space{room_for_no_stack, room_for_no_stack};
            setrlimit(RLIMIT_AS, &space);
            thread_team team(thread_team::most_tasks); // more than the C library has kept stacks for
            return std::string("made");
        });
    } catch (const machine_fault& e) {
        what = e.what();
    }
    EXPECT_TRUE(what.starts_with("this machine gave ") && what.ends_with(" of 31 threads: Resource temporarily unavailable")) << what;
}

} // namespace ivp::solvers
