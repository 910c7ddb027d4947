// The kernels of every instruction set this machine can run: accuracy beside LAPACK's, the safeguards of the inverted blocks, and the choice.
//
// DESCRIPTION: matrices are random with a fixed seed. Every system has a known right-hand side b = A x for a random x (and a random b), so that the
// solution need not be large where A is nearly singular: what an explicit inverse gets wrong. Residuals are computed in extended precision. The
// systems reach the kernels as i M − J or as −J through shifted_lu.
#include "linalg/kernel_set.hpp"
#include "linalg/lapack.hpp"
#include "linalg/random_systems.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace ivp {

using namespace testing_support;
using complex = std::complex<double>;

namespace {

/// Sets IVP_KERNELS for a while.
class with_kernels {
public:
    explicit with_kernels(const std::string& name)
    {
        if (const char* const old = std::getenv("IVP_KERNELS")) old_ = old;
        setenv("IVP_KERNELS", name.c_str(), 1);
    }
    ~with_kernels()
    {
        if (old_.empty())
            unsetenv("IVP_KERNELS");
        else
            setenv("IVP_KERNELS", old_.c_str(), 1);
    }
    with_kernels(const with_kernels&) = delete;
    with_kernels& operator=(const with_kernels&) = delete;

private:
    std::string old_;
};

std::vector<std::string> kernel_names()
{
    std::vector<std::string> names;
    for (const kernels::kernel_set* k : kernels::usable_kernels()) names.emplace_back(k->name);
    return names;
}

/// A + i B, dense or (lower, upper) a band.
struct matrix {
    int n;
    bool band;
    int lower;
    int upper;
    std::vector<double> re = std::vector<double>(static_cast<std::size_t>(n) * n);
    std::vector<double> im = std::vector<double>(static_cast<std::size_t>(n) * n);

