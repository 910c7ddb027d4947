// One problem at one tolerance: what a solver is asked, and how every ending becomes a row.
#include "run/scripted_solver.hpp"

#include "detest/assess.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace {

using namespace ivp;
using namespace ivp::detest;

/// What the solver was asked, integration by integration.
struct asked {
    solve_options options;
    bool observed;
};

class assessing : public testing::Test {
protected:
    assessing() { settings_.set = problem_set::nonstiff; }

    /// Four steps to the end, exact but for an error that a test chooses.
    row run(const std::function<std::optional<outcome>(int integration)>& failure = {})
    {
        scripted_solver solver([&](evaluator& e, const segment& s, const solve_options& o, step_observer* watch) {
            calls_.push_back({o, watch != nullptr});
            solve_result r;
            std::vector<double> slope(1), estimate(1), weights{tolerance_};
            const auto why = failure ? failure(static_cast<int>(calls_.size())) : std::nullopt;
            r.t = s.t0;
            for (const double t : {1.0, 4.0, 12.0, 20.0}) {
                if (why) {
                    r.outcome = *why;
                    r.message = "as the test says";
                    return r;
                }
                (void)e.f(t, s.y.data(), slope.data());
                s.y[0] = std::exp(-t) + error_;
                accepted_step step;
                step.t_old = r.t;
                step.t = t;
                step.h = t - r.t;
                step.y = s.y;
                step.error_bound = 1;
                step.error_weights = weights;
                step.error_estimate = estimate;
                r.t = t;
                ++r.steps;
                ++r.accepted;
                if (watch != nullptr && watch->on_step(step) == observer_answer::stop) {
                    r.outcome = outcome::stopped_by_observer;
                    return r;
                }
            }
            return r;
        });
        solver.evaluates_ = false; // it does so itself, and is counted
        solver_request request;
        request.solver = &solver;
        const auto method = make_solver_method(request);
        const assessed_problem p = detest_problem(*detest_data_of("detest-n-a1"), true, settings_);
        return assess_row(p, tolerance_, *method, settings_);
    }

    assessment_settings settings_;
    double tolerance_ = 1e-3;
    double error_ = 0;
    std::vector<asked> calls_;
};

TEST_F(assessing, a_good_run)
{
    error_ = 2e-3;
    const row r = run();
    EXPECT_EQ(r.code, all_well);
    EXPECT_EQ(r.outcome, outcome::success);
    EXPECT_EQ(r.cost.nfev, 4U);
    EXPECT_EQ(r.cost.accepted, 4U);
    EXPECT_EQ(r.assessed_steps, 4U);
    EXPECT_EQ(r.start_evaluations, 2U);
    EXPECT_EQ(r.start_step, 3);
    EXPECT_EQ(r.x_reached, 20);
    EXPECT_NEAR(r.end_error, 2, 1e-6);
    EXPECT_NEAR(r.max_global_error, 2, 0.02);
    EXPECT_EQ(r.deceived_steps, 4U); // each local solution decays, the error stays
    EXPECT_EQ(r.badly_deceived_steps, 0U);
    ASSERT_GE(r.repetitions, 3);
    ASSERT_LE(r.repetitions, 10);
    ASSERT_EQ(calls_.size(), 2U + static_cast<unsigned>(r.repetitions)); // preliminary, with statistics, timed
    EXPECT_EQ(calls_[0].options.h0, 1);
    EXPECT_EQ(calls_[1].options.h0, 3);
    EXPECT_EQ(calls_.back().options.h0, 3);
    EXPECT_TRUE(calls_[1].observed);
    EXPECT_FALSE(calls_.back().observed);
    EXPECT_EQ(calls_[0].options.hmax, 20);
    EXPECT_EQ(calls_[0].options.tolerance.relative(0), 0);
    EXPECT_EQ(calls_[0].options.tolerance.absolute(0), 1e-3);
}

TEST_F(assessing, without_timing_nothing_is_repeated)
{
    settings_.timing_s = 0;
    EXPECT_EQ(run().repetitions, 1);
    EXPECT_EQ(calls_.size(), 2U);
}

/// A method whose runs take the times of a list; the first two, preliminary and with statistics, are not among them.
class timed_method final : public method {
public:
    explicit timed_method(std::vector<double> seconds, std::vector<double> finer = {}) : seconds_(std::move(seconds)), finer_(std::move(finer)) {}
    [[nodiscard]] std::string name() const override { return "timed"; }
    [[nodiscard]] bool extrapolated() const override { return false; }
    method_run integrate(const assessed_problem& p, double /*tol*/, std::optional<double> /*h0*/, step_sink* sink) override
    {
        method_run run;
        run.t = p.tend();
        run.y = p.end;
        if (sink != nullptr) return run;
        if (!finer_.empty()) run.finer_seconds = finer_.at(next_);
        run.seconds = seconds_.at(next_++);
        return run;
    }

private:
    std::vector<double> seconds_;
    std::vector<double> finer_;
    std::size_t next_ = 0;
};

