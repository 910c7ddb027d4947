// Sparse matrices by GMRES with ILU(0): solutions are as near as was asked for, in the norm that was asked for, for every structure and mass matrix.
//
// DESCRIPTION: numbers are random with a fixed seed; the truth is the dense path with the same matrices.
#include "linalg/random_systems.hpp"

#include "linalg/linear_path.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp {

using namespace testing_support;

namespace {

/// The five points of a square grid, and a second field coupled to the first at each point.
structure two_fields_on_a_grid(int side)
{
    const int points = side * side;
    std::vector<std::vector<int>> columns(2 * static_cast<std::size_t>(points));
    for (int field = 0; field < 2; ++field)
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j) {
                const auto at = [&](int k, int l) { return field * points + (k + side) % side * side + (l + side) % side; };
                const int here = at(i, j);
                columns[here] = {here, at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), (here + points) % (2 * points)};
            }
    return structure::sparse(std::move(columns));
}

/// Diffusion with random coefficients, and random reactions.
void fill_like_a_parabolic_problem(const jacobian_matrix<double>& j, double diffusion)
{
    const sparsity& s = *j.view().pattern;
    for (int k = 0; k < s.n; ++k)
        for (int p = s.column_start[k]; p < s.column_start[k + 1]; ++p)
            j.view().data[p] = s.row[p] == k                       ? -4.4 * diffusion + uniform()
                               : std::abs(s.row[p] - k) == s.n / 2 ? uniform()
                                                                   : diffusion * (1 + 0.1 * uniform());
}

struct system_of {
    explicit system_of(structure pattern, mass_matrix<double> mass)
        : s(std::move(pattern)), j(algebra::krylov, s, mass.n()), full(algebra::dense, structure::full(), mass.n()), m(std::move(mass))
    {}

    /// J is written; the dense twin gets the same numbers.
    void copy_to_dense() const
    {
        for (int k = 0; k < m.n(); ++k)
            for (int i = 0; i < m.n(); ++i) full.view().set(i, k, j.view().at(i, k));
    }

    structure s;
    jacobian_matrix<double> j;
    jacobian_matrix<double> full;
    mass_matrix<double> m;
    counters count, ignored;
};

/// Root mean square of the weighted difference.
double distance(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& weights)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow((a[i] - b[i]) * weights[i], 2);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

mass_matrix<double> diagonal_mass(int n)
{
    std::vector<double> d(n);
    for (double& x : d) x = 2 + uniform();
    return mass_matrix<double>::diagonal(d);
}

TEST(krylov_path, gives_the_accuracy_that_was_asked_for)
{
    constexpr int side = 12;
    constexpr int n = 2 * side * side;
    for (const bool with_mass : {false, true}) {
        system_of a(two_fields_on_a_grid(side), with_mass ? diagonal_mass(n) : mass_matrix<double>::identity(n));
        shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
        shifted_lu<double> truth(a.full, a.m, 1, 1, a.ignored);
        std::vector<double> weights(n);
        for (double& w : weights) w = std::pow(10.0, 3 * uniform());
        for (const double diffusion : {1.0, 30.0, 400.0})
            for (const double tolerance : {1e-2, 1e-5, 1e-9}) {
                SCOPED_TRACE("diffusion " + std::to_string(diffusion) + ", tolerance " + std::to_string(tolerance));
                fill_like_a_parabolic_problem(a.j, diffusion);
                a.copy_to_dense();
                const double real = 10;
                const complex_shift<double> z{8, 12};
                ASSERT_TRUE(lu.factor(std::array{real}, std::array{z}));
                ASSERT_TRUE(truth.factor(std::array{real}, std::array{z}));
                lu.set_accuracy({weights.data(), tolerance});
                auto x = random_vector(n);
                auto exact = x;
                auto re = random_vector(n);
                auto exact_re = re;
                auto im = random_vector(n);
                auto exact_im = im;
                lu.solve_all(std::array{x.data(), re.data(), im.data()});
                truth.solve_all(std::array{exact.data(), exact_re.data(), exact_im.data()});
                // What is measured is the preconditioned residual, which is near the error, and no bound of it.
                EXPECT_LE(distance(x, exact, weights), 20 * tolerance);
                EXPECT_LE(distance(re, exact_re, weights), 20 * tolerance);
                EXPECT_LE(distance(im, exact_im, weights), 20 * tolerance);
            }
        EXPECT_EQ(lu.events().unconverged, 0U);
        EXPECT_GT(lu.events().krylov_iterations, 0U);
    }
}

