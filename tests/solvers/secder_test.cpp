// SECDER: formulas, orders, counts and true solutions of the original's published package, options, dense output, restarts.
#include "allocation_counter.hpp"
#include "model/test_problem.hpp"
#include "solvers/convergence.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/detest_runs.hpp"
#include "solvers/secder/coefficients.hpp"
#include "solvers/secder/secder_integrator.hpp"
#include "solvers/secder/slope_history.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <utility>

namespace ivp {

using namespace testing_support;
using solvers::advance_status;
using solvers::secder_integrator;
namespace formulas = solvers::secder_formulas;

namespace {

problem find(const std::string& id)
{
    if (id == "four_decays") return problem_of<four_decays>();
    if (id == "damped") return problem_of<damped>();
    if (id == "coupled") return problem_of<coupled>();
    if (id == "reactor") return problem_of<reactor>();
    if (id == "oscillator") return problem_of<oscillator>();
    return open_problem(id);
}

run_record run(const std::string& problem, double tol, run_settings s = {})
{
    s.rtol = tol;
    s.atol = {tol};
    s.repeat = 1;
    return measure_run(find(problem), *open_solver("secder"), s);
}

// What a formula leaves of y = x^m over the step from 0 to 1; the newest of its slopes is at `newest`, and so is its second derivative.
long double defect(const formulas::formula<double>& f, int k, int m, int newest)
{
    const auto power = [](long double x, int e) {
        long double p = 1;
        for (int i = 0; i < e; ++i) p *= x;
        return p;
    };
    long double value = 1 - (m == 0 ? 1 : 0); // y(1) − y(0)
    for (int j = 0; j <= k; ++j)
        if (m >= 1) value -= static_cast<long double>(f.slopes[j]) * m * power(newest - k + j, m - 1);
    if (m >= 2) value -= static_cast<long double>(f.second) * m * (m - 1) * power(newest, m - 2);
    return value;
}

} // namespace

class secder_order : public ::testing::TestWithParam<int> {};

TEST_P(secder_order, conditions_and_constants_hold)
{
    const int order = GetParam();
    const int k = order - 2;
    long double factorial = 1;
    for (int m = 2; m <= order + 1; ++m) factorial *= m;
    const auto check = [&](const formulas::formula<double>& f, int newest) {
        for (int m = 0; m <= order; ++m) EXPECT_NEAR(static_cast<double>(defect(f, k, m, newest)), 0, 1e-9) << "x^" << m;
        EXPECT_NEAR(static_cast<double>(defect(f, k, order + 1, newest) / factorial), f.constant, 1e-13);
        for (int j = k + 1; j <= formulas::most_steps; ++j) EXPECT_EQ(f.slopes[j], 0);
    };
    check(formulas::of_steps(k).corrector, 1);
    check(formulas::of_steps(k).predictor, 0);
}

// y' = −y with exact values to begin with.
TEST_P(secder_order, is_measured)
{
    const int k = GetParam() - 2;
    const auto& f = formulas::of_steps(k).corrector;
    const auto order = measured_orders(16, 32, [&](int steps) {
        const double h = 4.0 / steps;
        std::vector<double> y;
        for (int i = 0; i < k; ++i) y.push_back(std::exp(-h * i));
        while (static_cast<int>(y.size()) <= steps) {
            double sum = 0;
            for (int j = 0; j < k; ++j) sum -= f.slopes[j] * y[y.size() - k + j];
            y.push_back((y.back() + h * sum) / (1 + h * f.slopes[k] - h * h * f.second));
        }
        return std::array{std::abs(y.back() - std::exp(-4.0))};
    });
    RecordProperty("measured_order_in_percent", static_cast<int>(100 * order[0]));
    EXPECT_NEAR(order[0], GetParam(), 0.25);
}

// Where steps get ten times shorter for a tolerance 10^(order + 1) times tighter, the code makes use of the order.
TEST_P(secder_order, is_what_the_code_uses_at_most)
{
    run_settings s;
    s.special = {{"max_order", static_cast<double>(GetParam())}};
    const double loose = static_cast<double>(run("damped", 1e-5, s).accepted);
    const double tight = static_cast<double>(run("damped", 1e-10, s).accepted);
    const double exponent = 5 / std::log10(tight / loose);
    EXPECT_GT(exponent, 0.8 * (GetParam() + 1));
    if (GetParam() < 6) {
        EXPECT_LT(exponent, 1.25 * (GetParam() + 1));
    }
}

INSTANTIATE_TEST_SUITE_P(orders, secder_order, ::testing::Range(3, 10));

TEST(secder, history_follows_a_polynomial_to_another_step_size)
{
    for (int k = 1; k <= formulas::most_steps; ++k) {
        const auto f = [k](double x) {
            double value = 1;
            for (int i = 0; i <= k; ++i) value *= x - 0.3 * i - 0.2; // of degree k + 1
            return value;
        };
        const auto slope_of_f = [&](double x) { return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5; };
        solvers::slope_history history(1);
        for (int back = 0; back <= k; ++back) history.slope(back)[0] = f(-0.5 * back);
        history.second()[0] = slope_of_f(0);
        history.respace(k, 0.5, 0.35);
        for (int back = 0; back <= k; ++back)
            EXPECT_NEAR(history.slope(back)[0], f(-0.35 * back), 1e-5 * std::abs(f(-0.5 * k))) << "k = " << k << ", " << back << " back";
    }
}

TEST(secder, has_order_3_with_equal_steps_from_the_start)
{
    std::vector<double> errors;
    for (const double h : {1.0 / 8, 1.0 / 16, 1.0 / 32}) {
        run_settings s;
        s.rtol = 1e-2;
        s.atol = {1e-2};
        s.repeat = 1;
        s.h0 = h;
        s.hmax = h;
        const run_record r = measure_run(linear(), *open_solver("secder"), s);
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        errors.push_back(std::abs(r.y[0] - linear_problem<double>::exact(0, 2)));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 3, 0.3);
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 3, 0.3);
}

