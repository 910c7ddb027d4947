// The contract of shifted_lu and its companions: what is counted, that nothing is allocated, which path is chosen, what is refused.
#include "allocation_counter.hpp"
#include "linalg/random_systems.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

using namespace testing_support;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(shifted_lu, counts_what_it_did)
{
    const int n = 4;
    for (const auto path : {algebra::dense, algebra::band}) {
        const auto j = tame_jacobian(path, structure::band(1, 1), n);
        const auto m = mass_matrix<double>::identity(n);
        counters count;
        shifted_lu<double> lu(j, m, 2, 3, count);
        std::vector<double> re(n, 1.0);
        std::vector<double> im(n, 1.0);
        ASSERT_TRUE(lu.factor(real_shifts, complex_shifts));
        ASSERT_TRUE(lu.factor(real_shifts, complex_shifts));
        EXPECT_EQ(count.lu, 2u);
        EXPECT_EQ(count.real_factorisations, 4u);
        EXPECT_EQ(count.complex_factorisations, 6u);
        lu.solve_real(0, re.data());
        lu.solve_real(1, re.data());
        lu.solve_complex(2, re.data(), im.data());
        EXPECT_EQ(count.solve, 0u);
        EXPECT_EQ(count.f + count.f_jacobian + count.jacobian + count.refused + count.nonfinite, 0u);

        j.view().set(0, 0, nan);
        EXPECT_FALSE(lu.factor(real_shifts, complex_shifts));
        j.view().set(0, 0, 1.5);
        j.view().set(0, 1, 0.0);
        EXPECT_FALSE(lu.factor(real_shifts, std::array{complex_shift<double>{1, 1}, complex_shift<double>{1, 1}, complex_shift<double>{1.5, 0}}));
        EXPECT_EQ(count.lu, 2u);
        EXPECT_EQ(count.real_factorisations, 4u);
        EXPECT_EQ(count.complex_factorisations, 6u);
    }
}

TEST(shifted_lu, takes_fewer_shifts_than_it_was_made_for)
{
    const int n = 5;
    const auto m = mass_matrix<double>::identity(n);
    for (const auto path : {algebra::dense, algebra::band}) {
        const auto j = tame_jacobian(path, structure::band(1, 1), n);
        counters count;
        shifted_lu<double> large(j, m, 1, 3, count);
        ASSERT_TRUE(large.factor(std::array{2.5}, complex_shifts));
        ASSERT_TRUE(large.factor(std::array{2.5}, std::span(complex_shifts).first(1)));
        EXPECT_EQ(count.complex_factorisations, 4u);
        shifted_lu<double> fitting(j, m, 1, 1, count);
        ASSERT_TRUE(fitting.factor(std::array{2.5}, std::span(complex_shifts).first(1)));
        const auto solution = [](const shifted_lu<double>& lu) {
            std::vector<double> b(3 * n, 1.0);
            lu.solve_all(std::array{b.data(), b.data() + n, b.data() + 2 * n});
            return b;
        };
        EXPECT_EQ(solution(large), solution(fitting));
    }
}

template <class R>
std::uint64_t allocations_of_use(algebra path, int n = 20, const structure& s = structure::band(2, 1))
{
    const jacobian_matrix<R> j(path, s, n);
    fill_random(j, s);
    const auto m = random_mass<R>(mass_choice::band, n, 2, 1);
    counters count;
    shifted_lu<R> lu(j, m, 1, 1, count);
    std::vector<R> re(n, R(1));
    std::vector<R> im(n, R(1));
    std::vector<R> other(n, R(1));
    const std::array shifts{R(2.5)};
    const std::array complex_ones{complex_shift<R>{R(1.5), R(2.5)}};
    const std::uint64_t before = allocations;
    bool ok = true;
    for (int i = 0; i < 3; ++i) {
        ok = ok && lu.factor(shifts, complex_ones);
        lu.solve_real(0, re.data());
        lu.solve_complex(0, re.data(), im.data());
        lu.solve_all(std::array{other.data(), re.data(), im.data()});
    }
    const std::uint64_t after = allocations;
    EXPECT_TRUE(ok);
    return after - before;
}

