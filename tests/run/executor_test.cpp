// A solver that does its worst: every deed becomes an outcome with a reason, and the process that asked for the run goes on.
#include "catalog/foreign.hpp"
#include "run/executor.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/wait.h>

namespace {

using namespace ivp;

std::string plugin(const std::string& name) { return std::string(IVP_TEST_PLUGIN_DIR "/") + name + ".so"; }

struct deed {
    int number;
    outcome expected;
    const char* reason; ///< part of the message
    const char* what;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest asks for this name
void PrintTo(const deed& d, std::ostream* out) { *out << d.what; }

class hostile_solver : public testing::TestWithParam<deed> {};

TEST_P(hostile_solver, becomes_an_outcome)
{
    const problem p = open_problem("hires");
    const auto s = open_contained_solver(plugin("hostile"));
    run_settings settings;
    settings.repeat = GetParam().expected == outcome::not_repeatable ? 3 : 1;
    const bool never_returns = GetParam().expected == outcome::timed_out;
    settings.timeout_s = never_returns ? 0.3 : 60;
    settings.special["deed"] = GetParam().number;
    child_limits limits;
    limits.memory = 300ULL << 20U;
    const run_record r = execute({&p, s.get(), settings, limits, {}});
    EXPECT_EQ(label(r.outcome), label(GetParam().expected)) << r.message;
    EXPECT_NE(r.message.find(GetParam().reason), std::string::npos) << r.message;
    EXPECT_EQ(r.problem, "hires");
    EXPECT_EQ(r.solver, "hostile");
    EXPECT_EQ(r.options.at("deed"), GetParam().number);
    EXPECT_EQ(record_from_json(to_json(r)).message, r.message);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1); // no child is left
}

INSTANTIATE_TEST_SUITE_P(
    deeds, hostile_solver,
    testing::Values(deed{1, outcome::crashed, "Segmentation fault (signal 11); the last step accepted ended at t = 80.4", "segfault"},
                    deed{2, outcome::timed_out, "did not end within 0.8 s; the last step accepted", "endless_loop"},
                    deed{3, outcome::out_of_memory, "uses more than 300 MiB", "eats_memory"}, deed{4, outcome::crashed, "exit code 0", "exit"},
                    deed{5, outcome::crashed, "Aborted (signal 6)", "abort"},
                    deed{6, outcome::crashed, "an exception left it: no conversion today", "throws"},
                    deed{7, outcome::crashed, "writes outside the n entries of y", "writes_past_y"},
                    deed{8, outcome::wrong_answer, "has not evaluated the problem once", "claims_success_at_once"},
                    deed{9, outcome::crashed, "signal 11", "unloads_itself"},
                    deed{10, outcome::nonfinite, "component 1 of its answer", "answers_nan"},
                    deed{11, outcome::crashed, "signal 11", "stack_overflow"},
                    deed{12, outcome::wrong_answer, "has not evaluated the problem once", "floods_standard_output"},
                    deed{13, outcome::crashed, "exit code 0", "closes_everything"},
                    deed{14, outcome::wrong_answer, "has not evaluated the problem once", "leaves_a_process"},
                    deed{15, outcome::timed_out, "0.8 s", "ignores_signals"}, deed{17, outcome::crashed, "an exception left it", "throws_a_number"},
                    deed{18, outcome::timed_out, "time limit", "evaluates_for_ever"}, deed{19, outcome::crashed, "Killed (signal 9)", "kills_itself"},
                    deed{20, outcome::crashed, "signal 11", "overwrites_the_heap"}, deed{21, outcome::crashed, "writes outside", "writes_before_y"},
                    deed{22, outcome::crashed, "signal 6", "frees_what_is_not_its_own"},
                    deed{23, outcome::not_repeatable, "f 0 instead of 1", "gives_a_cached_answer"},
                    deed{24, outcome::wrong_answer, "has not evaluated the problem once", "hides_its_work_in_a_child"}),
    [](const auto& i) { return std::string(i.param.what); });

TEST(execute, gives_the_same_record_in_a_process_of_its_own)
{
    const problem p = open_problem("hires");
    const auto s = open_solver("radau5");
    run_settings settings;
    settings.repeat = 1;
    const run_record plain = execute({&p, s.get(), settings, {}, {}});
    const run_record contained = execute({&p, s.get(), settings, child_limits{}, {}});
    EXPECT_EQ(contained.outcome, outcome::success);
    EXPECT_EQ(contained.y, plain.y);
    EXPECT_EQ(contained.steps, plain.steps);
    EXPECT_EQ(contained.nfev, plain.nfev);
    EXPECT_EQ(contained.scd, plain.scd);
    EXPECT_GT(contained.cpu_s, 0);
}

TEST(execute, refusals_come_through)
{
    const problem p = open_problem("nand");
    const auto s = open_solver("radau5");
    EXPECT_THROW((void)execute({&p, s.get(), {}, child_limits{}, {}}), bad_request);
}

/// The record of a run that is refused only when it has begun: in a group a row like others.
TEST(execute, a_late_refusal_costs_nobody_else_a_result)
{
    const problem p = open_problem("hires");
    const auto good = open_solver("radau5");
    run_settings settings;
    settings.repeat = 1;
    std::vector<run_order> orders{{&p, good.get(), settings, child_limits{}, {}}, {&p, good.get(), settings, child_limits{}, {}}};
    orders[0].observer = []() -> std::unique_ptr<run_observer> { throw bad_request("not today"); };
    std::map<std::size_t, run_record> made;
    execute(orders, [&made](std::size_t k, run_record r) { made.emplace(k, std::move(r)); });
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made.at(0).outcome, outcome::unsupported);
    EXPECT_EQ(made.at(0).message, "not today");
    EXPECT_EQ(made.at(1).outcome, outcome::success);
    EXPECT_THROW((void)execute(orders[0]), bad_request);
}

