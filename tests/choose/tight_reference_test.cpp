// References by tight runs in double precision: the digits claimed are real, and what the runs disagree on is not claimed.
#include "choose/tight_reference.hpp"
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>

#include <cmath>
#include <gtest/gtest.h>

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
    EXPECT_TRUE(r.confirmed.starts_with("estimated, not proven")) << r.confirmed;
    EXPECT_NE(r.source.find("one at rtol = 1e-12 in double precision"), std::string::npos) << r.source;
    EXPECT_EQ(read_reference_file(reference_csv(r)).digits, r.digits);
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

} // namespace

} // namespace ivp
