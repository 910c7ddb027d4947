// Formulas on tapes, and what is made of them: power series, DAEs differentiated as their structure says, kinks that depend on the state.
#include "reference/derive.hpp"
#include "reference/expansion.hpp"
#include "reference/offsets.hpp"
#include "reference/tape_run.hpp"

#include <ivp/catalog.hpp>
#include <ivp/problem_of.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

namespace {

using reference::absent;
using reference::expansion;
using reference::find_offsets;
using reference::recorded_problem;

double size(quad a) { return std::abs(static_cast<double>(a)); }

/// An oscillator that is stiffer on one side: y'' = -4 y for y > 0, -y for y < 0, from y = 0 with velocity 1. Each turn takes 3/2 pi.
template <class R>
struct two_springs {
    explicit two_springs(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        out[0] = y[1];
        if (y[0] > 0)
            out[1] = -4 * y[0];
        else
            out[1] = -y[0];
    }
    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = R(1);
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "two_springs";
        i.n = 2;
        i.t0 = 0;
        i.tend = 10;
        return i;
    }
};

TEST(tape, gives_what_the_formula_gives_for_every_problem)
{
    for (const auto& id : problem_ids()) {
        recorded_problem p(open_problem(id));
        const auto& eq = p.in_quad();
        std::vector<quad> y = eq.initial_values();
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] * quad(1.001) + quad(1e-9); // off the start, where much is zero
        const quad t = p.as_dae().info().tend.in<quad>() * quad(0.37);
        std::vector<quad> expected(y.size()), values;
        if (eq.f(t, y.data(), expected.data()) != evaluation::ok) continue;
        ASSERT_TRUE(p.record(t, y.data())) << id;
        reference::evaluate(p.formula(), t, y.data(), values);
        quad largest = 0;
        for (const quad& v : expected) largest = std::max(largest, abs(v));
        for (std::size_t i = 0; i < y.size(); ++i)
            EXPECT_LE(size(values[p.formula().output[i]] - expected[i]), 1e-28 * std::max(size(expected[i]), 1e-3 * size(largest))) << id << " " << i;
    }
}

TEST(tape, its_derivatives_are_those_of_the_dual_numbers)
{
    for (const char* id : {"ringmod", "transamp", "andrews", "wheel", "water", "emep"}) {
        recorded_problem p(open_problem(id));
        const auto& eq = p.in_quad();
        const int n = p.n();
        const std::vector<quad> y = eq.initial_values();
        const quad t = p.as_dae().info().t0.in<quad>() + quad(1e-3);
        std::vector<quad> dual(static_cast<std::size_t>(n) * n), values, work, column(n);
        const matrix_view<quad> view{structure_kind::full, n, 0, 0, n, nullptr, dual.data()};
        const auto scratch = eq.make_scratch();
        ASSERT_EQ(eq.jacobian(t, y.data(), *scratch, view), evaluation::ok);
        ASSERT_TRUE(p.record(t, y.data()));
        reference::evaluate(p.formula(), t, y.data(), values);
        for (int j = 0; j < n; ++j) {
            reference::evaluate_derivative(p.formula(), values, j, work, column.data());
            for (int i = 0; i < n; ++i)
                EXPECT_LE(size(column[i] - view.at(i, j)), 1e-25 * (1e-6 + size(view.at(i, j)))) << id << " " << i << " " << j;
        }
    }
}

TEST(offsets, of_a_pendulum_say_that_its_constraint_is_differentiated_twice)
{
    // x' = u, u' = -x l, 0 = x: variables x, u, l
    const std::vector<int> order = {1, 0, absent, 0, 1, 0, 0, absent, absent};
    const auto o = find_offsets(order, 3);
    ASSERT_TRUE(o);
    EXPECT_EQ(o->c, (std::vector<int>{1, 0, 2}));
    EXPECT_EQ(o->d, (std::vector<int>{2, 1, 0}));
    EXPECT_FALSE(find_offsets({0, absent, 0, absent}, 2)) << "the second variable occurs nowhere";
}

