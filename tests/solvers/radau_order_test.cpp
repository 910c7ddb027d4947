// The orders of the Radau IIA methods, measured in quadruple precision with equal steps, on an ordinary differential equation and in the
// components of each index of a differential-algebraic one; and the coefficients they come from.
#include "solvers/convergence.hpp"
#include "solvers/index3_problem.hpp"
#include "solvers/radau/radau_integrator.hpp"
#include "solvers/radau/radau_method.hpp"

#include <ivp/problem_of.hpp>
#include <ivp/scalar.hpp>

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace ivp {

using namespace testing_support;
using solvers::radau_method;

namespace {

/// y1' = -y2 y1, y2' = y1 (1 + t) - y2: not linear, so that all order conditions count; the solution is found with order 13 and more steps.
template <class R>
struct smooth_problem {
    explicit smooth_problem(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        out[0] = -y[1] * y[0];
        out[1] = y[0] * (1 + t) - y[1];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(2);
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "smooth";
        i.title = "Smooth";
        i.n = 2;
        i.tend = 1;
        return i;
    }
};

/// The end of so many equal steps, near 1: each is a double, their sum is not rounded.
quad end_of(int steps) { return quad(1.0 / steps) * quad(steps); }

/// The solution there: the error test is too loose to matter, and the Newton iteration stops near rounding.
std::vector<quad> with_equal_steps(const problem& p, int stages, int steps)
{
    basic_evaluator<quad> e(p);
    std::vector<quad> y = p.in<quad>().initial_values();
    solve_options o;
    o.tolerance = {1, 1};
    o.h0 = o.hmax = 1.0 / steps;
    solvers::radau_settings s;
    s.least_stages = s.most_stages = s.start_stages = stages;
    s.newton_tolerance = 1e-30;
    s.newton_limit = 50;
    s.thet = -1;
    const solve_result r = solvers::integrate_radau(solvers::radau_request<quad>{e, quad(0), end_of(steps), y, 10000, o, s});
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.steps, static_cast<std::uint64_t>(steps));
    return y;
}

} // namespace

class radau_orders : public ::testing::TestWithParam<int> {};

TEST_P(radau_orders, of_an_ordinary_differential_equation)
{
    const int s = GetParam();
    const problem p = problem_of<smooth_problem>();
    const std::vector<quad> exact = with_equal_steps(p, 7, 64);
    const auto order = measured_orders(8, 16, [&](int steps) {
        const auto y = with_equal_steps(p, s, steps);
        return std::array{value_of(abs(y[0] - exact[0])), value_of(abs(y[1] - exact[1]))};
    });
    for (const double k : order) EXPECT_NEAR(k, 2 * s - 1, 0.2);
}

// Hairer, Lubich, Roche (1989): the components of index 1, 2, 3 converge with 2s - 2, s, s - 1; the first with 2s - 1 where, as here, the
// equations are linear in the variables of index 3.
TEST_P(radau_orders, of_a_problem_of_index_3)
{
    const int s = GetParam();
    if (s == 1) GTEST_SKIP() << "the theory begins with two stages";
    const problem p = index3();
    // In quad the error of y with seven stages and 32 steps would be that of the Newton iteration.
    const auto order = measured_orders(16, s == 7 ? 24 : 32, [&](int steps) { return index3_errors(with_equal_steps(p, s, steps), end_of(steps)); });
    EXPECT_NEAR(order[0], 2 * s - 1, 0.45) << "y";
    EXPECT_NEAR(order[1], s, 0.1) << "z";
    EXPECT_NEAR(order[2], s - 1, 0.1) << "u";
}

INSTANTIATE_TEST_SUITE_P(stages, radau_orders, ::testing::Values(1, 3, 5, 7));

// ---- coefficients -----------------------------------------------------------------------------------------------------------------------

