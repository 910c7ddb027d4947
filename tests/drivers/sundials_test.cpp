// The drivers of SUNDIALS: what the library counts is what we count, its failures are outcomes, and our algebra can take the place of its own.
#include "drivers/library_runs.hpp"

#include "drivers/sundials/loaded_library.hpp"
#include "drivers/sundials/loops.hpp"

#include <gtest/gtest.h>

#include <sundials/sundials_dense.h>

#include <algorithm>
#include <cmath>

namespace ivp {

using namespace testing_support;

namespace {

void expect_counts_as_claimed(const run_record& r)
{
    EXPECT_EQ(r.claimed.at("nfev"), static_cast<double>(r.nfev)) << r.solver;
    EXPECT_EQ(r.claimed.at("njac"), static_cast<double>(r.njac)) << r.solver;
    EXPECT_EQ(r.claimed.at("nlu"), static_cast<double>(r.nlu)) << r.solver;
    EXPECT_EQ(r.claimed.at("nsolve"), static_cast<double>(r.nsolve)) << r.solver;
}

TEST(sundials, cvode_has_the_counts_of_its_ancestor_on_hires)
{
    const run_record r = run("hires", "cvode", at(1e-4));
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.steps, 133u);
    EXPECT_EQ(r.accepted, 131u);
    EXPECT_EQ(r.nfev, 191u);
    EXPECT_EQ(r.njac, 10u);
    EXPECT_EQ(r.nlu, 25u);
    EXPECT_GT(r.scd, 1.0);
    expect_counts_as_claimed(r);
}

TEST(sundials, every_stiff_solver_reaches_the_digits_asked_for)
{
    for (const char* name : {"cvode", "ida", "arkode", "arkode-3", "arkode-5"}) {
        const run_record r = run("hires", name, at(1e-7));
        ASSERT_EQ(r.outcome, outcome::success) << name << r.message;
        EXPECT_GT(r.mescd, 4.5) << name;
        EXPECT_EQ(r.solver_origin, "driver");
        expect_counts_as_claimed(r);
    }
}

TEST(sundials, explicit_solvers_on_a_problem_that_is_not_stiff)
{
    for (const char* name : {"cvode-adams", "arkode-erk"}) {
        const run_record r = run("plei", name, at(1e-7));
        ASSERT_EQ(r.outcome, outcome::success) << name << r.message;
        EXPECT_GT(r.mescd, 3) << name;
        EXPECT_EQ(r.jacobian, "none");
        EXPECT_EQ(r.njac, 0u);
        EXPECT_EQ(r.claimed.at("nfev"), static_cast<double>(r.nfev)) << name;
    }
}

TEST(sundials, every_solver_names_the_library_that_is_loaded)
{
    for (const char* name : {"cvode", "cvode-adams", "ida", "arkode", "arkode-3", "arkode-5", "arkode-erk"}) {
        const auto info = open_solver(name)->info();
        EXPECT_TRUE(info.library.starts_with("SUNDIALS " + info.version + ": libsundials_")) << info.library;
        EXPECT_NE(info.library.find("build-id"), std::string::npos) << info.library;
        ASSERT_TRUE(info.library_slowdown) << name;
        EXPECT_GT(*info.library_slowdown, 0.1) << name;
    }
}

TEST(sundials, the_loops_it_is_timed_against_are_its_own)
{
    constexpr sunindextype n = 7;
    double theirs[n][n], ours[n][n], *their_columns[n], *our_columns[n];
    sunindextype their_pivots[n], our_pivots[n];
    for (sunindextype j = 0; j < n; ++j) {
        for (sunindextype i = 0; i < n; ++i) theirs[j][i] = ours[j][i] = std::sin(1.0 + static_cast<double>(i * n + j * j));
        their_columns[j] = theirs[j];
        our_columns[j] = ours[j];
    }
    ASSERT_EQ(SUNDlsMat_denseGETRF(their_columns, n, n, their_pivots), 0);
    ASSERT_TRUE(sundials::eliminate(our_columns, n, our_pivots));
    for (sunindextype j = 0; j < n; ++j) {
        EXPECT_EQ(our_pivots[j], their_pivots[j]);
        for (sunindextype i = 0; i < n; ++i) EXPECT_EQ(ours[j][i], theirs[j][i]) << i << " " << j;
    }
    for (double& v : ours[3]) v = 0;
    EXPECT_FALSE(sundials::eliminate(our_columns, n, our_pivots)) << "singular";

    const double x[]{1, -2, 3}, w[]{0.5, 0.25, 2};
    double z[3];
    sundials::linear_sum(3, 2, x, -4, w, z);
    EXPECT_EQ(z[0], 0);
    EXPECT_EQ(z[2], -2);
    EXPECT_DOUBLE_EQ(sundials::weighted_norm(3, x, w), std::sqrt((0.25 + 0.25 + 36) / 3));
}

TEST(sundials, ida_takes_all_three_forms)
{
    for (const char* id : {"chemakzo_dae", "transamp", "nand", "hires"}) {
        const run_record r = run(id, "ida", at(1e-5));
        ASSERT_EQ(r.outcome, outcome::success) << id << r.message;
        EXPECT_GT(r.mescd, 2) << id;
        expect_counts_as_claimed(r);
    }
}

TEST(sundials, band_matrices)
{
    const problem p = open_problem("medakzo", {{"N", "50"}});
    for (const char* name : {"cvode", "arkode", "ida"})
        for (const double ours : {0.0, 1.0}) {
            run_settings s = at(1e-6);
            s.special["our_algebra"] = ours;
            s.algebra = algebra::dense;
            const run_record dense = measure_run(p, *open_solver(name), s);
            s.algebra = algebra::automatic;
            const run_record band = measure_run(p, *open_solver(name), s);
            EXPECT_EQ(band.algebra, "band");
            ASSERT_EQ(band.outcome, outcome::success) << name << band.message;
            for (int i = 0; i < p.n(); ++i) EXPECT_NEAR(band.y[i], dense.y[i], 1e-4 * (1e-2 + std::abs(dense.y[i]))) << name << i;
        }
}

TEST(sundials, sparse_matrices)
{
    for (const char* name : {"cvode", "arkode", "ida"}) {
        run_settings s = at(1e-6);
        s.tend = 1; // later on, rounding alone moves the steps of ARKODE
        s.algebra = algebra::dense;
        const run_record dense = run("pollu", name, s);
        s.algebra = algebra::sparse;
        for (const double ours : {0.0, 1.0}) {
            s.special["our_algebra"] = ours;
            const run_record sparse = run("pollu", name, s);
            ASSERT_EQ(sparse.outcome, outcome::success) << name << sparse.message;
            EXPECT_EQ(sparse.algebra, "sparse");
            EXPECT_EQ(sparse.steps, dense.steps) << name;
            EXPECT_EQ(sparse.nlu, dense.nlu) << name;
            for (std::size_t i = 0; i < sparse.y.size(); ++i) EXPECT_NEAR(sparse.y[i], dense.y[i], 1e-9) << name << i;
        }
    }
}

TEST(sundials, our_algebra_changes_nothing_but_rounding)
{
    for (const char* name : {"cvode", "arkode", "ida"}) {
        run_settings s = at(1e-6);
        s.tend = 5; // further on, rounding alone moves the steps of these methods
        const run_record theirs = run("hires", name, s);
        s.special["our_algebra"] = 1;
        const run_record ours = run("hires", name, s);
        ASSERT_EQ(ours.outcome, outcome::success) << name << ours.message;
        EXPECT_EQ(ours.steps, theirs.steps) << name;
        EXPECT_EQ(ours.nfev, theirs.nfev) << name;
        EXPECT_EQ(ours.njac, theirs.njac) << name;
        EXPECT_EQ(ours.nlu, theirs.nlu) << name;
        for (std::size_t i = 0; i < ours.y.size(); ++i) EXPECT_NEAR(ours.y[i], theirs.y[i], 1e-9) << name << i;
        expect_counts_as_claimed(ours);
    }
}

TEST(sundials, difference_quotients_are_counted_apart)
{
    run_settings s = at(1e-4);
    const run_record exact = run("hires", "cvode", s);
    s.jacobian = jacobian_source::differences;
    const run_record r = run("hires", "cvode", s);
    EXPECT_EQ(exact.nfev_jac, 0u);
    EXPECT_EQ(r.nfev_jac, 8 * r.njac);
    expect_counts_as_claimed(r);
    s.special["our_algebra"] = 1;
    EXPECT_THROW((void)run("hires", "cvode", s), bad_request);
}

TEST(sundials, a_higher_index_is_refused_unless_forced)
{
    try {
        (void)run("caraxis", "ida", at(1e-4));
        FAIL() << "not refused";
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("index 3, ida solves problems up to index 1 (--opt any_index=1 tries it anyway)"), std::string::npos)
            << e.what();
    }
    run_settings s = at(1e-4);
    s.special["any_index"] = 1;
    s.max_steps = 2000;
    const run_record r = run("caraxis", "ida", s);
    EXPECT_GT(r.accepted, 10u) << r.message;
}

