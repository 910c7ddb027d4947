#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

namespace ivp {

TEST(as_dae, nand_gets_its_derivatives_as_unknowns)
{
    const problem ide = open_problem("nand");
    const problem dae = ide.as_dae();
    EXPECT_EQ(dae.info().form, form::dae);
    EXPECT_EQ(dae.n(), 28); // the capacitance matrix is regular: every derivative occurs
    EXPECT_EQ(dae.info().index.size(), 28u);

    // f = (z, G(t, y, z)) and its Jacobian against differences in quad precision
    std::vector<double> y = dae.in<double>().initial_values();
    for (int i = 0; i < 28; ++i) y[i] += 0.01 * (1 + i % 3);
    std::vector<double> f(28);
    std::vector<double> g(14);
    ASSERT_EQ(dae.in<double>().f(7, y.data(), f.data()), evaluation::ok);
    ASSERT_EQ(ide.in<double>().g(7, y.data(), y.data() + 14, g.data()), evaluation::ok);
    for (int i = 0; i < 14; ++i) {
        EXPECT_EQ(f[i], y[14 + i]);
        EXPECT_EQ(f[14 + i], g[i]);
    }
    std::vector<double> j(28 * 28);
    const matrix_view<double> view{structure_kind::full, 28, 0, 0, 28, nullptr, j.data()};
    ASSERT_EQ(dae.in<double>().jacobian(7, y.data(), *dae.in<double>().make_scratch(), view), evaluation::ok);
    const auto& wide = dae.in<quad>();
    std::vector<quad> plus(28);
    std::vector<quad> minus(28);
    for (int col = 0; col < 28; ++col) {
        std::vector<quad> q(y.begin(), y.end());
        q[col] += 1e-10;
        (void)wide.f(7, q.data(), plus.data());
        q[col] -= 2e-10;
        (void)wide.f(7, q.data(), minus.data());
        for (int row = 0; row < 28; ++row) {
            const double slope = value_of((plus[row] - minus[row]) / quad(2e-10));
            EXPECT_NEAR(view.at(row, col), slope, 1e-9 * (1 + std::abs(slope))) << row << " " << col;
        }
    }
}

TEST(as_dae, an_ode_stays_what_it_is) { EXPECT_EQ(open_problem("hires").as_dae().info().form, form::ode); }

TEST(as_dae, nand_is_solved_and_its_digits_are_those_of_y)
{
    const problem p = open_problem("nand").as_dae();
    run_settings s;
    s.rtol = 1e-8;
    s.repeat = 1;
    const run_record r = measure_run(p, *open_solver("radau5"), s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.y.size(), 28u);
    EXPECT_GT(*r.scd, 7.8);
    EXPECT_GT(*r.mescd, 7.0);
}

} // namespace ivp