    [[nodiscard]] bool contains(int i, int j) const { return !band || (i - j <= lower && j - i <= upper); }
    [[nodiscard]] complex at(int i, int j) const { return {re[i + j * n], im[i + j * n]}; }
    template <class F>
    void each(const F& f)
    {
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (contains(i, j)) f(i, j, re[i + j * n], im[i + j * n]);
    }
};

using vector = std::vector<complex>;

using wide = std::complex<long double>;

/// ‖A x − b‖ and ‖A‖ ‖x‖ in the maximum norm.
struct residual {
    long double norm = 0;
    long double scale = 0;
};

residual residual_of(const matrix& a, const vector& x, const vector& b)
{
    residual r;
    long double a_norm = 0;
    long double x_norm = 0;
    for (int i = 0; i < a.n; ++i) {
        wide sum = -wide(b[i]);
        long double row = 0;
        for (int j = 0; j < a.n; ++j) {
            sum += wide(a.at(i, j)) * wide(x[j]);
            row += std::abs(a.at(i, j));
        }
        r.norm = std::max(r.norm, std::abs(sum));
        a_norm = std::max(a_norm, row);
        x_norm = std::max(x_norm, std::abs(wide(x[i])));
    }
    r.scale = a_norm * x_norm;
    return r;
}

template <class S>
S number(const complex& z)
{
    if constexpr (std::is_same_v<S, double>)
        return z.real();
    else
        return z;
}

/// Empty: LAPACK calls it singular.
template <class S>
std::vector<vector> lapack_solutions(const matrix& a, const std::vector<vector>& rhs)
{
    const int ld = a.band ? 2 * a.lower + a.upper + 1 : a.n;
    std::vector<S> lu(static_cast<std::size_t>(ld) * a.n);
    for (int j = 0; j < a.n; ++j)
        for (int i = 0; i < a.n; ++i)
            if (a.contains(i, j)) lu[(a.band ? a.lower + a.upper + i - j : i) + j * ld] = number<S>(a.at(i, j));
    std::vector<int> pivots(a.n);
    if ((a.band ? lapack::gbtrf(a.n, a.lower, a.upper, lu.data(), pivots.data()) : lapack::getrf(a.n, lu.data(), pivots.data())) != 0) return {};
    std::vector<vector> solutions;
    for (const vector& b : rhs) {
        std::vector<S> x(a.n);
        std::transform(b.begin(), b.end(), x.begin(), number<S>);
        if (a.band)
            lapack::gbtrs(a.n, a.lower, a.upper, lu.data(), pivots.data(), x.data());
        else
            lapack::getrs(a.n, lu.data(), pivots.data(), x.data());
        solutions.emplace_back(x.begin(), x.end());
    }
    return solutions;
}

/// Empty: refused.
std::vector<vector> own_solutions(const matrix& a, bool is_complex, const std::vector<vector>& rhs)
{
    const auto s = a.band ? structure::band(a.lower, a.upper) : structure::full();
    const jacobian_matrix<double> j(a.band ? algebra::band : algebra::dense, s, a.n);
    auto m = a.band ? mass_matrix<double>::band(a.n, a.lower, a.upper) : mass_matrix<double>::full(a.n);
    for (int col = 0; col < a.n; ++col)
        for (int row = 0; row < a.n; ++row)
            if (a.contains(row, col)) {
                j.view().set(row, col, -a.at(row, col).real());
                m.set(row, col, a.at(row, col).imag());
            }
    counters count;
    shifted_lu<double> lu(j, m, is_complex ? 0 : 1, is_complex ? 1 : 0, count);
    const double zero = 0;
    const complex_shift<double> i{0, 1};
    if (!lu.factor({&zero, is_complex ? 0U : 1U}, {&i, is_complex ? 1U : 0U})) return {};
    std::vector<vector> solutions;
    for (const vector& b : rhs) {
        std::vector<double> re(a.n);
        std::vector<double> im(a.n);
        for (int k = 0; k < a.n; ++k) {
            re[k] = b[k].real();
            im[k] = b[k].imag();
        }
        if (is_complex)
            lu.solve_complex(0, re.data(), im.data());
        else
            lu.solve_real(0, re.data());
        vector x(a.n);
        for (int k = 0; k < a.n; ++k) x[k] = {re[k], im[k]};
        solutions.push_back(x);
    }
    return solutions;
}

enum class matrix_kind { plain, rows_graded, columns_graded, nearly_singular, empty_diagonal };
constexpr std::array all_kinds{matrix_kind::plain, matrix_kind::rows_graded, matrix_kind::columns_graded, matrix_kind::nearly_singular,
                               matrix_kind::empty_diagonal};

void fill(matrix& a, matrix_kind kind, bool is_complex)
{
    a.each([&](int, int, double& re, double& im) {
        re = uniform();
        if (is_complex) im = uniform();
    });
    const auto scale_by = [&a](const auto& exponent) {
        a.each([&](int i, int j, double& re, double& im) {
            re = std::ldexp(re, exponent(i, j));
            im = std::ldexp(im, exponent(i, j));
        });
    };
    switch (kind) {
    case matrix_kind::plain: break;
    case matrix_kind::rows_graded: scale_by([](int i, int) { return i % 7 * 6 - 18; }); break;
    case matrix_kind::columns_graded: scale_by([](int, int j) { return j % 5 * 9 - 18; }); break;
    case matrix_kind::nearly_singular: // one column a multiple of another, but for 1e-9
        if (a.n > 1)
            for (int i = 0; i < a.n; ++i) {
                const int j = a.n / 2;
                if (!a.contains(i, j) || !a.contains(i, j - 1)) continue;
                a.re[i + j * a.n] = 0.75 * a.re[i + (j - 1) * a.n] + 1e-9 * uniform();
                a.im[i + j * a.n] = 0.75 * a.im[i + (j - 1) * a.n];
            }
        break;
    case matrix_kind::empty_diagonal:
        if (a.n > 1 && (!a.band || (a.lower > 0 && a.upper > 0)))
            a.each([&](int i, int j, double& re, double& im) {
                if (i == j && i % 3 != 0) re = im = 0;
            });
        break;
    }
}

vector random_complex(int n, bool is_complex)
{
    vector v(n);
    for (complex& z : v) z = {uniform(), is_complex ? uniform() : 0.0};
    return v;
}

vector product(const matrix& a, const vector& x)
{
    vector b(a.n);
    for (int i = 0; i < a.n; ++i) {
        wide sum = 0;
        for (int j = 0; j < a.n; ++j) sum += wide(a.at(i, j)) * wide(x[j]);
        b[i] = complex(sum);
    }
    return b;
}

/// Compares the residuals for b = A x and a random b; true if the matrix could be compared.
bool compare(const matrix& a, bool is_complex)
{
    const std::vector<vector> rhs{product(a, random_complex(a.n, is_complex)), random_complex(a.n, is_complex)};
    const auto lapack = is_complex ? lapack_solutions<complex>(a, rhs) : lapack_solutions<double>(a, rhs);
    if (lapack.empty()) return false;
    for (const std::string& name : kernel_names()) {
        const with_kernels use(name);
        SCOPED_TRACE(name);
        const auto own = own_solutions(a, is_complex, rhs);
        EXPECT_FALSE(own.empty());
        for (std::size_t k = 0; k < own.size(); ++k) {
            const residual ours = residual_of(a, own[k], rhs[k]);
            const residual theirs = residual_of(a, lapack[k], rhs[k]);
            // A small matrix takes twice the operations of substitution, hence not n alone.
            const long double rounding = (a.n + 8) * std::numeric_limits<double>::epsilon() * ours.scale;
            EXPECT_TRUE(ours.norm <= 10 * theirs.norm + rounding)
                << "residual " << ours.norm << ", LAPACK's " << theirs.norm << ", |A| |x| " << ours.scale << (k == 0 ? ", b = A x" : ", b random");
        }
    }
    return true;
}

std::string describe(const matrix& a, bool is_complex, int kind)
{
    return (a.band ? "band " + std::to_string(a.lower) + "," + std::to_string(a.upper) : std::string("dense")) + " n " + std::to_string(a.n) +
           (is_complex ? " complex" : " real") + " kind " + std::to_string(kind);
}

TEST(kernels, residuals_of_ten_thousand_matrices_are_those_of_lapack)
{
    int compared = 0;
    const auto all_of_size = [&](int n, bool band, int lower, int upper, int repetitions) {
        for (int r = 0; r < repetitions; ++r)
            for (const bool is_complex : {false, true})
                for (const matrix_kind kind : all_kinds) {
                    matrix a{n, band, std::min(lower, n - 1), std::min(upper, n - 1)};
                    fill(a, kind, is_complex);
                    SCOPED_TRACE(describe(a, is_complex, static_cast<int>(kind)));
                    compared += compare(a, is_complex) ? 1 : 0;
                }
    };
    for (int n = 1; n <= 8; ++n) all_of_size(n, false, 0, 0, 60);
    for (int n = 9; n <= 32; ++n) all_of_size(n, false, 0, 0, 15);
    for (const int n : {33, 40, 63, 64, 65}) all_of_size(n, false, 0, 0, 2);
    for (const auto& [lower, upper] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 3}, {4, 8}, {8, 4}, {9, 9}, {20, 20}, {12, 0}, {0, 5}})
        for (const int n : {2, 7, 16, 25, 40}) all_of_size(n, true, lower, upper, 5);
    EXPECT_GE(compared, 11000);
}

