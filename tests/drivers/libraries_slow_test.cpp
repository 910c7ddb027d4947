// The solvers of SUNDIALS on every problem of the test set they can take, at two tolerances: each run succeeds or says why not, and what the library
// counts is what we count. Prints the table of docs/libraries.md.
#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/run.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace ivp {
namespace {

constexpr double patience_s = 20; // of one run

bool is_stiff(const problem& p)
{
    const auto& tags = p.info().tags;
    return std::find(tags.begin(), tags.end(), "non-stiff") == tags.end();
}

/// The definition of both sides is the same, so every difference is a mistake.
void expect_counts_as_claimed(const run_record& r)
{
    const std::array<std::pair<const char*, std::uint64_t>, 4> ours{{{"nfev", r.nfev}, {"njac", r.njac}, {"nlu", r.nlu}, {"nsolve", r.nsolve}}};
    for (const auto& [name, count] : ours)
        if (r.claimed.contains(name)) EXPECT_EQ(r.claimed.at(name), static_cast<double>(count)) << r.solver << " on " << r.problem << ": " << name;
    EXPECT_TRUE(r.claimed.contains("nfev")) << r.solver;
}

class libraries : public testing::TestWithParam<const char*> {};

TEST_P(libraries, on_every_problem_they_can_take)
{
    const auto solver = open_solver(GetParam());
    int succeeded = 0;
    for (const auto& id : problem_ids()) {
        const problem p = open_problem(id);
        if (const auto why = solver->info().refusal(p)) {
            fmt::print("| {} | {} | | refused: {} | | | | | |\n", solver->info().name, id, *why);
            continue;
        }
        if (!solver->info().implicit && is_stiff(p)) continue;
        for (const double rtol : {1e-4, 1e-7}) {
            run_settings s;
            s.rtol = rtol;
            s.repeat = 1;
            s.timeout_s = patience_s;
            const run_record r = measure_run(p, *solver, s);
            const std::string outcome(label(r.outcome));
            fmt::print("| {} | {} | {:.0e} | {} | {} | {} | {} | {} | {} |\n", r.solver, id, rtol,
                       r.outcome == outcome::success ? outcome : outcome + ": " + r.message, r.mescd ? fmt::format("{:.2f}", *r.mescd) : "", r.steps,
                       r.nfev, r.njac, r.nlu);
            expect_counts_as_claimed(r);
            if (r.outcome == outcome::success) {
                ++succeeded;
                EXPECT_GT(r.mescd.value_or(1), 0) << r.solver << " on " << id;
            } else {
                EXPECT_FALSE(r.message.empty()) << r.solver << " on " << id << ": " << outcome << " without a reason";
            }
        }
    }
    EXPECT_GT(succeeded, 0);
}

INSTANTIATE_TEST_SUITE_P(sundials, libraries, testing::Values("cvode", "cvode-adams", "ida", "arkode", "arkode-3", "arkode-5", "arkode-erk"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace ivp
