// The reduced dense paths of shifted_lu, elimination of a derivative chain and Hessenberg form, against the plain dense path.
//
// DESCRIPTION: matrices are random with a fixed seed, the shifts beyond the spectral radius (no row exchanges) or inside the spectrum. The paths may
// differ by rounding alone: some units in the last place of the precision times the condition, which is below 1e5 for these matrices.
#include "linalg/random_systems.hpp"

#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace ivp {

using namespace testing_support;

namespace {

template <class R>
struct shifts {
    std::vector<R> real;
    std::vector<complex_shift<R>> complex;
};

template <class R>
shifts<R> some_shifts(const R& size)
{
    return {{size, R(-0.75) * size}, {{R(1.5) * size, R(2.5) * size}, {R(-0.25) * size, size}, {R(0), -R(3) * size}}};
}

/// All solutions for random right-hand sides, by solve_real and solve_complex, then by solve_all; the same right-hand sides at every call.
template <class R>
std::vector<R> solutions(const shifted_lu<R>& lu, int n)
{
    const int systems = 2 + 2 * 3;
    std::vector<R> b(static_cast<std::size_t>(systems) * n);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = R(static_cast<double>((i * 37) % 101) - 50);
    std::vector<R> together = b;
    for (int k = 0; k < 2; ++k) lu.solve_real(k, &b[k * n]);
    for (int k = 0; k < 3; ++k) lu.solve_complex(k, &b[(2 + 2 * k) * n], &b[(3 + 2 * k) * n]);
    std::vector<R*> pieces;
    for (int k = 0; k < systems; ++k) pieces.push_back(&together[k * n]);
    lu.solve_all(pieces);
    b.insert(b.end(), together.begin(), together.end());
    return b;
}

template <class R>
void expect_equal_up_to_rounding(const std::vector<R>& a, const std::vector<R>& b)
{
    using std::abs;
    R size(0);
    R difference(0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        size = std::max(size, R(abs(b[i])));
        difference = std::max(difference, R(abs(a[i] - b[i])));
    }
    EXPECT_TRUE(difference <= R(1e5) * std::numeric_limits<R>::epsilon() * size) << value_of(difference / size);
}

/// Two Jacobians one after the other, each with two sets of shifts.
template <class R, class Fill>
void compare_with_dense(int n, const mass_matrix<R>& m, const reduction& r, Fill fill)
{
    const jacobian_matrix<R> j(algebra::dense, structure::full(), n);
    counters count;
    shifted_lu<R> plain(j, m, 2, 3, count);
    shifted_lu<R> reduced(j, m, 2, 3, count, r);
    for (int jacobian = 0; jacobian < 2; ++jacobian) {
        fill(j);
        for (const R& size : {R(2 * n), R(0.25)}) {
            const auto s = some_shifts<R>(size);
            ASSERT_TRUE(plain.factor(s.real, s.complex));
            ASSERT_TRUE(reduced.factor(s.real, s.complex));
            expect_equal_up_to_rounding(solutions(reduced, n), solutions(plain, n));
        }
    }
    EXPECT_EQ(count.lu, 8u);
}

template <class R>
void fill_chained(const jacobian_matrix<R>& j, derivative_chain c)
{
    fill_random(j, structure::full());
    for (int i = 0; i < c.m1; ++i)
        for (int col = 0; col < j.n(); ++col) j.view().set(i, col, R(col == i + c.m2 ? 1 : 0));
}

/// The identity in the first m1 rows and columns, random (for kind full) or with zeros on its diagonal in the rest.
template <class R>
mass_matrix<R> chained_mass(mass_kind kind, int n, int m1)
{
    if (kind == mass_kind::identity) return mass_matrix<R>::identity(n);
    if (kind == mass_kind::diagonal) {
        std::vector<R> d(n, R(1));
        for (int i = m1; i < n; ++i) d[i] = i % 2 == 0 ? R(0.75) : R(1.25);
        return mass_matrix<R>::diagonal(d);
    }
    auto m = kind == mass_kind::band ? mass_matrix<R>::band(n, 1, 2) : mass_matrix<R>::full(n);
    for (int i = 0; i < n; ++i)
        for (int col = 0; col < n; ++col) {
            if (kind == mass_kind::band && (i - col > 1 || col - i > 2)) continue;
            const bool chained = std::min(i, col) < m1;
            m.set(i, col, R(i == col ? 1 : 0) + (chained ? R(0) : R(uniform()) / R(8 * n)));
        }
    return m;
}

struct chain_shape {
    int n;
    derivative_chain chain;
};

const std::vector<chain_shape> chain_shapes{{2, {1, 1}},  {3, {2, 1}},   {4, {2, 2}},   {5, {2, 2}},
                                            {10, {4, 4}}, {24, {14, 7}}, {27, {14, 7}}, {28, {14, 14}}};

template <class R>
void chains_like_dense()
{
    for (const auto& [n, chain] : chain_shapes)
        for (const auto kind : {mass_kind::identity, mass_kind::diagonal, mass_kind::band, mass_kind::full}) {
            const auto m = chained_mass<R>(kind, n, chain.m1);
            SCOPED_TRACE("n " + std::to_string(n) + ", m1 " + std::to_string(chain.m1) + ", m2 " + std::to_string(chain.m2) + ", " + m.describe());
            compare_with_dense<R>(n, m, {chain, false}, [c = chain](const auto& j) { fill_chained(j, c); });
        }
}

template <class R>
void hessenberg_like_dense()
{
    for (const int n : {1, 2, 3, 4, 8, 20, 50}) {
        SCOPED_TRACE("n " + std::to_string(n));
        const auto m = mass_matrix<R>::identity(n);
        compare_with_dense<R>(n, m, {{}, true}, [](const auto& j) { fill_random(j, structure::full()); });
        SCOPED_TRACE("tridiagonal: no reflection is needed");
        compare_with_dense<R>(n, m, {{}, true}, [](const auto& j) { fill_random(j, structure::band(1, 1)); });
    }
}

TEST(reductions, a_chain_is_solved_like_the_dense_system) { chains_like_dense<double>(); }
TEST(reductions, a_chain_is_solved_like_the_dense_system_in_quad) { chains_like_dense<quad>(); }
TEST(reductions, hessenberg_form_is_solved_like_the_dense_system) { hessenberg_like_dense<double>(); }
TEST(reductions, hessenberg_form_is_solved_like_the_dense_system_in_quad) { hessenberg_like_dense<quad>(); }

TEST(reductions, the_columns_are_exchanged_where_a_pivot_vanishes)
{
    // The last diagonal entry of c I − J is zero, so the elimination from the right needs its exchange.
    const jacobian_matrix<double> j(algebra::dense, structure::full(), 2);
    const auto m = mass_matrix<double>::identity(2);
    j.view().set(0, 0, 1);
    j.view().set(0, 1, 2);
    j.view().set(1, 0, 4);
    j.view().set(1, 1, 3);
    counters count;
    shifted_lu<double> lu(j, m, 1, 1, count, {{}, true});
    ASSERT_TRUE(lu.factor(std::array{3.0}, std::array{complex_shift<double>{3, 0}}));
    // [2 -2; -4 0] x = (2, -4): x = (1, 0)
    std::vector<double> b{2, -4, 0, 0, 2, -4};
    lu.solve_all(std::array{b.data(), b.data() + 2, b.data() + 4});
    EXPECT_EQ(b, (std::vector<double>{1, 0, 0, 0, 1, 0}));
}

TEST(reductions, one_matrix_at_a_time)
{
    const int n = 6;
    const derivative_chain chain{3, 3};
    const auto m = mass_matrix<double>::identity(n);
    const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
    fill_chained(j, chain);
    counters count;
    shifted_lu<double> plain(j, m, 1, 0, count);
    for (const reduction& r : {reduction{chain, false}, reduction{{}, true}}) {
        shifted_lu<double> reduced(j, m, 1, 0, count, r);
        std::vector<double> expected(n, 1.0);
        std::vector<double> b(n, 1.0);
        ASSERT_TRUE(plain.factor_real(0, 7.5));
        ASSERT_TRUE(reduced.factor_real(0, 7.5));
        plain.solve_real(0, expected.data());
        reduced.solve_real(0, b.data());
        expect_equal_up_to_rounding(b, expected);
    }
}

TEST(reductions, singular_matrices_are_refused)
{
    const int n = 4;
    const derivative_chain chain{2, 2};
    const auto m = mass_matrix<double>::identity(n);
    const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
    fill_chained(j, chain);
    // y1'' = 4 y1 has the eigenvalues 2 and -2, y2'' = -y2 has i and -i
    for (int col = 0; col < n; ++col) {
        j.view().set(2, col, col == 0 ? 4 : 0);
        j.view().set(3, col, col == 1 ? -1 : 0);
    }
    counters count;
    const auto factors = [&](const reduction& r, double real, complex_shift<double> complex) {
        return shifted_lu<double>(j, m, 1, 1, count, r).factor(std::array{real}, std::array{complex});
    };
    const reduction chained{chain, false};
    EXPECT_TRUE(factors(chained, 1, {1, 1}));
    EXPECT_FALSE(factors(chained, 2, {1, 1}));
    EXPECT_FALSE(factors(chained, 1, {2, 0}));
    EXPECT_FALSE(factors(chained, 1, {0, 1}));
    EXPECT_FALSE(factors(chained, 0, {1, 1})) << "the unknowns of the chain are divided by the shift";
    EXPECT_FALSE(factors(chained, 1, {0, 0}));

    const reduction hessenberg{{}, true};
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row) j.view().set(row, col, row == col ? 2 + row : 0);
    EXPECT_TRUE(factors(hessenberg, 1, {1, 1}));
    for (int eigenvalue = 2; eigenvalue < 2 + n; ++eigenvalue) {
        EXPECT_FALSE(factors(hessenberg, eigenvalue, {1, 1}));
        EXPECT_FALSE(factors(hessenberg, 1, {static_cast<double>(eigenvalue), 0}));
    }
    EXPECT_EQ(count.lu, 2u);
}

