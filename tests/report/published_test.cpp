// The published runs beside ours: every row is read, and equal means equal.
#include "report/published.hpp"
#include "report/render/numbers.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

namespace ivp {

namespace {

/// A run of ours with the counts of a published one.
run_record repeated(const published_run& p)
{
    run_record r;
    r.problem = p.problem;
    r.solver = p.ours;
    r.rtol = {p.rtol};
    r.atol = {p.rtol};
    r.steps = p.counts[0].value_or(1);
    r.accepted = p.counts[1].value_or(1);
    r.nfev = p.counts[2].value_or(1);
    r.njac = p.counts[3].value_or(1);
    r.nlu = p.counts[4].value_or(1);
    return r;
}

} // namespace

TEST(published, every_row_is_of_a_problem_and_a_solver_that_exist)
{
    const auto ids = problem_ids();
    const auto solvers = solver_names();
    std::size_t rows = 0;
    for (const auto& id : published_problems()) {
        EXPECT_NE(std::ranges::find(ids, id), ids.end()) << id;
        for (const auto& p : published_runs(id)) {
            ++rows;
            EXPECT_GT(p.rtol, 0) << id << ' ' << p.solver;
            if (!p.ours.empty()) {
                EXPECT_NE(std::ranges::find(solvers, p.ours), solvers.end()) << p.ours;
            }
            EXPECT_TRUE(p.counts[0] && p.counts[1] && p.counts[2]) << id << ' ' << p.solver;
        }
    }
    EXPECT_EQ(rows, 572U);
}

TEST(published, equal_counts_are_equal_and_others_are_told)
{
    const auto all = published_runs("hires");
    const auto& first = *std::ranges::find(all, "radau5", &published_run::ours);
    std::vector<run_record> records{repeated(first)};
    const auto at = [&](const std::vector<published_comparison>& rows) {
        return *std::ranges::find_if(rows, [&](const published_comparison& c) {
            return c.published.ours == "radau5" && c.published.source == first.source && c.published.rtol == first.rtol;
        });
    };
    EXPECT_TRUE(at(beside_ours("hires", records)).equal);
    EXPECT_EQ(at(beside_ours("hires", records)).difference, "");
    records[0].steps *= 2;
    const auto other = at(beside_ours("hires", records));
    EXPECT_FALSE(other.equal);
    EXPECT_EQ(other.difference, "steps +100 %");
    records[0].rtol = {first.rtol / 2};
    EXPECT_EQ(at(beside_ours("hires", records)).ours, nullptr);
    EXPECT_EQ(published_summary(beside_ours("hires", {})), "56 runs published; none was repeated here.");
}

TEST(published, a_known_reason_stands_beside_a_difference)
{
    const auto all = published_runs("chemakzo_dae");
    const auto& first = *std::ranges::find(all, "dassl", &published_run::ours);
    std::vector<run_record> records{repeated(first)};
    records[0].steps += 1;
    for (const auto& c : beside_ours("chemakzo_dae", records))
        if (c.ours != nullptr && !c.equal) {
            EXPECT_NE(c.reason.find("initial derivative"), std::string::npos);
        }
}

TEST(numbers, of_messages_are_rounded)
{
    EXPECT_EQ(with_rounded_figures("at t = 18.108111222433855, where h is 3.3"), "at t = 18.11, where h is 3.3");
    EXPECT_EQ(with_rounded_figures("at t = 5.010002136230469e-08. More than 10 times"), "at t = 5.01e-08. More than 10 times");
    EXPECT_EQ(with_rounded_figures("a step 10^10 times, 123456 steps, y12 of v1.25000"), "a step 10^10 times, 123456 steps, y12 of v1.25000");
    EXPECT_EQ(figures_in_html("at t = 5.01e-08, 1e-17 <b>, -3e+2"), "at t = 5.01·10<sup>−8</sup>, 10<sup>−17</sup> &lt;b&gt;, -3·10<sup>2</sup>");
    EXPECT_EQ(figures_in_html("10^10 times h^2, 10^-3; Pr -> Pfr"), "10<sup>10</sup> times h<sup>2</sup>, 10<sup>−3</sup>; Pr → Pfr");
    EXPECT_EQ(figures_in_html("y2e3, 0x1e5, 1e5x, e-3, 2e, ^2, V^(1/2), µ 3e-7 ö"), "y2e3, 0x1e5, 1e5x, e-3, 2e, ^2, V^(1/2), µ 3·10<sup>−7</sup> ö");
}

} // namespace ivp
