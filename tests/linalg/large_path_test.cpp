// Large sparse matrices, by fronts and by KLU: as accurate as our own programs, with other pivots when the numbers ask for them.
//
// DESCRIPTION: patterns and numbers are random with a fixed seed; solutions are judged by their residual, row by row.
#include "linalg/random_systems.hpp"

#include "linalg/linear_path.hpp"
#include "linalg/shifted_lu.hpp"
#include "linalg/sparse_cost.hpp"
#include "linalg/sparse_order.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ivp {

using namespace testing_support;

namespace {

int below(int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); }

structure random_pattern(int n, int per_row)
{
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i) {
        columns[i].push_back(i);
        for (int k = 1; k < per_row; ++k) columns[i].push_back(below(n));
    }
    return structure::sparse(std::move(columns));
}

struct way {
    const char* name;
    std::unique_ptr<linear_path<double>> (*make)(const path_request<double>&);
};
constexpr std::array<way, 3> ways{{{"fronts", make_frontal_path}, {"KLU", make_klu_path}, {"the better one", make_large_path}}};

/// c M − J with one real and one complex shift.
struct system_of {
    system_of(const structure& s, int size) : n(size), j(algebra::sparse, s, size), m(mass_matrix<double>::identity(size)) {}

    [[nodiscard]] std::unique_ptr<linear_path<double>> by(const way& w) const { return w.make({j.view(), {&m, {}}, 1, 1}); }

    /// The largest over the rows of |A x − b| / (|A| |x|).
    [[nodiscard]] double residual(std::complex<double> c, const std::vector<std::complex<double>>& x,
                                  const std::vector<std::complex<double>>& b) const
    {
        std::vector<std::complex<double>> sum(b.size());
        std::vector<double> reach(b.size(), 0.0);
        const sparsity& s = *j.view().pattern;
        for (int k = 0; k < n; ++k)
            for (int p = s.column_start[k]; p < s.column_start[k + 1]; ++p) {
                const std::complex<double> a = (s.row[p] == k ? c : 0.0) - j.view().data[p];
                sum[s.row[p]] += a * x[k];
                reach[s.row[p]] += std::abs(a) * std::abs(x[k]);
            }
        double largest = 0;
        for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(sum[i] - b[i]) / std::max(reach[i], 1e-300));
        return largest;
    }

    void expect_solved(const linear_path<double>& path, double real, const complex_shift<double>& z) const
    {
        const double allowed = 1e4 * n * std::numeric_limits<double>::epsilon(); // a step of the elimination may lose two digits
        const auto b_re = random_vector(n);
        const auto b_im = random_vector(n);
        auto x = b_re;
        path.solve_real(0, x.data());
        EXPECT_LE(residual(real, {x.begin(), x.end()}, {b_re.begin(), b_re.end()}), allowed);
        auto re = b_re;
        auto im = b_im;
        path.solve_complex(0, re.data(), im.data());
        std::vector<std::complex<double>> solution, right;
        for (int i = 0; i < n; ++i) {
            solution.emplace_back(re[i], im[i]);
            right.emplace_back(b_re[i], b_im[i]);
        }
        EXPECT_LE(residual({z.re, z.im}, solution, right), allowed);
    }

    int n;
    jacobian_matrix<double> j;
    mass_matrix<double> m;
};

TEST(large_path, solves_random_systems_again_and_again)
{
    for (int round = 0; round < 180; ++round) {
        const way& w = ways[round % ways.size()];
        SCOPED_TRACE(w.name + (", round " + std::to_string(round)));
        const int n = 1 + below(round < 150 ? 60 : 600);
        const auto s = random_pattern(n, 1 + below(4));
        const system_of a(s, n);
        const auto path = a.by(w);
        for (const double shift : {3.0, 40.0, 0.7}) { // the second and third with the pivots of the first, as long as they do
            fill_random(a.j, s);
            const complex_shift<double> z{shift, 2 * shift};
            ASSERT_TRUE(path->factor_real(0, shift));
            ASSERT_TRUE(path->factor_complex(0, z));
            a.expect_solved(*path, shift, z);
        }
    }
}

