// shifted_lu against LAPACK, on badly scaled, singular and non-finite matrices, and in extended precision.
//
// DESCRIPTION: matrices are random with a fixed seed. A solution is judged by its backward error, computed in quad, never by comparing
// digits: it may be a small multiple of LAPACK's for the same system plus the rounding of n operations. The system is put together here,
// entry by entry, from J, M and the shift.
#include "linalg/lapack.hpp"
#include "linalg/random_systems.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

using complex = std::complex<double>;

namespace ivp {

using namespace testing_support;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- the system, independently ----------------------------------------------------------------------------------------------------------

/// An n×n matrix, column by column.
template <class S>
struct square {
    int n;
    std::vector<S> values = std::vector<S>(static_cast<std::size_t>(n) * n);
    [[nodiscard]] S& operator()(int i, int j) { return values[i + j * n]; }
    [[nodiscard]] const S& operator()(int i, int j) const { return values[i + j * n]; }
};

struct entry {
    quad re;
    quad im;
};

quad size_of(const entry& e) { return abs(e.re) + abs(e.im); }

/// c M − J in quad; in double the same numbers arise without rounding.
template <class R>
square<entry> iteration_matrix(const jacobian_matrix<R>& j, const mass_matrix<R>& m, complex_shift<R> c)
{
    square<entry> a{j.n()};
    const auto widen = [](const R& x) {
        if constexpr (std::is_same_v<R, quad>)
            return x;
        else
            return quad(x);
    };
    for (int col = 0; col < a.n; ++col)
        for (int row = 0; row < a.n; ++row)
            a(row, col) = {widen(c.re) * widen(m.at(row, col)) - widen(j.view().at(row, col)), widen(c.im) * widen(m.at(row, col))};
    return a;
}

/// How well x solves a x = b: normwise ‖a x − b‖ and ‖a‖ ‖x‖, and the componentwise backward error, which no scaling can hide.
struct residual {
    quad norm;
    quad scale;
    quad componentwise;
};

residual residual_of(const square<entry>& a, const std::vector<entry>& x, const std::vector<entry>& b)
{
    quad a_norm(0);
    quad x_norm(0);
    residual r{0, 0, 0};
    for (const entry& e : x) x_norm = std::max(x_norm, size_of(e));
    for (int i = 0; i < a.n; ++i) {
        entry sum{-b[i].re, -b[i].im};
        quad row_norm(0);
        quad reachable = size_of(b[i]);
        for (int j = 0; j < a.n; ++j) {
            const entry& e = a(i, j);
            if (size_of(e) == quad(0)) continue;
            sum.re += e.re * x[j].re - e.im * x[j].im;
            sum.im += e.re * x[j].im + e.im * x[j].re;
            row_norm += size_of(e);
            reachable += size_of(e) * size_of(x[j]);
        }
        a_norm = std::max(a_norm, row_norm);
        r.norm = std::max(r.norm, size_of(sum));
        if (size_of(sum) > quad(0)) r.componentwise = std::max(r.componentwise, size_of(sum) / reachable);
    }
    r.scale = a_norm * x_norm;
    return r;
}

bool all_finite(const std::vector<entry>& x)
{
    return std::all_of(x.begin(), x.end(), [](const entry& e) { return isfinite(e.re) && isfinite(e.im); });
}

void expect_as_good_as(const residual& ours, const residual& lapack, int n)
{
    const quad rounding = quad(n) * std::numeric_limits<double>::epsilon();
    EXPECT_TRUE(ours.norm <= quad(10) * lapack.norm + rounding * ours.scale)
        << "residual " << value_of(ours.norm) << ", LAPACK's " << value_of(lapack.norm) << ", |A| |x| " << value_of(ours.scale);
    // NOTE: elimination with row pivoting is stable in norm, not by component, so the ratio to LAPACK's has no bound (median 0.99 over the
    // 6480 systems below, 100 and more where the matrix is nearly singular and the arithmetic rounds differently). What this finds is a
    // wrong small row of a badly scaled matrix, which is an error of order one.
    const quad chance = 1e-7;
    EXPECT_TRUE(ours.componentwise <= quad(20) * lapack.componentwise + rounding + chance)
        << "componentwise " << value_of(ours.componentwise) << ", LAPACK's " << value_of(lapack.componentwise);
}

// ---- LAPACK -----------------------------------------------------------------------------------------------------------------------------

struct lapack_shape {
    int lower;
    int upper;
    bool band;
};

template <class S>
S from_entry(const entry& e)
{
    if constexpr (std::is_same_v<S, double>)
        return value_of(e.re);
    else
        return {value_of(e.re), value_of(e.im)};
}

entry to_entry(double x) { return {x, 0}; }
entry to_entry(const complex& x) { return {x.real(), x.imag()}; }

/// LAPACK's solution in the arithmetic of S (double or complex).
template <class S>
std::vector<entry> lapack_solution(const square<entry>& a, const std::vector<entry>& b, const lapack_shape& shape)
{
    const int n = a.n;
    const int lower = std::min(shape.lower, n - 1);
    const int upper = std::min(shape.upper, n - 1);
    const int ld = shape.band ? 2 * lower + upper + 1 : n;
    std::vector<S> values(static_cast<std::size_t>(ld) * n);
    for (int j = 0; j < n; ++j)
        for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); ++i)
            values[(shape.band ? lower + upper + i - j : i) + j * ld] = from_entry<S>(a(i, j));
    std::vector<S> x(n);
    std::transform(b.begin(), b.end(), x.begin(), from_entry<S>);
    std::vector<int> pivots(n);
    const int info = shape.band ? lapack::gbtrf(n, lower, upper, values.data(), pivots.data()) : lapack::getrf(n, values.data(), pivots.data());
    EXPECT_EQ(info, 0) << "LAPACK calls the test matrix singular";
    if (shape.band)
        lapack::gbtrs(n, lower, upper, values.data(), pivots.data(), x.data());
    else
        lapack::getrs(n, values.data(), pivots.data(), x.data());
    std::vector<entry> result(n);
    std::transform(x.begin(), x.end(), result.begin(), [](const S& v) { return to_entry(v); });
    return result;
}

