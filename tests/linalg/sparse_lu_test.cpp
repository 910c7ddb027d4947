// The sparse path of shifted_lu: as accurate as the dense one, its order of pivots watched over and replaced where the numbers demand it.
//
// DESCRIPTION: patterns and numbers are random with a fixed seed. A solution is judged by its residual, computed in quad, and compared with that
// of the dense path (which is compared with LAPACK elsewhere).
#include "linalg/random_systems.hpp"

#include "linalg/shifted_lu.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ivp {

using namespace testing_support;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

int below(int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); }

/// Some entries in every row, and those of a random permutation, so that the structure is not singular.
structure random_pattern(int n, int per_row, bool diagonal)
{
    std::vector<int> permutation(n);
    for (int i = 0; i < n; ++i) permutation[i] = i;
    for (int i = n - 1; i > 0; --i) std::swap(permutation[i], permutation[below(i + 1)]);
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i) {
        columns[i].push_back(diagonal ? i : permutation[i]);
        for (int k = 1; k < per_row; ++k) columns[i].push_back(below(n));
    }
    return structure::sparse(std::move(columns));
}

/// The pattern with the diagonal, which c M needs.
structure with_diagonal(const structure& s)
{
    const int n = s.pattern->n;
    std::vector<std::vector<int>> columns(n);
    for (int j = 0; j < n; ++j) {
        columns[j].push_back(j);
        for (int p = s.pattern->column_start[j]; p < s.pattern->column_start[j + 1]; ++p) columns[s.pattern->row[p]].push_back(j);
    }
    return structure::sparse(std::move(columns));
}

template <class R>
void copy_to(const jacobian_matrix<R>& from, const jacobian_matrix<R>& to)
{
    for (int j = 0; j < from.n(); ++j)
        for (int i = 0; i < from.n(); ++i)
            if (const int p = to.view().position(i, j); p >= 0) to.view().data[p] = from.view().at(i, j);
}

struct solution {
    std::vector<quad> re;
    std::vector<quad> im;
};

/// ‖A x − b‖ relative to ‖A‖ ‖x‖ in norm, and the largest over the rows of |A x − b| / (|A| |x|).
struct residual {
    double norm;
    double rowwise;
};

template <class R>
residual residual_of(const jacobian_matrix<R>& j, const mass_matrix<R>& m, const complex_shift<R>& c, const solution& x, const solution& b)
{
    const int n = j.n();
    quad largest(0), a_norm(0), x_norm(0), rowwise(0);
    for (int k = 0; k < n; ++k) x_norm = std::max(x_norm, abs(x.re[k]) + abs(x.im[k]));
    for (int i = 0; i < n; ++i) {
        quad re = -b.re[i], im = -b.im[i], row(0), reach(0);
        for (int k = 0; k < n; ++k) {
            const quad a_re = quad(c.re) * quad(m.at(i, k)) - quad(j.view().at(i, k));
            const quad a_im = quad(c.im) * quad(m.at(i, k));
            re += a_re * x.re[k] - a_im * x.im[k];
            im += a_re * x.im[k] + a_im * x.re[k];
            row += abs(a_re) + abs(a_im);
        }
        reach = row * x_norm;
        a_norm = std::max(a_norm, row);
        largest = std::max(largest, abs(re) + abs(im));
        if (reach > quad(0)) rowwise = std::max(rowwise, (abs(re) + abs(im)) / reach);
    }
    return {value_of(largest / (a_norm * x_norm)), value_of(rowwise)};
}

template <class R>
solution solved(const shifted_lu<R>& lu, int real, int complex, const std::vector<double>& b_re, const std::vector<double>& b_im)
{
    std::vector<R> re(b_re.begin(), b_re.end());
    std::vector<R> im(b_im.begin(), b_im.end());
    if (real >= 0)
        lu.solve_real(real, re.data());
    else
        lu.solve_complex(complex, re.data(), im.data());
    return {{re.begin(), re.end()}, {im.begin(), im.end()}};
}

struct tally {
    int systems = 0;
    int reorderings = 0;
    int dense = 0;
};