TEST(shifted_lu, allocates_nothing_after_construction)
{
    const std::uint64_t before = allocations;
    const auto control = std::make_unique<std::vector<double>>(100);
    ASSERT_EQ(allocations - before, 2u) << "the counter does not count";
    for (const int n : {1, 3, 8, 20, 70}) {
        EXPECT_EQ(allocations_of_use<double>(algebra::dense, n), 0u) << n;
        EXPECT_EQ(allocations_of_use<double>(algebra::band, n), 0u) << n;
        EXPECT_EQ(allocations_of_use<double>(algebra::band, n, structure::band(9, 12)), 0u) << n;
    }
    EXPECT_EQ(allocations_of_use<quad>(algebra::dense), 0u);
    EXPECT_EQ(allocations_of_use<quad>(algebra::band), 0u);
    const int n = 20;
    std::vector<std::vector<int>> columns(n);
    for (int i = 0; i < n; ++i)
        for (int c = std::max(0, i - 2); c <= std::min(n - 1, i + 1); ++c) columns[i].push_back(c);
    EXPECT_EQ(allocations_of_use<double>(algebra::sparse, n, structure::sparse(columns)), 0u);
    EXPECT_EQ(allocations_of_use<quad>(algebra::sparse, n, structure::sparse(columns)), 0u);
}

// The sum is rounded once, as if it had been made before: to the last bit.
TEST(shifted_lu, solves_for_a_sum)
{
    const auto solves_for_sum = [](algebra path, const structure& s, int n) {
        const jacobian_matrix<double> j(path, s, n);
        fill_random(j, s);
        const auto m = mass_matrix<double>::identity(n);
        counters count;
        shifted_lu<double> lu(j, m, 2, 0, count);
        ASSERT_TRUE(lu.factor(real_shifts, {}));
        const auto a = random_vector(n);
        const auto b = random_vector(n);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = a[i] + b[i];
        lu.solve_real(1, expected.data());
        std::vector<double> x(n);
        lu.solve_sum(1, a.data(), b.data(), x.data());
        EXPECT_EQ(x, expected) << n << ' ' << label(path);
        x = a;
        lu.solve_sum(1, x.data(), b.data(), x.data());
        EXPECT_EQ(x, expected) << "in place of a summand, " << n << ' ' << label(path);
    };
    for (int n = 1; n <= 40; ++n) {
        solves_for_sum(algebra::dense, structure::full(), n);
        solves_for_sum(algebra::band, structure::band(1, 2), n);
    }
    std::vector<std::vector<int>> arrow(20, {0});
    for (int i = 1; i < 20; ++i) arrow[i].push_back(i);
    solves_for_sum(algebra::sparse, structure::sparse(arrow), 20);
}

TEST(shifted_lu, can_be_moved)
{
    const int n = 4;
    const auto j = tame_jacobian(algebra::band, structure::band(1, 1), n);
    const auto m = mass_matrix<double>::identity(n);
    counters count;
    shifted_lu<double> first(j, m, 1, 0, count);
    ASSERT_TRUE(first.factor(std::array{2.0}, {}));
    std::vector<double> expected(n, 1.0);
    std::vector<double> x(n, 1.0);
    first.solve_real(0, expected.data());
    shifted_lu<double> second(std::move(first));
    second.solve_real(0, x.data());
    EXPECT_EQ(x, expected);
}

TEST(shifted_lu, reads_the_jacobian_at_each_factorisation_and_leaves_it_alone)
{
    for (const auto path : {algebra::dense, algebra::band}) {
        const int n = 3;
        const auto s = structure::band(1, 1);
        const jacobian_matrix<double> j(path, s, n);
        const auto m = mass_matrix<double>::identity(n);
        counters count;
        shifted_lu<double> lu(j, m, 1, 0, count);
        for (const double value : {1.0, -3.0}) {
            for (int i = 0; i < n; ++i) j.view().set(i, i, value);
            ASSERT_TRUE(lu.factor(std::array{5.0}, {}));
            std::array<double, 3> b{8.0, 16.0, 24.0};
            lu.solve_real(0, b.data());
            for (int i = 0; i < n; ++i) {
                EXPECT_EQ(b[i], 8.0 * (i + 1) / (5.0 - value));
                EXPECT_EQ(j.view().at(i, i), value);
            }
        }
    }
}