// ---- safeguards -----------------------------------------------------------------------------------------------------------------------------

TEST(kernels, spared_exchanges_that_would_spoil_the_inverse_of_l)
{
    // A = L U where every multiplier of L is −2 and U nearly the identity: the exchanges of rows are spared, and L^-1 grows like 3^(n-1).
    for (const int n : {5, 6, 7, 8, 9, 12, 17, 32})
        for (int repetition = 0; repetition < 50; ++repetition)
            for (const bool is_complex : {false, true}) {
                matrix upper{n, false, 0, 0};
                upper.each([](int i, int j, double& re, double&) { re = i == j ? 1.0 : i < j ? 0.01 * uniform() : 0.0; });
                matrix a{n, false, 0, 0};
                a.each([&](int i, int j, double& re, double& im) {
                    for (int k = 0; k <= std::min(i, j); ++k) re += (i == k ? 1.0 : -2.0) * upper.re[k + j * n];
                    if (is_complex) im = 1e-3 * re;
                });
                SCOPED_TRACE(describe(a, is_complex, 0));
                EXPECT_TRUE(compare(a, is_complex));
            }
}

TEST(kernels, upper_triangles_whose_inverse_is_large)
{
    // 1 on the diagonal, −1 above it: the inverse of U has entries up to 2^(n-2).
    for (const int n : {4, 8, 9, 16, 24, 40})
        for (const bool is_complex : {false, true})
            for (const bool band : {false, true}) {
                matrix a{n, band, 3, std::min(n - 1, 9)};
                a.each([&](int i, int j, double& re, double& im) {
                    re = i == j ? 1.0 : i < j ? -1.0 : 0.0;
                    if (is_complex) im = 0.5 * re;
                });
                SCOPED_TRACE(describe(a, is_complex, 0));
                EXPECT_TRUE(compare(a, is_complex));
            }
}