// ---- our solution -----------------------------------------------------------------------------------------------------------------------

template <class R>
std::vector<entry> entries(const std::vector<R>& re, const std::vector<R>& im)
{
    std::vector<entry> e(re.size());
    for (std::size_t i = 0; i < re.size(); ++i) e[i] = {re[i], im[i]};
    return e;
}

template <class R>
std::vector<R> converted(const std::vector<double>& v)
{
    return {v.begin(), v.end()};
}

lapack_shape shape_of(const matrix_view<double>& j)
{
    if (j.kind == structure_kind::band) return {j.lower, j.upper, true};
    return {j.n - 1, j.n - 1, false};
}

/// Factors and solves with two real and three complex shifts, and compares each with LAPACK.
void compare_with_lapack(const jacobian_matrix<double>& j, const mass_matrix<double>& m)
{
    const int n = j.n();
    counters count;
    shifted_lu<double> lu(j, m, 2, 3, count);
    ASSERT_TRUE(lu.factor(real_shifts, complex_shifts));
    const std::vector<double> zero(n, 0.0);
    for (int k = 1; k >= 0; --k) {
        SCOPED_TRACE("real shift " + std::to_string(k));
        const auto a = iteration_matrix(j, m, complex_shift<double>{real_shifts[k], 0});
        const auto rhs = random_vector(n);
        auto b = rhs;
        lu.solve_real(k, b.data());
        const auto x = entries(b, zero);
        const auto right = entries(rhs, zero);
        ASSERT_TRUE(all_finite(x));
        expect_as_good_as(residual_of(a, x, right), residual_of(a, lapack_solution<double>(a, right, shape_of(j.view())), right), n);
    }
    for (int k = 2; k >= 0; --k) {
        SCOPED_TRACE("complex shift " + std::to_string(k));
        const auto a = iteration_matrix(j, m, complex_shifts[k]);
        const auto rhs_re = random_vector(n);
        const auto rhs_im = random_vector(n);
        auto b_re = rhs_re;
        auto b_im = rhs_im;
        lu.solve_complex(k, b_re.data(), b_im.data());
        const auto x = entries(b_re, b_im);
        const auto right = entries(rhs_re, rhs_im);
        ASSERT_TRUE(all_finite(x));
        expect_as_good_as(residual_of(a, x, right), residual_of(a, lapack_solution<complex>(a, right, shape_of(j.view())), right), n);
    }
}

