#include "base/thread_team.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

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

} // namespace ivp::solvers