struct repeated_case {
    std::vector<double> seconds;
    int repetitions;
    double time_s;
};

TEST_F(assessing, repetitions_end_when_the_three_least_agree)
{
    settings_.level = 1;
    const assessed_problem p = detest_problem(*detest_data_of("detest-n-a1"), true, settings_);
    const repeated_case cases[] = {
        {{1.00e-3, 1.02e-3, 1.04e-3}, 3, 1.02e-3},
        {{2e-3, 1.00e-3, 3e-3, 1.02e-3, 1.04e-3}, 5, 1.02e-3},                                // two were disturbed
        {{1.0e-3, 1.06e-3, 1.12e-3, 2e-3, 3e-3, 2e-3, 3e-3, 2e-3, 3e-3, 2e-3}, 10, 2.018e-3}, // 6 % apart
        {std::vector<double>(10, 1e-3), 10, 1e-3},                                            // a coarse clock
        {std::vector<double>(10, 0.0), 10, 0},                                                // one that does not move
        {{0.02, 0.04}, 2, 0.03},                                                              // 0.05 s are spent
    };
    for (const auto& c : cases) {
        timed_method m(c.seconds);
        const row r = assess_row(p, tolerance_, m, settings_);
        EXPECT_EQ(r.repetitions, c.repetitions);
        EXPECT_NEAR(r.cost.time_s, c.time_s, 1e-12);
    }
}

TEST_F(assessing, a_finer_clock_says_when_repetitions_agree)
{
    settings_.level = 1;
    const assessed_problem p = detest_problem(*detest_data_of("detest-n-a1"), true, settings_);
    const auto half = [](double v) { return 0.5 * v; }; // the finer clock may go at another rate
    struct finer_case {
        std::vector<double> seconds, finer;
        int repetitions;
        double time_s;
    };
    const finer_case cases[] = {
        {{10e-6, 11e-6, 10e-6}, {half(10.3e-6), half(10.4e-6), half(10.6e-6)}, 3, 31e-6 / 3}, // equal readings, but they agree
        {{10e-6, 20e-6, 10e-6, 10e-6},
         {half(10.3e-6), half(20e-6), half(10.4e-6), half(10.6e-6)},
         4, // the second was disturbed
         31.3e-6 / 3 * (50e-6 / 51.3e-6)},
        {{4e-6, 5e-6, 5e-6, 4e-6, 4e-6}, {2.2e-6, 2.22e-6, 2.2e-6, 2.24e-6, 2.26e-6}, 5, 6.62e-6 / 3 * (22e-6 / 11.12e-6)}, // 18 µs are too few ticks
        {{0, 0, 1e-3, 0, 0, 1e-3, 0, 0, 1e-3, 0},
         {1e-4, 1.01e-4, 1.02e-4, 1e-4, 1.01e-4, 1.02e-4, 1e-4, 1.01e-4, 1.02e-4, 1e-4},
         10,
         3e-4}, // a coarse clock
        {std::vector<double>(10, 0.0),
         {1e-4, 1.01e-4, 1.02e-4, 1e-4, 1.01e-4, 1.02e-4, 1e-4, 1.01e-4, 1.02e-4, 1e-4},
         10,
         0}, // one that stands still
    };
    for (const auto& c : cases) {
        timed_method m(c.seconds, c.finer);
        const row r = assess_row(p, tolerance_, m, settings_);
        EXPECT_EQ(r.repetitions, c.repetitions);
        EXPECT_NEAR(r.cost.time_s, c.time_s, 1e-12);
    }
}

TEST_F(assessing, a_method_that_cannot_start)
{
    const row r = run([](int) { return outcome::newton_failed; });
    EXPECT_EQ(r.code, could_not_start);
    EXPECT_EQ(r.outcome, outcome::newton_failed);
    EXPECT_EQ(r.message, "as the test says");
    EXPECT_EQ(calls_.size(), 1U);
    EXPECT_TRUE(std::isnan(r.end_error));
}

TEST_F(assessing, a_method_that_fails)
{
    const row r = run([](int k) { return k == 2 ? std::optional(outcome::singular_matrix) : std::nullopt; });
    EXPECT_EQ(r.code, method_failed);
    EXPECT_EQ(r.outcome, outcome::singular_matrix);
    EXPECT_EQ(calls_.size(), 2U);
    EXPECT_TRUE(std::isnan(r.end_error));
    EXPECT_TRUE(std::isnan(r.cost.time_s));
    EXPECT_FALSE(r.reached_end());
}

TEST_F(assessing, a_method_that_fails_only_while_it_is_timed)
{
    const row r = run([](int k) { return k == 5 ? std::optional(outcome::nonfinite) : std::nullopt; });
    EXPECT_EQ(r.code, failed_while_timed);
    EXPECT_EQ(r.repetitions, 2);
    EXPECT_TRUE(r.reached_end());
    EXPECT_NEAR(r.end_error, 0, 1e-3);
    EXPECT_NE(r.message.find("only while it was timed"), std::string::npos);
}

