#include "model/test_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/evaluator.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

namespace ivp {

using testing_support::plain_problem;

TEST(evaluator, counts_each_kind_apart)
{
    const problem p = open_problem("hires");
    evaluator e(p);
    std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(p.n());
    std::vector<double> j(64);
    const matrix_view<double> view{structure_kind::full, 8, 0, 0, 8, nullptr, j.data()};
    for (int k = 0; k < 3; ++k) EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::ok);
    EXPECT_EQ(e.f_for_jacobian(0, y.data(), out.data()), evaluation::ok);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(e.jacobian(0, y.data(), view), evaluation::ok);
    ++e.count().lu;
    const counters c = e.total();
    EXPECT_EQ(c.f, 3u);
    EXPECT_EQ(c.f_jacobian, 1u);
    EXPECT_EQ(c.jacobian, 2u);
    EXPECT_EQ(c.lu, 1u);
    EXPECT_EQ(c.refused, 0u);
}

TEST(evaluator, counts_from_many_threads_lose_nothing)
{
    const problem p = open_problem("hires");
    evaluator e(p);
    const std::vector<double> y = p.in<double>().initial_values();
    constexpr int each = 20000;
    const auto work = [&] {
        std::vector<double> out(8);
        for (int k = 0; k < each; ++k) (void)e.f(0, y.data(), out.data());
    };
    std::vector<std::jthread> threads;
    for (int k = 0; k < 3; ++k) threads.emplace_back(work);
    work();
    threads.clear();
    EXPECT_EQ(e.total().f, 4u * each);
}

TEST(evaluator, notices_values_that_are_not_finite)
{
    const problem p = plain_problem({1, 2, 3}, 1, [](double t, const double* /*y*/, double* out) {
        out[0] = 0;
        out[1] = t < 0.5 ? 1 : std::numeric_limits<double>::infinity();
        out[2] = t < 0.7 ? 1 : std::nan("");
        return evaluation::ok;
    });
    evaluator e(p);
    std::vector<double> y(3);
    std::vector<double> out(3);
    EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::ok);
    EXPECT_FALSE(e.last_nonfinite());
    EXPECT_EQ(e.f(0.6, y.data(), out.data()), evaluation::nonfinite);
    ASSERT_TRUE(e.last_nonfinite());
    EXPECT_EQ(e.last_nonfinite()->t, 0.6);
    EXPECT_EQ(e.last_nonfinite()->component, 1);
    EXPECT_EQ(e.total().nonfinite, 1u);
    EXPECT_EQ(e.total().f, 2u);
}

/// As a callback chosen for the size asks.
evaluation f_of_its_size(evaluator& e, double* y, double* out)
{
    switch (size_of(e.n())) {
    case components::few: return e.f_of<components::few>(0, y, out);
    case components::several: return e.f_of<components::several>(0, y, out);
    default: return e.f_of<components::many>(0, y, out);
    }
}

TEST(evaluator, finds_one_bad_component_wherever_it_is_and_is_not_fooled_by_large_ones)
{
    constexpr double huge = std::numeric_limits<double>::max();
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 20, 63, 64, 65, 66, 80, 81, 100, 133}) {
        int bad = -1;
        double value = 0;
        double others = 1;
        const problem p = plain_problem(std::vector<double>(n, 0.0), 1, [&](double /*t*/, const double* /*y*/, double* out) {
            for (int i = 0; i < n; ++i) out[i] = i == bad ? value : others;
            return evaluation::ok;
        });
        evaluator e(p);
        std::vector<double> y(n);
        std::vector<double> out(n);
        for (const double background : {1.0, huge, -huge}) {
            others = background;
            bad = -1;
            EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::ok) << n << " " << others;
            EXPECT_EQ(f_of_its_size(e, y.data(), out.data()), evaluation::ok) << n << " " << others;
            for (const double v : {std::nan(""), HUGE_VAL, -HUGE_VAL})
                for (bad = 0; bad < n; ++bad) {
                    value = v;
                    ASSERT_EQ(e.f(0, y.data(), out.data()), evaluation::nonfinite) << n << " " << bad << " " << v;
                    ASSERT_EQ(e.last_nonfinite()->component, bad) << n;
                    ASSERT_EQ(f_of_its_size(e, y.data(), out.data()), evaluation::nonfinite) << n << " " << bad << " " << v;
                }
        }
    }
}

TEST(evaluator, passes_refusals_on_and_counts_them)
{
    const problem p = plain_problem({1}, 1, [](double, const double* y, double* out) {
        out[0] = 0;
        return y[0] < 0 ? evaluation::refused : evaluation::ok;
    });
    evaluator e(p);
    const double bad = -1;
    double out[2]{}; // more than is used: the compiler cannot know how many there are
    EXPECT_EQ(e.f(0, &bad, out), evaluation::refused);
    EXPECT_EQ(e.total().refused, 1u);
}

