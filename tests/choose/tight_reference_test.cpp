// References by tight runs in double precision: the digits claimed are real, and what the runs disagree on is not claimed.
#include "choose/tight_reference.hpp"
#include "model/test_problem.hpp"
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>

#include <chrono>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ivp {

namespace {

std::vector<run_in_double> four_runs(std::vector<std::vector<double>> y)
{
    return {{"one", 1e-11, y[0]}, {"one", 1e-12, y[1]}, {"other", 1e-11, y[2]}, {"other", 1e-12, y[3]}};
}

TEST(tight_reference, has_the_digits_on_which_all_runs_agree_less_one)
{
    // The components: three shared digits of a large value and of one below 1; one without a digit but with decimals; exact ones.
    const auto t =
        agreement_of(four_runs({{2000, 0.2, 1e-9, 0, 1}, {2001, 0.2001, 2e-9, 0, 1}, {2000, 0.2, 4e-9, 0, 1}, {2000.5, 0.2, 0, 0, 1}}), decimal("7"));
    ASSERT_EQ(t.failure, "");
    const reference_file& r = t.found;
    EXPECT_EQ(r.t.value(), 7);
    EXPECT_EQ(r.value[0].value(), 2001) << "the tighter run of the first solver";
    EXPECT_EQ(r.digits, (std::vector<double>{2, 2, 7, 15, 15}));
    EXPECT_EQ(r.kind, (std::vector{digit_kind::relative, digit_kind::relative, digit_kind::absolute, digit_kind::absolute, digit_kind::relative}));
    EXPECT_EQ(r.value[2].value(), 0) << "noise: no digit of it is known";
    EXPECT_TRUE(r.confirmed.starts_with("estimated, not proven")) << r.confirmed;
    EXPECT_TRUE(is_estimated(r.confirmed));
    EXPECT_FALSE(is_estimated("all runs agree to the digits given and one more"));
    EXPECT_NE(r.source.find("one at rtol = 1e-12 in double precision"), std::string::npos) << r.source;
    EXPECT_EQ(read_reference_file(reference_csv(r)).digits, r.digits);
}

TEST(tight_reference, keeps_no_noise)
{
    // Two that have decayed; one whose size allows fewer decimals than the runs share; one with a digit.
    const auto t = agreement_of(
        four_runs({{-6.458e-16, 3e-5, 0.05, 9}, {-6.458e-16, 3e-5, 0.05, 9}, {2e-15, 3e-4, 0.059, 9.095}, {0, 3e-5, 0.05, 9}}), decimal("1"));
    ASSERT_EQ(t.failure, "");
    EXPECT_EQ(t.found.kind, std::vector(4, digit_kind::absolute));
    std::vector<double> values;
    for (const auto& v : t.found.value) values.push_back(v.value());
    EXPECT_EQ(values, (std::vector<double>{0, 0, 0, 9}));
    EXPECT_EQ(t.found.digits, (std::vector<double>{13, 2, 0, 0}));
}

TEST(tight_reference, is_refused_if_the_runs_have_no_digit_in_common)
{
    const auto t = agreement_of(four_runs({{1, 300}, {1, 300}, {1, 100}, {1, 300}}), decimal("1"));
    EXPECT_EQ(t.failure, "the runs do not agree on one digit of component 2");
    EXPECT_NE(agreement_of({}, decimal("1")).failure.find("no solvers of two families reached the end"), std::string::npos);
}

TEST(tight_reference, claims_no_digit_that_is_wrong)
{
    for (const char* id : {"hires", "chemakzo_dae", "pollu"}) {
        const problem p = open_problem(id);
        const auto t = derive_in_double(p, {});
        ASSERT_EQ(t.failure, "") << id;
        const auto& truth = p.reference()->value;
        double fewest = 100;
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const double unit = t.found.kind[i] == digit_kind::relative ? std::abs(truth[i].value()) : 1;
            EXPECT_LE(std::abs(t.found.value[i].value() - truth[i].value()), std::pow(10.0, -t.found.digits[i]) * unit) << id << " y" << i + 1;
            fewest = std::min(fewest, t.found.digits[i]);
        }
        EXPECT_GE(fewest, 5) << id << ": tight runs are worth little";
    }
}

TEST(tight_reference, takes_solvers_of_two_families)
{
    const auto runs = tight_runs(open_problem("hires"), {});
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[0].solver, runs[1].solver);
    EXPECT_EQ(runs[2].solver, runs[3].solver);
    EXPECT_NE(runs[0].solver, runs[2].solver);
    EXPECT_GT(runs[0].rtol, runs[1].rtol);
}

TEST(tight_reference, gives_a_run_up_in_time)
{
    const auto t = derive_in_double(open_problem("hires"), {.timeout_s = 1e-6});
    EXPECT_NE(t.failure, "");
}

/// Code of somebody else that does something at t = 1.
problem foreign_problem(const std::function<void()>& deed)
{
    const problem plain = testing_support::plain_problem({1}, 2, [](double, const double*, double*) { return evaluation::ok; });
    problem_info info = plain.info();
    info.origin = "plug-in";
    const auto f = [deed](double t, const double* y, double* out) {
        if (t > 1) deed();
        out[0] = -y[0];
        return evaluation::ok;
    };
    return {info, parameter_values({}, {}), std::make_shared<testing_support::plain_equations>(std::vector{1.0}, f)};
}

TEST(tight_reference, does_not_wait_for_code_that_hangs)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto t = derive_in_double(foreign_problem([] {
                                        while (true) pause();
                                    }),
                                    {.timeout_s = 0.5});
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    EXPECT_NE(t.failure.find("does not return in time"), std::string::npos) << t.failure;
    EXPECT_NE(t.failure.find("timed_out, it did not end within 1 s"), std::string::npos) << t.failure;
    EXPECT_LT(passed.count(), 8) << "two runs, not one of every solver";
}

TEST(tight_reference, survives_code_that_crashes)
{
    const auto t = derive_in_double(foreign_problem([] { (void)raise(SIGSEGV); }), {});
    EXPECT_NE(t.failure.find("the code of 'plain' ends runs"), std::string::npos) << t.failure;
    EXPECT_NE(t.failure.find("crashed, "), std::string::npos) << t.failure;
    const auto good = derive_in_double(foreign_problem([] {}), {});
    EXPECT_EQ(good.failure, "");
}

} // namespace

} // namespace ivp
