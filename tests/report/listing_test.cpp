// Golden listings: text compared exactly, with the run's time and machine taken out. IVP_APPROVE=1 rewrites them on purpose.
#include "golden.hpp"

#include "report/table.hpp"
#include <ivp/print.hpp>

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

namespace ivp {

namespace {

// The run is made up from its published numbers, so that the listing does not depend on the last bits of an integration.
run_record example(const problem& p)
{
    run_record r;
    r.problem = p.id();
    r.solver = "radau5";
    r.form = "ode";
    r.dimension = p.n();
    r.tend = p.info().tend.value();
    r.t_end_reached = r.tend;
    r.rtol = {1e-4};
    r.atol = {1e-4};
    r.h0 = 1e-7;
    r.jacobian = "exact";
    for (int i = 0; i < p.n(); ++i) r.y.push_back(p.reference()->value[i].value() * (1 + 0.01 * (i + 1)));
    r.steps = 43;
    r.accepted = 35;
    r.nfev = 314;
    r.njac = 22;
    r.nlu = 43;
    r.cpu_s = 0.03;
    r.repeats = 1;
    return r;
}

} // namespace

TEST(listing, of_a_small_problem)
{
    const problem p = open_problem("hires");
    const run_record r = example(p);
    expect_golden("hires.txt", listing(r, p, accuracy_of(r, p)));
}

TEST(listing, marks_ignored_components_and_shows_the_ends_of_long_solutions)
{
    const problem p = open_problem("medakzo");
    run_record r = example(p);
    r.nfev_jac = 110;
    r.claimed = {{"nfev", 315}};
    expect_golden("medakzo.txt", listing(r, p, accuracy_of(r, p)));
    const problem nand = open_problem("nand");
    const run_record ide = example(nand);
    expect_golden("nand.txt", listing(ide, nand, accuracy_of(ide, nand)));
}

TEST(listing, shows_effective_counts_of_a_parallel_method)
{
    const problem p = open_problem("hires");
    run_record r = example(p);
    EXPECT_EQ(listing(r, p, std::nullopt).find("effective"), std::string::npos);
    r.extra = {{"effective_f", 194}, {"effective_lu", 42}};
    const std::string text = listing(r, p, std::nullopt);
    EXPECT_NE(text.find("   effective f evaluations                    194   (at the same time: one)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("   effective LU decompositions                 42   (at the same time: one)\n"), std::string::npos) << text;
}

TEST(listing, of_a_failed_run_says_why)
{
    const problem p = open_problem("vdpol");
    run_record r = example(p);
    r.outcome = outcome::step_too_small;
    r.message = "at t = 0.8; the last cut was made because the error test fails";
    r.t_end_reached = 0.8;
    expect_golden("failed.txt", listing(r, p, accuracy_of(r, p)));
}

TEST(table, of_several_runs)
{
    const problem hires = open_problem("hires");
    const problem vdpol = open_problem("vdpol");
    run_record a = example(hires);
    a.scd = 1.12;
    a.mescd = 3.32;
    run_record b = a;
    b.rtol = {1e-7};
    b.outcome = outcome::timed_out;
    b.scd.reset();
    b.mescd.reset();
    const run_record c = example(vdpol);
    const std::vector<run_record> all{a, b, c};
    expect_golden("table.txt", characteristics_table(all));
}

} // namespace ivp
