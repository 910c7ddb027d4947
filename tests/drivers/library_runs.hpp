// What the tests of the libraries' drivers share: a run by its names, and an observer that checks that no step is left out.
#ifndef IVP_TESTS_DRIVERS_LIBRARY_RUNS_HPP
#define IVP_TESTS_DRIVERS_LIBRARY_RUNS_HPP

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace ivp::testing_support {

inline run_settings at(double rtol)
{
    run_settings s;
    s.rtol = rtol;
    s.repeat = 1;
    return s;
}

inline run_record run(const std::string& problem, const std::string& solver, const run_settings& s, step_observer* observer = nullptr)
{
    return measure_run(open_problem(problem), *open_solver(solver), s, observer);
}

class watcher : public step_observer {
public:
    observer_answer on_step(const accepted_step& s) override
    {
        EXPECT_EQ(s.t_old, t);
        t = s.t;
        return ++steps == stop_after ? observer_answer::stop : observer_answer::go_on;
    }
    double t = 0;
    std::uint64_t steps = 0;
    std::uint64_t stop_after = 0;
};

/// The run ends where the observer says so.
inline void expect_stop_after_seven_steps(const std::string& problem, const std::string& solver)
{
    watcher stopper;
    stopper.stop_after = 7;
    EXPECT_EQ(run(problem, solver, at(1e-5), &stopper).outcome, outcome::stopped_by_observer) << solver;
    EXPECT_EQ(stopper.steps, 7U) << solver;
}

} // namespace ivp::testing_support

#endif