constexpr std::array<std::pair<int, int>, 7> bands{{{0, 0}, {1, 1}, {2, 1}, {2, 2}, {5, 3}, {0, 2}, {3, 0}}};

TEST(shifted_lu, dense_as_accurate_as_lapack)
{
    for (const int n : {1, 2, 3, 5, 8, 13, 20, 50, 100})
        for (const mass_choice kind : all_masses) {
            SCOPED_TRACE(name_of(structure::full(), n, kind));
            const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
            fill_random(j, structure::full());
            compare_with_lapack(j, random_mass<double>(kind, n, n - 1, n - 1));
        }
}

TEST(shifted_lu, band_as_accurate_as_lapack)
{
    for (const auto& [lower, upper] : bands)
        for (int n = 1; n <= 60; ++n)
            for (const mass_choice kind : all_masses) {
                if (kind == mass_choice::full) continue;
                const auto s = structure::band(lower, upper);
                SCOPED_TRACE(name_of(s, n, kind));
                const jacobian_matrix<double> j(algebra::band, s, n);
                fill_random(j, s);
                compare_with_lapack(j, random_mass<double>(kind, n, lower, upper));
            }
}

TEST(shifted_lu, band_takes_a_full_mass_if_the_band_is_the_whole_matrix)
{
    for (const int n : {1, 2, 4}) {
        SCOPED_TRACE(n);
        const auto s = structure::band(5, 3);
        const jacobian_matrix<double> j(algebra::band, s, n);
        fill_random(j, s);
        compare_with_lapack(j, random_mass<double>(mass_choice::full, n, n - 1, n - 1));
    }
}

TEST(shifted_lu, matrices_with_many_zeros)
{
    for (const int n : {8, 20, 60})
        for (const auto path : {algebra::dense, algebra::band}) {
            const auto s = structure::band(4, 5);
            SCOPED_TRACE(name_of(s, n, mass_choice::identity));
            const jacobian_matrix<double> j(path, s, n);
            for (int col = 0; col < n; ++col)
                for (int row = 0; row < n; ++row)
                    if (s.contains(row, col) && uniform() > 0.4) j.view().set(row, col, uniform());
            compare_with_lapack(j, mass_matrix<double>::identity(n));
        }
}

// ---- exchanges of rows ------------------------------------------------------------------------------------------------------------------

// Narrow bands keep what exchanges add apart. One object goes through all cases, so that nothing of the one before may be left.
TEST(shifted_lu, narrow_bands_with_and_without_exchanges)
{
    const int n = 17;
    const double dominant = 50;
    const double late = 0.125;
    const double early = -19.875;
    for (int lower = 1; lower <= 2; ++lower)
        for (int upper = 1; upper <= 2; ++upper) {
            const structure s = structure::band(lower, upper);
            const jacobian_matrix<double> band(algebra::band, s, n);
            const jacobian_matrix<double> dense(algebra::dense, s, n);
            fill_random(band, s);
            for (int k = 0; k < n; ++k) {
                if (k < n / 2) band.view().set(k, k, -20.0); // the first exchange comes late, or early
                for (int i = 0; i < n; ++i) dense.view().set(i, k, band.view().at(i, k));
            }
            const auto identity = mass_matrix<double>::identity(n);
            counters count;
            shifted_lu<double> ours(band, identity, 1, 1, count);
            shifted_lu<double> reference(dense, identity, 1, 1, count);
            for (const auto& [real, complex] : {std::pair{late, late},
                                                {dominant, dominant},
                                                {late, dominant},
                                                {dominant, late},
                                                {early, early},
                                                {late, late},
                                                {dominant, dominant}}) {
                const std::array reals{real};
                const std::array complexes{complex_shift<double>{complex, 0.5}};
                ASSERT_TRUE(ours.factor(reals, complexes));
                ASSERT_TRUE(reference.factor(reals, complexes));
                std::array<std::vector<double>, 3> x{random_vector(n), random_vector(n), random_vector(n)};
                auto expected = x;
                auto apart = x;
                ours.solve_all(std::array{x[0].data(), x[1].data(), x[2].data()});
                ours.solve_real(0, apart[0].data());
                ours.solve_complex(0, apart[1].data(), apart[2].data());
                reference.solve_all(std::array{expected[0].data(), expected[1].data(), expected[2].data()});
                for (int k = 0; k < 3; ++k)
                    for (int i = 0; i < n; ++i) {
                        EXPECT_NEAR(x[k][i], expected[k][i], 1e-11) << s.describe() << ", shifts " << real << ' ' << complex;
                        EXPECT_EQ(apart[k][i], x[k][i]) << s.describe() << ", shifts " << real << ' ' << complex;
                    }
            }
        }
}

