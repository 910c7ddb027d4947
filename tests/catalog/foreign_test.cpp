// Plug-ins as the parent knows them: what they say arrives, what they do happens elsewhere.
#include "campaign/plan.hpp"
#include "catalog/foreign.hpp"
#include "drivers/plugin.hpp"
#include "run/executor.hpp"
#include "store/import.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace ivp {
namespace {

std::string file(const std::string& name) { return std::string(IVP_TEST_PLUGIN_DIR "/") + name + ".so"; }

TEST(foreign_problem, everything_it_says_arrives)
{
    const problem there = open_problem(file("pendulum"));
    const problem here = open_contained_problem(file("pendulum"));
    const problem_info &a = there.info(), &b = here.info();
    EXPECT_EQ(b.id, a.id);
    EXPECT_EQ(b.title, a.title);
    EXPECT_EQ(b.origin, a.origin);
    EXPECT_EQ(b.form, a.form);
    EXPECT_EQ(b.n, a.n);
    EXPECT_EQ(b.tend.text(), a.tend.text());
    EXPECT_EQ(b.highest_index, a.highest_index);
    EXPECT_EQ(b.index, a.index);
    EXPECT_EQ(b.tags, a.tags);
    EXPECT_EQ(b.component_names, a.component_names);
    EXPECT_EQ(b.breakpoints.size(), a.breakpoints.size());
    EXPECT_EQ(b.discontinuities.at(1).text(), a.discontinuities.at(1).text());
    EXPECT_EQ(b.accuracy.excluded, a.accuracy.excluded);
    EXPECT_EQ(b.jacobian_structure.describe(), a.jacobian_structure.describe());
    EXPECT_EQ(b.jacobian_structure.pattern->row, a.jacobian_structure.pattern->row);
    EXPECT_EQ(b.protocol.atol(1e-4), a.protocol.atol(1e-4));
    EXPECT_EQ(b.protocol.expand(1e-4, 1e-5).atol, a.protocol.expand(1e-4, 1e-5).atol);
    EXPECT_EQ(b.quantity_of_interest, a.quantity_of_interest);
    EXPECT_EQ(b.contributor, a.contributor);
    EXPECT_EQ(here.in<double>().initial_values(), there.in<double>().initial_values());
    EXPECT_EQ(here.in<double>().initial_derivatives(), there.in<double>().initial_derivatives());
    EXPECT_EQ(here.in<double>().mass().values(), there.in<double>().mass().values());
    EXPECT_EQ(here.in<double>().has_exact_jacobian(), there.in<double>().has_exact_jacobian());
    EXPECT_EQ(here.reference()->source, there.reference()->source);
    EXPECT_EQ(here.reference()->value.at(1).text(), there.reference()->value.at(1).text());
    EXPECT_EQ(here.chapter().markdown, there.chapter().markdown);
    EXPECT_EQ(contained_problem_parameters(file("pendulum")).at(0).max.text(), problem_parameters(file("pendulum")).at(0).max.text());
    EXPECT_EQ(open_contained_problem(file("pendulum"), {{"gravity", "2"}}).parameters().changed().at("gravity"), "2");
}

TEST(foreign_problem, its_functions_run_in_a_child_only)
{
    const problem p = open_contained_problem(file("pendulum"));
    std::vector<double> out(5);
    EXPECT_THROW((void)p.in<double>().f(0, p.in<double>().initial_values().data(), out.data()), std::logic_error);
    const auto solver = open_solver("radau5");
    run_settings settings;
    settings.rtol = 1e-6;
    settings.repeat = 1;
    const problem direct = open_problem(file("pendulum"));
    const run_record there = execute({&p, solver.get(), settings, child_limits{}, {}});
    const run_record here = execute({&direct, solver.get(), settings, {}, {}});
    EXPECT_EQ(there.y, here.y);
    EXPECT_EQ(there.nfev, here.nfev);
    EXPECT_EQ(there.njac, here.njac);
    EXPECT_EQ(there.algebra, here.algebra);
    EXPECT_EQ(there.outcome, here.outcome);
}

/// What it does when it is asked for tolerances must not end this process, and a second question is not asked twice.
TEST(foreign_problem, tolerances_that_end_the_process_are_told)
{
    for (const auto& [fault, reason] : {std::pair{"21", "exit code 0"}, {"22", "Aborted (signal 6)"}}) {
        const problem p = open_contained_problem(file("pendulum"), {{"fault", fault}});
        try {
            (void)planned_run(p, open_solver("radau5")->info(), {});
            FAIL() << "it was planned";
        } catch (const bad_request& e) {
            EXPECT_NE(std::string(e.what()).find("asked for its tolerances: "), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
        }
    }
}

/// A plan is judged where the campaign is coordinated: what a plug-in does there would end it, and the message would be lost.
TEST(foreign_problem, a_plan_is_judged_without_its_code_in_this_process)
{
    for (const auto& [fault, reason] : {std::pair{"21", "exit code 0"}, {"22", "Aborted (signal 6)"}}) {
        const std::string plan =
            "problems = ['" + file("pendulum") + "']\nsolvers = ['radau5']\nrtol = 1e-3\nset = { fault = " + std::string(fault) + " }\n";
        try {
            (void)read_plan(plan, "p.toml");
            FAIL() << "it was taken";
        } catch (const bad_request& e) {
            EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
            EXPECT_EQ(std::string(e.what()).rfind("p.toml:", 0), 0U) << e.what();
        }
    }
}

/// The name of a problem in a record is text of a stranger, never a file to be opened.
TEST(foreign_problem, a_record_that_names_a_file_opens_none)
{
    constexpr std::size_t name_that_is_shown_whole = 50; // of longer ones, such as that of a library in a deep folder, the beginning
    for (const std::string& name : {file("crash_on_load"), std::string("./x.so:y"), std::string("x.f"), std::string("./x.ivp")}) {
        std::istringstream records(R"({"problem":")" + name + R"(","solver":"mine","rtol":1e-6,"atol":1e-6,"y":[1],"nfev":5})");
        try {
            (void)import_records(records, "r.jsonl", testing::TempDir() + "ivp_never_made_" + std::to_string(getpid()) + ".db");
            FAIL() << name << " was taken";
        } catch (const bad_request& e) {
            const std::string said = e.what();
            EXPECT_TRUE(said.starts_with("r.jsonl:1: problem: '" + name.substr(0, name_that_is_shown_whole))) << said;
            EXPECT_NE(said.find("' given; allowed: letters"), std::string::npos) << said;
        }
    }
}

/// Pages of foreign problems are made in a child, with a limit: chapters are texts of strangers, and plug-ins are asked for pictures.
TEST(foreign_problem, a_page_that_crashes_hangs_or_ends_the_process_is_told)
{
    const auto fault = [](const std::function<std::string()>& work, std::optional<double> seconds = {}) -> std::string {
        try {
            (void)contained_text(true, "./x.so", work, seconds);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "";
    };
    const auto said = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos && text.find("./x.so") != std::string::npos;
    };
    EXPECT_PRED2(said, fault([]() -> std::string { std::abort(); }), "Aborted (signal 6)");
    EXPECT_PRED2(said, fault([]() -> std::string { std::_Exit(0); }), "exit code 0");
    EXPECT_PRED2(said,
                 fault(
                     []() -> std::string {
                         for (;;) pause();
                     },
                     0.2),
                 "0.2");
    EXPECT_EQ(contained_text(true, "./x.so", [] { return std::string("page"); }), "page");
    EXPECT_EQ(contained_text(false, "hires", [] { return std::string("page"); }), "page");
}

/// A copy of a plug-in that may be replaced.
class replaceable {
public:
    explicit replaceable(const std::string& name) : path_(testing::TempDir() + "ivp_replaced_" + std::to_string(getpid()) + ".so")
    {
        std::filesystem::copy_file(file(name), path_, std::filesystem::copy_options::overwrite_existing);
    }
    ~replaceable() { std::filesystem::remove(path_); }
    replaceable(const replaceable&) = delete;
    replaceable& operator=(const replaceable&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }
    void replace(const std::string& name) const
    {
        std::filesystem::remove(path_);
        std::filesystem::copy_file(file(name), path_);
    }

private:
    std::string path_;
};

TEST(foreign_solver, another_file_does_not_run_in_its_name)
{
    const replaceable plugin("hostile"); // which does nothing bad unless it is asked to
    const auto s = open_contained_solver(plugin.path());
    const problem p = open_problem("hires");
    run_settings settings;
    settings.repeat = 1;
    EXPECT_EQ(execute({&p, s.get(), settings, child_limits{}, {}}).repeats, 1);
    plugin.replace("hostile");
    try {
        (void)execute({&p, s.get(), settings, child_limits{}, {}});
        FAIL() << "it ran";
    } catch (const machine_fault& e) {
        EXPECT_EQ(e.what(), "hires with hostile (plug-in): plug-in '" + plugin.path() + "' has changed since it was opened; start again");
    }
}

/// Its path is relative, and the file is loaded more than once.
TEST(foreign_solver, one_that_leaves_the_working_directory_is_found_again)
{
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(IVP_TEST_PLUGIN_DIR);
    const auto s = open_contained_solver("./wanders.so");
    const problem p = open_contained_problem("./line.so");
    run_settings settings;
    settings.repeat = 1;
    EXPECT_EQ(execute({&p, s.get(), settings, child_limits{}, {}}).outcome, outcome::step_too_small);
    std::filesystem::current_path(before);
}

TEST(foreign_problem, another_file_does_not_run_in_its_name)
{
    const replaceable plugin("pendulum");
    const problem p = open_contained_problem(plugin.path());
    plugin.replace("pendulum");
    const auto s = open_solver("radau5");
    run_settings settings;
    settings.repeat = 1;
    EXPECT_THROW((void)execute({&p, s.get(), settings, child_limits{}, {}}), machine_fault);
}

} // namespace
} // namespace ivp