TEST(reductions, matrices_that_are_not_finite_are_refused_and_the_next_good_one_is_taken)
{
    const int n = 5;
    const derivative_chain chain{2, 2};
    const auto m = mass_matrix<double>::identity(n);
    counters count;
    for (const reduction& r : {reduction{chain, false}, reduction{{}, true}})
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
            for (int row = chain.m1; row < n; ++row)
                for (int col = 0; col < n; ++col) {
                    const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
                    fill_chained(j, chain);
                    shifted_lu<double> lu(j, m, 2, 3, count, r);
                    const auto s = some_shifts<double>(2 * n);
                    const double good = j.view().at(row, col);
                    j.view().set(row, col, bad);
                    EXPECT_FALSE(lu.factor(s.real, s.complex)) << row << " " << col;
                    j.view().set(row, col, good);
                    EXPECT_TRUE(lu.factor(s.real, s.complex));
                    shifted_lu<double> fresh(j, m, 2, 3, count);
                    ASSERT_TRUE(fresh.factor(s.real, s.complex));
                    expect_equal_up_to_rounding(solutions(lu, n), solutions(fresh, n));
                }
}

TEST(choose_reduction, hessenberg_form_replaces_the_chain_where_it_is_possible_and_is_refused_elsewhere)
{
    const int n = 6;
    const derivative_chain chain{3, 3};
    const jacobian_matrix<double> full(algebra::dense, structure::full(), n);
    const jacobian_matrix<double> band(algebra::band, structure::band(1, 2), n);
    const auto identity = mass_matrix<double>::identity(n);
    EXPECT_EQ(choose_reduction(chain, false, full, identity).chain.m1, 3);
    EXPECT_FALSE(choose_reduction(chain, false, full, identity).hessenberg);
    EXPECT_EQ(choose_reduction(chain, true, full, identity).chain.m1, 0);
    EXPECT_TRUE(choose_reduction(chain, true, full, identity).hessenberg);
    const auto fault = [&](const jacobian_matrix<double>& j, const mass_matrix<double>& m) -> std::string {
        try {
            (void)choose_reduction({}, true, j, m);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(fault(band, identity), "Hessenberg form asked for a matrix whose structure is band 1,2; allowed: a full Jacobian without mass matrix");
    EXPECT_EQ(fault(full, mass_matrix<double>::full(n)),
              "Hessenberg form asked for a problem with a mass matrix (full); allowed: a full Jacobian without mass matrix");
}

} // namespace
} // namespace ivp