TEST(expansion, of_the_exponential_function_is_that_of_the_books)
{
    // DETEST non-stiff A1: y' = -y
    recorded_problem p(open_problem("detest-n-a1"));
    const quad one = 1;
    ASSERT_TRUE(p.record(0, &one));
    expansion e(p, 20);
    e.set_point(0, &one);
    ASSERT_TRUE(e.expand());
    quad expected = 1;
    for (int k = 1; k <= 20; ++k) {
        expected = expected / quad(-k);
        EXPECT_LT(size(e.coefficient(0, k) - expected), 1e-32 * size(expected)) << k;
    }
    EXPECT_LT(size(e.value(0, quad(0.5)) - exp(quad(-0.5))), 1e-24);
}

TEST(expansion, of_an_index_3_problem_meets_the_hidden_constraints)
{
    recorded_problem p(open_problem("caraxis"));
    std::vector<quad> y = p.in_quad().initial_values();
    y[5] += quad(1e-4); // off the constraint of the velocities
    ASSERT_TRUE(p.record(0, y.data()));
    expansion e(p, 4);
    EXPECT_EQ(e.structure().c[9], 2) << "a constraint of positions";
    EXPECT_EQ(e.structure().d[9], 0) << "a multiplier";
    e.set_point(0, y.data());
    ASSERT_TRUE(e.settle());
    // (xl - xr)^2 + (yl - yr)^2 = 1, differentiated
    const auto v = [&e](int i) { return e.coefficient(i, 0); };
    const quad hidden = (v(0) - v(2)) * (v(4) - v(6)) + (v(1) - v(3)) * (v(5) - v(7));
    EXPECT_LT(size(hidden), 1e-30);
    EXPECT_LT(size(v(5)), 1e-3) << "by a small change";
}

TEST(derive, finds_kinks_that_depend_on_the_state)
{
    const problem p = problem_of<two_springs>();
    derivation_request request;
    request.size = {1, 1};
    const derivation d = derive(
        p, reference_recipe::from_text("radau:13:1e-18,1e-19 lobatto:15:1e-18,1e-19 taylor:30:1e-29,1e-30 gbs:12:1e-26,1e-27 floor:0.1"), request);
    ASSERT_EQ(d.failure(), "");
    // Two turns of 3/2 pi, then 10 - 3 pi on the stiff side.
    const quad pi = acos(quad(-1));
    const quad left = quad(10) - quad(3) * pi;
    EXPECT_LT(size(d.at[0].value[0] - sin(quad(2) * left) / quad(2)), 1e-26);
    EXPECT_LT(size(d.at[0].value[1] - cos(quad(2) * left)), 1e-26);
    EXPECT_GE(d.at[0].digits[0], 24);
    for (const auto& r : d.runs) EXPECT_EQ(r.turns, 5U) << r.method << ": at 0, pi/2, 3/2 pi, 2 pi and 3 pi";
}

TEST(derive, two_explicit_methods_confirm_what_collocation_found)
{
    // A third and a fourth code: what is stored comes from Radau IIA and Lobatto IIIC.
    for (const char* id : {"plei", "chemakzo_ode", "chemakzo_dae", "detest-n-d5", "detest-s-e1"}) {
        const problem p = open_problem(id);
        const derivation d = derive(p, reference_recipe::from_text("taylor:30:1e-25,1e-26 gbs:12:1e-23,1e-24 floor:0.001"));
        ASSERT_EQ(d.failure(), "") << id;
        const confirmation c = compare(*stored_reference(p), d);
        EXPECT_TRUE(c.contradictions.empty()) << id;
        for (std::size_t i = 0; i < d.at[0].digits.size(); ++i) EXPECT_GE(d.at[0].digits[i], 17) << id << " " << i;
    }
}

} // namespace

} // namespace ivp
