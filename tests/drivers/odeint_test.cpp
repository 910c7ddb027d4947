// The drivers of Boost.odeint. Its rosenbrock4 has the coefficients and the controller of RODAS: two programs, one sequence of steps.
#include "drivers/library_runs.hpp"

#include <gtest/gtest.h>

namespace ivp {

using namespace testing_support;

namespace {

TEST(odeint, rosenbrock4_makes_the_steps_of_rodas)
{
    for (const char* id : {"hires", "orego", "vdpol"})
        for (const double rtol : {1e-4, 1e-7}) {
            const run_record theirs = run(id, "odeint-rosenbrock4", at(rtol));
            const run_record ours = run(id, "rodas", at(rtol));
            ASSERT_EQ(theirs.outcome, outcome::success) << id << theirs.message;
            EXPECT_EQ(theirs.steps, ours.steps) << id;
            EXPECT_EQ(theirs.nlu, ours.nlu) << id;
            EXPECT_NEAR(*theirs.mescd, *ours.mescd, 0.01) << id;
            EXPECT_EQ(theirs.nfev, 6 * theirs.steps) << id;
            EXPECT_EQ(theirs.njac, theirs.steps) << id;
            EXPECT_EQ(theirs.nsolve, 6 * theirs.steps) << id;
            EXPECT_EQ(theirs.solver_origin, "driver");
        }
}

TEST(odeint, explicit_solvers_answer_to_the_tolerance)
{
    for (const char* name : {"odeint-dopri5", "odeint-bulirsch-stoer"}) {
        const run_record coarse = run("plei", name, at(1e-4));
        const run_record fine = run("plei", name, at(1e-9));
        ASSERT_EQ(fine.outcome, outcome::success) << name << fine.message;
        EXPECT_GT(*fine.mescd, *coarse.mescd + 3) << name;
        EXPECT_EQ(fine.jacobian, "none");
        EXPECT_EQ(fine.njac, 0u);
    }
}

TEST(odeint, restarts_at_breakpoints_and_cuts_the_step_outside_the_domain)
{
    const run_record emep = run("emep", "odeint-rosenbrock4", at(1e-3));
    EXPECT_EQ(emep.outcome, outcome::success) << emep.message;
    const run_record domain = run("chemakzo_ode", "odeint-rosenbrock4", at(1e-4));
    EXPECT_EQ(domain.outcome, outcome::success) << domain.message;
}

TEST(odeint, limits_and_refusals)
{
    run_settings s = at(1e-6);
    s.max_steps = 20;
    const run_record few = run("hires", "odeint-rosenbrock4", s);
    EXPECT_EQ(few.outcome, outcome::too_many_steps);
    EXPECT_EQ(few.steps, 20u);
    s = at(1e-10);
    s.timeout_s = 1e-4;
    EXPECT_EQ(run("ringmod", "odeint-dopri5", s).outcome, outcome::timed_out);
    s = at(1e-4);
    s.jacobian = jacobian_source::differences;
    EXPECT_THROW((void)run("hires", "odeint-rosenbrock4", s), bad_request);
    EXPECT_THROW((void)run("transamp", "odeint-rosenbrock4", at(1e-4)), bad_request);
}

TEST(odeint, tells_the_observer_every_step)
{
    for (const char* name : {"odeint-rosenbrock4", "odeint-dopri5", "odeint-bulirsch-stoer"}) {
        watcher w;
        const run_record r = run("plei", name, at(1e-5), &w);
        EXPECT_EQ(w.steps, r.accepted) << name;
        EXPECT_EQ(w.t, 3) << name;
        expect_stop_after_seven_steps("plei", name);
    }
}

} // namespace
} // namespace ivp