TEST(shifted_lu, a_second_factorisation_sees_nothing_of_the_first)
{
    const int n = 12;
    const auto s = structure::band(2, 3);
    for (const auto path : {algebra::dense, algebra::band})
        for (const mass_choice kind : {mass_choice::identity, mass_choice::singular_diagonal, mass_choice::band}) {
            SCOPED_TRACE(name_of(s, n, kind) + ", " + std::string(label(path)));
            const jacobian_matrix<double> j(path, s, n);
            const auto m = random_mass<double>(kind, n, 2, 3);
            counters count;
            shifted_lu<double> used(j, m, 1, 1, count);
            shifted_lu<double> fresh(j, m, 1, 1, count);
            for (int i = 0; i < 3; ++i) {
                fill_random(j, s);
                ASSERT_TRUE(used.factor(std::array{2.5}, std::array{complex_shift<double>{1.5, 2.5}}));
            }
            ASSERT_TRUE(fresh.factor(std::array{2.5}, std::array{complex_shift<double>{1.5, 2.5}}));
            const auto solution = [b = random_vector(3 * n)](shifted_lu<double>& lu) {
                auto x = b;
                lu.solve_real(0, x.data());
                lu.solve_complex(0, x.data() + n, x.data() + 2 * n);
                return x;
            };
            EXPECT_EQ(solution(used), solution(fresh));
        }
}

std::string fault_of(algebra asked, const structure& s, int n)
{
    try {
        choose_algebra(asked, s, n);
    } catch (const bad_request& e) {
        return e.what();
    }
    return "accepted";
}

structure some_sparse_structure() { return structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(3, {{0, 2}, {1}, {0, 1, 2}}))); }

TEST(jacobian_matrix, refuses_more_entries_than_places_are_counted)
{
    const auto fault = [](algebra path, const structure& s, int n) -> std::string {
        try {
            const jacobian_matrix<double> j(path, s, n);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(fault(algebra::dense, structure::full(), 46341),
              "algebra 'dense': a matrix of 46341 equations with 2147488281 entries asked for; allowed: at most 2147483647 entries");
    EXPECT_EQ(
        fault(algebra::band, structure::band(40000, 40000), 40001),
        "algebra 'band': a matrix of 40001 equations with 3200120001 entries asked for; allowed: at most 2147483647 entries, or algebra 'krylov'");
}

TEST(choose_algebra, automatic_takes_band_where_it_saves_work)
{
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::full(), 100), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, some_sparse_structure(), 3), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 2), 400), algebra::band) << "medakzo";
    constexpr linear_work with_complex{1, 3};
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 1), 8, with_complex), algebra::band) << "transamp";
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 1), 8), algebra::dense) << "a single matrix in registers is faster";
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 1), 8, {.real_matrices = 4}), algebra::dense) << "PSIDE";
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 1), 9), algebra::band);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(2, 1), 4), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(0, 0), 1), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(0, 0), 2, with_complex), algebra::band);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(20, 20), 400), algebra::band);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(20, 20), 30), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::automatic, structure::band(100, 100), 5), algebra::dense) << "wider than the matrix";
}

TEST(choose_algebra, what_was_asked_for_is_used_where_it_can_be)
{
    EXPECT_EQ(choose_algebra(algebra::dense, structure::full(), 3), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::dense, structure::band(1, 1), 1000), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::dense, some_sparse_structure(), 3), algebra::dense);
    EXPECT_EQ(choose_algebra(algebra::band, structure::band(5, 5), 3), algebra::band);
}