TEST(krylov_path, needs_fewer_iterations_for_less)
{
    constexpr int side = 16;
    constexpr int n = 2 * side * side;
    system_of a(two_fields_on_a_grid(side), mass_matrix<double>::identity(n));
    shifted_lu<double> lu(a.j, a.m, 1, 0, a.count);
    fill_like_a_parabolic_problem(a.j, 50);
    ASSERT_TRUE(lu.factor(std::array{5.0}, {}));
    const std::vector<double> ones(n, 1.0);
    const auto b = random_vector(n);
    std::uint64_t before = 0;
    std::uint64_t last = 0;
    for (const double tolerance : {1e3, 1e-3, 1e-6, 1e-10}) {
        lu.set_accuracy({ones.data(), tolerance});
        auto x = b;
        lu.solve_real(0, x.data());
        const std::uint64_t taken = lu.events().krylov_iterations - before;
        before = lu.events().krylov_iterations;
        if (tolerance > 1)
            EXPECT_EQ(taken, 0U); // one application of the preconditioner
        else
            EXPECT_GT(taken, last);
        last = taken;
    }
}

TEST(krylov_path, solves_without_weights_to_the_last_digits)
{
    constexpr int n = 60;
    // ILU(0) of a band without gaps is its LU: one iteration.
    system_of a(structure::band(2, 3), random_mass<double>(mass_choice::band, n, 2, 3));
    shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
    shifted_lu<double> truth(a.full, a.m, 1, 1, a.ignored);
    fill_random(a.j, a.s);
    for (int i = 0; i < n; ++i) a.j.view().set(i, i, -10.0);
    a.copy_to_dense();
    ASSERT_TRUE(lu.factor(std::array{1.0}, std::array{complex_shift<double>{1.0, 1.0}}));
    ASSERT_TRUE(truth.factor(std::array{1.0}, std::array{complex_shift<double>{1.0, 1.0}}));
    const std::vector<double> ones(n, 1.0);
    auto x = random_vector(n);
    auto exact = x;
    auto re = x;
    auto im = random_vector(n);
    auto exact_re = re;
    auto exact_im = im;
    lu.solve_all(std::array{x.data(), re.data(), im.data()});
    truth.solve_all(std::array{exact.data(), exact_re.data(), exact_im.data()});
    EXPECT_LE(distance(x, exact, ones), 1e-9);
    EXPECT_LE(distance(re, exact_re, ones), 1e-9);
    EXPECT_LE(distance(im, exact_im, ones), 1e-9);
    EXPECT_LE(lu.events().krylov_iterations, 4U);
}

TEST(krylov_path, factors_blocks_that_do_not_meet)
{
    constexpr int n = 60;
    constexpr int block = 5;
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i)
        for (int k = i / block * block; k < (i / block + 1) * block; ++k) columns[i].push_back(k);
    for (int i = block; i < n; ++i) columns[i].push_back(i - block); // and an entry of the block before
    system_of a(structure::sparse(std::move(columns)), mass_matrix<double>::identity(n));
    shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
    lu.set_preconditioning({preconditioning::block_jacobi, block, preconditioning::by_matrix});
    fill_random(a.j, a.s);
    const std::vector<double> ones(n, 1.0);
    lu.set_accuracy({ones.data(), 1e-12});
    const auto iterations = [&](double coupling) {
        for (int i = block; i < n; ++i) a.j.view().set(i, i - block, coupling);
        a.copy_to_dense();
        shifted_lu<double> truth(a.full, a.m, 1, 1, a.ignored);
        const complex_shift<double> z{20.0, 5.0};
        EXPECT_TRUE(lu.factor(std::array{20.0}, std::array{z}));
        EXPECT_TRUE(truth.factor(std::array{20.0}, std::array{z}));
        const auto before = lu.events().krylov_iterations;
        auto x = random_vector(n);
        auto re = x;
        auto im = x;
        auto exact = x;
        auto exact_re = x;
        auto exact_im = x;
        lu.solve_all(std::array{x.data(), re.data(), im.data()});
        truth.solve_all(std::array{exact.data(), exact_re.data(), exact_im.data()});
        EXPECT_LE(distance(x, exact, ones) + distance(re, exact_re, ones) + distance(im, exact_im, ones), 1e-10);
        return lu.events().krylov_iterations - before;
    };
    EXPECT_LE(iterations(0), 2U); // one each: the blocks are the matrix, and their factors complete
    EXPECT_GT(iterations(5), 4U);
}

