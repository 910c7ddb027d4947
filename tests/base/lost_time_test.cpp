#include "base/lost_time.hpp"

#include "model/test_problem.hpp"

#include <ivp/evaluator.hpp>

#include <csignal>
#include <ctime>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ivp {

namespace {

double thread_cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Three that never rest, on the core that this process is bound to while they live.
class crowd {
public:
    crowd()
    {
        sched_getaffinity(0, sizeof(before_), &before_);
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
        sched_setaffinity(0, sizeof(here), &here);
        for (int k = 0; k < 3; ++k) {
            const pid_t other = fork();
            if (other == 0)
                while (true) {}
            others_.push_back(other);
        }
    }
    ~crowd()
    {
        for (const pid_t other : others_) {
            kill(other, SIGKILL);
            waitpid(other, nullptr, 0);
        }
        sched_setaffinity(0, sizeof(before_), &before_);
    }
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;

private:
    cpu_set_t before_{};
    std::vector<pid_t> others_;
};

} // namespace

TEST(lost_time, a_time_limit_does_not_count_what_others_had)
{
    const problem p = testing_support::plain_problem({1}, 1, [](double, const double*, double* out) {
        out[0] = 0;
        return evaluation::ok;
    });
    evaluator e(p);
    const crowd others;
    constexpr double limit = 0.3;
    const double y = 1;
    double out = 0;
    const double begin = thread_cpu_seconds();
    e.set_time_limit(limit);
    while (e.f(0, &y, &out) == evaluation::ok) {}
    EXPECT_EQ(e.stop_reason(), outcome::timed_out);
    EXPECT_GT(thread_cpu_seconds() - begin, 0.5 * limit) << "by the clock on the wall it would have been a quarter";
}

TEST(lost_time, ages_fit_the_clock)
{
    for (const double seconds : {1e10, 1e300})
        EXPECT_GT(std::chrono::steady_clock::now() + clock_duration(seconds), std::chrono::steady_clock::now() + std::chrono::hours(1000)) << seconds;
    EXPECT_EQ(clock_duration(0.25), std::chrono::milliseconds(250));
}

} // namespace ivp