namespace {

template <int S>
using square = std::array<std::array<quad, S>, S>;

template <int S>
square<S> product(const square<S>& a, const square<S>& b)
{
    square<S> c;
    for (int i = 0; i < S; ++i)
        for (int j = 0; j < S; ++j) {
            c[i][j] = quad(0);
            for (int k = 0; k < S; ++k) c[i][j] += a[i][k] * b[k][j];
        }
    return c;
}

quad power(const quad& x, int k) { return k == 0 ? quad(1) : x * power(x, k - 1); }

void expect_small(const quad& x, double bound = 1e-30) { EXPECT_LT(value_of(abs(x)), bound); }

template <int S>
void check_coefficients()
{
    const auto& m = radau_method<quad, S>::get();
    square<S> lambda;
    for (auto& row : lambda) row.fill(quad(0));
    lambda[0][0] = m.gamma;
    for (int k = 0; k < m.pairs; ++k) {
        const int j = 2 * k + 1;
        lambda[j][j] = lambda[j + 1][j + 1] = m.alpha[k];
        lambda[j][j + 1] = -m.beta[k];
        lambda[j + 1][j] = m.beta[k];
    }
    // A C_q = c^q/q for q = 1 ... S (stage order) says what A is; with A^-1 = T Lambda T^-1 it is A^-1 c^q = q c^(q-1). Entries of A^-1 reach 40.
    const square<S> inverse_a = product<S>(product<S>(m.t, lambda), m.t_inverse);
    for (int q = 1; q <= S; ++q)
        for (int i = 0; i < S; ++i) {
            quad sum(0);
            for (int j = 0; j < S; ++j) sum += inverse_a[i][j] * power(m.c[j], q);
            expect_small(sum - quad(q) * power(m.c[i], q - 1));
        }
    const square<S> unit = product<S>(m.t, m.t_inverse);
    for (int i = 0; i < S; ++i)
        for (int j = 0; j < S; ++j) expect_small(unit[i][j] - quad(i == j ? 1 : 0));

    // Order 2S - 1: the nodes are those of the quadrature. Their polynomial is orthogonal to 1, x, ... x^(S-2) on [0, 1].
    std::array<quad, S + 1> polynomial; // prod (x - c_j), from the constant on
    polynomial.fill(quad(0));
    polynomial[0] = quad(1);
    for (int j = 0; j < S; ++j) {
        for (int k = j + 1; k >= 1; --k) polynomial[k] = polynomial[k - 1] - m.c[j] * polynomial[k];
        polynomial[0] = -m.c[j] * polynomial[0];
    }
    for (int k = 0; k <= S - 2; ++k) {
        quad integral(0);
        for (int l = 0; l <= S; ++l) integral += polynomial[l] / quad(k + l + 1);
        expect_small(integral);
    }
    EXPECT_EQ(m.c[S - 1], quad(1));

    for (int q = 1; q <= S; ++q) {
        quad sum(q == 1 ? 1 : 0);
        for (int i = 0; i < S; ++i) sum += m.e[i] * power(m.c[i], q);
        expect_small(sum);
    }
    // The normalisation, which the Newton norm depends on; and the zeros and ones that the iteration does not multiply with.
    quad norm(0);
    for (int i = 0; i < S; ++i) norm += m.t[i][0] * m.t[i][0];
    expect_small(norm - quad(1));
    EXPECT_EQ(m.t[S - 1][0] > quad(0), S <= 3);
    for (int k = 1; k < S; ++k) EXPECT_EQ(m.t[S - 1][k], quad(k % 2));

    const auto& d = radau_method<double, S>::get();
    for (int i = 0; i < S; ++i) {
        EXPECT_EQ(d.c[i], value_of(m.c[i]));
        EXPECT_EQ(d.e[i], value_of(m.e[i]));
        for (int j = 0; j < S; ++j) {
            EXPECT_EQ(d.t[i][j], value_of(m.t[i][j]));
            EXPECT_EQ(d.t_inverse[i][j], value_of(m.t_inverse[i][j]));
        }
    }
}

} // namespace

TEST(radau_coefficients, are_right_to_30_digits)
{
    check_coefficients<1>();
    check_coefficients<3>();
    check_coefficients<5>();
    check_coefficients<7>();
}

TEST(radau_coefficients, of_three_stages_have_closed_forms)
{
    const auto& m = radau_method<quad, 3>::get();
    const quad root6 = sqrt(quad(6));
    expect_small(m.c[0] - (4 - root6) / 10);
    expect_small(m.c[1] - (4 + root6) / 10);
    const quad p = pow(quad(9), quad(1) / 3);
    expect_small(1 / m.gamma - (6 + p * p - p) / 30);
}

} // namespace ivp
