// The non-stiff solvers on classes A and B of DETEST: the error of the whole course, in units of the tolerance.
#include "test_name.hpp"

#include "detest/data.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ivp {

namespace {

struct course final : step_observer {
    std::vector<double> t;
    std::vector<std::vector<double>> y;
    observer_answer on_step(const accepted_step& s) override
    {
        t.push_back(s.t);
        y.emplace_back(s.y.begin(), s.y.end());
        return observer_answer::go_on;
    }
};

/// Compares a course with the solution that is being computed more accurately now.
struct comparison final : step_observer {
    const course& seen;
    const detest_data& data;
    std::size_t at = 0;
    double worst = 0; ///< error over weight and size
    std::vector<double> y;

    comparison(const course& c, const detest_data& d) : seen(c), data(d), y(d.n()) {}
    observer_answer on_step(const accepted_step& s) override
    {
        for (; at < seen.t.size() && seen.t[at] <= s.t; ++at) {
            s.between->evaluate(seen.t[at], y.data());
            for (int i = 0; i < data.n(); ++i) worst = std::max(worst, std::abs(seen.y[at][i] - y[i]) / (data.weight[i].value() + std::abs(y[i])));
        }
        return observer_answer::go_on;
    }
};

run_settings settings(double rtol)
{
    run_settings s;
    s.rtol = rtol;
    s.repeat = 1;
    return s;
}

} // namespace

/// The largest error allowed in each class, in units of the tolerance: about a third above what was measured.
struct bounds {
    double class_a;
    double class_b;
};
const std::map<std::string, bounds> allowed{{"vode-adams", {80, 530}}, {"dopri5", {6, 210}}, {"dop853", {3, 55}}};

class nonstiff_solver : public ::testing::TestWithParam<std::string> {};

// A solver controls the error of a step; the problem decides what becomes of it. The populations of B1 and the torus of B4 amplify it by a factor
// of 100 and more, and Adams methods, which take many small steps, collect most.
TEST_P(nonstiff_solver, reaches_the_accuracy_asked_for_on_classes_a_and_b)
{
    const auto solver = open_solver(GetParam());
    const bounds& limit = allowed.at(GetParam());
    int runs = 0;
    for (const auto& d : all_detest_data()) {
        if (d.set != detest_set::nonstiff || d.group > 'B') continue;
        const problem p = open_problem(d.id);
        for (const double tol : {1e-3, 1e-6, 1e-9}) {
            course seen;
            const run_record r = measure_run(p, *solver, settings(tol), &seen);
            ASSERT_EQ(r.outcome, outcome::success) << d.id << " " << tol << ": " << r.message;
            comparison truth(seen, d);
            ASSERT_EQ(measure_run(p, *open_solver("dop853"), settings(1e-13), &truth).outcome, outcome::success);
            ASSERT_EQ(truth.at, seen.t.size());
            EXPECT_LT(truth.worst / tol, d.group == 'A' ? limit.class_a : limit.class_b) << d.id << " " << tol;
            EXPECT_LT(r.steps, 1000U) << d.id << " " << tol;
            ++runs;
        }
    }
    EXPECT_EQ(runs, 30);
}

INSTANTIATE_TEST_SUITE_P(solvers, nonstiff_solver, ::testing::Values("vode-adams", "dopri5", "dop853"), testing_support::test_name);

} // namespace ivp