TEST(secder, dense_output_has_the_order_of_the_formula)
{
    EXPECT_NEAR(measured_dense_order(*open_solver("secder"), 1.0 / 16), 3, 0.3);

    // At high orders: as good inside the steps as at their ends.
    struct looker final : step_observer {
        double inside = 0;
        double outside = 0;
        observer_answer on_step(const accepted_step& s) override
        {
            for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
                const double t = s.t_old + part * s.h;
                double y[2];
                s.between->evaluate(t, y);
                double& largest = part == 0.0 || part == 1.0 ? outside : inside;
                for (int i = 0; i < 2; ++i) largest = std::max(largest, std::abs(y[i] - linear_problem<double>::exact(i, t)));
            }
            return observer_answer::go_on;
        }
    } seen;
    run_settings s;
    s.rtol = 1e-9;
    s.atol = {1e-9};
    s.repeat = 1;
    ASSERT_EQ(measure_run(linear(), *open_solver("secder"), s, &seen).outcome, outcome::success);
    EXPECT_LT(seen.outside, 1e-7);
    EXPECT_LT(seen.inside, 2 * seen.outside);
}

// Statistics of the 1987 package with the original codes (double precision, problems not scaled).
struct package_row {
    const char* problem;
    double tol, h0;
    std::uint64_t evaluations, jacobians, factorisations;
    int steps, lumped, assessed;
    std::uint64_t start_evaluations;
    double start_step, max_global_error, max_local_error;
};

void PrintTo(const package_row& r, std::ostream* out) { *out << r.problem << " " << r.tol; }

class secder_package : public ::testing::TestWithParam<package_row> {
protected:
    detest_statistics statistics_;
    void assess()
    {
        const package_row& row = GetParam();
        const problem p = find(row.problem);
        evaluator truth(p);
        const solvers::secder_settings as_original{0, true, {}};
        secder_integrator global(truth, as_original);
        secder_integrator local(truth, as_original);
        statistics_ =
            detest_run(p, *open_solver("secder"), global, local, {1000, 100, 500, false}, row.tol, row.h0, p.info().tend.value(), {{"hmin", 1e-12}});
        EXPECT_EQ(statistics_.outcome, outcome::success);
        EXPECT_EQ(statistics_.start_evaluations, row.start_evaluations);
        EXPECT_NEAR(statistics_.start_step, row.start_step, 1e-8 * row.start_step);
    }
};

