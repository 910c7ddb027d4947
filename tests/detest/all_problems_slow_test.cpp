// All 60 problems at levels 1 to 3 with solvers of several families: failures are rows with reasons, and it does not take long.
#include "detest/assess.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace {

using namespace ivp;
using namespace ivp::detest;

std::vector<problem_group> groups_of(const assessment_settings& s)
{
    std::vector<problem_group> groups;
    for (const auto& choice : all_groups(s.set)) {
        auto& group = groups.emplace_back();
        for (const auto& c : choice) group.push_back(detest_problem(*c.data, c.scaled, s));
    }
    return groups;
}

assessment assess_solver(const std::string& name, const assessment_settings& s)
{
    const auto solver = open_solver(name);
    solver_request request;
    request.solver = solver.get();
    request.timeout_s = 60;
    const auto method = make_solver_method(request);
    return assess(groups_of(s), s, [&](const assessed_problem& p, double tol) { return assess_row(p, tol, *method, s); });
}

struct candidate {
    const char* solver;
    int most_failures; ///< of 120 stiff runs; the non-stiff ones all succeed
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest asks for this name
void PrintTo(const candidate& c, std::ostream* out) { *out << c.solver; }

class all_problems : public testing::TestWithParam<candidate> {};

TEST_P(all_problems, at_levels_1_to_3)
{
    const bool available =
        std::ranges::none_of(library_solvers(), [](const library_solver& l) { return l.name == GetParam().solver && !l.available; });
    if (!available) GTEST_SKIP() << "the library is not installed";
    for (const auto set : {problem_set::nonstiff, problem_set::stiff}) {
        if (set == problem_set::stiff && std::string(GetParam().solver) == "dverk") continue; // not what it is for
        for (int level = 1; level <= 3; ++level) {
            SCOPED_TRACE(std::string(label(set)) + " level " + std::to_string(level));
            assessment_settings s;
            s.set = set;
            s.level = level;
            s.timing_s = 0;
            const assessment a = assess_solver(GetParam().solver, s);
            EXPECT_EQ(a.overall.runs + a.overall.failed, 120);
            EXPECT_LE(a.overall.failed, set == problem_set::stiff ? GetParam().most_failures : 0);
            EXPECT_GT(a.overall.cost.accepted, 500U);
            EXPECT_EQ(a.overall.assessed_steps > 0, level == 3);
            for (const auto& g : a.groups)
                for (const auto& p : g.problems)
                    for (const auto& r : p.rows) {
                        SCOPED_TRACE(p.id + " " + std::to_string(r.tol));
                        EXPECT_EQ(r.reached_end(), r.outcome == outcome::success);
                        EXPECT_EQ(r.reached_end(), r.message.empty()) << r.message; // a failure has a reason
                        EXPECT_EQ(r.reached_end(), std::isfinite(r.end_error));
                        EXPECT_LE(r.assessed_steps, r.lumped_steps);
                        EXPECT_LE(r.lumped_steps, r.cost.accepted);
                    }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(solvers, all_problems,
                         testing::Values(candidate{"radau5", 0}, candidate{"vode", 4}, candidate{"dassl", 1}, candidate{"cvode", 5},
                                         candidate{"dverk", 0}, candidate{"secder", 6}),
                         [](const auto& test) { return std::string(test.param.solver); });

TEST(speed, the_stiff_set_within_a_minute_of_a_core)
{
    const std::clock_t begin = std::clock();
    assessment_settings s;
    s.set = problem_set::stiff;
    s.tolerances = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    const assessment a = assess_solver("radau5", s);
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 60);
    EXPECT_LT(a.overall.truth_time_s, a.seconds);
    RecordProperty("seconds", std::to_string(a.seconds));
    RecordProperty("seconds_in_true_solutions", std::to_string(a.overall.truth_time_s));
}

} // namespace
