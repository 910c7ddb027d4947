// The 60 problems of DETEST: data, end values, both forms. What holds for every problem of the catalog is in all_problems_test.
#include "test_name.hpp"

#include "detest/data.hpp"
#include "reference/solve_quad.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ivp {

namespace {

std::vector<std::string> detest_ids()
{
    std::vector<std::string> ids;
    for (const auto& d : all_detest_data()) ids.push_back(d.id);
    return ids;
}

/// Largest error of a component in units of its weight.
template <class R>
double scaled_error(const std::vector<R>& y, const std::vector<decimal>& end, const detest_data& d)
{
    double worst = 0;
    for (int i = 0; i < d.n(); ++i) worst = std::max(worst, std::abs(value_of(y[i] - end[i].in<R>())) / d.weight[i].value());
    return worst;
}

/// A number that belongs to one problem, else to all of them.
double special(const std::map<std::string, double>& exceptions, const std::string& id, double otherwise)
{
    const auto it = exceptions.find(id);
    return it == exceptions.end() ? otherwise : it->second;
}

class every_detest_problem : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] const char* solver() const { return data_.set == detest_set::stiff ? "radau5" : "dop853"; }

    /// To the last digits of double, restarted where f is not smooth.
    [[nodiscard]] run_record tight(const problem& p) const
    {
        run_settings s;
        s.rtol = 1e-12;
        s.repeat = 1;
        s.atol.clear();
        for (const auto& w : data_.weight) s.atol.push_back(1e-15 * w.value());
        return measure_run(p.with_all_restarts(), *open_solver(solver()), s);
    }

    const detest_data& data_ = *detest_data_of(GetParam());
    problem p_ = open_problem(GetParam());
};

} // namespace

TEST(detest_data, is_that_of_the_package)
{
    std::vector<std::string> listed;
    for (const auto& id : problem_ids())
        if (id.starts_with("detest-")) listed.push_back(id);
    EXPECT_EQ(listed, detest_ids());

    std::map<std::pair<detest_set, char>, int> count;
    std::map<detest_set, int> components;
    for (const auto& d : all_detest_data()) {
        EXPECT_EQ(d.number, ++count[std::pair(d.set, d.group)]) << d.id;
        EXPECT_EQ(d.code() / 10, d.group - 'A' + 1) << d.id;
        components[d.set] += d.n();
        const bool nonstiff_f = d.set == detest_set::nonstiff && d.group == 'F';
        if (d.set == detest_set::nonstiff) {
            EXPECT_EQ(d.tend.value(), 20) << d.id;
            EXPECT_EQ(d.hbegin, d.id == "detest-n-f3" ? 0.9 : 1.0) << d.id;
        }
        EXPECT_EQ(d.hmax, nonstiff_f ? std::vector<double>({1, 1, 1, 10, 20})[d.number - 1] : d.id == "detest-s-f4" ? 50 : d.tend.value()) << d.id;
    }
    const std::map<std::pair<detest_set, char>, int> expected{
        {{detest_set::nonstiff, 'A'}, 5}, {{detest_set::nonstiff, 'B'}, 5}, {{detest_set::nonstiff, 'C'}, 5}, {{detest_set::nonstiff, 'D'}, 5},
        {{detest_set::nonstiff, 'E'}, 5}, {{detest_set::nonstiff, 'F'}, 5}, {{detest_set::stiff, 'A'}, 4},    {{detest_set::stiff, 'B'}, 5},
        {{detest_set::stiff, 'C'}, 5},    {{detest_set::stiff, 'D'}, 6},    {{detest_set::stiff, 'E'}, 5},    {{detest_set::stiff, 'F'}, 5}};
    EXPECT_EQ(count, expected);
    EXPECT_EQ(components[detest_set::nonstiff], 167);
    EXPECT_EQ(components[detest_set::stiff], 128);
    EXPECT_EQ(detest_data_of("detest-s-d4")->code(), 44);
    EXPECT_EQ(detest_data_of("detest-s-d4")->hbegin, 2.9e-4);
    EXPECT_EQ(detest_data_of("detest-s-e5")->tend.value(), 1000);
    EXPECT_EQ(detest_data_of("detest-n-b3")->weight[1].text(), "0.519");
    EXPECT_EQ(detest_data_of("hires"), nullptr);
    EXPECT_EQ(detest_data_of("detest-s-a5"), nullptr);
}