/// Two real and three complex shifts by the sparse and the dense path: all must be as good as the dense one's.
template <class R>
void compare_with_dense(const jacobian_matrix<R>& sparse, const structure& s, const mass_matrix<R>& m, tally& t)
{
    const int n = sparse.n();
    jacobian_matrix<R> dense(algebra::dense, s, n);
    copy_to(sparse, dense);
    counters count;
    shifted_lu<R> ours(sparse, m, 2, 3, count);
    shifted_lu<R> theirs(dense, m, 2, 3, count);
    const std::vector<R> reals(real_shifts.begin(), real_shifts.end());
    std::vector<complex_shift<R>> complexes;
    for (const auto& c : complex_shifts) complexes.push_back({R(c.re), R(c.im)});
    const bool regular = theirs.factor(reals, complexes);
    ASSERT_EQ(ours.factor(reals, complexes), regular);
    t.reorderings += ours.events().reorderings;
    t.dense += ours.events().dense_factorisations;
    if (!regular) return;
    const double rounding = n * value_of(std::numeric_limits<R>::epsilon());
    for (int k = 0; k < 5; ++k) {
        SCOPED_TRACE("shift " + std::to_string(k));
        const bool real = k < 2;
        const auto b_re = random_vector(n);
        const auto b_im = real ? std::vector<double>(n, 0.0) : random_vector(n);
        const solution b{{b_re.begin(), b_re.end()}, {b_im.begin(), b_im.end()}};
        const auto shift = real ? complex_shift<R>{reals[k], R(0)} : complexes[k - 2];
        const auto a = residual_of(dense, m, shift, solved(ours, real ? k : -1, k - 2, b_re, b_im), b);
        const auto d = residual_of(dense, m, shift, solved(theirs, real ? k : -1, k - 2, b_re, b_im), b);
        EXPECT_LE(a.norm, 10 * d.norm + rounding);
        EXPECT_LE(a.rowwise, 10 * d.rowwise + 100 * rounding);
        ++t.systems;
    }
}

TEST(sparse_path, is_as_accurate_as_the_dense_path_on_random_systems)
{
    tally t;
    for (int round = 0; round < 400; ++round) {
        const int n = 1 + below(40);
        const bool algebraic = round % 2 == 1;
        const auto s = with_diagonal(random_pattern(n, 1 + below(4), !algebraic));
        SCOPED_TRACE("round " + std::to_string(round) + ", n " + std::to_string(n) + ", " + s.describe());
        const jacobian_matrix<double> j(algebra::sparse, s, n);
        fill_random(j, s);
        compare_with_dense(j, s, random_mass<double>(algebraic ? mass_choice::singular_diagonal : mass_choice::identity, n, 0, 0), t);
    }
    EXPECT_GE(t.systems, 1900);
    EXPECT_LT(t.dense, t.systems / 20) << "almost all matrices have an order of pivots that suits them";
}

// Rows and columns scaled by powers of two, as concentrations and rates of reactions are.
TEST(sparse_path, is_as_accurate_as_the_dense_path_on_graded_systems)
{
    tally t;
    for (int round = 0; round < 200; ++round) {
        const int n = 2 + below(30);
        const auto s = with_diagonal(random_pattern(n, 2 + below(3), true));
        SCOPED_TRACE("round " + std::to_string(round));
        const jacobian_matrix<double> j(algebra::sparse, s, n);
        fill_random(j, s);
        std::vector<int> of_row(n), of_column(n);
        for (int i = 0; i < n; ++i) {
            of_row[i] = round % 2 == 0 ? below(60) - 30 : 0;
            of_column[i] = round % 3 == 0 ? 0 : below(40) - 20;
        }
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r)
                if (s.contains(r, c)) j.view().set(r, c, std::ldexp(j.view().at(r, c), of_row[r] + of_column[c]));
        std::vector<double> d(n);
        for (int i = 0; i < n; ++i) d[i] = std::ldexp(1.0, of_row[i] + of_column[i]);
        compare_with_dense(j, s, mass_matrix<double>::diagonal(d), t);
    }
    EXPECT_GE(t.systems, 900);
}

TEST(sparse_path, is_as_accurate_as_the_dense_path_where_a_matrix_is_nearly_singular)
{
    tally t;
    for (int round = 0; round < 100; ++round) {
        const int n = 3 + below(20);
        const auto s = with_diagonal(random_pattern(n, 3, true));
        SCOPED_TRACE("round " + std::to_string(round));
        const jacobian_matrix<double> j(algebra::sparse, s, n);
        fill_random(j, s);
        // One pivot of the first shift is what rounding leaves.
        j.view().set(0, 0, real_shifts[0] * (1 + std::ldexp(1.0, -20 - below(30))));
        compare_with_dense(j, s, mass_matrix<double>::identity(n), t);
    }
    EXPECT_GE(t.systems, 450);
}