TEST(krylov_path, takes_the_products_that_it_is_given)
{
    constexpr int side = 8;
    constexpr int n = 2 * side * side;
    system_of a(two_fields_on_a_grid(side), diagonal_mass(n));
    shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
    fill_like_a_parabolic_problem(a.j, 20);
    a.copy_to_dense();
    // Another J than the one that is stored, which is then the preconditioner's alone.
    const auto multiply = [&](std::span<const double* const> v, std::span<double* const> out) {
        for (std::size_t part = 0; part < v.size(); ++part)
            for (int i = 0; i < n; ++i) {
                out[part][i] = -3 * v[part][i];
                for (int k = 0; k < n; ++k) out[part][i] += a.full.view().at(i, k) * v[part][k];
            }
        return true;
    };
    lu.set_product(multiply);
    const complex_shift<double> z{8, 12};
    ASSERT_TRUE(lu.factor(std::array{10.0}, std::array{z}));
    for (int i = 0; i < n; ++i) a.full.view().set(i, i, a.full.view().at(i, i) - 3);
    shifted_lu<double> truth(a.full, a.m, 1, 1, a.ignored);
    ASSERT_TRUE(truth.factor(std::array{10.0}, std::array{z}));
    for (int i = 0; i < n; ++i) a.full.view().set(i, i, a.full.view().at(i, i) + 3);
    auto x = random_vector(n);
    auto re = random_vector(n);
    auto im = random_vector(n);
    auto exact = x;
    auto exact_re = re;
    auto exact_im = im;
    lu.solve_all(std::array{x.data(), re.data(), im.data()});
    truth.solve_all(std::array{exact.data(), exact_re.data(), exact_im.data()});
    const std::vector<double> ones(n, 1.0);
    EXPECT_LE(distance(x, exact, ones) + distance(re, exact_re, ones) + distance(im, exact_im, ones), 1e-8);
    EXPECT_EQ(lu.events().unconverged, 0U);
    // Products that cannot be had end a solve.
    lu.set_product([](auto&&, auto&&) { return false; });
    lu.solve_real(0, x.data());
    EXPECT_EQ(lu.events().unconverged, 1U);
}

/// The matrix itself, factored as a dense one.
class exact_preconditioner final : public given_preconditioner<double> {
public:
    exact_preconditioner(const jacobian_matrix<double>& j, const mass_matrix<double>& m, int fails_at)
        : lu_(j, m, 1, 0, ignored_), fails_at_(fails_at)
    {}
    bool factor(const double& c) override { return lu_.factor(std::array{c}, {}); }
    bool solve(const double* b, double* x) override
    {
        EXPECT_NE(b, x);
        std::copy_n(b, lu_size, x);
        lu_.solve_real(0, x);
        return ++solves_ != fails_at_;
    }
    static constexpr int lu_size = 2 * 8 * 8;

private:
    counters ignored_;
    shifted_lu<double> lu_;
    int fails_at_;
    int solves_ = 0;
};