// ---- scaling ----------------------------------------------------------------------------------------------------------------------------

// Powers of two near the decimal ones, so that scaling does not round.
constexpr int exponent_1e8 = 27;
constexpr int exponent_1e60 = 199;
constexpr int exponent_1e150 = 498;

/// 2^e, 2^-e and sizes in between, in turn
double scale_factor(int exponent, int i)
{
    constexpr std::array<int, 3> quarters{4, -4, 1};
    return std::ldexp(1.0, exponent * quarters[i % 3] / 4);
}

void compare_scaled(algebra path, const structure& s, int n, int row_exponent, int column_exponent)
{
    SCOPED_TRACE(name_of(s, n, mass_choice::band) + ", rows 2^" + std::to_string(row_exponent) + ", columns 2^" + std::to_string(column_exponent));
    const jacobian_matrix<double> j(path, s, n);
    fill_random(j, s);
    auto m = random_mass<double>(mass_choice::band, n, 1, 1);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row) {
            const double factor = scale_factor(row_exponent, row) * scale_factor(column_exponent, col);
            if (s.contains(row, col)) j.view().set(row, col, factor * j.view().at(row, col));
            if (m.at(row, col) != 0) m.set(row, col, factor * m.at(row, col));
        }
    compare_with_lapack(j, m);
}

TEST(shifted_lu, badly_scaled_rows_and_columns)
{
    for (const int e : {exponent_1e8, -exponent_1e8, exponent_1e150, -exponent_1e150})
        for (const int n : {1, 2, 3, 8, 20, 50})
            for (const bool rows : {true, false}) {
                compare_scaled(algebra::dense, structure::full(), n, rows ? e : 0, rows ? 0 : e);
                compare_scaled(algebra::band, structure::band(2, 1), n, rows ? e : 0, rows ? 0 : e);
            }
}

TEST(shifted_lu, rows_and_columns_scaled_together)
{
    for (const int n : {2, 5, 20}) {
        compare_scaled(algebra::dense, structure::full(), n, exponent_1e8, -exponent_1e8);
        compare_scaled(algebra::dense, structure::full(), n, exponent_1e60, exponent_1e60);
        compare_scaled(algebra::band, structure::band(2, 2), n, exponent_1e60, -exponent_1e60);
    }
}

/// The solution with J and M multiplied by a power of two, for one real and one complex shift.
std::vector<double> solution_times(double factor, algebra path, const structure& s, int n)
{
    generator.seed(7);
    const jacobian_matrix<double> j(path, s, n);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row)
            if (s.contains(row, col)) j.view().set(row, col, uniform() * factor);
    const auto m = mass_matrix<double>::diagonal(std::vector<double>(n, factor));
    counters count;
    shifted_lu<double> lu(j, m, 1, 1, count);
    EXPECT_TRUE(lu.factor(std::array{2.0}, std::array{complex_shift<double>{1.0, 3.0}}));
    auto x = random_vector(3 * n);
    lu.solve_real(0, x.data());
    lu.solve_complex(0, x.data() + n, x.data() + 2 * n);
    return x;
}