TEST(kernels, inverses_that_overflow_are_not_used)
{
    // U^-1 has the entry 1e200 · 1e200.
    for (const int n : {2, 3, 8, 9, 17})
        for (const bool is_complex : {false, true})
            for (const bool band : {false, true}) {
                matrix a{n, band, std::min(3, n - 1), std::min(4, n - 1)};
                a.each([&](int i, int j, double& re, double& im) {
                    re = i == j ? 1.0 : 0.0;
                    if (i < 2 && i == j) re = 1e-200;
                    if (i == 0 && j == 1) re = 1.0;
                    if (is_complex) im = re;
                });
                vector x(n, complex(1, 0));
                const auto b = product(a, x);
                for (const std::string& name : kernel_names()) {
                    const with_kernels use(name);
                    SCOPED_TRACE(describe(a, is_complex, 0) + " " + name);
                    const auto own = own_solutions(a, is_complex, {b});
                    ASSERT_FALSE(own.empty());
                    EXPECT_NEAR(own[0][1].real(), 1.0, 1e-15);
                    for (const complex& z : own[0]) EXPECT_TRUE(std::isfinite(z.real()) && std::isfinite(z.imag()));
                }
            }
}

// ---- the choice -----------------------------------------------------------------------------------------------------------------------------

TEST(kernels, the_environment_chooses_the_set)
{
    const auto names = kernel_names();
    EXPECT_EQ(names.back(), "generic");
    for (const std::string& name : names) {
        const with_kernels use(name);
        EXPECT_EQ(kernels::chosen_kernels().name, name);
    }
    bool one_more = false; // a name beside the sets
    {
        const with_kernels use("x86-64-v3");
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            EXPECT_NO_THROW((void)kernels::chosen_kernels()) << "a documented name, also where the whole build is made for it";
            one_more = std::ranges::find(names, "x86-64-v3") == names.end();
        }
    }
    const with_kernels use("abacus");
    std::string allowed;
    for (const std::string& name : names) allowed += (allowed.empty() ? "" : ", ") + name;
    if (one_more) allowed += ", x86-64-v3 (here the same as generic)";
    try {
        (void)kernels::chosen_kernels();
        FAIL() << "accepted";
    } catch (const bad_request& e) {
        EXPECT_EQ(e.what(), "IVP_KERNELS 'abacus' given; allowed on this machine: " + allowed);
    }
}

TEST(kernels, solving_all_at_once_gives_the_same_as_one_after_the_other)
{
    for (const std::string& name : kernel_names())
        for (const bool band : {false, true})
            for (const int n : {1, 2, 5, 8, 9, 12, 15, 16, 20, 23, 28, 29, 32, 33}) {
                const with_kernels use(name);
                SCOPED_TRACE(name + (band ? " band " : " dense ") + std::to_string(n));
                const auto s = band ? structure::band(2, 2) : structure::full();
                const jacobian_matrix<double> j(band ? algebra::band : algebra::dense, s, n);
                fill_random(j, s);
                const auto m = mass_matrix<double>::identity(n);
                counters count;
                shifted_lu<double> lu(j, m, 1, 1, count);
                ASSERT_TRUE(lu.factor(std::array{2.5}, std::array{complex_shift<double>{1.5, 2.5}}));
                const auto b = random_vector(3 * n);
                auto apart = b;
                lu.solve_real(0, apart.data());
                lu.solve_complex(0, apart.data() + n, apart.data() + 2 * n);
                auto together = b;
                lu.solve_all(std::array{together.data(), together.data() + n, together.data() + 2 * n});
                EXPECT_EQ(together, apart);
                // and the factors of the pair are those of each alone
                shifted_lu<double> real(j, m, 1, 0, count);
                ASSERT_TRUE(real.factor(std::array{2.5}, {}));
                auto alone = b;
                real.solve_real(0, alone.data());
                EXPECT_TRUE(std::equal(alone.begin(), alone.begin() + n, apart.begin()));
                shifted_lu<double> complex_alone(j, m, 0, 1, count);
                ASSERT_TRUE(complex_alone.factor({}, std::array{complex_shift<double>{1.5, 2.5}}));
                complex_alone.solve_complex(0, alone.data() + n, alone.data() + 2 * n);
                // NOTE: up to rounding: a compiler may contract a complex product in two ways.
                for (int i = n; i < 3 * n; ++i) EXPECT_NEAR(alone[i], apart[i], 1e-12 * (1 + std::abs(apart[i])));
            }
}