TEST(krylov_path, takes_the_preconditioner_that_it_is_given)
{
    constexpr int n = exact_preconditioner::lu_size;
    system_of a(two_fields_on_a_grid(8), diagonal_mass(n));
    shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
    fill_like_a_parabolic_problem(a.j, 20);
    a.copy_to_dense();
    lu.set_preconditioner([&] { return std::make_unique<exact_preconditioner>(a.full, a.m, 0); });
    shifted_lu<double> truth(a.full, a.m, 1, 1, a.ignored);
    const complex_shift<double> z{8, 12};
    ASSERT_TRUE(lu.factor(std::array{10.0}, std::array{z}));
    ASSERT_TRUE(truth.factor(std::array{10.0}, std::array{z}));
    const std::vector<double> ones(n, 1.0);
    lu.set_accuracy({ones.data(), 1e-11});
    auto x = random_vector(n);
    auto re = random_vector(n);
    auto im = random_vector(n);
    auto exact = x;
    auto exact_re = re;
    auto exact_im = im;
    lu.solve_real(0, x.data());
    EXPECT_EQ(lu.events().krylov_iterations, 1U); // it is exact
    EXPECT_EQ(lu.events().preconditioner_solves, 2U);
    lu.solve_complex(0, re.data(), im.data());
    truth.solve_all(std::array{exact.data(), exact_re.data(), exact_im.data()});
    EXPECT_LE(distance(x, exact, ones) + distance(re, exact_re, ones) + distance(im, exact_im, ones), 1e-9);
    EXPECT_EQ(lu.events().unconverged, 0U);

    // One that cannot be applied ends a solve, and the solver sees it.
    for (const int fails_at : {1, 2, 3}) {
        lu.set_preconditioner([&] { return std::make_unique<exact_preconditioner>(a.full, a.m, fails_at); });
        ASSERT_TRUE(lu.factor(std::array{10.0}, std::array{z}));
        auto r = random_vector(n);
        auto i = random_vector(n);
        lu.solve_complex(0, r.data(), i.data());
        EXPECT_FALSE(std::isfinite(r[0] + i[0])) << fails_at;
    }
}

TEST(krylov_path, begins_again_and_counts_what_it_cannot_solve)
{
    // Equations far from diagonally dominant: nothing is left of ILU(0).
    constexpr int n = 400;
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i) {
        columns[i].push_back(i);
        for (int k = 0; k < 5; ++k) columns[i].push_back(static_cast<int>(generator() % n));
    }
    system_of a(structure::sparse(std::move(columns)), mass_matrix<double>::identity(n));
    fill_random(a.j, a.s);
    {
        shifted_lu<double> lu(a.j, a.m, 1, 0, a.count);
        ASSERT_TRUE(lu.factor(std::array{0.0}, {}));
        auto x = random_vector(n);
        lu.solve_real(0, x.data());
        EXPECT_EQ(lu.events().unconverged, 1U);
        EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
        // With a larger shift it is soon found.
        ASSERT_TRUE(lu.factor(std::array{10.0}, {}));
        x = random_vector(n);
        lu.solve_real(0, x.data());
        EXPECT_EQ(lu.events().unconverged, 1U);
    }
    EXPECT_EQ(a.count.krylov_failures, 1U);
    EXPECT_GT(a.count.krylov_iterations, 20U);
    EXPECT_EQ(a.count.lu, 2U);
}

TEST(krylov_path, refuses_what_it_cannot_factor)
{
    const auto s = structure::sparse(std::vector<std::vector<int>>{{0, 1}, {0, 1}});
    system_of a(s, mass_matrix<double>::identity(2));
    shifted_lu<double> lu(a.j, a.m, 1, 1, a.count);
    const auto fill = [&](double value) {
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 2; ++k) a.j.view().set(i, k, value);
    };
    fill(1.0);
    EXPECT_FALSE(lu.factor(std::array{0.0}, {})); // the second pivot vanishes
    EXPECT_FALSE(lu.factor(std::array{1.0}, {})); // the first one does
    EXPECT_TRUE(lu.factor(std::array{3.0}, {}));
    fill(std::numeric_limits<double>::quiet_NaN());
    EXPECT_FALSE(lu.factor(std::array{3.0}, std::array{complex_shift<double>{1.0, 1.0}}));
    EXPECT_EQ(a.count.lu, 1U);

    const system_of without_diagonal(structure::sparse(std::vector<std::vector<int>>{{1}, {0, 1}}), mass_matrix<double>::diagonal({0.0, 1.0}));
    counters ignored;
    EXPECT_THROW(shifted_lu<double>(without_diagonal.j, without_diagonal.m, 1, 0, ignored), bad_request);
    EXPECT_THROW(choose_algebra(algebra::krylov, structure::full(), 5), bad_request);
}

} // namespace

} // namespace ivp