TEST(large_path, takes_new_pivots_when_an_old_one_vanishes)
{
    const auto s = structure::sparse(std::vector<std::vector<int>>{{0, 1}, {0, 1}});
    for (const way& w : ways) {
        const system_of a(s, 2);
        const auto path = a.by(w);
        for (const double diagonal : {3.0, 0.0, 1e-14, 3.0}) {
            SCOPED_TRACE(w.name + (" " + std::to_string(diagonal)));
            for (int i = 0; i < 2; ++i) {
                a.j.view().set(i, i, 2 - diagonal);
                a.j.view().set(i, 1 - i, 1.0);
            }
            const complex_shift<double> z{2.0, 0.0};
            ASSERT_TRUE(path->factor_real(0, 2.0));
            ASSERT_TRUE(path->factor_complex(0, z));
            a.expect_solved(*path, 2.0, z);
        }
    }
}

TEST(large_path, refuses_what_is_singular_or_not_finite_and_recovers)
{
    const auto s = structure::sparse(std::vector<std::vector<int>>{{0, 1}, {0, 1}});
    for (const way& w : ways) {
        SCOPED_TRACE(w.name);
        const system_of a(s, 2);
        const auto path = a.by(w);
        const auto fill = [&](double value) {
            for (int i = 0; i < 2; ++i)
                for (int k = 0; k < 2; ++k) a.j.view().set(i, k, value);
        };
        fill(1.0); // and shift 0: all entries are −1
        EXPECT_FALSE(path->factor_real(0, 0.0));
        EXPECT_FALSE(path->factor_complex(0, {0.0, 0.0}));
        fill(std::numeric_limits<double>::quiet_NaN());
        EXPECT_FALSE(path->factor_real(0, 1.0));
        fill(std::numeric_limits<double>::infinity());
        EXPECT_FALSE(path->factor_complex(0, {1.0, 1.0}));
        fill(1.0);
        ASSERT_TRUE(path->factor_real(0, 5.0));
        ASSERT_TRUE(path->factor_complex(0, {5.0, 1.0}));
        a.expect_solved(*path, 5.0, {5.0, 1.0});
        const auto never_regular = structure::sparse(std::vector<std::vector<int>>{{0}, {0}});
        const system_of b(never_regular, 2);
        const mass_matrix<double> nothing = mass_matrix<double>::diagonal({0.0, 0.0});
        EXPECT_FALSE(w.make({b.j.view(), {&nothing, {}}, 1, 0})->factor_real(0, 1.0));
    }
}

// Pivots of one front alone do not suit this matrix: every unknown stands in an equation that is eliminated later.
TEST(large_path, leaves_to_klu_what_fronts_do_not_suit)
{
    constexpr int n = 400;
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i) columns[i] = {i, (i + 1) % n, (i + 7) % n};
    const auto s = structure::sparse(std::move(columns));
    const system_of a(s, n);
    const auto path = a.by(ways[0]);
    for (const double diagonal : {5.0, 1e-9, 1e-9, 5.0}) { // from the second one on KLU has it
        for (int i = 0; i < n; ++i) {
            a.j.view().set(i, i, 2 - diagonal);
            a.j.view().set(i, (i + 1) % n, 1 + 0.1 * uniform());
            a.j.view().set(i, (i + 7) % n, uniform());
        }
        ASSERT_TRUE(path->factor_real(0, 2.0));
        ASSERT_TRUE(path->factor_complex(0, {2.0, 0.0}));
        a.expect_solved(*path, 2.0, {2.0, 0.0});
    }
    EXPECT_EQ(path->events().reorderings, 2);
}

