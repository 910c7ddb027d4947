// Solvers behind the contract of plug-ins: what a task says of the problem, what a solver may claim, and our own solvers as guests.
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ivp {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ivp_solver_description description()
{
    ivp_solver_description d{};
    d.version = IVP_PLUGIN_VERSION;
    d.size = sizeof d;
    d.name = "guest";
    d.forms = IVP_ODE | IVP_DAE;
    d.highest_index = 3;
    d.lowest_order = d.highest_order = 1;
    return d;
}

/// One evaluation, and success with whatever it claims.
std::unique_ptr<const solver> claiming(std::function<void(const ivp_task&, ivp_result&)> claim)
{
    return solver_of("the guest", description(), [claim = std::move(claim)](const ivp_task* task, ivp_result* result) {
        std::vector<double> f(task->n);
        (void)task->callbacks->f(task->host, task->t0, task->y, f.data());
        for (int i = 0; i < task->n; ++i) task->y[i] += 1e-3 * f[i];
        result->t = task->tend;
        result->outcome = IVP_SUCCESS;
        claim(*task, *result);
    });
}

run_settings once(double rtol, algebra a = algebra::automatic)
{
    run_settings s;
    s.rtol = rtol;
    s.repeat = 1;
    s.algebra = a;
    return s;
}

// ---- The task ----

struct seen_task {
    double t0;
    int autonomous;
    int continues;
};

std::vector<seen_task> tasks_of(const problem& p)
{
    std::vector<seen_task> seen;
    const auto s = claiming([&](const ivp_task& task, ivp_result&) {
        EXPECT_GE(task.size, offsetof(ivp_task, continues) + sizeof task.continues);
        seen.push_back({task.t0, task.autonomous, task.continues});
    });
    (void)measure_run(p, *s, once(1e-4));
    return seen;
}

TEST(plugin_task, it_says_whether_the_problem_is_autonomous)
{
    EXPECT_EQ(tasks_of(open_problem("hires")).at(0).autonomous, 1);
    EXPECT_EQ(tasks_of(open_problem("medakzo", {{"N", "5"}})).at(0).autonomous, 0);
}

TEST(plugin_task, it_says_whether_a_run_goes_on)
{
    const auto parts = tasks_of(open_problem("medakzo", {{"N", "5"}}));
    ASSERT_GE(parts.size(), 2U);
    for (const auto& part : parts) EXPECT_EQ(part.continues, part.t0 == 5 ? 1 : 0) << "the breakpoint is at 5";
    for (const auto& part : tasks_of(open_problem("hires"))) EXPECT_EQ(part.continues, 0);
}

// ---- Claims ----

TEST(plugin_claims, counts_have_a_sign_and_a_range)
{
    const problem p = open_problem("vdpol");
    const auto message = [&p](std::int64_t ivp_result::*which, std::int64_t value) {
        return measure_run(p, *claiming([&](const ivp_task&, ivp_result& r) { r.*which = value; }), once(1e-4)).message;
    };
    constexpr std::int64_t most = std::int64_t{1} << 53;
    for (const auto which : {&ivp_result::steps, &ivp_result::accepted, &ivp_result::error_rejections, &ivp_result::nfev, &ivp_result::njac,
                             &ivp_result::nlu, &ivp_result::nsolve}) {
        EXPECT_TRUE(has(message(which, -2), "= -2; allowed: 0 to 2^53, or -1 if it is not claimed"));
        EXPECT_TRUE(has(message(which, most + 1), "; allowed: 0 to 2^53"));
        EXPECT_TRUE(has(message(which, std::numeric_limits<std::int64_t>::min()), "the guest breaks the plug-in contract: it claims "));
        EXPECT_FALSE(has(message(which, most), "contract"));
        EXPECT_FALSE(has(message(which, -1), "contract"));
    }
    const auto r = measure_run(p, *claiming([](const ivp_task&, ivp_result& claimed) {
                                   claimed.steps = 3;
                                   claimed.accepted = 5;
                               }),
                               once(1e-4));
    EXPECT_EQ(r.outcome, outcome::crashed);
    EXPECT_TRUE(has(r.message, "it claims 5 accepted steps of 3")) << r.message;
}

// ---- Labels ----

TEST(plugin_label, it_becomes_the_name_and_names_no_file)
{
    const std::string echo = std::string(IVP_TEST_PLUGIN_DIR) + "/echo.so";
    const std::string several = std::string(IVP_TEST_PLUGIN_DIR) + "/several.so";
    EXPECT_EQ(load_plugin_solver("mine=" + echo)->info().name, "mine");
    EXPECT_EQ(load_plugin_solver("mine=" + echo + ":echo")->info().name, "mine");
    EXPECT_EQ(load_plugin_solver("other=" + several + ":heun")->info().name, "other");
    EXPECT_EQ(load_plugin_solver("other=" + several + ":heun")->info().highest_order, 3);
    EXPECT_EQ(file_of_plugin("mine=./x.so:name"), "./x.so");
    EXPECT_EQ(file_of_plugin("mine=./x.so"), "./x.so");
    EXPECT_EQ(file_of_plugin("./a=b/x.so"), "./a=b/x.so") << "that is no name";
    EXPECT_EQ(file_of_plugin("No Name=./x.so"), "No Name=./x.so");
}

TEST(plugin_label, a_file_of_that_very_name_comes_first)
{
    const auto before = std::filesystem::current_path();
    const auto folder = std::filesystem::temp_directory_path() / "ivp_plugin_label";
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(std::string(IVP_TEST_PLUGIN_DIR) + "/echo.so", folder / "mine=echo.so",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::current_path(folder);
    EXPECT_EQ(load_plugin_solver("mine=echo.so")->info().name, "echo");
    EXPECT_EQ(file_of_plugin("mine=echo.so"), "mine=echo.so");
    std::filesystem::current_path(before);
    std::filesystem::remove_all(folder);
}

// ---- Our own solvers as guests ----

void expect_same(const run_record& own, const run_record& guest)
{
    EXPECT_EQ(label(own.outcome), label(guest.outcome));
    EXPECT_EQ(own.message, guest.message);
    EXPECT_EQ(own.t_end_reached, guest.t_end_reached);
    EXPECT_EQ(own.y, guest.y);
    EXPECT_EQ(own.steps, guest.steps);
    EXPECT_EQ(own.accepted, guest.accepted);
    EXPECT_EQ(own.nfev, guest.nfev);
    EXPECT_EQ(own.nfev_jac, guest.nfev_jac);
    EXPECT_EQ(own.njac, guest.njac);
    EXPECT_EQ(own.nlu, guest.nlu);
    EXPECT_EQ(own.nsolve, guest.nsolve);
    EXPECT_EQ(own.algebra, guest.algebra);
    EXPECT_EQ(own.extra, guest.extra);
}

class boundary : public testing::TestWithParam<std::string> {};

/// The same linear algebra, so the same numbers to the last bit: ODEs, a band with a breakpoint, a DAE, an IDE.
TEST_P(boundary, the_same_steps_and_counts_behind_it)
{
    const auto own = open_solver(GetParam());
    const auto guest = behind_plugin_boundary(open_solver(GetParam()));
    EXPECT_EQ(guest->info().name, GetParam());
    EXPECT_EQ(guest->info().origin, "plug-in boundary");
    int compared = 0;
    const std::vector<std::pair<problem, algebra>> tasks{{open_problem("hires"), algebra::dense},
                                                         {open_problem("vdpol"), algebra::dense},
                                                         {open_problem("medakzo", {{"N", "8"}}), algebra::band},
                                                         {open_problem("chemakzo_dae"), algebra::dense},
                                                         {open_problem("nand"), algebra::dense},
                                                         {open_problem("rober").as_ide(), algebra::dense}};
    for (const auto& [p, a] : tasks) {
        if (own->info().refusal(p) || (a == algebra::band && own->info().implicit && !own->info().takes_band)) continue;
        SCOPED_TRACE(p.id());
        const auto settings = once(1e-4, own->info().implicit ? a : algebra::automatic);
        expect_same(measure_run(p, *own, settings), measure_run(p, *guest, settings));
        ++compared;
    }
    EXPECT_GE(compared, 1);
}

TEST_P(boundary, difference_quotients_are_counted_apart)
{
    const auto guest = behind_plugin_boundary(open_solver(GetParam()));
    if (!guest->info().implicit || !guest->info().takes(form::ode)) GTEST_SKIP() << "it takes no Jacobian of an ODE";
    auto settings = once(1e-4);
    settings.jacobian = jacobian_source::differences;
    const run_record r = measure_run(open_problem("orego"), *guest, settings);
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_GE(r.njac, 1U);
    EXPECT_GE(r.nfev_jac, r.njac * 3) << "without a pattern one evaluation for each of three columns";
}

INSTANTIATE_TEST_SUITE_P(all, boundary, testing::ValuesIn(solver_names()), [](const auto& solver) {
    std::string name = solver.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(behind_boundary, a_guest_knows_only_what_the_task_says)
{
    const problem p = open_problem("pollu");
    EXPECT_EQ(measure_run(p, *open_solver("radau5"), once(1e-4)).algebra, "sparse") << "found by following the formula";
    EXPECT_EQ(measure_run(p, *behind_plugin_boundary(open_solver("radau5")), once(1e-4)).algebra, "dense");
    EXPECT_THROW((void)measure_run(p, *behind_plugin_boundary(open_solver("radau5")), once(1e-4, algebra::sparse)), bad_request);
}

/// Stops after so many steps.
class counting_observer final : public step_observer {
public:
    explicit counting_observer(int most) : most_(most) {}
    observer_answer on_step(const accepted_step& step) override
    {
        ++steps_;
        if (step.between != nullptr) {
            std::vector<double> y(step.y.size());
            step.between->evaluate(step.t, y.data());
            EXPECT_NEAR(y[0], step.y[0], 1e-12);
            ++interpolated_;
        }
        return steps_ < most_ ? observer_answer::go_on : observer_answer::stop;
    }
    int steps_ = 0;
    int interpolated_ = 0;

private:
    int most_;
};

TEST(behind_boundary, observers_see_every_step_and_can_stop)
{
    const auto guest = behind_plugin_boundary(open_solver("radau5"));
    counting_observer all(1'000'000);
    const run_record r = measure_run(open_problem("hires"), *guest, once(1e-4), &all);
    EXPECT_EQ(static_cast<std::uint64_t>(all.steps_), r.accepted);
    EXPECT_EQ(all.interpolated_, all.steps_);
    counting_observer few(3);
    EXPECT_EQ(measure_run(open_problem("hires"), *guest, once(1e-4), &few).outcome, outcome::stopped_by_observer);
    EXPECT_EQ(few.steps_, 3);
    auto short_run = once(1e-4);
    short_run.max_steps = 5;
    EXPECT_EQ(measure_run(open_problem("hires"), *guest, short_run).outcome, outcome::too_many_steps);
}

TEST(behind_boundary, one_guest_takes_one_problem_after_the_other)
{
    const auto guest = behind_plugin_boundary(open_solver("rodas"));
    const auto own = open_solver("rodas");
    for (const char* id : {"hires", "vdpol", "orego", "hires"}) {
        SCOPED_TRACE(id);
        expect_same(measure_run(open_problem(id), *own, once(1e-3, algebra::dense)),
                    measure_run(open_problem(id), *guest, once(1e-3, algebra::dense)));
    }
}

} // namespace
} // namespace ivp