/// Fails when everything is measured.
class late_failure final : public run_observer {
public:
    observer_answer on_step(const accepted_step&) override { return observer_answer::go_on; }
    void finish() override { throw bad_request("no room on the disk"); }
};

TEST(execute, an_observer_that_fails_late_costs_no_result)
{
    const problem p = open_problem("hires");
    const auto s = open_solver("radau5");
    for (const bool contained : {false, true}) {
        run_order order{&p, s.get(), {}, {}, [] { return std::make_unique<late_failure>(); }};
        order.settings.repeat = 1;
        if (contained) order.contained.emplace();
        const run_record r = execute(order);
        EXPECT_EQ(r.outcome, outcome::success);
        EXPECT_GT(*r.mescd, 1);
        EXPECT_EQ(r.message, "no room on the disk");
        EXPECT_EQ(r.extra.at(unfinished_observer), 1);
    }
}

TEST(execute, a_stop_drops_what_is_not_complete)
{
    const problem p = open_problem("hires");
    const auto s = open_solver("radau5");
    bool stop = false;
    for (const bool contained : {false, true}) {
        stop = false;
        run_order order{&p, s.get(), {}, {}, {}};
        if (contained) order.contained.emplace();
        const std::vector orders{order, order};
        std::size_t made = 0;
        execute(
            orders,
            [&](std::size_t, const run_record&) {
                ++made;
                stop = true;
            },
            [&stop] { return stop; });
        EXPECT_EQ(made, 1U) << contained;
    }
}

TEST(execute, time_limits_of_ages_are_no_time_limit_at_once)
{
    const problem p = open_problem("hires");
    const auto s = open_solver("radau5");
    run_settings settings;
    settings.repeat = 1;
    settings.timeout_s = 1e10;
    EXPECT_EQ(execute({&p, s.get(), settings, {}, {}}).outcome, outcome::success);
    EXPECT_EQ(execute({&p, s.get(), settings, child_limits{}, {}}).outcome, outcome::success);
}

TEST(open_contained_solver, a_crash_while_loading_is_told)
{
    try {
        (void)open_contained_solver(plugin("crash_on_load"));
        FAIL() << "it was opened";
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("crashes while it is loaded and describes itself: Segmentation fault (signal 11)"), std::string::npos)
            << e.what();
    }
}

TEST(open_contained_solver, nothing_it_prints_reaches_our_output)
{
    testing::internal::CaptureStdout();
    const auto s = open_contained_solver(plugin("hostile"));
    EXPECT_EQ(s->info().name, "hostile");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(open_contained_solver, a_description_survives_the_way)
{
    const auto radau5 = open_solver("radau5");
    const solver_info& own = radau5->info();
    const solver_info back = solver_info_from_json(to_json(own));
    EXPECT_EQ(to_json(back), to_json(own));
    EXPECT_EQ(back.forms, own.forms);
    EXPECT_EQ(back.options.size(), own.options.size());
    EXPECT_EQ(back.options.at(1).name, own.options.at(1).name);
    EXPECT_EQ(back.options.at(1).min, own.options.at(1).min);
    EXPECT_EQ(back.highest_index, 3);
    EXPECT_TRUE(back.needs_h0);
}

} // namespace