TEST(shifted_lu, power_of_two_scaling_changes_no_digit)
{
    // Beyond 1e±154 the square of a complex pivot is no number any more.
    for (const auto path : {algebra::dense, algebra::band})
        for (const double factor : {0x1p600, 0x1p-600, 0x1p900, 0x1p-900}) {
            SCOPED_TRACE(std::string(label(path)) + " " + std::to_string(std::log2(factor)));
            auto scaled = solution_times(factor, path, structure::band(2, 3), 9);
            for (double& x : scaled) x *= factor;
            EXPECT_EQ(scaled, solution_times(1.0, path, structure::band(2, 3), 9));
        }
}

TEST(shifted_lu, small_diagonal_needs_the_pivot)
{
    for (const auto path : {algebra::dense, algebra::band}) {
        SCOPED_TRACE(label(path));
        const jacobian_matrix<double> j(path, structure::band(1, 1), 2);
        j.view().set(0, 0, -1e-20);
        j.view().set(0, 1, -1.0);
        j.view().set(1, 0, -1.0);
        j.view().set(1, 1, -1.0);
        const auto m = mass_matrix<double>::diagonal({0.0, 0.0});
        counters count;
        shifted_lu<double> lu(j, m, 1, 1, count);
        ASSERT_TRUE(lu.factor(std::array{1.0}, std::array{complex_shift<double>{1.0, 1.0}}));
        // 1e-20 x + y = 1, x + y = 3
        std::array<double, 2> b{1.0, 3.0};
        lu.solve_real(0, b.data());
        EXPECT_DOUBLE_EQ(b[0], 2.0);
        EXPECT_DOUBLE_EQ(b[1], 1.0);
        std::array<double, 2> re{1.0, 3.0};
        std::array<double, 2> im{-2.0, -6.0};
        lu.solve_complex(0, re.data(), im.data());
        EXPECT_DOUBLE_EQ(re[0], 2.0);
        EXPECT_DOUBLE_EQ(re[1], 1.0);
        EXPECT_DOUBLE_EQ(im[0], -4.0);
        EXPECT_DOUBLE_EQ(im[1], -2.0);
    }
}

// ---- singular and not finite --------------------------------------------------------------------------------------------------------------

struct answers {
    bool real;
    bool complex_;
    bool operator==(const answers&) const = default;
};
constexpr answers both_refused{false, false};
constexpr answers both_factored{true, true};

std::ostream& operator<<(std::ostream& out, const answers& a) { return out << "real " << a.real << ", complex " << a.complex_; }

/// Whether c M − J can be factored, by the real and by the complex kernel, each alone.
answers factorable(const jacobian_matrix<double>& j, const mass_matrix<double>& m, double c, complex_shift<double> complex_c)
{
    counters count;
    shifted_lu<double> real(j, m, 1, 0, count);
    shifted_lu<double> complex_lu(j, m, 0, 1, count);
    return {real.factor(std::array{c}, {}), complex_lu.factor({}, std::array{complex_c})};
}

/// The same for a given matrix a = 0 M − (−a); the structure is the smallest band.
answers factorable(algebra path, const std::vector<std::vector<double>>& a)
{
    const int n = static_cast<int>(a.size());
    int lower = 0;
    int upper = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (a[i][j] != 0) {
                lower = std::max(lower, i - j);
                upper = std::max(upper, j - i);
            }
    const jacobian_matrix<double> jac(path, structure::band(lower, upper), n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (a[i][j] != 0) jac.view().set(i, j, -a[i][j]);
    return factorable(jac, mass_matrix<double>::identity(n), 0.0, {0.0, 0.0});
}

std::vector<std::vector<double>> path_laplacian(int n)
{
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    for (int i = 0; i + 1 < n; ++i) {
        a[i][i] += 1;
        a[i + 1][i + 1] += 1;
        a[i][i + 1] = a[i + 1][i] = -1;
    }
    return a;
}

TEST(shifted_lu, singular_matrices_that_cancel_exactly)
{
    for (const auto path : {algebra::dense, algebra::band}) {
        SCOPED_TRACE(label(path));
        EXPECT_EQ(factorable(path, {{0}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, 2}, {1, 2}}), both_refused);
        EXPECT_EQ(factorable(path, {{2, 4}, {1, 2}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, 2}, {4, 8}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, 2, 3}, {4, 8, 1}, {1, 2, 3}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, 1, 0}, {1, 2, 1}, {0, 1, 1}}), both_refused);
        for (int n = 1; n <= 12; ++n) {
            EXPECT_EQ(factorable(path, std::vector(n, std::vector<double>(n, 0.0))), both_refused) << "zero matrix " << n;
            EXPECT_EQ(factorable(path, path_laplacian(n)), both_refused) << "Laplacian " << n;
            auto grounded = path_laplacian(n);
            grounded[n - 1][n - 1] += 1;
            EXPECT_EQ(factorable(path, grounded), both_factored) << "grounded Laplacian " << n;
        }
    }
}

