// One loop over all solvers: what every one of them must do. Adding a solver to the catalog adds its tests.
#include "model/test_problem.hpp"
#include "solvers/linear_problem.hpp"
#include "test_name.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ivp {

using testing_support::linear;
using testing_support::linear_problem;
using testing_support::plain_problem;

class every_solver : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<const solver> solver_ = open_solver(GetParam());

    run_settings once(double tol)
    {
        run_settings s;
        s.rtol = tol;
        s.atol = {tol};
        s.repeat = 1;
        if (solver_->info().needs_h0) s.h0 = 1e-4;
        return s;
    }
};

namespace {

double error_of(const run_record& r, double t)
{
    double largest = 0;
    for (int i = 0; i < 2; ++i) largest = std::max(largest, std::abs(r.y[i] - linear_problem<double>::exact(i, t)));
    return largest;
}

struct step_recorder final : step_observer {
    std::vector<accepted_step> steps;
    std::vector<double> middle_error; ///< of the interpolant in the middle of each step
    std::size_t stop_after = std::numeric_limits<std::size_t>::max();
    observer_answer on_step(const accepted_step& s) override
    {
        steps.push_back(s);
        if (s.between != nullptr) {
            const double t = 0.5 * (s.t_old + s.t);
            double y[2];
            s.between->evaluate(t, y);
            middle_error.push_back(std::abs(y[0] - linear_problem<double>::exact(0, t)));
        }
        return steps.size() >= stop_after ? observer_answer::stop : observer_answer::go_on;
    }
};

} // namespace

TEST_P(every_solver, says_who_it_is)
{
    const auto& i = solver_->info();
    EXPECT_EQ(i.name, GetParam());
    for (const auto& text : {i.title, i.version, i.reference}) EXPECT_FALSE(text.empty());
    EXPECT_FALSE(i.forms.empty());
    EXPECT_GE(i.highest_order, i.lowest_order);
    EXPECT_FALSE(solver_->chapter().markdown.empty());
    for (const auto& o : i.options) {
        EXPECT_TRUE(o.takes(o.value)) << o.name;
        EXPECT_EQ(o.from_text(o.text_of(o.value)), o.value) << o.name;
        EXPECT_TRUE(o.takes(o.min) && o.takes(o.max)) << o.name;
        EXPECT_FALSE(o.meaning.empty()) << o.name;
    }
    EXPECT_EQ(i.gives_error_estimate, !i.error_norm.empty());
    EXPECT_EQ(i.implicit, !i.lu_unit.empty());
}

// With a loose tolerance and a small largest step all steps have that size; on a linear problem the iteration is exact.
TEST_P(every_solver, has_the_order_it_claims)
{
    const auto& i = solver_->info();
    if (i.lowest_order != i.highest_order) GTEST_SKIP() << "a method of variable order: the test of its own measures each order";
    const problem p = linear();
    std::vector<double> errors;
    const double coarsest = i.highest_order > 6 ? 1.0 / 2 : 1.0 / 8; // high orders reach the rounding errors soon
    for (const double h : {coarsest, coarsest / 2, coarsest / 4}) {
        run_settings s = once(1e-2);
        // An iteration that is not exact even for a linear problem must be carried on far beyond the loose tolerance.
        if (std::any_of(i.options.begin(), i.options.end(), [](const solver_option& o) { return o.name == "tau"; }))
            s.special = {{"tau", 1e-12}, {"nit", 50}};
        s.hmax = h;
        if (i.takes_h0) s.h0 = h;
        const run_record r = measure_run(p, *solver_, s);
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_EQ(r.steps, static_cast<std::uint64_t>(std::lround(2 / h)));
        errors.push_back(error_of(r, 2));
    }
    for (std::size_t k = 1; k < errors.size(); ++k) {
        const double order = std::log2(errors[k - 1] / errors[k]);
        EXPECT_GT(order, i.highest_order - 0.25);
        EXPECT_LT(order, i.highest_order + 0.5);
    }
}

TEST_P(every_solver, answers_to_the_tolerance)
{
    const problem p = linear();
    double previous_error = 1;
    for (const double tol : {1e-3, 1e-5, 1e-7, 1e-9}) {
        const run_record r = measure_run(p, *solver_, once(tol));
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        const double error = error_of(r, 2);
        EXPECT_LT(error, 100 * tol);
        EXPECT_LT(error, 0.3 * previous_error) << "a hundredth of the tolerance must give a better answer";
        previous_error = error;
    }
}