TEST(sparse_path, works_in_extended_precision)
{
    tally t;
    for (int round = 0; round < 20; ++round) {
        const int n = 2 + below(15);
        const auto s = with_diagonal(random_pattern(n, 3, round % 2 == 0));
        const jacobian_matrix<quad> j(algebra::sparse, s, n);
        fill_random(j, s);
        compare_with_dense(j, s, random_mass<quad>(round % 2 == 0 ? mass_choice::identity : mass_choice::singular_diagonal, n, 0, 0), t);
    }
    EXPECT_GE(t.systems, 90);
}

// ---- the watch over the order -----------------------------------------------------------------------------------------------------------

/// 2 I − J or the like is (diagonal, −1; −1, diagonal): with diagonal pivots its size grows to 1/diagonal.
struct exchange {
    structure s = structure::sparse(std::vector<std::vector<int>>{{0, 1}, {0, 1}});
    jacobian_matrix<double> j{algebra::sparse, s, 2};
    mass_matrix<double> m = mass_matrix<double>::identity(2);
    counters count;
    shifted_lu<double> lu{j, m, 1, 1, count};

    void set_diagonal(double d)
    {
        for (int i = 0; i < 2; ++i) {
            j.view().set(i, i, 2 - d);
            j.view().set(i, 1 - i, 1.0);
        }
    }
    bool factor() { return lu.factor(std::array{2.0}, std::array{complex_shift<double>{1, 1}}); }
    /// The solution for the right-hand side (1, 2) of the real system.
    std::array<double, 2> solve() const
    {
        std::array<double, 2> x{1, 2};
        lu.solve_real(0, x.data());
        return x;
    }
};

TEST(sparse_path, makes_a_new_order_where_a_pivot_vanishes)
{
    exchange e;
    e.set_diagonal(3);
    ASSERT_TRUE(e.factor());
    EXPECT_EQ(e.lu.events().reorderings, 0) << "diagonal pivots do";

    e.set_diagonal(0);
    ASSERT_TRUE(e.factor());
    EXPECT_EQ(e.lu.events().reorderings, 1);
    EXPECT_EQ(e.lu.events().dense_factorisations, 0);
    EXPECT_EQ(e.solve(), (std::array{-2.0, -1.0}));

    ASSERT_TRUE(e.factor());
    EXPECT_EQ(e.lu.events().reorderings, 1) << "the new order stays";
    e.set_diagonal(3);
    ASSERT_TRUE(e.factor());
    EXPECT_EQ(e.lu.events().reorderings, 1) << "as long as it does";
    EXPECT_NEAR(e.solve()[0], 0.625, 1e-15);
    EXPECT_NEAR(e.solve()[1], 0.875, 1e-15);
}

TEST(sparse_path, makes_a_new_order_where_numbers_grow)
{
    for (const int exponent : {-8, -20, -40, -52}) {
        exchange e;
        const double d = std::ldexp(1.0, exponent);
        e.set_diagonal(d);
        ASSERT_TRUE(e.factor());
        EXPECT_EQ(e.lu.events().reorderings, 1) << exponent;
        const auto x = e.solve();
        EXPECT_NEAR(d * x[0] - x[1], 1, 1e-15);
        EXPECT_NEAR(d * x[1] - x[0], 2, 1e-15);
    }
    exchange moderate;
    moderate.set_diagonal(0.25);
    ASSERT_TRUE(moderate.factor());
    EXPECT_EQ(moderate.lu.events().reorderings, 0) << "not every growth is worth a new order";
}

// A new order is dear; numbers that ask for one again and again are left to the dense factorisation.
TEST(sparse_path, gives_up_reordering_in_the_end)
{
    exchange e;
    for (int round = 0; round < 30; ++round) {
        e.set_diagonal(round % 2 == 0 ? 0.0 : 1e9); // neither order is good for the other
        ASSERT_TRUE(e.factor()) << round;
        const auto x = e.solve();
        const double d = round % 2 == 0 ? 0.0 : 1e9;
        EXPECT_NEAR(d * x[0] - x[1], 1, 1e-14);
        EXPECT_NEAR(d * x[1] - x[0], 2, 1e-14);
    }
    EXPECT_EQ(e.lu.events().reorderings, 20);
    EXPECT_GT(e.lu.events().dense_factorisations, 3);
}