TEST_F(assessing, an_untouched_initial_value_is_no_success)
{
    scripted_solver idle([](evaluator&, const segment& s, const solve_options&, step_observer*) { return reached(s); });
    solver_request request;
    request.solver = &idle;
    const auto method = make_solver_method(request);
    const row r = assess_row(detest_problem(*detest_data_of("detest-n-a1"), true, settings_), 1e-2, *method, settings_);
    EXPECT_EQ(r.outcome, outcome::wrong_answer);
    EXPECT_FALSE(r.reached_end());
}

TEST_F(assessing, the_bound_is_the_solvers_or_the_tolerance)
{
    const auto solver = open_solver("radau5"); // holds its estimate below 0.1 TOL^(2/3)
    settings_.timing_s = 0;
    const assessed_problem p = detest_problem(*detest_data_of("detest-n-b5"), true, settings_);
    std::vector<told_step> told[2];
    for (const auto kind : {bound_kind::reported, bound_kind::tolerance}) {
        solver_request request;
        request.solver = solver.get();
        request.bound = kind;
        method_run run;
        auto& steps = told[kind == bound_kind::reported ? 0 : 1];
        steps = first_steps(p, 1e-6, *make_solver_method(request), 5, run);
        ASSERT_EQ(steps.size(), 5U);
        EXPECT_EQ(run.outcome, outcome::stopped_by_observer);
    }
    EXPECT_EQ(told[1][4].bound, 1e-6);
    EXPECT_GE(told[0][4].bound, 1e-5);
    EXPECT_LE(told[0][4].bound, 2e-5);
    EXPECT_EQ(told[0][4].y, told[1][4].y);
    EXPECT_EQ(told[0][4].estimate.size(), 3U);
}

TEST_F(assessing, results_as_json_have_what_the_contract_names)
{
    settings_.level = 4;
    settings_.normalize = normalization::max;
    settings_.tolerances = {1e-2, 1e-4, 1e-6};
    const auto solver = open_solver("dopri5");
    solver_request request;
    request.solver = solver.get();
    const auto method = make_solver_method(request);
    const std::vector<problem_group> groups{
        {detest_problem(*detest_data_of("detest-n-b5"), true, settings_), detest_problem(*detest_data_of("detest-n-e2"), false, settings_)}};
    int told = 0;
    const assessment a = assess(
        groups, settings_, [&](const assessed_problem& p, double tol) { return assess_row(p, tol, *method, settings_); },
        [&told](const assessed_problem&, double) { ++told; });
    EXPECT_EQ(told, 6);
    int made = 0;
    const assessment stopped = assess(
        groups, settings_, [&](const assessed_problem& p, double tol) { return ++made, assess_row(p, tol, *method, settings_); }, {},
        [&made] { return made == 5; });
    EXPECT_EQ(made, 5);
    ASSERT_EQ(stopped.groups[0].problems.size(), 1U) << "the problem that is complete";
    EXPECT_EQ(stopped.groups[0].problems[0].rows[2].cost.accepted, a.groups[0].problems[0].rows[2].cost.accepted);
    const auto j = nlohmann::json::parse(to_json(a));
    for (const char* name : {"solver", "set", "level", "norm", "groups", "overall"}) EXPECT_TRUE(j.contains(name)) << name;
    const auto& p = j["groups"][0]["problems"][1];
    EXPECT_EQ(p["id"], "detest-n-e2");
    EXPECT_EQ(p["scaled"], false);
    for (const char* name : {"rows", "fit", "normalized"}) EXPECT_TRUE(p.contains(name)) << name;
    const auto& r = p["rows"][2];
    for (const char* name : {"tol",
                             "outcome",
                             "time_s",
                             "overhead_s",
                             "nfev",
                             "njac",
                             "nlu",
                             "accepted",
                             "lumped_steps",
                             "assessed_steps",
                             "start_evaluations",
                             "start_step",
                             "truth_time_s",
                             "x_reached",
                             "x_true",
                             "end_error",
                             "max_global_error",
                             "max_local_error",
                             "fraction_deceived",
                             "fraction_badly_deceived",
                             "scatter"})
        EXPECT_TRUE(r.contains(name)) << name;
    EXPECT_EQ(r["scatter"]["total"], r["assessed_steps"]);
    EXPECT_EQ(j["groups"][0]["summary"].size(), 3U);
    EXPECT_EQ(j["groups"][0]["summary"][0]["nfev"].get<int>(),
              j["groups"][0]["problems"][0]["rows"][0]["nfev"].get<int>() + p["rows"][0]["nfev"].get<int>());
    EXPECT_EQ(j["overall"]["total"]["runs"], 6);
}

TEST(unit_costs_of_problems, are_measured)
{
    const problem p = open_problem("hires");
    const auto u = measure_unit_costs(p, p.in<double>().initial_values(), 1e-3);
    EXPECT_GT(u.evaluation_s, 0);
    EXPECT_GT(u.jacobian_s, u.evaluation_s);
    EXPECT_GT(u.factorisation_s, 0);
}

} // namespace