TEST_P(every_solver, reaches_an_end_that_its_steps_just_miss)
{
    run_settings s = once(1e-2);
    s.tend = 1;
    s.hmax = 0.1; // ten times 0.1, added up, is less than 1
    if (solver_->info().takes_h0) s.h0 = 0.1;
    const run_record r = measure_run(linear(), *solver_, s);
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.t_end_reached, 1.0);
    EXPECT_LT(error_of(r, 1), 0.1);
}

TEST_P(every_solver, repeats_itself_exactly)
{
    const problem p = linear();
    const run_record a = measure_run(p, *solver_, once(1e-6));
    const run_record b = measure_run(p, *solver_, once(1e-6));
    EXPECT_EQ(a.y, b.y);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.nfev, b.nfev);
}

TEST_P(every_solver, reports_every_accepted_step)
{
    const problem p = linear();
    step_recorder seen;
    const run_record r = measure_run(p, *solver_, once(1e-6), &seen);
    ASSERT_EQ(seen.steps.size(), r.accepted);
    double t = 0;
    for (const auto& s : seen.steps) {
        EXPECT_EQ(s.t_old, t);
        EXPECT_NEAR(s.h, s.t - s.t_old, 1e-12);
        EXPECT_LE(s.error_norm, s.error_bound);
        t = s.t;
    }
    EXPECT_EQ(t, 2.0);
    for (const double e : seen.middle_error) EXPECT_LT(e, 1e-3);
    const run_record unobserved = measure_run(p, *solver_, once(1e-6));
    EXPECT_EQ(unobserved.y, r.y) << "an observer must not change the run";
}

TEST_P(every_solver, stops_when_told)
{
    step_recorder seen;
    seen.stop_after = 3;
    const run_record r = measure_run(linear(), *solver_, once(1e-9), &seen);
    EXPECT_EQ(r.outcome, outcome::stopped_by_observer);
    EXPECT_EQ(seen.steps.size(), 3u);
    EXPECT_LT(r.t_end_reached, 2.0);
    EXPECT_FALSE(r.scd);
}

TEST_P(every_solver, respects_the_limit_on_steps)
{
    run_settings s = once(1e-9);
    s.max_steps = 5;
    const run_record r = measure_run(linear(), *solver_, s);
    EXPECT_EQ(r.outcome, outcome::too_many_steps);
    EXPECT_LE(r.steps, 5u);
    EXPECT_FALSE(r.message.empty());
}

TEST_P(every_solver, ends_at_the_time_limit)
{
    // y' = cos(1e6 t): far too many steps for the time given.
    const problem p = plain_problem({0}, 1e6, [](double t, const double*, double* out) {
        out[0] = std::cos(1e3 * t);
        return evaluation::ok;
    });
    run_settings s = once(1e-10);
    s.timeout_s = 0.05;
    s.max_steps = 1'000'000'000;
    const run_record r = measure_run(p, *solver_, s);
    EXPECT_EQ(r.outcome, outcome::timed_out);
    EXPECT_LT(r.t_end_reached, 1e6);
}

TEST_P(every_solver, infinite_values_end_as_nonfinite_with_their_place)
{
    const problem p = plain_problem({1, 1}, 2, [](double t, const double* y, double* out) {
        out[0] = -y[0];
        out[1] = t < 1 ? -y[1] : std::numeric_limits<double>::quiet_NaN();
        return evaluation::ok;
    });
    const run_record r = measure_run(p, *solver_, once(1e-6));
    EXPECT_EQ(r.outcome, outcome::nonfinite);
    EXPECT_NE(r.message.find("component 2"), std::string::npos) << r.message;
    EXPECT_NEAR(r.t_end_reached, 1.0, 1e-6);
    EXPECT_GT(r.extra.at("nonfinite_evaluations"), 0.0);
}

TEST_P(every_solver, a_refusal_cuts_the_step_and_the_run_goes_on)
{
    // y' = -sqrt(y) from 1 towards 0: large steps would leave the domain y >= 0.
    const problem p = plain_problem({1}, 1.9, [](double, const double* y, double* out) {
        if (y[0] < 0) return evaluation::refused;
        out[0] = -std::sqrt(y[0]);
        return evaluation::ok;
    });
    run_settings s = once(1e-6);
    if (solver_->info().takes_h0) s.h0 = 1.9; // certainly refused somewhere
    const run_record r = measure_run(p, *solver_, s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_NEAR(r.y[0], 0.0025, 1e-5); // (1 - t/2)^2
}

INSTANTIATE_TEST_SUITE_P(catalog, every_solver, ::testing::ValuesIn(solver_names()), testing_support::test_name);

} // namespace ivp