TEST(sparse_path, refuses_what_is_singular_or_not_finite)
{
    const int n = 4;
    counters count;
    const auto identity = mass_matrix<double>::identity(n);
    const auto none = mass_matrix<double>::diagonal(std::vector<double>(n, 0.0));

    // Two rows with one and the same column: no numbers help.
    const auto singular = structure::sparse(std::vector<std::vector<int>>{{0}, {0}, {2}, {3}});
    const jacobian_matrix<double> j(algebra::sparse, singular, n);
    fill_random(j, singular);
    shifted_lu<double> lu(j, none, 1, 1, count);
    EXPECT_FALSE(lu.factor(std::array{1.0}, std::array{complex_shift<double>{1, 1}}));

    const auto s = with_diagonal(random_pattern(n, 2, true));
    for (const double bad : {nan, infinity, -infinity})
        for (int p = 0; p < s.pattern->entries(); ++p) {
            const jacobian_matrix<double> k(algebra::sparse, s, n);
            for (int i = 0; i < n; ++i) k.view().set(i, i, -5.0);
            shifted_lu<double> watched(k, identity, 1, 1, count);
            ASSERT_TRUE(watched.factor(std::array{1.0}, std::array{complex_shift<double>{1, 1}}));
            k.view().data[p] = bad;
            EXPECT_FALSE(watched.factor(std::array{1.0}, std::array{complex_shift<double>{1, 1}})) << bad << " in entry " << p;
            EXPECT_FALSE(watched.factor_real(0, 1.0));
            EXPECT_EQ(watched.events().reorderings, 0) << "no order helps against " << bad;
        }
    const jacobian_matrix<double> zero(algebra::sparse, s, n);
    shifted_lu<double> watched(zero, identity, 1, 1, count);
    EXPECT_FALSE(watched.factor(std::array{0.0}, std::array{complex_shift<double>{1, 1}}));
    EXPECT_TRUE(watched.factor(std::array{1.0}, std::array{complex_shift<double>{1, 1}}));
    EXPECT_EQ(count.lu, static_cast<std::uint64_t>(3 * s.pattern->entries() + 1));
}

// ---- all ways in are the same -----------------------------------------------------------------------------------------------------------

