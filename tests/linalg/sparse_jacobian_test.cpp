// Jacobians in sparse storage, by coloured duals, against dense ones made column by column: for every problem, at random points.
#include "test_name.hpp"

#include "linalg/shifted_lu.hpp"
#include "run/initial_derivative.hpp"

#include <ivp/catalog.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace ivp {
namespace {

class sparse_jacobian : public ::testing::TestWithParam<std::string> {
protected:
    /// Points near the start and, in the second half, far from it, so that every branch of the formulas has a chance.
    template <class Visit>
    void at_random_points(const problem& p, Visit visit) const
    {
        const auto y0 = p.in<double>().initial_values();
        const auto yp0 = initial_derivative(p);
        const double t0 = p.info().t0.value();
        std::mt19937_64 random(20240229);
        const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
        for (int k = 0; k < 40; ++k) {
            auto y = y0;
            auto yp = yp0;
            const double spread = k < 20 ? 1e-2 : 2.0;
            for (int i = 0; i < p.n(); ++i) {
                y[i] += spread * uniform() * std::max(std::abs(y[i]), k < 20 ? 1e-6 : 1.0);
                yp[i] += uniform();
            }
            visit(t0 + std::abs(uniform()) * (p.info().tend.value() - t0), y, yp);
        }
    }
};

TEST_P(sparse_jacobian, is_the_dense_one)
{
    const problem p = open_problem(GetParam());
    const int n = p.n();
    const bool implicit = p.info().form == form::ide;
    const auto& eq = p.in<double>();
    evaluator e(p);
    const structure& s = e.iteration_structure();
    const double rounding = GetParam() == std::string("plei") ? 1e-12 : 0; // its full Jacobian is written by hand, the sparse one is not
    const algebra path = s.kind == structure_kind::sparse ? algebra::sparse : s.kind == structure_kind::band ? algebra::band : algebra::dense;

    // Without any knowledge of the structure: one direction per column.
    const auto unaware = p.in<double>().make_scratch_for(structure::band(n - 1, n - 1));
    std::vector<double> expected(static_cast<std::size_t>(n) * n);
    const matrix_view<double> full{structure_kind::full, n, 0, 0, n, nullptr, expected.data()};
    const jacobian_matrix<double> finest(path, s, n);
    const jacobian_matrix<double> dense(algebra::dense, s, n);
    int compared = 0;
    at_random_points(p, [&](double t, const std::vector<double>& y, const std::vector<double>& yp) {
        for (const auto& [a, b] : {std::pair{1.0, 0.0}, std::pair{0.0, 1.0}, std::pair{2.0, -3.0}}) {
            const evaluation status = implicit ? eq.partials(t, y.data(), yp.data(), a, b, *unaware, full) : eq.jacobian(t, y.data(), *unaware, full);
            if (status != evaluation::ok) return;
            double largest = 0;
            for (const double x : expected) largest = std::max(largest, std::abs(x));
            for (const auto* j : {&finest, &dense}) {
                std::fill_n(j->view().data, j->view().size(), 77.0);
                ASSERT_EQ(implicit ? e.partials(t, y.data(), yp.data(), a, b, j->view()) : e.jacobian(t, y.data(), j->view()), evaluation::ok);
                for (int col = 0; col < n; ++col)
                    for (int row = 0; row < n; ++row) {
                        const double wanted = full.at(row, col);
                        const double got = j->view().at(row, col);
                        ASSERT_TRUE(std::abs(got - wanted) <= rounding * largest || got == wanted || (std::isnan(got) && std::isnan(wanted)))
                            << "row " << row + 1 << ", column " << col + 1 << ": " << got << " instead of " << wanted;
                    }
            }
            ++compared;
            if (!implicit) return;
        }
    });
    EXPECT_GE(compared, 5);
}

// Everything that a formula followed by value depends on, wherever it is followed, is in the pattern.
TEST_P(sparse_jacobian, pattern_holds_all_traced_entries)
{
    const problem p = open_problem(GetParam());
    const structure& s = p.finest_iteration_structure();
    at_random_points(p, [&](double t, const std::vector<double>& y, const std::vector<double>& yp) {
        const auto rows = p.in<double>().trace(t, y.data(), yp.data());
        for (int i = 0; i < p.n(); ++i)
            for (const int j : rows[i]) ASSERT_TRUE(s.contains(i, j)) << "equation " << i + 1 << ", variable " << j + 1;
    });
    const auto& m = p.in<double>().mass();
    for (int j = 0; j < p.n(); ++j)
        for (int i = 0; i < p.n(); ++i) EXPECT_TRUE(p.info().form == form::ide || m.at(i, j) == 0 || s.contains(i, j));
}

INSTANTIATE_TEST_SUITE_P(catalog, sparse_jacobian, ::testing::ValuesIn(problem_ids()), testing_support::test_name);

TEST(finest_iteration_structure, is_known_for_most_problems)
{
    int sparse = 0;
    for (const auto& id : problem_ids()) {
        const problem p = open_problem(id);
        sparse += p.finest_iteration_structure().kind == structure_kind::sparse ? 1 : 0;
        EXPECT_EQ(&p.finest_iteration_structure(), &problem(p).finest_iteration_structure()) << "found once, shared by copies";
    }
    EXPECT_GE(sparse, 75) << "all of DETEST's but the three declared as bands, and all but a few of the test set";
    EXPECT_EQ(open_problem("medakzo").finest_iteration_structure().describe(), "band 2,2") << "what is declared stands";
    EXPECT_EQ(open_problem("pollu").finest_iteration_structure().describe(), "sparse 86 entries");
    EXPECT_EQ(open_problem("pollu").as_ide().finest_iteration_structure().describe(), "sparse 86 entries");
    EXPECT_EQ(open_problem("wheel").as_dae().finest_iteration_structure().kind, structure_kind::sparse);
}

} // namespace
} // namespace ivp
