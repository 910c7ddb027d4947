// The examples as text are the built-in problems: f and Jacobian to rounding at random points, and the same counts with radau5.
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace ivp {

namespace {

struct example {
    std::string id;
    double spread; ///< random points: y0 (1 + spread x), and spread x of the largest component
    bool same_counts = true;
};

class Examples : public testing::TestWithParam<example> {
protected:
    problem own = open_problem(GetParam().id);
    problem text = load_text_problem(std::string(IVP_EXAMPLES_DIR) + "/" + GetParam().id + ".ivp");
};

std::vector<double> matrix_of(const problem& p, double t, const std::vector<double>& y)
{
    std::vector<double> values(y.size() * y.size());
    const int n = p.n();
    const matrix_view<double> out{structure_kind::full, n, 0, 0, n, nullptr, values.data()};
    const auto work = p.in<double>().make_scratch();
    EXPECT_EQ(p.in<double>().jacobian(t, y.data(), *work, out), evaluation::ok);
    return values;
}

/// Terms of a sum may cancel: rounding is relative to the largest of them, for which the largest entry of the row in J y stands.
void expect_equal(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& scale, const char* what)
{
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13 * scale[i] + 1e-300) << what << " " << i;
}

} // namespace

TEST_P(Examples, AreTheBuiltInProblems)
{
    ASSERT_EQ(text.n(), own.n());
    EXPECT_EQ(text.info().form, own.info().form);
    EXPECT_EQ(text.info().t0.text(), own.info().t0.text());
    EXPECT_EQ(text.info().tend.value(), own.info().tend.value());
    ASSERT_EQ(text.info().breakpoints.size(), own.info().breakpoints.size());
    EXPECT_EQ(text.info().autonomous(), own.info().autonomous());
    const auto start = own.in<double>().initial_values();
    const auto text_start = text.in<double>().initial_values();
    for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(start[i], text_start[i], 4e-16 * std::abs(start[i]));

    const std::size_t n = start.size();
    double largest = 0;
    for (const double x : start) largest = std::max(largest, std::abs(x));
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int trial = 0; trial < 5; ++trial) {
        std::vector<double> y(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = start[i] * (1 + GetParam().spread * unit(random)) + GetParam().spread * largest * unit(random);
        const double t = own.info().t0.value() + unit(random) * (own.info().tend.value() - own.info().t0.value());
        std::vector<double> a(n), b(n);
        ASSERT_EQ(own.in<double>().f(t, y.data(), a.data()), evaluation::ok);
        ASSERT_EQ(text.in<double>().f(t, y.data(), b.data()), evaluation::ok);
        const auto ja = matrix_of(own, t, y);
        const auto jb = matrix_of(text, t, y);
        std::vector<double> row_scale(n, 0), entry_scale(n * n);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i) row_scale[i] = std::max({row_scale[i], std::abs(ja[i + j * n] * y[j]), std::abs(a[i])});
        std::vector<double> row_size(n, 0);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i) row_size[i] = std::max(row_size[i], std::abs(ja[i + j * n]));
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i) entry_scale[i + j * n] = row_size[i];
        expect_equal(a, b, row_scale, "f");
        expect_equal(ja, jb, entry_scale, "Jacobian");
        // The same in quadruple precision: decimals are exact in both.
        std::vector<quad> z(y.begin(), y.end()), qa(n), qb(n);
        ASSERT_EQ(own.in<quad>().f(quad(t), z.data(), qa.data()), evaluation::ok);
        ASSERT_EQ(text.in<quad>().f(quad(t), z.data(), qb.data()), evaluation::ok);
        for (std::size_t i = 0; i < n; ++i) EXPECT_LE(std::abs(value_of(qa[i] - qb[i])), 1e-29 * row_scale[i] + 1e-300) << "f in quad " << i;
    }
    const auto& ma = own.in<double>().mass();
    const auto& mb = text.in<double>().mass();
    for (int j = 0; j < text.n() && ma.kind() != mass_kind::identity; ++j)
        for (int i = 0; i < text.n(); ++i) EXPECT_EQ(ma.at(i, j), mb.at(i, j)) << i << " " << j;
}

TEST_P(Examples, HaveTheSameCounts)
{
    if (!GetParam().same_counts) GTEST_SKIP() << "rounding decides the counts of this problem";
    const auto solver = open_solver("radau5");
    const double rtol = 1e-6;
    run_settings s;
    s.rtol = rtol;
    s.atol = {own.info().protocol.atol(rtol)};
    s.h0 = own.info().protocol.h0(rtol);
    s.repeat = 1;
    s.algebra = algebra::dense; // one path of the linear algebra for both
    const auto measured = [&](const problem& p) {
        prepared_run run(p, *solver, s);
        run.sample();
        return run.record();
    };
    const run_record a = measured(own);
    const run_record b = measured(text);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.accepted, b.accepted);
    EXPECT_EQ(a.nfev, b.nfev);
    EXPECT_EQ(a.njac, b.njac);
    EXPECT_EQ(a.nlu, b.nlu);
}

TEST(ExampleNand, IsTheBuiltInProblem)
{
    const problem own = open_problem("nand");
    const problem text = load_text_problem(std::string(IVP_EXAMPLES_DIR) + "/nand.ivp");
    ASSERT_EQ(text.info().form, form::ide);
    ASSERT_EQ(text.info().breakpoints.size(), own.info().breakpoints.size());
    const auto start = own.in<double>().initial_values();
    EXPECT_EQ(text.in<double>().initial_values(), start);
    const std::size_t n = start.size();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> y(n), yp(n), a(n), b(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = start[i] + 0.5 * unit(random), yp[i] = unit(random);
        const double t = 40 + 40 * unit(random);
        const auto answer = own.in<double>().g(t, y.data(), yp.data(), a.data());
        ASSERT_EQ(text.in<double>().g(t, y.data(), yp.data(), b.data()), answer);
        for (std::size_t i = 0; i < n && answer == evaluation::ok; ++i) EXPECT_NEAR(a[i], b[i], 1e-14) << "G " << i;
        std::vector<double> ja(n * n), jb(n * n);
        for (auto [p, j] : {std::pair{&own, &ja}, std::pair{&text, &jb}}) {
            const matrix_view<double> out{structure_kind::full, static_cast<int>(n), 0, 0, static_cast<int>(n), nullptr, j->data()};
            const auto work = p->in<double>().make_scratch();
            (void)p->in<double>().partials(t, y.data(), yp.data(), 1.0, 3.0, *work, out);
        }
        for (std::size_t k = 0; k < n * n && answer == evaluation::ok; ++k) EXPECT_NEAR(ja[k], jb[k], 1e-13) << "partial derivative " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(, Examples,
                         testing::Values(example{"hires", 0.1}, example{"rober", 0.1}, example{"e5", 0.1}, example{"orego", 0.1},
                                         example{"pollu", 0.1}, example{"chemakzo_ode", 0.1}, example{"chemakzo_dae", 0.1}, example{"emep", 0.1},
                                         example{"vdpol", 0.1}, example{"medakzo", 0.1}, example{"transamp", 1e-3}, example{"plei", 0.01}),
                         [](const auto& shown) { return shown.param.id; });

} // namespace ivp