// Rows whose counts are equal in three builds of the package.
TEST_P(secder_package, statistics_are_reproduced)
{
    const package_row& row = GetParam();
    assess();
    EXPECT_EQ(statistics_.cost.f, row.evaluations);
    EXPECT_EQ(statistics_.cost.jacobian, row.jacobians);
    EXPECT_EQ(statistics_.cost.lu, row.factorisations);
    EXPECT_EQ(statistics_.steps, row.steps);
    EXPECT_EQ(statistics_.lumped, row.lumped);
    EXPECT_EQ(statistics_.assessed, row.assessed);
    EXPECT_NEAR(statistics_.max_global_error, row.max_global_error, 0.02 * row.max_global_error);
    EXPECT_NEAR(statistics_.max_local_error, row.max_local_error, 0.02 * row.max_local_error);
}

INSTANTIATE_TEST_SUITE_P(
    equal_in_all_builds, secder_package,
    ::testing::Values(package_row{"four_decays", 1e-2, 1e-2, 49, 28, 19, 24, 24, 24, 7, 5e-3, 1.46873e-03, 1.59259e-01},
                      package_row{"four_decays", 1e-6, 1e-2, 149, 75, 26, 74, 74, 74, 15, 3.125e-04, 4.92266e-07, 3.08527e-01},
                      package_row{"four_decays", 1e-8, 1e-2, 228, 115, 31, 112, 112, 112, 21, 4.259188631e-05, 8.15860e-09, 1.22927},
                      package_row{"damped", 1e-2, 1e-2, 43, 24, 16, 21, 21, 21, 5, 2.611406097e-02, 1.48998e-03, 1.40694e-01},
                      package_row{"damped", 1e-4, 1e-2, 79, 40, 15, 39, 39, 39, 5, 1e-2, 9.28007e-05, 7.52158e-01},
                      package_row{"damped", 1e-10, 1e-2, 281, 141, 26, 140, 135, 135, 19, 7.837844239e-05, 1.15261e-10, 5.36394e-01},
                      package_row{"coupled", 1e-3, 1e-2, 112, 38, 21, 37, 37, 37, 11, 2.5e-3, 2.11741e-04, 2.57593e-01},
                      package_row{"coupled", 1e-6, 1e-2, 253, 90, 30, 87, 87, 87, 16, 3.125e-04, 4.31838e-07, 2.56833e-01},
                      package_row{"coupled", 1e-9, 1e-2, 459, 166, 29, 165, 161, 161, 24, 2.007924296e-05, 9.53733e-10, 4.07579e-01},
                      package_row{"oscillator", 1e-3, 1e-3, 259, 78, 43, 60, 60, 60, 6, 1e-2, 1.18347e-01, 1.22938e+01}));

class secder_package_range : public secder_package {};

// Rows that rounding decides: within three per cent.
TEST_P(secder_package_range, counts_are_near)
{
    const package_row& row = GetParam();
    assess();
    const auto near = [](double value, double expected) { EXPECT_NEAR(value, expected, 1 + 0.03 * expected); };
    near(static_cast<double>(statistics_.cost.f), static_cast<double>(row.evaluations));
    near(statistics_.steps, row.steps);
}

INSTANTIATE_TEST_SUITE_P(
    different_in_builds, secder_package_range,
    ::testing::Values(package_row{"reactor", 1e-3, 1.7e-2, 144, 60, 41, 35, 35, 35, 5, 6.720382354e-02, 4.68683e-04, 3.45333e-01},
                      package_row{"reactor", 1e-6, 1.7e-2, 272, 97, 51, 64, 64, 64, 6, 1.7e-02, 1.35602e-06, 5.28067e-01},
                      package_row{"oscillator", 1e-2, 1e-3, 215, 66, 41, 45, 45, 45, 6, 1e-2, 5.59868e-01, 1.20162e+01},
                      package_row{"oscillator", 1e-8, 1e-3, 734, 234, 72, 194, 194, 194, 9, 5.568368757e-04, 8.61468e-06, 3.12884}));

TEST(secder, jacobians_by_differences_do_as_well)
{
    run_settings differences;
    differences.jacobian = jacobian_source::differences;
    for (const char* id : {"coupled", "hires"}) {
        const run_record exact = run(id, 1e-6);
        const run_record approximate = run(id, 1e-6, differences);
        ASSERT_EQ(exact.outcome, outcome::success) << exact.message;
        ASSERT_EQ(approximate.outcome, outcome::success) << approximate.message;
        EXPECT_EQ(exact.nfev_jac, 0u);
        EXPECT_GT(approximate.nfev_jac, 0u);
        EXPECT_NEAR(static_cast<double>(approximate.accepted), static_cast<double>(exact.accepted), 0.1 * static_cast<double>(exact.accepted));
    }
}