TEST(shifted_lu, a_zero_row_or_column_is_singular)
{
    for (const auto path : {algebra::dense, algebra::band})
        for (int n = 1; n <= 7; ++n)
            for (int zero = 0; zero < n; ++zero)
                for (const bool column : {true, false}) {
                    const auto s = structure::band(2, 2);
                    const jacobian_matrix<double> j(path, s, n);
                    fill_random(j, s);
                    const auto m = mass_matrix<double>::diagonal(std::vector<double>(n, 0.0));
                    EXPECT_EQ(factorable(j, m, 1.0, {1.0, 1.0}), both_factored);
                    for (int i = 0; i < n; ++i) {
                        const int row = column ? i : zero;
                        const int col = column ? zero : i;
                        if (s.contains(row, col)) j.view().set(row, col, 0.0);
                    }
                    EXPECT_EQ(factorable(j, m, 1.0, {1.0, 1.0}), both_refused) << label(path) << " n " << n << " zero " << zero << " " << column;
                }
}

TEST(shifted_lu, a_shift_on_an_eigenvalue_is_singular)
{
    const jacobian_matrix<double> j(algebra::dense, structure::full(), 2);
    const auto m = mass_matrix<double>::identity(2);
    // eigenvalues ± i
    j.view().set(0, 1, 1.0);
    j.view().set(1, 0, -1.0);
    EXPECT_EQ(factorable(j, m, 0.0, {0.0, 1.0}), (answers{true, false}));
    EXPECT_EQ(factorable(j, m, 1.0, {0.0, -1.0}), (answers{true, false}));
    EXPECT_EQ(factorable(j, m, 1.0, {0.0, 0.5}), both_factored);
    // eigenvalues ± 1
    j.view().set(1, 0, 1.0);
    EXPECT_EQ(factorable(j, m, 1.0, {1.0, 0.0}), both_refused);
    EXPECT_EQ(factorable(j, m, -1.0, {1.0, 1.0}), (answers{false, true}));
    EXPECT_EQ(factorable(j, m, 0.5, {-1.0, 0.0}), (answers{true, false}));
}

TEST(shifted_lu, one_bad_shift_fails_all_and_a_good_one_recovers)
{
    const int n = 3;
    const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
    for (int i = 0; i < n; ++i) j.view().set(i, i, i + 1.0);
    const auto m = mass_matrix<double>::identity(n);
    counters count;
    shifted_lu<double> lu(j, m, 2, 1, count);
    EXPECT_FALSE(lu.factor(std::array{5.0, 2.0}, std::array{complex_shift<double>{0.0, 1.0}}));
    EXPECT_FALSE(lu.factor(std::array{3.0, 5.0}, std::array{complex_shift<double>{0.0, 1.0}}));
    EXPECT_FALSE(lu.factor(std::array{5.0, 6.0}, std::array{complex_shift<double>{1.0, 0.0}}));
    ASSERT_TRUE(lu.factor(std::array{5.0, 7.0}, std::array{complex_shift<double>{1.0, 1.0}}));
    std::array<double, 3> b{4.0, 6.0, 8.0};
    lu.solve_real(0, b.data());
    EXPECT_EQ(b, (std::array{1.0, 2.0, 4.0}));
}

/// The same without a large diagonal, so that rows are exchanged.
jacobian_matrix<double> pivoting_jacobian(algebra path, const structure& s, int n)
{
    auto j = tame_jacobian(path, s, n);
    for (int i = 0; i < n; ++i) {
        j.view().set(i, i, 0.125);
        if (i + 1 < n && s.lower > 0) j.view().set(i + 1, i, 8.0);
    }
    return j;
}