// Numbers that ask for a new order of pivots again and again, with more unknowns than a dense factorisation is made for.
TEST(large_path, leaves_many_unknowns_that_no_order_suits_to_klu)
{
    constexpr int pairs = 1001;
    constexpr int n = 2 * pairs;
    std::vector<std::vector<int>> rows(n);
    for (int i = 0; i < n; ++i) rows[i] = {i - i % 2, i - i % 2 + 1};
    const auto s = structure::sparse(rows);
    const jacobian_matrix<double> j(algebra::sparse, s, n);
    const auto m = mass_matrix<double>::identity(n);
    counters count;
    shifted_lu<double> lu(j, m, 1, 1, count);
    for (int round = 0; round < 25; ++round) {
        const double d = round % 2 == 0 ? 0.0 : 1e9;
        for (int i = 0; i < n; ++i) {
            j.view().set(i, i, 2 - d);
            j.view().set(i, i - i % 2 + 1 - i % 2, 1.0);
        }
        ASSERT_TRUE(lu.factor(std::array{2.0}, std::array{complex_shift<double>{2, 0}})) << round;
        std::vector<double> x(n, 1.0), re(n, 1.0), im(n, 0.0);
        lu.solve_real(0, x.data());
        lu.solve_complex(0, re.data(), im.data());
        for (int i = 0; i < n; i += 2) {
            EXPECT_NEAR(d * x[i] - x[i + 1], 1, 1e-14);
            EXPECT_NEAR(d * re[i + 1] - re[i], 1, 1e-14);
        }
    }
    EXPECT_EQ(lu.events().reorderings, 20);
    EXPECT_EQ(lu.events().dense_factorisations, 0);
}

// The two-dimensional Brusselator fills as a grid does, a chain of pendulums hardly.
TEST(large_path, leaves_what_fills_to_fronts)
{
    const auto updates_beside_most = [](const char* id, const char* size, bool complex_too) {
        const problem p = open_problem(id, {{"N", size}});
        const auto of = p.finest_iteration_structure();
        const std::vector<char> diagonal(of.pattern->row.size(), 1);
        return order_by_values(*of.pattern, typical_values(*of.pattern, diagonal), 0.1, 1e9).updates /
               most_updates_by_lists(*of.pattern, complex_too);
    };
    EXPECT_LT(updates_beside_most("brus2d", "8", false), 1);
    EXPECT_GT(updates_beside_most("brus2d", "16", false), 1);
    EXPECT_GT(updates_beside_most("brus2d", "32", true), 1);
    EXPECT_LT(updates_beside_most("pendulums", "160", false), 0.5);
    EXPECT_LT(updates_beside_most("plate", "4", false), 1);
    EXPECT_EQ(most_updates_by_lists(*open_problem("brus2d", {{"N", "60"}}).finest_iteration_structure().pattern, true), 0);
}

// A full matrix in sparse form: one front.
TEST(large_path, serves_full_matrices)
{
    for (const int n : {1, 3, 4, 31, 32, 33, 70, 101}) {
        SCOPED_TRACE(n);
        std::vector<std::vector<int>> columns(n);
        for (auto& row : columns)
            for (int k = 0; k < n; ++k) row.push_back(k);
        const auto s = structure::sparse(std::move(columns));
        const system_of a(s, n);
        fill_random(a.j, s);
        const auto path = a.by(ways[0]);
        ASSERT_TRUE(path->factor_real(0, 0.5));
        ASSERT_TRUE(path->factor_complex(0, {0.5, 0.25}));
        a.expect_solved(*path, 0.5, {0.5, 0.25});
        EXPECT_EQ(path->events().reorderings, 0);
    }
}

// A grid of 70 x 70 points: more unknowns than our own programs are used for.
TEST(large_path, serves_shifted_lu_with_many_unknowns)
{
    constexpr int side = 70;
    constexpr int n = side * side;
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i)
        for (const int k : {i, i % side > 0 ? i - 1 : i, i % side < side - 1 ? i + 1 : i, i - side, i + side})
            if (k >= 0 && k < n && std::ranges::find(columns[i], k) == columns[i].end()) columns[i].push_back(k);
    const auto s = structure::sparse(std::move(columns));
    const system_of a(s, n);
    fill_random(a.j, s);
    counters count;
    shifted_lu<double> lu(a.j, a.m, 1, 0, count);
    const double shift = 10;
    ASSERT_TRUE(lu.factor(std::span(&shift, 1), {}));
    EXPECT_EQ(count.lu, 1U);
    const auto b = random_vector(n);
    auto x = b;
    lu.solve_real(0, x.data());
    EXPECT_LE(a.residual(shift, {x.begin(), x.end()}, {b.begin(), b.end()}), 1e-10);
}

} // namespace
} // namespace ivp