TEST(sparse_path, one_matrix_at_a_time_and_all_together_agree)
{
    const int n = 30;
    const auto s = with_diagonal(random_pattern(n, 3, true));
    const jacobian_matrix<double> j(algebra::sparse, s, n);
    fill_random(j, s);
    for (int i = 0; i < n; ++i) j.view().set(i, i, -6 + uniform());
    const auto m = mass_matrix<double>::identity(n);
    counters count;
    shifted_lu<double> lu(j, m, 2, 3, count);
    ASSERT_TRUE(lu.factor(real_shifts, complex_shifts));
    std::array<std::vector<double>, 8> b;
    for (auto& v : b) v = random_vector(n);
    auto together = b;
    lu.solve_all(std::array{together[0].data(), together[1].data(), together[2].data(), together[3].data(), together[4].data(), together[5].data(),
                            together[6].data(), together[7].data()});
    auto apart = b;
    for (int k = 0; k < 2; ++k) lu.solve_real(k, apart[k].data());
    for (int k = 0; k < 3; ++k) lu.solve_complex(k, apart[2 + 2 * k].data(), apart[3 + 2 * k].data());
    for (int v = 0; v < 8; ++v)
        for (int i = 0; i < n; ++i) EXPECT_NEAR(together[v][i], apart[v][i], 1e-13);

    ASSERT_TRUE(lu.factor_real(0, real_shifts[0]));
    auto alone = b[0];
    lu.solve_real(0, alone.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(alone[i], apart[0][i], 1e-13);
    ASSERT_TRUE(lu.factor_real(0, 100.0)) << "another shift, of this matrix only";
    auto other = b[0];
    lu.solve_real(0, other.data());
    auto complex = b;
    lu.solve_complex(0, complex[2].data(), complex[3].data());
    for (int i = 0; i < n; ++i) EXPECT_EQ(complex[2][i], apart[2][i]);
    EXPECT_GT(std::abs(other[0] - apart[0][0]), 1e-6);
}

TEST(sparse_path, takes_an_evaluated_and_a_sparse_mass_matrix)
{
    const int n = 12;
    const auto s = with_diagonal(random_pattern(n, 3, true));
    const jacobian_matrix<double> j(algebra::sparse, s, n);
    const jacobian_matrix<double> evaluated(algebra::sparse, s, n);
    fill_random(j, s);
    fill_random(evaluated, s);
    auto constant = mass_matrix<double>::sparse(s.pattern);
    auto full = mass_matrix<double>::full(n);
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r)
            if (s.contains(r, c)) {
                constant.set(r, c, evaluated.view().at(r, c));
                full.set(r, c, evaluated.view().at(r, c));
            }
    const jacobian_matrix<double> dense(algebra::dense, s, n);
    copy_to(j, dense);
    counters count;
    const auto b = random_vector(n);
    std::vector<std::vector<double>> x;
    const auto solve = [&](shifted_lu<double> lu) {
        ASSERT_TRUE(lu.factor(std::array{2.5}, {}));
        x.push_back(b);
        lu.solve_real(0, x.back().data());
    };
    solve(shifted_lu<double>(j, evaluated, 1, 0, count));
    solve(shifted_lu<double>(j, constant, 1, 0, count));
    solve(shifted_lu<double>(dense, constant, 1, 0, count));
    solve(shifted_lu<double>(dense, full, 1, 0, count));
    for (const auto& v : x)
        for (int i = 0; i < n; ++i) EXPECT_NEAR(v[i], x[3][i], 1e-10 * (1 + std::abs(x[3][i])));

    std::vector<double> product(n), expected(n);
    constant.multiply(b.data(), product.data());
    full.multiply(b.data(), expected.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(product[i], expected[i], 1e-14);
    EXPECT_EQ(constant.describe(), s.describe());
}

TEST(sparse_path, refuses_a_mass_matrix_outside_its_pattern)
{
    counters count;
    const jacobian_matrix<double> j(algebra::sparse, structure::sparse(std::vector<std::vector<int>>{{0}, {0, 1}}), 2);
    auto m = mass_matrix<double>::full(2);
    m.set(1, 0, 3.0);
    EXPECT_NO_THROW(shifted_lu<double>(j, m, 1, 0, count));
    m.set(0, 1, 3.0);
    try {
        shifted_lu<double>(j, m, 1, 0, count);
        FAIL() << "accepted";
    } catch (const bad_request& e) {
        EXPECT_STREQ(e.what(), "mass matrix (full) given; allowed: one inside the iteration matrix, which has no entry (1, 2)");
    }
}

// ---- which matrices are worth it --------------------------------------------------------------------------------------------------------

TEST(choose_algebra, takes_sparse_where_it_saves_work)
{
    const int n = 100;
    std::vector<std::vector<int>> arrow(n), full(n);
    for (int i = 0; i < n; ++i) {
        arrow[i] = {0, i};
        arrow[0].push_back(i);
        for (int j = 0; j < n; ++j) full[i].push_back(j);
    }
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::sparse(arrow), n), algebra::sparse);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::sparse(full), n), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::sparse, structure::sparse(full), n), algebra::sparse);
    EXPECT_EQ(choose_algebra(algebra::dense, structure::sparse(arrow), n), algebra::dense);
    // Few entries, but every elimination makes more of them.
    generator.seed(5);
    EXPECT_EQ(choose_algebra(algebra::automatic, with_diagonal(random_pattern(300, 25, true)), 300), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::sparse(std::vector<std::vector<int>>{{0, 1}, {1}}), 2), algebra::dense);
}

// Measured in CPU time of whole runs, rtol 1e-4, N = 40: dassl takes 25 ms with dense matrices and 64 ms with sparse ones, radau5 163 ms and 80 ms.
TEST(choose_algebra, a_large_order_must_be_paid_by_the_factorisations)
{
    const linear_work multistep{};
    const linear_work with_complex{.complex_matrices = 1, .solves = 3};
    for (const char* const points : {"40", "80"}) {
        const problem p = open_problem("fekete", {{"N", points}});
        const structure& s = p.finest_iteration_structure();
        EXPECT_EQ(choose_algebra(algebra::automatic, s, p.n(), multistep), algebra::dense) << points;
        EXPECT_EQ(choose_algebra(algebra::automatic, s, p.n(), with_complex), algebra::sparse) << points;
    }
    // Whole runs of RODAS, whose dense matrices lack half of the unknowns: 1700 ms beside 345 ms.
    const problem plate = open_problem("plate", {{"N", "4"}});
    const linear_work reduced{.eliminated = plate.n() / 2};
    EXPECT_EQ(choose_algebra(algebra::automatic, plate.finest_iteration_structure(), plate.n(), reduced), algebra::sparse);
    const problem tba = open_problem("tba");
    EXPECT_EQ(choose_algebra(algebra::automatic, tba.finest_iteration_structure(), tba.n(), multistep), algebra::sparse);
}

} // namespace
} // namespace ivp