template <class Make>
void expect_bad_entries_found(const Make& make, algebra path, const structure& s, int n)
{
    const auto j = make(path, s, n);
    const auto m = mass_matrix<double>::diagonal(std::vector<double>(n, 0.25));
    ASSERT_EQ(factorable(j, m, 1.0, {1.0, 2.0}), both_factored);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row) {
            if (!s.contains(row, col)) continue;
            const double good = j.view().at(row, col);
            for (const double bad : {nan, infinity, -infinity}) {
                j.view().set(row, col, bad);
                EXPECT_EQ(factorable(j, m, 1.0, {1.0, 2.0}), both_refused)
                    << label(path) << " " << s.describe() << " n " << n << ": " << bad << " at " << row << "," << col;
            }
            j.view().set(row, col, good);
        }
}

TEST(shifted_lu, nan_or_infinity_anywhere_in_the_jacobian_is_refused)
{
    for (int n = 1; n <= 7; ++n)
        for (const auto& [lower, upper] : bands)
            for (const auto path : {algebra::dense, algebra::band}) {
                const auto s = structure::band(std::min(lower, n - 1), std::min(upper, n - 1));
                expect_bad_entries_found(tame_jacobian, path, s, n);
                if (lower > 0) expect_bad_entries_found(pivoting_jacobian, path, s, n);
            }
}

TEST(shifted_lu, nan_is_found_where_zeros_would_hide_it)
{
    // The row with the NaN is never combined with another, because the pivot rows have nothing but their pivots.
    for (const auto path : {algebra::dense, algebra::band}) {
        SCOPED_TRACE(label(path));
        EXPECT_EQ(factorable(path, {{1, 1}, {1, 0}}), both_factored);
        EXPECT_EQ(factorable(path, {{nan, 1}, {1, 0}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, 0}, {nan, 1}}), both_refused);
        EXPECT_EQ(factorable(path, {{0, 1, 0}, {nan, 0, 1}, {1, 0, 0}}), both_refused);
        EXPECT_EQ(factorable(path, {{1, nan, 0}, {0, 1, 0}, {0, 0, 1}}), both_refused);
    }
}

TEST(shifted_lu, nan_or_infinity_in_the_mass_or_the_shift_is_refused)
{
    const int n = 4;
    const auto s = structure::band(1, 1);
    for (const auto path : {algebra::dense, algebra::band}) {
        const auto j = tame_jacobian(path, s, n);
        for (const double bad : {nan, infinity}) {
            auto m = mass_matrix<double>::band(n, 1, 1);
            m.set(1, 2, bad);
            EXPECT_EQ(factorable(j, m, 1.0, {1.0, 2.0}), both_refused);
            EXPECT_EQ(factorable(j, m, 1.0, {0.0, 2.0}), both_refused);
            const auto identity = mass_matrix<double>::identity(n);
            EXPECT_EQ(factorable(j, identity, bad, {bad, 1.0}), both_refused);
            EXPECT_EQ(factorable(j, identity, -bad, {1.0, bad}), both_refused);
        }
    }
}

TEST(shifted_lu, overflow_on_the_way_and_subnormal_pivots_are_refused)
{
    for (const auto path : {algebra::dense, algebra::band}) {
        EXPECT_EQ(factorable(path, {{1e308, 1e308}, {-1e308, 1e308}}), both_refused);
        EXPECT_EQ(factorable(path, {{1e-310}}), both_refused);
        EXPECT_EQ(factorable(path, {{1e-300}}), both_factored);
        EXPECT_EQ(factorable(path, {{1e300, 1e300}, {-1e300, 1e300}}), both_factored);
    }
}

// ---- extended precision -------------------------------------------------------------------------------------------------------------------

/// A number with 113 significant bits.
quad uniform_quad() { return quad(uniform()) + quad(uniform()) * quad(0x1p-53) + quad(uniform()) * quad(0x1p-106); }

