#include "quad_digits.hpp"

#include <ivp/problem_of.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

namespace ivp {

using namespace testing_support;

class quad_reference : public ::testing::TestWithParam<quad_row> {};

TEST_P(quad_reference, is_reproduced_to_its_own_digits) { EXPECT_GE(reference_digits(GetParam()), GetParam().digits); }

// A third program beside the two families that derived the references, compared in double: 15 digits are all that it can show.
INSTANTIATE_TEST_SUITE_P(rows, quad_reference,
                         ::testing::Values(quad_row{"hires", 1e-20, 1e-23, 15}, quad_row{"pollu", 1e-17, 1e-24, 15},
                                           quad_row{"vdpol", 1e-19, 1e-19, 15}, quad_row{"vdpolm", 1e-19, 1e-22, 15},
                                           quad_row{"orego", 1e-18, 1e-18, 15}, quad_row{"rober", 1e-18, 1e-28, 15},
                                           quad_row{"chemakzo_ode", 1e-17, 1e-19, 15}, quad_row{"chemakzo_dae", 1e-18, 1e-20, 15},
                                           quad_row{"plei", 1e-17, 1e-17, 15}, quad_row{"andrews", 1e-16, 1e-16, 9.5},
                                           quad_row{"caraxis", 1e-20, 1e-20, 9.0}, quad_row{"transamp", 1e-15, 1e-15, 13.5},
                                           quad_row{"crank", 1e-14, 1e-14, 9.2}));

// y' = -y: exact in every digit that quad has.
template <class R>
struct decay {
    explicit decay(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        out[0] = -y[0];
    }
    void initial(R* y) const { y[0] = R(1); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "decay";
        i.title = "Decay";
        i.n = 1;
        i.tend = "1.1"; // no double
        return i;
    }
};

/// A kink at 1/3, which no double is, and that the published runs did not know of: y' = max(0, t - 1/3)
template <class R>
struct kink {
    R third;
    explicit kink(const parameter_values& p) : third(p.get<R>("third")) {}
    template <class T>
    void f(const T& t, const T* /*y*/, T* out) const
    {
        out[0] = value_of(t) < value_of(third) ? T(0) : T(t - third);
    }
    void initial(R* y) const { y[0] = R(0); }
    static std::vector<parameter> parameters() { return {{"third", "0.3333333333333333333333333333333333", 0, 1, "place of the kink"}}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "kink";
        i.title = "Kink";
        i.n = 1;
        i.tend = 1;
        i.discontinuities = {"0.3333333333333333333333333333333333"};
        return i;
    }
};

TEST(solve_quad, has_more_digits_than_double)
{
    const problem p = problem_of<decay>();
    for (const int order : {0, 5, 9, 13}) {
        quad_settings s;
        s.order = order;
        s.h0 = 1e-3;
        const double tol = order == 5 ? 1e-18 : 1e-28;
        const quad_solution r = solve_quad(p, {tol, tol}, s);
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_LT(value_of(abs(r.y[0] - exp(quad_from_text("-1.1")))), 10 * tol) << order;
        EXPECT_GT(r.count.f, 0u);
        EXPECT_GE(r.steps, r.accepted);
    }
}

TEST(solve_quad, is_restarted_at_every_known_kink)
{
    const quad_solution r = solve_quad(problem_of<kink>(), {1e-20, 1e-20});
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    const quad third = quad_from_text("0.3333333333333333333333333333333333");
    EXPECT_LT(value_of(abs(r.y[0] - (1 - third) * (1 - third) / 2)), 1e-30);
}

TEST(solve_quad, ends_where_it_is_told)
{
    quad_settings s;
    s.tend = "0.7";
    s.h0 = 1e-3;
    const quad_solution r = solve_quad(problem_of<decay>(), {1e-20, 1e-20}, s);
    EXPECT_LT(value_of(abs(r.y[0] - exp(quad_from_text("-0.7")))), 1e-19);
    s.max_steps = 3;
    EXPECT_EQ(solve_quad(problem_of<decay>(), {1e-20, 1e-20}, s).outcome, outcome::too_many_steps);
    quad_settings hurried;
    hurried.timeout_s = 0.05;
    EXPECT_EQ(solve_quad(open_problem("ringmod"), {1e-14, 1e-14}, hurried).outcome, outcome::timed_out);
}

TEST(solve_quad, an_ide_is_answered_in_its_own_unknowns)
{
    quad_settings s;
    s.tend = 5;
    EXPECT_EQ(solve_quad(open_problem("nand"), {1e-6, 1e-6}, s).y.size(), 14u);
}

TEST(solve_quad, names_every_fault)
{
    quad_settings s;
    s.order = 7;
    s.h0 = -1;
    try {
        (void)solve_quad(problem_of<decay>(), {1e-40, 0}, s);
        FAIL() << "accepted";
    } catch (const bad_request& e) {
        EXPECT_EQ(e.faults(), (std::vector<std::string>{"rtol: allowed: numbers from 1e-30", "atol: allowed: numbers above 0",
                                                        "order: 7 given; allowed: 5, 9, 13, or 0 for a variable one",
                                                        "h0: -1 given; allowed: a number above 0"}));
    }
}

} // namespace ivp