TEST(secder, refuses_what_it_cannot_take_in_words)
{
    try {
        (void)run("transamp", 1e-4);
        FAIL() << "transamp was taken";
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("secder cannot take transamp"), std::string::npos) << e.what();
    }
    run_settings s;
    s.algebra = algebra::band;
    try {
        (void)run("hires", 1e-4, s);
        FAIL() << "band algebra was taken";
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("secder has no band linear algebra; allowed: auto, dense"), std::string::npos) << e.what();
    }
}

TEST(secder, options_of_the_original_take_effect)
{
    run_settings s;
    s.special = {{"scale", 20}};
    EXPECT_GE(run("damped", 1e-3, s).accepted, 200u) << "no step above 2/scale";
    s.special = {{"max_calls", 50}};
    const run_record limited = run("damped", 1e-8, s);
    EXPECT_EQ(limited.outcome, outcome::too_many_steps);
    EXPECT_NE(limited.message.find("the limit that max_calls sets"), std::string::npos) << limited.message;
    s.special = {{"hmin", 0.4}};
    s.h0 = 0.5;
    const run_record rejected = run("damped", 1e-8, s);
    EXPECT_EQ(rejected.outcome, outcome::step_too_small);
    EXPECT_EQ(rejected.accepted, 0u);
}

TEST(secder, an_integrator_is_started_and_carried_on_without_memory)
{
    const problem p = find("coupled");
    evaluator e(p);
    secder_integrator i(e);
    const std::vector<double> start(4, 1.0);
    const auto before = allocations.load();
    for (int turn = 0; turn < 100; ++turn) {
        i.control_error(1e-8);
        i.limits() = {};
        i.start(0, start);
        for (const double t : {0.01, 0.02, 0.05}) ASSERT_EQ(i.advance(t), advance_status::arrived);
    }
    EXPECT_EQ(allocations.load(), before);
    EXPECT_EQ(i.t(), 0.05);

    secder_integrator other(e);
    other.control_error(1e-8);
    other.start(0, start);
    for (const double t : {0.01, 0.02, 0.05}) (void)other.advance(t);
    EXPECT_EQ(std::vector<double>(i.y().begin(), i.y().end()), std::vector<double>(other.y().begin(), other.y().end()))
        << "start() forgets everything";
    EXPECT_EQ(i.calls(), other.calls());
}

TEST(secder, a_failure_leaves_nothing_behind_for_the_next_start)
{
    const problem p = find("coupled");
    evaluator e(p);
    const std::vector<double> start(4, 1.0);
    const auto end = [&](secder_integrator& i) {
        i.limits() = {};
        i.control_error(1e-6);
        i.start(0, start);
        EXPECT_EQ(i.advance(1), advance_status::arrived);
        return std::pair(std::vector<double>(i.y().begin(), i.y().end()), i.calls());
    };
    secder_integrator fresh(e);
    const auto expected = end(fresh);
    for (std::uint64_t limit = 1; limit < 60; ++limit) {
        secder_integrator used(e);
        used.control_error(1e-9);
        used.limits().max_calls = limit;
        used.limits().h0 = 0.1; // rejected several times
        used.start(0, start);
        ASSERT_EQ(used.advance(1), advance_status::call_limit);
        EXPECT_EQ(end(used), expected) << "after " << limit << " calls";
    }
}

TEST(secder, the_first_step_passes_the_end_only_where_that_is_asked_for)
{
    double furthest = 0;
    const problem p = plain_problem({1}, 1, [&furthest](double t, const double* y, double* out) {
        furthest = std::max(furthest, t);
        out[0] = -y[0];
        return evaluation::ok;
    });
    evaluator e(p);
    const std::vector<double> start{1};
    for (const bool may_pass : {false, true}) {
        furthest = 0;
        secder_integrator i(e, {0, may_pass, {}});
        i.control_error(1e-2);
        i.limits().h0 = i.limits().hmax = 0.11;
        i.start(0, start);
        ASSERT_EQ(i.advance(0.1), advance_status::arrived);
        EXPECT_EQ(furthest > 0.1 + 1e-9, may_pass);
        EXPECT_NEAR(i.y()[0], std::exp(-0.1), 1e-5);
    }
}

} // namespace ivp