// The integration knows neither the closed forms nor the extrapolation that the end values were confirmed by.
TEST_P(every_detest_problem, end_values_are_those_of_an_integration_in_quad)
{
    tolerances tol(1e-23, 0);
    tol.atol.clear();
    for (const auto& w : data_.weight) tol.atol.push_back(1e-23 * w.value());
    const quad_solution s = solve_quad(p_, tol);
    ASSERT_EQ(s.outcome, outcome::success) << s.message;
    // F1, F2: the last stage before a jump sees the other side of it (detest_jumps knows better). F5: where the slope of f is infinite, no
    // method has its order.
    const double allowed = special({{"detest-n-f1", 1e-12}, {"detest-n-f2", 1e-12}, {"detest-n-f5", 1e-11}}, GetParam(), 1e-17);
    EXPECT_LT(scaled_error(s.y, data_.end, data_), allowed);
}

// A wrong digit in the published values shows here: they are good, but for two problems.
TEST_P(every_detest_problem, published_end_values_are_as_good_as_known)
{
    std::vector<double> published;
    for (const auto& v : data_.published_end) published.push_back(v.value());
    const double error = scaled_error(published, data_.end, data_);
    if (GetParam() == "detest-n-c4")
        EXPECT_NEAR(error, 6.1e-9, 0.05e-9);
    else if (GetParam() == "detest-s-e5")
        EXPECT_NEAR(error, 5.4e-8, 0.06e-8);
    else
        EXPECT_LT(error, 3e-11);
}

TEST_P(every_detest_problem, weights_are_the_largest_values_to_three_digits)
{
    struct largest final : step_observer {
        std::vector<double> size, y;
        observer_answer on_step(const accepted_step& s) override
        {
            for (int k = 1; k <= 8; ++k) {
                s.between->evaluate(s.t_old + (s.t - s.t_old) * k / 8, y.data());
                for (std::size_t i = 0; i < y.size(); ++i) size[i] = std::max(size[i], std::abs(y[i]));
            }
            return observer_answer::go_on;
        }
    } seen;
    seen.y = seen.size = p_.in<double>().initial_values();
    for (double& v : seen.size) v = std::abs(v);
    run_settings s;
    s.rtol = 1e-8;
    s.repeat = 1;
    ASSERT_EQ(measure_run(p_.with_all_restarts(), *open_solver(solver()), s, &seen).outcome, outcome::success);
    // Half a unit of the third digit, and what the package's authors lost between the points of their integration.
    const double allowed =
        special({{"detest-n-e3", 7e-3}, {"detest-n-f3", 7e-3}, {"detest-s-d4", 1.3e-2}, {"detest-s-f3", 4.2e-2}}, GetParam(), 5.1e-3);
    for (int i = 0; i < data_.n(); ++i) EXPECT_NEAR(seen.size[i] / data_.weight[i].value(), 1, allowed) << "component " << i + 1;
}

TEST_P(every_detest_problem, a_tight_run_agrees_and_a_changed_coefficient_is_noticed)
{
    const run_record r = tight(p_);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    const double error = scaled_error(r.y, data_.end, data_);
    EXPECT_LT(error, special({{"detest-n-f5", 1e-9}}, GetParam(), 1e-10));

    // The first parameter of each problem is one that the end value depends on.
    const parameter first = problem_parameters(GetParam()).front();
    ASSERT_NE(first.name, "scaled");
    const problem changed = open_problem(GetParam(), {{first.name, to_text(first.value.value() * 1.001)}});
    EXPECT_FALSE(changed.reference());
    EXPECT_GT(scaled_error(tight(changed).y, data_.end, data_), 30 * error + 1e-13) << first.name;
}