TEST(choose_algebra, refusals_say_what_was_given_and_what_is_allowed)
{
    EXPECT_EQ(fault_of(algebra::band, structure::full(), 8), "algebra 'band' given for a matrix whose structure is full; allowed: auto, dense");
    EXPECT_EQ(fault_of(algebra::band, some_sparse_structure(), 3),
              "algebra 'band' given for a matrix whose structure is sparse 6 entries; allowed: auto, dense, sparse, krylov");
    EXPECT_EQ(fault_of(algebra::sparse, structure::full(), 8), "algebra 'sparse' given for a matrix whose structure is full; allowed: auto, dense");
    EXPECT_EQ(fault_of(algebra::sparse, structure::band(1, 1), 8),
              "algebra 'sparse' given for a matrix whose structure is band 1,1; allowed: auto, dense, band, krylov");
}

TEST(jacobian_matrix, layout_follows_the_path)
{
    const auto s = structure::band(2, 1);
    const jacobian_matrix<double> band(algebra::band, s, 8);
    EXPECT_EQ(band.view().kind, structure_kind::band);
    EXPECT_EQ(band.view().lower, 2);
    EXPECT_EQ(band.view().upper, 1);
    EXPECT_EQ(band.view().ld, 4);
    EXPECT_EQ(band.view().size(), 32u);
    EXPECT_EQ(band.n(), 8);

    const jacobian_matrix<double> dense(algebra::dense, s, 8);
    EXPECT_EQ(dense.view().kind, structure_kind::full);
    EXPECT_EQ(dense.view().ld, 8);
    EXPECT_EQ(dense.view().size(), 64u);
    for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i) {
            EXPECT_EQ(dense.view().at(i, j), 0.0);
            EXPECT_EQ(band.view().at(i, j), 0.0);
        }

    const jacobian_matrix<double> wide(algebra::band, structure::band(5, 3), 2);
    EXPECT_EQ(wide.view().lower, 5);
    EXPECT_EQ(wide.view().ld, 9);

    const jacobian_matrix<double> chosen(algebra::automatic, structure::band(2, 2), 400);
    EXPECT_EQ(chosen.view().kind, structure_kind::band);
    EXPECT_THROW(jacobian_matrix<double>(algebra::band, structure::full(), 3), bad_request);
    EXPECT_THROW(jacobian_matrix<quad>(algebra::sparse, structure::full(), 3), bad_request);
}

TEST(jacobian_matrix, moved_storage_stays_valid)
{
    jacobian_matrix<double> first(algebra::dense, structure::full(), 2);
    first.view().set(1, 0, 5.0);
    const jacobian_matrix<double> second(std::move(first));
    EXPECT_EQ(second.view().at(1, 0), 5.0);
    second.view().set(0, 1, 7.0);
    EXPECT_EQ(second.view().at(0, 1), 7.0);
    static_assert(!std::is_copy_constructible_v<jacobian_matrix<double>>);
}

TEST(shifted_lu, refuses_a_mass_matrix_that_does_not_fit)
{
    counters count;
    const jacobian_matrix<double> j(algebra::band, structure::band(2, 1), 8);
    const auto fault = [&](const mass_matrix<double>& m) -> std::string {
        try {
            shifted_lu<double>(j, m, 1, 0, count);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "accepted";
    };
    EXPECT_EQ(fault(mass_matrix<double>::identity(8)), "accepted");
    EXPECT_EQ(fault(mass_matrix<double>::band(8, 2, 1)), "accepted");
    EXPECT_EQ(fault(mass_matrix<double>::full(8)), "mass matrix (full) given; allowed: one inside the iteration matrix (band 2,1)");
    EXPECT_EQ(fault(mass_matrix<double>::band(8, 1, 2)), "mass matrix (band 1,2) given; allowed: one inside the iteration matrix (band 2,1)");
    EXPECT_EQ(fault(mass_matrix<double>::band(8, 3, 0)), "mass matrix (band 3,0) given; allowed: one inside the iteration matrix (band 2,1)");
    const jacobian_matrix<double> dense(algebra::dense, structure::band(1, 1), 2);
    EXPECT_NO_THROW(shifted_lu<double>(dense, mass_matrix<double>::band(2, 3, 3), 1, 0, count)) << "wider than the matrix";
    EXPECT_EQ(fault(mass_matrix<double>::identity(7)), "mass matrix of dimension 7 given; allowed: 8, as the Jacobian");
}

} // namespace
} // namespace ivp