/// y' = 1 whose plain function is another one than f: it answers what it is asked to, and 7 is no answer.
class plainly_answered final : public equations<double> {
public:
    [[nodiscard]] std::vector<double> initial_values() const override { return {0.0}; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    evaluation f(const double& /*t*/, const double* /*y*/, double* /*out*/) const override { throw std::logic_error("f is not asked"); }
    evaluation g(const double& /*t*/, const double* /*y*/, const double* /*yp*/, double* /*out*/) const override { return evaluation::ok; }
    evaluation jacobian(const double& /*t*/, const double* /*y*/, scratch& /*work*/, const matrix_view<double>& /*out*/) const override
    {
        return evaluation::ok;
    }
    evaluation partials(const double& /*t*/, const double* /*y*/, const double* /*yp*/, const double& /*a*/, const double& /*b*/, scratch& /*work*/,
                        const matrix_view<double>& /*out*/) const override
    {
        return evaluation::ok;
    }
    evaluation time_derivative(const double& /*t*/, const double* /*y*/, const double* /*yp*/, scratch& /*work*/, double* /*out*/) const override
    {
        return evaluation::ok;
    }
    [[nodiscard]] plain_function<double> plain_f() const override
    {
        return {[](const void* self, double /*t*/, const double* y, double* out) {
                    out[0] = 1;
                    ++static_cast<const plainly_answered*>(self)->calls;
                    return static_cast<int>(y[0]);
                },
                this};
    }
    [[nodiscard]] evaluation meaning_of(int answer) const override
    {
        if (answer == 7) throw std::runtime_error("7 is no answer");
        return equations<double>::meaning_of(answer);
    }
    mutable int calls = 0;

private:
    mass_matrix<double> mass_ = mass_matrix<double>::identity(1);
};

TEST(evaluator, calls_the_plain_function_and_asks_what_its_answer_means)
{
    problem_info info;
    info.id = "plain";
    info.form = form::ode;
    info.n = 1;
    info.tend = 1;
    const auto eq = std::make_shared<const plainly_answered>();
    const problem p(std::move(info), parameter_values({}, {}), eq);
    evaluator e(p);
    double out = 0;
    const auto answer = [&](double y) { return e.f(0, &y, &out); };
    EXPECT_EQ(answer(0), evaluation::ok);
    EXPECT_EQ(answer(1), evaluation::refused);
    EXPECT_EQ(answer(2), evaluation::nonfinite);
    EXPECT_THROW((void)answer(7), std::runtime_error);
    EXPECT_EQ(eq->calls, 4);
    EXPECT_EQ(e.total().f, 4U);
    EXPECT_EQ(e.total().refused, 2U);
}

TEST(evaluator, a_stop_from_another_thread_ends_the_next_evaluation)
{
    const problem p = open_problem("vdpol");
    evaluator e(p);
    const std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(2);
    EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::ok);
    std::jthread([&] { e.stop(outcome::crashed); }).join();
    EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::stopped);
    e.time_evaluations(true); // neither this nor its end makes it go on
    e.time_evaluations(false);
    EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::stopped);
    EXPECT_EQ(e.total().f, 3U);
}

TEST(evaluator, stops_on_request_and_keeps_the_first_reason)
{
    const problem p = open_problem("hires");
    evaluator e(p);
    const std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(8);
    EXPECT_FALSE(e.stop_reason());
    e.stop(outcome::stopped_by_observer);
    e.stop(outcome::timed_out);
    EXPECT_EQ(e.f(0, y.data(), out.data()), evaluation::stopped);
    EXPECT_EQ(e.stop_reason(), outcome::stopped_by_observer);
}

TEST(evaluator, stops_at_the_time_limit)
{
    const problem p = open_problem("hires");
    evaluator e(p);
    e.set_time_limit(0.02);
    const std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(8);
    while (e.f(0, y.data(), out.data()) == evaluation::ok) {}
    EXPECT_EQ(e.stop_reason(), outcome::timed_out);
    EXPECT_GT(e.total().f, 32U);
}

TEST(evaluator, measures_time_when_asked)
{
    const problem p = plain_problem({1}, 1, [](double, const double*, double* out) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        out[0] = 0;
        return evaluation::ok;
    });
    evaluator e(p);
    double y = 0;
    double out = 0;
    (void)e.f(0, &y, &out);
    EXPECT_EQ(e.seconds_in_evaluations(), 0.0);
    e.time_evaluations(true);
    (void)e.f(0, &y, &out);
    const double measured = e.seconds_in_evaluations();
    EXPECT_GE(measured, 0.002);
    e.time_evaluations(false);
    (void)e.f(0, &y, &out);
    EXPECT_EQ(e.seconds_in_evaluations(), measured);
    EXPECT_EQ(e.total().f, 3U);
}

} // namespace ivp