TEST(sundials, limits_end_the_run)
{
    run_settings s = at(1e-6);
    s.max_steps = 20;
    const run_record few = run("hires", "cvode", s);
    EXPECT_EQ(few.outcome, outcome::too_many_steps);
    EXPECT_EQ(few.steps, 20u);
    s = at(1e-10);
    s.timeout_s = 1e-4;
    EXPECT_EQ(run("ringmod", "cvode", s).outcome, outcome::timed_out);
}

TEST(sundials, consistent_values_are_found_where_asked)
{
    run_settings s = at(1e-5);
    s.special["calc_ic"] = 1;
    const run_record r = run("chemakzo_dae", "ida", s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_GT(r.mescd, 2);
}

class norm_watcher final : public watcher {
public:
    observer_answer on_step(const accepted_step& s) override
    {
        largest_norm = std::max(largest_norm, s.error_norm);
        EXPECT_EQ(s.error_estimate.size(), s.y.size());
        std::vector<double> y(s.y.size());
        s.between->evaluate(s.t, y.data());
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], s.y[i], 1e-12 + 1e-9 * std::abs(s.y[i]));
        return watcher::on_step(s);
    }
    double largest_norm = 0;
};

TEST(sundials, tells_the_observer_every_step)
{
    for (const char* name : {"cvode", "ida", "arkode"}) {
        norm_watcher w;
        const run_record r = run("hires", name, at(1e-5), &w);
        EXPECT_EQ(w.steps, r.accepted) << name;
        EXPECT_DOUBLE_EQ(w.t, 321.8122) << name;
        EXPECT_LE(w.largest_norm, 1.0) << name;
        EXPECT_GT(w.largest_norm, 0.1) << name;
        expect_stop_after_seven_steps("hires", name);
    }
}

} // namespace
} // namespace ivp
