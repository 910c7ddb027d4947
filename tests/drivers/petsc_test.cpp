// The drivers of PETSc TS, where they were asked for (-DIVP_PETSC=ON).
#include "drivers/library_runs.hpp"

#include <gtest/gtest.h>

namespace ivp {

using namespace testing_support;

namespace {

TEST(petsc, all_three_forms_and_the_answer_to_the_tolerance)
{
    for (const char* name : {"petsc-bdf", "petsc-arkimex", "petsc-rosw"})
        for (const char* id : {"hires", "orego", "chemakzo_dae"}) {
            const run_record coarse = run(id, name, at(1e-4));
            const run_record fine = run(id, name, at(1e-6));
            ASSERT_EQ(fine.outcome, outcome::success) << name << id << fine.message;
            EXPECT_GT(*fine.mescd, *coarse.mescd + 1) << name << id;
            EXPECT_EQ(fine.njac, fine.nlu) << name << id;
            EXPECT_EQ(fine.claimed.at("nsolve"), static_cast<double>(fine.nsolve));
        }
    EXPECT_GT(*run("nand", "petsc-bdf", at(1e-5)).mescd, 2);
    EXPECT_GT(*run("transamp", "petsc-bdf", at(1e-5)).mescd, 2);
}

TEST(petsc, sparse_matrices_and_breakpoints)
{
    const run_record r = run("medakzo", "petsc-bdf", at(1e-4));
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.algebra, "sparse");
    EXPECT_GT(*r.mescd, 1);
}

TEST(petsc, limits_and_refusals)
{
    run_settings s = at(1e-6);
    s.max_steps = 20;
    const run_record few = run("hires", "petsc-rosw", s);
    EXPECT_EQ(few.outcome, outcome::too_many_steps);
    s = at(1e-10);
    s.timeout_s = 1e-3;
    EXPECT_EQ(run("ringmod", "petsc-bdf", s).outcome, outcome::timed_out);
    EXPECT_THROW((void)run("caraxis", "petsc-bdf", at(1e-4)), bad_request);
    s = at(1e-4);
    s.jacobian = jacobian_source::differences;
    EXPECT_THROW((void)run("hires", "petsc-bdf", s), bad_request);
}

} // namespace
} // namespace ivp