/// c M − J, refused by every kernel set, alone and together with a matrix of the other kind.
void expect_refusal(const jacobian_matrix<double>& j, int n)
{
    const auto m = mass_matrix<double>::identity(n);
    const complex_shift<double> z{1.5, 2.5};
    for (const std::string& name : kernel_names()) {
        const with_kernels use(name);
        SCOPED_TRACE(name + " n " + std::to_string(n));
        counters count;
        shifted_lu<double> lu(j, m, 1, 1, count);
        EXPECT_FALSE(lu.factor(std::array{2.5}, {}));
        EXPECT_FALSE(lu.factor({}, std::array{z}));
        EXPECT_FALSE(lu.factor(std::array{2.5}, std::array{z}));
    }
}

TEST(kernels, nothing_infinite_hides_behind_zeros_in_middle_sizes)
{
    // The row of the pivot has nothing to its right, so that a bad multiplier meets only zeros; or the column has nothing below.
    const double infinity = std::numeric_limits<double>::infinity();
    for (const int n : {9, 13, 20, 31, 32})
        for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
            for (const auto& [row, col] : {std::pair{n - 1, 0}, {5, 2}, {n - 1, n - 2}, {0, n - 1}, {2, 5}, {n - 2, n - 1}, {4, 4}, {n - 1, n - 1}}) {
                const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
                for (int i = 0; i < n; ++i) j.view().set(i, i, -4.0);
                j.view().set(row, col, bad);
                SCOPED_TRACE("entry " + std::to_string(row) + ", " + std::to_string(col));
                expect_refusal(j, n);
            }
}

TEST(kernels, factors_that_overflow_are_refused_in_middle_sizes)
{
    // U = c I − J with the diagonal 1e-200 and 1e200 beside it: the row divided by its pivot is infinite.
    for (const int n : {9, 16, 21, 32})
        for (const auto& [row, col] : {std::pair{0, 1}, {0, n - 1}, {n - 2, n - 1}}) {
            const jacobian_matrix<double> j(algebra::dense, structure::full(), n);
            auto m = mass_matrix<double>::identity(n);
            for (int i = 0; i < n; ++i) j.view().set(i, i, -1.0);
            j.view().set(row, col, -1e200);
            j.view().set(row, row, -1e-200);
            for (const std::string& name : kernel_names()) {
                const with_kernels use(name);
                SCOPED_TRACE(name + " n " + std::to_string(n) + " entry " + std::to_string(row) + ", " + std::to_string(col));
                counters count;
                shifted_lu<double> lu(j, m, 1, 1, count);
                EXPECT_FALSE(lu.factor(std::array{0.0}, {}));
                EXPECT_FALSE(lu.factor({}, std::array{complex_shift<double>{0.0, 0.0}}));
                EXPECT_FALSE(lu.factor(std::array{0.0}, std::array{complex_shift<double>{0.0, 0.0}}));
            }
        }
}

TEST(kernels, a_middle_matrix_forgets_the_one_before_it)
{
    // Factored after another one whose rows were exchanged, or that was refused, a matrix has the same factors as in a new object.
    for (const std::string& name : kernel_names())
        for (const int n : {9, 14, 20, 27, 32}) {
            const with_kernels use(name);
            SCOPED_TRACE(name + " n " + std::to_string(n));
            const auto s = structure::full();
            const jacobian_matrix<double> j(algebra::dense, s, n);
            const auto m = mass_matrix<double>::identity(n);
            counters count;
            shifted_lu<double> used(j, m, 1, 1, count);
            fill_random(j, s);
            ASSERT_TRUE(used.factor(std::array{0.5}, std::array{complex_shift<double>{0.25, 0.5}}));
            j.view().set(n / 2, n / 3, std::numeric_limits<double>::quiet_NaN());
            ASSERT_FALSE(used.factor(std::array{0.5}, std::array{complex_shift<double>{0.25, 0.5}}));
            fill_random(j, s);
            const auto solution = [&](shifted_lu<double>& lu) {
                EXPECT_TRUE(lu.factor(std::array{2.5}, std::array{complex_shift<double>{1.5, 2.5}}));
                std::vector<double> b(3 * n, 1.0);
                lu.solve_all(std::array{b.data(), b.data() + n, b.data() + 2 * n});
                return b;
            };
            shifted_lu<double> fresh(j, m, 1, 1, count);
            EXPECT_EQ(solution(used), solution(fresh));
        }
}

} // namespace
} // namespace ivp