void check_quad(algebra path, const structure& s, int n, mass_choice kind)
{
    SCOPED_TRACE(name_of(s, n, kind) + ", " + std::string(label(path)));
    const bool full = s.kind == structure_kind::full;
    const int lower = full ? n - 1 : s.lower;
    const int upper = full ? n - 1 : s.upper;
    const jacobian_matrix<quad> j(path, s, n);
    const jacobian_matrix<double> j_double(path, s, n);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row)
            if (s.contains(row, col)) {
                // Dominant diagonal: the error of the double solution is then a few ulps.
                j.view().set(row, col, uniform_quad() - quad(row == col ? 3.0 * n : 0.0));
                j_double.view().set(row, col, value_of(j.view().at(row, col)));
            }
    generator.seed(11);
    const auto m = random_mass<quad>(kind, n, lower, upper);
    generator.seed(11);
    const auto m_double = random_mass<double>(kind, n, lower, upper);

    counters count;
    shifted_lu<quad> lu(j, m, 1, 1, count);
    shifted_lu<double> lu_double(j_double, m_double, 1, 1, count);
    const complex_shift<quad> c{quad(1.5), quad(2.5)};
    ASSERT_TRUE(lu.factor(std::array{quad(0.5)}, std::array{c}));
    ASSERT_TRUE(lu_double.factor(std::array{0.5}, std::array{complex_shift<double>{1.5, 2.5}}));

    const auto expect_exact = [n](const residual& r) {
        const quad rounding = quad(n) * quad(1e-32);
        EXPECT_TRUE(r.norm <= rounding * r.scale) << value_of(r.norm) << " " << value_of(r.scale);
        EXPECT_LE(value_of(r.componentwise), 1e-30);
    };
    const auto expect_near = [n](const std::vector<quad>& x, const std::vector<double>& x_double) {
        for (int i = 0; i < n; ++i) EXPECT_NEAR(value_of(x[i]), x_double[i], 1e-13);
    };
    const auto b_re = random_vector(n);
    const auto b_im = random_vector(n);
    const std::vector<quad> zero(n, quad(0));
    auto x_re = converted<quad>(b_re);
    auto x_double = b_re;
    lu.solve_real(0, x_re.data());
    lu_double.solve_real(0, x_double.data());
    expect_exact(
        residual_of(iteration_matrix(j, m, complex_shift<quad>{quad(0.5), quad(0)}), entries(x_re, zero), entries(converted<quad>(b_re), zero)));
    expect_near(x_re, x_double);

    x_re = converted<quad>(b_re);
    auto x_im = converted<quad>(b_im);
    x_double = b_re;
    auto x_double_im = b_im;
    lu.solve_complex(0, x_re.data(), x_im.data());
    lu_double.solve_complex(0, x_double.data(), x_double_im.data());
    expect_exact(residual_of(iteration_matrix(j, m, c), entries(x_re, x_im), entries(converted<quad>(b_re), converted<quad>(b_im))));
    expect_near(x_re, x_double);
    expect_near(x_im, x_double_im);
}

TEST(shifted_lu, quad_solves_to_quad_accuracy)
{
    for (const int n : {1, 2, 3, 8, 20, 50})
        for (const mass_choice kind : all_masses) {
            check_quad(algebra::dense, structure::full(), n, kind);
            if (kind != mass_choice::full) check_quad(algebra::band, structure::band(2, 1), n, kind);
        }
}

TEST(shifted_lu, quad_refuses_singular_and_not_finite)
{
    const int n = 3;
    const jacobian_matrix<quad> j(algebra::dense, structure::full(), n);
    const auto m = mass_matrix<quad>::identity(n);
    counters count;
    shifted_lu<quad> lu(j, m, 1, 0, count);
    EXPECT_FALSE(lu.factor(std::array{quad(0)}, {}));
    EXPECT_TRUE(lu.factor(std::array{quad(1)}, {}));
    j.view().set(0, 2, std::numeric_limits<quad>::quiet_NaN());
    EXPECT_FALSE(lu.factor(std::array{quad(1)}, {}));
    j.view().set(0, 2, std::numeric_limits<quad>::infinity());
    EXPECT_FALSE(lu.factor(std::array{quad(1)}, {}));
}

} // namespace
} // namespace ivp
