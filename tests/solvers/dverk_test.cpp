// DVERK: coefficients, order, counts and true solutions of the original's published package, options, dense output, restarts.
#include "allocation_counter.hpp"
#include "model/test_problem.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/detest_runs.hpp"
#include "solvers/order_conditions.hpp"
#include "solvers/verner/coefficients.hpp"
#include "solvers/verner/dverk_integrator.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <ostream>
#include <utility>

namespace ivp {

using namespace testing_support;
using solvers::advance_status;
using solvers::dverk_integrator;

namespace {

problem find(const std::string& id)
{
    if (id == "conflict") return problem_of<conflict>();
    for (const problem& p : nonstiff_problems())
        if (p.id() == id) return p;
    return open_problem(id);
}

run_record run(const std::string& problem, double rtol, double atol, run_settings s = {})
{
    s.rtol = rtol;
    s.atol = {atol};
    s.repeat = 1;
    return measure_run(find(problem), *open_solver("dverk"), s);
}

} // namespace

TEST(dverk, coefficients_fulfil_the_order_conditions)
{
    using table = solvers::dverk_coefficients;
    order_conditions::matrix a;
    for (int s = 0; s < table::stages; ++s) {
        a.emplace_back(table::a[s].begin(), table::a[s].end());
        double sum = 0;
        for (double& v : a.back()) {
            EXPECT_EQ(v, std::round(v)) << "a whole number over the common denominator";
            sum += v /= table::denominator;
        }
        EXPECT_NEAR(sum, table::c[s], 2e-15) << "stage " << s;
    }
    const order_conditions conditions(a, 7);
    std::vector<double> b(table::a[table::stages].begin(), table::a[table::stages].end());
    for (double& v : b) v /= table::denominator;
    EXPECT_LT(conditions.violation(b, 1, 6), 1e-15);
    EXPECT_GT(conditions.violation(b, 7, 7), 1e-6);
    std::vector<double> fifth = b;
    for (std::size_t j = 0; j < fifth.size(); ++j) fifth[j] += table::error[0][j] / table::denominator;
    EXPECT_LT(conditions.violation(fifth, 1, 5), 1e-15);
    EXPECT_GT(conditions.violation(fifth, 6, 6), 1e-5);
}

TEST(dverk, dense_output_has_order_5) { EXPECT_NEAR(measured_dense_order(*open_solver("dverk"), 1.0 / 8), 5, 0.2); }

TEST(dverk, dense_output_reproduces_polynomials_of_degree_5)
{
    struct looker final : step_observer {
        observer_answer on_step(const accepted_step& s) override
        {
            for (const double part : {0.1, 0.35, 0.8}) {
                const double t = s.t_old + part * s.h;
                double y = 0;
                s.between->evaluate(t, &y);
                EXPECT_NEAR(y, std::pow(t, 5), 1e-14);
            }
            return observer_answer::go_on;
        }
    } seen;
    const problem p = plain_problem({0}, 1, [](double t, const double*, double* out) {
        out[0] = 5 * t * t * t * t;
        return evaluation::ok;
    });
    run_settings s;
    s.rtol = 1e-2;
    s.h0 = 0.5;
    s.repeat = 1;
    EXPECT_GE(measure_run(p, *open_solver("dverk"), s, &seen).accepted, 2u);
}

TEST(dverk, dense_output_is_not_counted_and_meets_the_end)
{
    struct looker final : step_observer {
        observer_answer on_step(const accepted_step& s) override
        {
            std::vector<double> y(s.y.size());
            s.between->evaluate(s.t, y.data());
            for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], s.y[i], 1e-12);
            return observer_answer::go_on;
        }
    } seen;
    run_settings s;
    s.rtol = 1e-7;
    s.atol = {1e-7};
    s.repeat = 1;
    const run_record r = measure_run(find("kepler"), *open_solver("dverk"), s, &seen);
    EXPECT_EQ(r.nfev, 8 * r.accepted + 7 * r.rejected) << "no evaluation is kept from one step to the next, but a repeated step shares its first";
    EXPECT_GT(r.rejected, 0u);
}

// Statistics of the 1987 package with the original codes (double precision, problems not scaled), equal in three builds of it.
struct package_row {
    const char* problem;
    double tol;
    std::uint64_t evaluations;
    int steps, lumped, assessed, deceived;
    std::uint64_t start_evaluations;
    double start_step, max_global_error, max_local_error;
};

void PrintTo(const package_row& r, std::ostream* out) { *out << r.problem << " " << r.tol; }

class dverk_package : public ::testing::TestWithParam<package_row> {};

