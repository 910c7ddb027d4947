// No solver allocates after its first steps: every allocation of this program is counted, and the observer looks at the count.
#include "allocation_counter.hpp"
#include "test_name.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

namespace ivp {

using testing_support::allocations;

namespace {

struct allocation_watch final : step_observer {
    std::uint64_t steps = 0;
    std::uint64_t at_second_step = 0;
    std::uint64_t at_last_step = 0;
    observer_answer on_step(const accepted_step& /*step*/) override
    {
        if (++steps == 2) at_second_step = allocations;
        at_last_step = allocations;
        return observer_answer::go_on;
    }
};

class no_allocation : public ::testing::TestWithParam<std::string> {};

/// False: the solver does not take the problem.
bool expect_none(const char* id, const solver& s, jacobian_source jacobian)
{
    const problem p = open_problem(id);
    if (s.info().refusal(p)) return false;
    run_settings settings;
    settings.rtol = 1e-5;
    settings.repeat = 1;
    settings.jacobian = jacobian;
    settings.max_steps = 20'000;
    if (s.info().implicit) settings.algebra = algebra::dense; // a sparse order that must be made again takes memory, and says so
    allocation_watch seen;
    (void)measure_run(p, s, settings, &seen);
    EXPECT_GT(seen.steps, 2u) << id;
    EXPECT_EQ(seen.at_last_step, seen.at_second_step) << id;
    return true;
}

} // namespace

TEST_P(no_allocation, after_the_first_steps)
{
    const auto solver = open_solver(GetParam());
    for (const auto source : {jacobian_source::exact, jacobian_source::differences}) {
        if (!solver->info().implicit && source == jacobian_source::differences) continue;
        if (!solver->info().implicit) { // what is stiff ends with a message, which is memory
            EXPECT_TRUE(expect_none("plei", *solver, source));
            continue;
        }
        int taken = 0;
        taken += expect_none("orego", *solver, source);        // many rejected steps
        taken += expect_none("chemakzo_dae", *solver, source); // a singular mass matrix
        taken += expect_none("wheel", *solver, source);        // G(t, y, y') = 0
        EXPECT_GT(taken, 0) << "it takes none of them: this test saw nothing";
    }
}

INSTANTIATE_TEST_SUITE_P(catalog, no_allocation, ::testing::ValuesIn(solver_names()), testing_support::test_name);

} // namespace ivp
