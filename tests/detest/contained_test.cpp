// A foreign solver that does its worst is a row with a reason, and the assessment goes on.
#include "catalog/foreign.hpp"
#include "detest/assess.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

namespace {

using namespace ivp;
using namespace ivp::detest;

struct deed {
    int number;
    outcome expected;
    const char* reason;
    const char* what;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest asks for this name
void PrintTo(const deed& d, std::ostream* out) { *out << d.what; }

class hostile_in_detest : public testing::TestWithParam<deed> {};

TEST_P(hostile_in_detest, is_a_row_with_a_reason)
{
    const auto solver = open_contained_solver(IVP_TEST_PLUGIN_DIR "/hostile.so");
    solver_request request;
    request.solver = solver.get();
    request.special["deed"] = GetParam().number;
    request.timeout_s = GetParam().expected == outcome::timed_out ? 0.2 : 30;
    child_limits limits;
    limits.memory = 300ULL << 20U;
    const assessment_settings settings;
    const assessed_problem p = detest_problem(*detest_data_of("detest-s-a1"), true, settings);
    const row r = assess_row_contained(p, 1e-4, request, settings, limits);
    EXPECT_EQ(label(r.outcome), label(GetParam().expected)) << r.message;
    EXPECT_NE(r.message.find(GetParam().reason), std::string::npos) << r.message;
    EXPECT_FALSE(r.reached_end());
    EXPECT_EQ(r.tol, 1e-4);
    EXPECT_LE(r.x_reached, p.tend());
}

INSTANTIATE_TEST_SUITE_P(deeds, hostile_in_detest,
                         testing::Values(deed{1, outcome::crashed, "Segmentation fault", "segfault"},
                                         deed{2, outcome::timed_out, "did not end", "endless_loop"},
                                         deed{3, outcome::out_of_memory, "300 MiB", "eats_memory"}, deed{4, outcome::crashed, "exit code 0", "exit"},
                                         deed{5, outcome::crashed, "Aborted", "abort"}, deed{6, outcome::crashed, "no conversion today", "throws"},
                                         deed{7, outcome::crashed, "writes outside the n entries", "writes_past_y"},
                                         deed{8, outcome::wrong_answer, "has not evaluated the problem once", "claims_success_at_once"}),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(contained_assessment, a_crash_after_the_start_was_found_says_how_far_the_assessed_run_came)
{
    const auto solver = open_contained_solver(IVP_TEST_PLUGIN_DIR "/hostile.so");
    solver_request request;
    request.solver = solver.get();
    request.special["deed"] = 26;
    const assessment_settings settings;
    const assessed_problem p = detest_problem(*detest_data_of("detest-s-a1"), true, settings);
    const row r = assess_row_contained(p, 1e-4, request, settings, {});
    EXPECT_EQ(r.outcome, outcome::crashed) << r.message;
    EXPECT_EQ(r.cost.accepted, 3U) << "two steps are all that the search for the start sees";
    EXPECT_EQ(r.x_reached, p.t0() + 3 * 0.125 * (p.tend() - p.t0()));
}

TEST(contained_assessment, is_the_same_as_in_this_process)
{
    const auto solver = open_contained_solver(IVP_EXAMPLE_PLUGIN);
    const auto direct = open_solver(IVP_EXAMPLE_PLUGIN);
    assessment_settings settings;
    settings.level = 4;
    settings.timing_s = 0;
    const assessed_problem p = detest_problem(*detest_data_of("detest-s-d2"), true, settings);
    solver_request request;
    request.solver = solver.get();
    row a = assess_row_contained(p, 1e-4, request, settings, {});
    request.solver = direct.get();
    row b = assess_row(p, 1e-4, *make_solver_method(request), settings);
    EXPECT_EQ(a.code, all_well);
    for (row* r : {&a, &b}) r->cost.time_s = r->cost.overhead_s = r->truth_time_s = 0;
    EXPECT_EQ(to_json(a), to_json(b));
}

} // namespace
