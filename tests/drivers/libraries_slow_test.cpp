// The solvers of SUNDIALS on every problem of the test set they can take, at two tolerances: each run succeeds or says why not, and what the library
// counts is what we count. Prints the table of docs/libraries.md.
#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

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
        if (r.claimed.contains(name)) {
            EXPECT_EQ(r.claimed.at(name), static_cast<double>(count)) << r.solver << " on " << r.problem << ": " << name;
        }
    EXPECT_TRUE(r.claimed.contains("nfev")) << r.solver;
}

struct candidate {
    const char* solver;
    const char* name;
    std::map<std::string, double> special;
};

/// What the library's own example for a stiff problem (Robertson) sets; with its defaults the Newton iteration disturbs the error estimate.
const std::map<std::string, double> as_its_stiff_example{{"newton_coef", 1e-7}, {"newton_max", 8}, {"predictor", 1}, {"error_fails", 20}};

class libraries : public testing::TestWithParam<candidate> {};

TEST_P(libraries, on_every_problem_they_can_take)
{
    const auto& [solver_name, name, special] = GetParam();
    const auto solver = open_solver(solver_name);
    int succeeded = 0;
    for (const auto& id : problem_ids()) {
        const problem p = open_problem(id);
        if (const auto why = solver->info().refusal(p)) {
            fmt::print("| {} | {} | | refused: {} | | | | | |\n", name, id, *why);
            continue;
        }
        if (!solver->info().implicit && is_stiff(p)) continue;
        for (const double rtol : {1e-4, 1e-7}) {
            run_settings s;
            s.rtol = rtol;
            s.repeat = 1;
            s.timeout_s = patience_s;
            s.special = special;
            const run_record r = measure_run(p, *solver, s);
            const std::string outcome(label(r.outcome));
            fmt::print("| {} | {} | {:.0e} | {} | {} | {} | {} | {} | {} |\n", name, id, rtol,
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

INSTANTIATE_TEST_SUITE_P(sundials, libraries,
                         testing::Values(candidate{"cvode", "cvode", {}}, candidate{"cvode-adams", "cvode-adams", {}}, candidate{"ida", "ida", {}},
                                         candidate{"arkode", "arkode", {}}, candidate{"arkode-3", "arkode-3", {}},
                                         candidate{"arkode-5", "arkode-5", {}}, candidate{"arkode-erk", "arkode-erk", {}},
                                         candidate{"arkode", "arkode*", as_its_stiff_example},
                                         candidate{"arkode-3", "arkode-3*", as_its_stiff_example},
                                         candidate{"arkode-5", "arkode-5*", as_its_stiff_example}),
                         [](const auto& instance) {
                             std::string name = instance.param.name;
                             std::replace(name.begin(), name.end(), '-', '_');
                             std::replace(name.begin(), name.end(), '*', 's');
                             return name;
                         });

} // namespace
} // namespace ivp