TEST_P(every_detest_problem, is_the_same_in_scaled_variables)
{
    const problem scaled = open_problem(GetParam(), {{"scaled", "1"}});
    for (const auto& f : check_problem(scaled).findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
    ASSERT_TRUE(scaled.reference());
    for (int i = 0; i < data_.n(); ++i) {
        const double w = data_.weight[i].value();
        EXPECT_NEAR(scaled.reference()->value[i].value(), data_.end[i].value() / w, 1e-15 * std::abs(data_.end[i].value()) / w);
    }
    run_settings s;
    s.rtol = 1e-5;
    s.repeat = 1;
    const run_record a = measure_run(p_, *open_solver(solver()), s);
    const run_record b = measure_run(scaled, *open_solver(solver()), s);
    ASSERT_EQ(a.outcome, b.outcome) << b.message;
    // The same tolerances in other units: the same steps, up to what rounding decides.
    EXPECT_NEAR(static_cast<double>(b.steps), static_cast<double>(a.steps), 1 + 0.02 * static_cast<double>(a.steps));
    EXPECT_EQ(a.scd.has_value(), b.scd.has_value());
    for (int i = 0; i < data_.n(); ++i) EXPECT_NEAR(b.y[i], a.y[i] / data_.weight[i].value(), 2e-4);
}

// DETEST gives a method the bare problem: no restarts, only the knowledge where reference work must restart.
TEST_P(every_detest_problem, is_not_restarted)
{
    EXPECT_TRUE(p_.info().breakpoints.empty());
    const bool not_smooth = data_.set == detest_set::nonstiff && data_.group == 'F';
    EXPECT_EQ(p_.info().discontinuities.size(), !not_smooth ? 0U : data_.number == 4 ? 1U : 19U);
}

INSTANTIATE_TEST_SUITE_P(catalog, every_detest_problem, ::testing::ValuesIn(detest_ids()), testing_support::test_name);

TEST(detest_problems, are_autonomous_where_time_does_not_occur)
{
    std::vector<std::string> with_time;
    for (const auto& id : detest_ids())
        if (!open_problem(id).info().autonomous()) with_time.push_back(id);
    EXPECT_EQ(with_time, std::vector<std::string>({"detest-n-a3", "detest-n-a5", "detest-n-e1", "detest-n-e3", "detest-n-e5", "detest-n-f1",
                                                   "detest-n-f2", "detest-n-f3", "detest-n-f4", "detest-n-f5"}));
}

TEST(detest_jumps, have_the_side_that_the_package_gives_them)
{
    const auto f = [](const char* id, double t) {
        const problem p = open_problem(id);
        auto y = p.in<double>().initial_values();
        for (double& v : y) v = 0.5;
        std::vector<double> out(y.size());
        EXPECT_EQ(p.in<double>().f(t, y.data(), out.data()), evaluation::ok);
        return out.back();
    };
    EXPECT_NEAR(f("detest-n-f1", 1) - f("detest-n-f1", 1 - 1e-12), -2, 1e-12);
    EXPECT_EQ(f("detest-n-f1", 1), f("detest-n-f1", 1 + 1e-12));
    EXPECT_EQ(f("detest-n-f1", 0), f("detest-n-f1", 18.5));
    EXPECT_NEAR(f("detest-n-f2", 2) - f("detest-n-f2", 2 - 1e-12), -0.5, 1e-12);
    EXPECT_NEAR(f("detest-n-f4", 10), -2.0 / 21, 1e-12);
    EXPECT_EQ(f("detest-n-f4", std::nextafter(10, 11)), -1);
    // At a point of infinite slope df/dy is finite all the same.
    const problem p = open_problem("detest-n-f5");
    const auto work = p.in<double>().make_scratch();
    const double y = 1;
    double slope = std::nan("");
    double entry = std::nan("");
    ASSERT_EQ(p.in<double>().f(3, &y, &slope), evaluation::ok);
    ASSERT_EQ(p.in<double>().jacobian(3, &y, *work, {structure_kind::full, 1, 0, 0, 1, nullptr, &entry}), evaluation::ok);
    EXPECT_EQ(entry, slope);
}

// On each unit interval both problems are linear with constant coefficients.
TEST(detest_jumps, end_values_are_those_of_the_known_solution)
{
    const quad tenth = decimal("0.1").in<quad>();
    const quad c1 = decimal("9.879604401089358").in<quad>();
    const quad w = sqrt(c1 - tenth * tenth);
    quad y(0);
    quad slope(0);
    quad relaxing(110);
    for (int k = 0; k < 20; ++k) {
        const quad level = quad(k % 2 == 0 ? 1 : -1) / c1;
        const quad a = y - level;
        const quad b = (slope - tenth * a) / w;
        y = level + exp(tenth) * (a * cos(w) + b * sin(w));
        slope = exp(tenth) * ((tenth * a + w * b) * cos(w) + (tenth * b - w * a) * sin(w));
        const quad rate = quad(k % 2 == 0 ? 3 : 1) / quad(2);
        relaxing = quad(55) / rate + (relaxing - quad(55) / rate) * exp(-rate);
    }
    const detest_data& f1 = *detest_data_of("detest-n-f1");
    EXPECT_LT(scaled_error(std::vector<quad>{y, slope}, f1.end, f1), 1e-19);
    EXPECT_LT(std::abs(value_of(slope / f1.end[1].in<quad>()) - 1), 1e-15);
    const detest_data& f2 = *detest_data_of("detest-n-f2");
    EXPECT_LT(scaled_error(std::vector<quad>{relaxing}, f2.end, f2), 1e-19);
}

TEST(detest_scaling, accepts_0_and_1_only)
{
    for (const char* wrong : {"2", "0.5", "-1", "yes"}) {
        try {
            (void)open_problem("detest-n-a1", {{"scaled", wrong}});
            ADD_FAILURE() << wrong << " was taken";
        } catch (const bad_request& e) {
            EXPECT_NE(std::string(e.what()).find("allowed: a whole number from 0 to 1"), std::string::npos) << e.what();
        }
    }
}

} // namespace ivp
