#include "campaign/plan.hpp"

#include "campaign/campaign.hpp"
#include "catalog/problem_sets.hpp"

#include <ivp/catalog.hpp>
#include <ivp/problem.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ivp {
namespace {

std::vector<std::string> faults_of(const std::string& text)
{
    try {
        (void)read_plan(text, "p.toml");
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

bool begins(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

TEST(Plan, AKeyThatBeginsWithABraceIsAFaultWithItsPlace)
{
    // The library's own assertion ended the program here, unless it was compiled without assertions.
    for (const std::string text : {"name = 'x'\n[}\n", "name = 'x'\n[[= 'mine'\n", "name = 'x'\n[[]\n"}) {
        try {
            (void)read_plan(text, "p.toml");
            ADD_FAILURE() << text;
        } catch (const bad_request& e) {
            ASSERT_FALSE(e.faults().empty());
            EXPECT_TRUE(e.faults()[0].starts_with("p.toml:2:")) << e.faults()[0];
        }
    }
}

TEST(plan, what_stands_before_the_grids_holds_for_all_of_them)
{
    const auto plan = read_plan(R"(name = "mine"
timeout = 5
solvers = ["radau5"]
jacobian = "differences"
[[runs]]
problems = "hires"
rtol = 1e-4
[[runs]]
problems = ["rober", "vdpol"]
solvers = ["dassl", { name = "radau", options = { safety = 0.8 } }]
rtol = { from = 1e-4, to = 1e-6, per_decade = 2 }
timeout = 7
restart = "no"
repeat = 3
memory_gib = 0.5
)",
                                "p.toml");
    EXPECT_EQ(plan.name, "mine");
    ASSERT_EQ(plan.grids.size(), 2U);
    const auto& first = plan.grids[0];
    EXPECT_EQ(first.problems, std::vector<std::string>{"hires"});
    EXPECT_EQ(first.rtol, std::vector<double>{1e-4});
    EXPECT_EQ(first.settings.timeout_s, 5);
    EXPECT_EQ(first.settings.jacobian, jacobian_source::differences);
    EXPECT_FALSE(first.settings.repeat);
    EXPECT_TRUE(first.settings.restart);
    const auto& second = plan.grids[1];
    ASSERT_EQ(second.solvers.size(), 2U);
    EXPECT_EQ(second.solvers[1].name, "radau");
    EXPECT_EQ(second.solvers[1].options.at("safety"), 0.8);
    ASSERT_EQ(second.rtol.size(), 5U);
    EXPECT_DOUBLE_EQ(second.rtol[1], std::sqrt(1e-9));
    EXPECT_EQ(second.rtol[2], 1e-5) << "to the last bit";
    EXPECT_EQ(second.settings.timeout_s, 7);
    EXPECT_EQ(second.settings.repeat, 3);
    EXPECT_FALSE(second.settings.restart);
    EXPECT_EQ(second.settings.jacobian, jacobian_source::differences);
    EXPECT_EQ(second.memory, 512ULL << 20U);
}

TEST(plan, one_grid_needs_no_table)
{
    const auto plan = read_plan("problems = ['hires']\nsolvers = 'radau5'\n", "p.toml");
    ASSERT_EQ(plan.grids.size(), 1U);
    EXPECT_TRUE(plan.grids[0].rtol.empty()) << "the problem's ladder";
}

TEST(plan, words_that_stand_for_many)
{
    const auto plan = read_plan("problems = ['all', '-tag:stiff', '-water']\nsolvers = ['own', 'libraries', '-explicit', '-radau5']\n", "p.toml");
    const auto& problems = plan.grids[0].problems;
    EXPECT_NE(std::ranges::find(problems, "plei"), problems.end());
    EXPECT_EQ(std::ranges::find(problems, "hires"), problems.end());
    EXPECT_EQ(std::ranges::find(problems, "water"), problems.end());
    std::set<std::string> solvers;
    for (const auto& s : plan.grids[0].solvers) solvers.insert(s.name);
    EXPECT_TRUE(solvers.contains("dassl"));
    EXPECT_FALSE(solvers.contains("radau5"));
    EXPECT_FALSE(solvers.contains("dopri5"));
}

TEST(plan, all_faults_are_told_in_the_order_of_the_text_with_line_and_column)
{
    const auto faults = faults_of(R"(name = 3
timeot = 4
[[runs]]
problems = ["hirs", "tag:xx", "rober"]
solvers = ["radua5", { name = "radau5", options = { foo = 1 } }]
rtol = ["a", 1e-4, -1]
atol = -3
jacobian = "exactly"
repeat = 0
[[runs]]
problems = "hires"
solvers = "radau5"
set = { none = 1 }
form = "dae"
[[runs]]
problems = "hires"
)");
    const std::vector<std::string> expected{
        "p.toml:1:8: name: 3 given",           "p.toml:2:1: unknown key 'timeot'",
        "p.toml:4:13: unknown problem 'hirs'", "p.toml:4:21: problems: no problem has the tag 'xx'",
        "p.toml:5:11: unknown option 'foo'",   "p.toml:5:12: unknown solver 'radua5'",
        "p.toml:6:9: rtol: 'a' given",         "p.toml:6:20: rtol: -1 given",
        "p.toml:7:8: atol: -3 given",          "p.toml:8:12: jacobian: 'exactly' given",
        "p.toml:9:10: repeat: 0 given",        "p.toml:13:7: unknown parameter 'none'",
        "p.toml:15:1: solvers: missing",
    };
    ASSERT_EQ(faults.size(), expected.size()) << ::testing::PrintToString(faults);
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_TRUE(begins(faults[k], expected[k])) << faults[k] << "\n  expected: " << expected[k];
}

TEST(plan, is_read_only_if_it_nests_no_deeper_than_any_plan_needs)
{
    const std::string good = "problems = 'hires'\nsolvers = 'radau5'\n";
    const auto repeated = [](const std::string& text, std::size_t times) {
        std::string all;
        for (std::size_t k = 0; k < times; ++k) all += text;
        return all;
    };
    const auto said = [&](const std::string& line) {
        const auto faults = faults_of(good + line + "\n");
        return faults.empty() ? "" : faults[0];
    };
    const std::string many = ": more than 100 levels of tables and lists; allowed: that many (each dot of a key is a level too)";
    for (const std::size_t depth : {101U, 100'000U}) {
        EXPECT_EQ(said(repeated("a.", depth) + "a = 1"), "p.toml:3:202" + many);
        EXPECT_EQ(said("ü = 1\n[" + repeated("a.", depth) + "a]"), "p.toml:4:201" + many);
        EXPECT_EQ(said("ü = " + repeated("[", depth)), "p.toml:3:105" + many);
        EXPECT_EQ(said("'ü.' = '#' # .\nü = " + repeated("{a.a =", depth)), "p.toml:4:305" + many);
    }
    EXPECT_TRUE(begins(said(repeated("a.", 100) + "a = 1"), "p.toml:3:1: unknown key 'a'"));
    // Dots and brackets that are no levels.
    EXPECT_EQ(said("rtol = [" + repeated("1.0e-4, 0.001,\n", 200) + "]"), "");
    EXPECT_EQ(said(repeated("# [[{{...\n", 200) + "rtol = [" + repeated("0.1, # {.'\n", 200) + "]"), "");
    EXPECT_TRUE(begins(said("atol = '" + repeated("[.\\\"", 200) + "'"), "p.toml:3:8: atol: "));
    EXPECT_TRUE(begins(said("atol = \"" + repeated("[.\\\"", 200) + "\""), "p.toml:3:8: atol: "));
    EXPECT_TRUE(begins(said("atol = \"\"\"" + repeated("[.\"\"\n", 200) + "\"\"\"\"\""), "p.toml:3:8: atol: "));
    EXPECT_TRUE(begins(said("atol = '''" + repeated("[.''\n", 200) + "'''"), "p.toml:3:8: atol: "));
    // What follows a text in quotes is not part of it.
    const std::string behind = "\n" + repeated("a.", 101) + "a = 1";
    for (const std::string text : {"''", "\"\\\"\"", "\"\"\"\"\"\"", "''", "\"\"\"\\\"\"\"\"", "'\\'"})
        EXPECT_EQ(said("atol = " + text + behind), "p.toml:4:202" + many) << text;
}

TEST(plan, other_faults)
{
    const std::string good = "problems = 'hires'\nsolvers = 'radau5'\n";
    const auto fault = [&](const std::string& line) {
        const auto all = faults_of(good + line);
        return all.size() == 1 ? all[0] : ::testing::PrintToString(all);
    };
    EXPECT_TRUE(begins(fault("rtol = []"), "p.toml:3:8: rtol: [] given"));
    EXPECT_TRUE(begins(fault("rtol = { from = 1e-4, to = 1e-6 }"), "p.toml:3:8: rtol: 'per_decade' is missing"));
    EXPECT_TRUE(begins(fault("rtol = { from = 1e-4, to = 1e-6, per_decade = 4, x = 1 }"), "p.toml:3:50: rtol: unknown key 'x'"));
    EXPECT_TRUE(begins(fault("rtol = { from = 1, to = 1e-10, per_decade = 1e9 }"), "p.toml:3:8: rtol: more than a million"));
    EXPECT_TRUE(begins(fault("form = 'dae'"), "p.toml:3:8: form: 'dae' given; hires is stored as 'ode'"));
    EXPECT_TRUE(begins(fault("repeat = 2\nmin_time = 1"), "p.toml:3:10: repeat and min-time"));
    EXPECT_TRUE(begins(fault("timeout = 0"), "p.toml:3:11: timeout: 0 given; allowed: seconds above 0"));
    EXPECT_TRUE(begins(fault("tend = 0.0"), "p.toml:3:8: tend"));
    EXPECT_TRUE(begins(fault("threads = 9"), "p.toml:3:11: threads"));
    EXPECT_TRUE(begins(fault("runs = 3"), "p.toml:3:8: runs: allowed: tables [[runs]]"));
    EXPECT_TRUE(begins(faults_of("a = \n")[0], "p.toml:1:5: "));
    EXPECT_TRUE(begins(faults_of("solvers = ['./none.so']\nproblems = 'hires'\n")[0], "p.toml:1:12: "));
    EXPECT_THROW((void)read_plan_file("/no/such/plan.toml"), bad_request);
    EXPECT_THROW((void)preset_plan("quik"), bad_request);
}

TEST(plan, with_more_runs_than_a_million_is_refused_before_they_take_memory)
{
    const std::string good = "problems = 'hires'\nsolvers = ['radau5', 'dassl']\n";
    const auto rtol = [](const char* per_decade) { return std::string("rtol = { from = 1, to = 1e-10, per_decade = ") + per_decade + " }\n"; };
    EXPECT_EQ(faults_of(good + rtol("6e4")),
              std::vector<std::string>{"p.toml:1:1: runs: with this grid the plan has 1200002 runs; allowed: at most 1000000"});
    std::string grids = good + rtol("1e4");
    for (int k = 0; k < 6; ++k) grids += "[[runs]]\n";
    EXPECT_EQ(faults_of(grids), std::vector<std::string>{"p.toml:8:1: runs: with this grid the plan has 1000010 runs; allowed: at most 1000000"});
    std::string many = "problems = 'vdpol'\nsolvers = ['radau5', 'dassl']\n" + rtol("9e4") + "set = { eps = [1";
    for (int k = 1; k < 10'000; ++k) many += ",1e-" + std::to_string(k % 8);
    many += "] }\n";
    EXPECT_EQ(faults_of(many), std::vector<std::string>{"p.toml:1:1: runs: with this grid the plan has 18000020000 runs; allowed: at most 1000000"});
    EXPECT_EQ(faults_of("problems = 'hires'\nsolvers = 'none'\n" + rtol("9e4") + "set = { eps = '1e-2:1e-9:1000' }").size(), 2U);
}

TEST(plan, tolerances_may_be_any_numbers)
{
    const auto plan = [](const std::string& rtol) { return "problems = 'hires'\nsolvers = 'radau5'\nrtol = " + rtol; };
    EXPECT_TRUE(begins(faults_of(plan("{ from = 1e300, to = 1e-300, per_decade = 1 }"))[0], "p.toml:3:8: rtol: 1e+300 given"));
    EXPECT_TRUE(begins(faults_of(plan("{ from = 5e-324, to = 1e308, per_decade = 1e-3 }"))[0], "p.toml:3:8: rtol: 5e-324 given"));
}

TEST(plan, a_letter_beyond_ascii_is_no_space)
{
    // The library ran into undefined behaviour where it asked whether these are spaces.
    const auto said = [](const std::string& text) {
        const auto faults = faults_of(text);
        return faults.empty() ? "" : faults[0];
    };
    const std::string plan = "problems = [\"hires\"]\nsolvers = [\"radau5\"]\nrtol = 1e-4\natol = 1e-4\n";
    for (const std::string letter : {"\u00e9", "\u03bb", "\u3042"}) {
        EXPECT_EQ(said(plan + "# " + letter + "\nname = \"" + letter + "\""), "");
        EXPECT_EQ(said(plan + "name = \"\"\"\\\n" + letter + "\"\"\""), "");
        EXPECT_TRUE(begins(said(plan + "repeat = " + letter), "p.toml:5:10: ")) << said(plan + "repeat = " + letter);
        EXPECT_TRUE(begins(said(plan + "repeat = 5:m'" + letter), "p.toml:5:")) << said(plan + "repeat = 5:m'" + letter);
    }
}

TEST(plan, numbers_are_never_cut_to_fit)
{
    const std::string good = "problems = 'rober'\nsolvers = 'radau5'\n";
    const auto fault = [&good](const std::string& line) {
        const auto all = faults_of(good + line + "\n");
        return all.size() == 1 ? all[0] : "faults: " + std::to_string(all.size());
    };
    EXPECT_EQ(fault("repeat = 4294967297"), "p.toml:3:10: repeat: 4294967297 given; allowed: a whole number from 1 to 1000000");
    EXPECT_EQ(fault("threads = 4294967297"), "p.toml:3:11: threads: 4294967297 given; allowed: a whole number from 1 to 1024");
    EXPECT_EQ(fault("max_steps = 9223372036854775807"),
              "p.toml:3:13: max_steps: 9223372036854775807 given; allowed: a whole number from 1 to 1000000000000000");
    EXPECT_EQ(fault("memory_gib = 1e300"), "p.toml:3:14: memory_gib: 1.0000000000000001e+300 given; allowed: a number from 0.001 to 1e+06");
    EXPECT_NE(fault("memory_gib = 1e-300").find("allowed: a number from 0.001"), std::string::npos);
    EXPECT_NE(fault("memory_gib = nan").find("allowed: a number from 0.001"), std::string::npos);
    const auto plan = read_plan(good + "repeat = 1000000\nmemory_gib = 1000000\n", "p.toml");
    EXPECT_EQ(plan.grids[0].settings.repeat, 1'000'000);
    EXPECT_EQ(plan.grids[0].memory, 1'000'000ULL << 30U);
}

TEST(plan, a_name_is_one_short_line)
{
    const std::string good = "problems = 'rober'\nsolvers = 'radau5'\n";
    for (const char* name : {R"("a\nrm -rf x")", R"("\u001b[2J")", R"("\u009b")", R"("a\u202eb")", R"("")", R"("a ")"}) {
        const auto faults = faults_of("name = " + std::string(name) + "\n" + good);
        ASSERT_EQ(faults.size(), 1U) << name;
        EXPECT_NE(faults[0].find("allowed: a text of 1 to 100 characters"), std::string::npos) << faults[0];
    }
    const auto faults = faults_of("name = '" + std::string(100'000, 'x') + "'\n" + good);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_LT(faults[0].size(), 300U) << "a message repeats only the beginning of what was given";
    EXPECT_EQ(read_plan("name = 'größer, schöner'\n" + good, "p.toml").name, "größer, schöner");
}

TEST(presets, are_plans_that_can_be_made_ready)
{
    for (const auto& name : preset_names()) {
        const campaign c(preset_plan(name));
        EXPECT_EQ(c.name(), name);
        EXPECT_GT(c.groups(), 10U);
    }
}

TEST(presets, standard_and_full_have_every_problem_of_the_test_set_and_every_solver)
{
    for (const char* const name : {"standard", "full"}) {
        std::set<std::string> problems;
        std::set<std::string> solvers;
        for (const auto& grid : preset_plan(name).grids) {
            problems.insert(grid.problems.begin(), grid.problems.end());
            for (const auto& s : grid.solvers) solvers.insert(s.name);
        }
        for (const auto& id : problem_ids(problem_set::test_set)) EXPECT_TRUE(problems.contains(id)) << name << ": " << id;
        for (const auto& id : problem_ids(problem_set::sized)) EXPECT_FALSE(problems.contains(id)) << name << ": " << id;
        for (const auto& solver : solver_names()) EXPECT_TRUE(solvers.contains(solver)) << name << ": " << solver;
        for (const auto& s : library_solvers()) EXPECT_TRUE(!s.available || solvers.contains(s.name)) << name << ": " << s.name;
    }
}

} // namespace
} // namespace ivp