TEST_P(dverk_package, statistics_are_reproduced)
{
    const package_row& row = GetParam();
    const problem p = find(row.problem);
    evaluator truth(p);
    dverk_integrator global(truth);
    dverk_integrator local(truth);
    const auto s = detest_run(p, *open_solver("dverk"), global, local, {200, 200, 200, true}, row.tol, 1, 20, {{"check_end", 0}});
    EXPECT_EQ(s.outcome, outcome::success);
    EXPECT_EQ(s.cost.f, row.evaluations);
    EXPECT_EQ(s.steps, row.steps);
    EXPECT_EQ(s.lumped, row.lumped);
    EXPECT_EQ(s.assessed, row.assessed);
    EXPECT_EQ(s.deceived, row.deceived);
    EXPECT_EQ(s.start_evaluations, row.start_evaluations);
    EXPECT_NEAR(s.start_step, row.start_step, 1e-8 * row.start_step);
    EXPECT_NEAR(s.max_global_error, row.max_global_error, 0.02 * row.max_global_error);
    EXPECT_NEAR(s.max_local_error, row.max_local_error, 0.02 * row.max_local_error);
}

INSTANTIATE_TEST_SUITE_P(rows, dverk_package,
                         ::testing::Values(package_row{"swing", 1e-2, 131, 12, 12, 12, 2, 16, 1.490065640, 1.64789e-01, 2.06193},
                                           package_row{"swing", 1e-6, 530, 54, 54, 54, 2, 30, 3.147199759e-01, 1.64482e-05, 2.47643},
                                           package_row{"swing", 1e-11, 2998, 352, 314, 314, 0, 51, 4.728094619e-02, 5.27196e-11, 7.25764e-01},
                                           package_row{"conflict", 1e-2, 278, 26, 26, 26, 10, 30, 4.078601144e-01, 2.96719, 1.90679e+01},
                                           package_row{"conflict", 1e-8, 1825, 208, 208, 208, 27, 51, 4.783877255e-02, 2.83485e-06, 4.21576},
                                           package_row{"conflict", 1e-11, 5187, 644, 366, 366, 7, 58, 1.524001931e-02, 2.80063e-09, 1.34527},
                                           package_row{"kepler", 1e-2, 541, 44, 44, 44, 6, 51, 3.479175896e-02, 4.46616, 1.00173e+01},
                                           // The global solution fails near the third perihelion: its limit of 200 evaluations is met.
                                           package_row{"kepler", 1e-3, 659, 57, 57, 47, 6, 58, 2.124949237e-02, 3.95069, 5.71711},
                                           package_row{"kepler", 1e-10, 4744, 551, 396, 396, 109, 86, 1.410696555e-03, 5.67831e-05, 5.62828}));

TEST(dverk, checking_the_end_changes_nothing_but_when_a_refusal_is_seen)
{
    run_settings late;
    late.special = {{"check_end", 0}};
    const run_record a = run("kepler", 0, 1e-6);
    const run_record b = run("kepler", 0, 1e-6, late);
    EXPECT_EQ(a.y, b.y);
    EXPECT_EQ(a.nfev, b.nfev);

    int calls = 0;
    const problem p = plain_problem({1}, 1, [&calls](double, const double* y, double* out) {
        out[0] = -y[0];
        return ++calls == 9 ? evaluation::refused : evaluation::ok; // f at the end of the first step
    });
    run_settings s;
    s.rtol = s.atol.emplace_back(1e-2);
    s.repeat = 1;
    s.h0 = 0.125;
    s.hmax = 0.125;
    const run_record checked = measure_run(p, *open_solver("dverk"), s);
    EXPECT_EQ(checked.outcome, outcome::success) << checked.message;
    EXPECT_EQ(checked.rejected, 1u);
    calls = 0;
    s.special = {{"check_end", 0}};
    const run_record unchecked = measure_run(p, *open_solver("dverk"), s);
    EXPECT_EQ(unchecked.outcome, outcome::nonfinite);
    EXPECT_NE(unchecked.message.find("at the end of a step that was accepted, t = 0.125"), std::string::npos) << unchecked.message;
}

TEST(dverk, tolerances_mean_what_the_original_s_kinds_of_error_control_do)
{
    // Largest step 2, and the first one hmax tol^(1/6), whatever the kind of control.
    struct first_size final : step_observer {
        double h = 0;
        double bound = 0;
        std::vector<double> weights;
        observer_answer on_step(const accepted_step& s) override
        {
            h = s.h;
            bound = s.error_bound;
            weights.assign(s.error_weights.begin(), s.error_weights.end());
            return observer_answer::stop;
        }
    };
    const problem p = plain_problem({4, 0.5}, 20, [](double, const double*, double* out) {
        out[0] = out[1] = 0;
        return evaluation::ok;
    });
    const auto weights = [&](double rtol, std::vector<double> atol) {
        first_size seen;
        run_settings s;
        s.rtol = rtol;
        s.atol = std::move(atol);
        s.repeat = 1;
        (void)measure_run(p, *open_solver("dverk"), s, &seen);
        EXPECT_NEAR(seen.h, 2 * std::pow(seen.bound, 1.0 / 6), 1e-6);
        EXPECT_EQ(seen.bound, 1e-4);
        return seen.weights;
    };
    EXPECT_EQ(weights(0, {1e-4}), (std::vector<double>{1, 1})) << "absolute";
    EXPECT_EQ(weights(1e-4, {0}), (std::vector<double>{4, 0.5})) << "relative";
    EXPECT_EQ(weights(1e-4, {1e-4}), (std::vector<double>{4, 1})) << "the default, max(1, |y|)";
    EXPECT_EQ(weights(1e-4, {8e-4, 1e-5}), (std::vector<double>{8, 0.5})) << "with floors";
    EXPECT_EQ(weights(0, {1e-4, 3e-4}), (std::vector<double>{1, 3e-4 / 1e-4})) << "with weights";
}

TEST(dverk, options_of_the_original_take_effect)
{
    run_settings s;
    s.special = {{"scale", 20}};
    EXPECT_GE(run("swing", 1e-3, 1e-3, s).accepted, 200u) << "no step above 2/scale";
    s.special = {{"max_calls", 100}};
    const run_record limited = run("swing", 1e-8, 1e-8, s);
    EXPECT_EQ(limited.outcome, outcome::too_many_steps);
    EXPECT_NE(limited.message.find("the limit that max_calls sets"), std::string::npos) << limited.message;
    EXPECT_LT(limited.nfev, 110u);
    s.special = {{"hmin", 0.5}};
    EXPECT_EQ(run("kepler", 1e-8, 1e-8, s).outcome, outcome::step_too_small);
    s.special = {{"hmin", 3}};
    const run_record impossible = run("kepler", 1e-8, 1e-8, s);
    EXPECT_EQ(impossible.outcome, outcome::step_too_small);
    EXPECT_NE(impossible.message.find("the smallest step is above the largest"), std::string::npos) << impossible.message;
}

TEST(dverk, a_tolerance_that_double_precision_cannot_meet_ends_at_the_smallest_step)
{
    const run_record r = run("kepler", 0, 1e-13);
    EXPECT_EQ(r.outcome, outcome::step_too_small) << r.message;
    EXPECT_NE(r.message.find("the error test fails"), std::string::npos) << r.message;
}

TEST(dverk, an_integrator_is_started_and_carried_on_without_memory)
{
    const problem p = find("conflict");
    evaluator e(p);
    dverk_integrator i(e);
    const std::vector<double> start{1, 3};
    const auto before = allocations.load();
    for (int turn = 0; turn < 100; ++turn) {
        i.control_error(1e-8);
        i.limits() = {};
        i.start(0, start);
        for (const double t : {0.1, 0.3, 1.0}) ASSERT_EQ(i.advance(t), advance_status::arrived);
    }
    EXPECT_EQ(allocations.load(), before);
    EXPECT_EQ(i.t(), 1.0);

    dverk_integrator other(e);
    other.control_error(1e-8);
    other.start(0, start);
    for (const double t : {0.1, 0.3, 1.0}) (void)other.advance(t);
    EXPECT_EQ(std::vector<double>(i.y().begin(), i.y().end()), std::vector<double>(other.y().begin(), other.y().end()))
        << "start() forgets everything";
}

TEST(dverk, a_failure_leaves_nothing_behind_for_the_next_start)
{
    const problem p = find("kepler");
    evaluator e(p);
    const std::vector<double> start = p.in<double>().initial_values();
    const auto end = [&](dverk_integrator& i) {
        i.limits() = {};
        i.control_error(1e-6);
        i.start(0, start);
        EXPECT_EQ(i.advance(1), advance_status::arrived);
        return std::pair(std::vector<double>(i.y().begin(), i.y().end()), i.calls());
    };
    dverk_integrator fresh(e);
    const auto expected = end(fresh);
    for (std::uint64_t limit = 1; limit < 60; ++limit) {
        dverk_integrator used(e, {}, limit % 2 == 1);
        used.control_error(1e-9);
        used.limits().max_calls = limit;
        used.limits().h0 = 0.5; // rejected several times
        used.start(0, start);
        ASSERT_EQ(used.advance(1), advance_status::call_limit);
        EXPECT_EQ(end(used), expected) << "after " << limit << " calls";
    }
}

TEST(dverk, goes_backwards_too)
{
    const problem p = find("swing");
    evaluator e(p);
    dverk_integrator i(e);
    i.control_error(1e-10);
    const std::vector<double> start{1};
    i.start(0, start);
    ASSERT_EQ(i.advance(2), advance_status::arrived);
    EXPECT_NEAR(i.y()[0], std::exp(std::sin(2.0)), 1e-8);
    ASSERT_EQ(i.advance(-1), advance_status::arrived);
    EXPECT_NEAR(i.y()[0], std::exp(std::sin(-1.0)), 1e-8);
}

} // namespace ivp
