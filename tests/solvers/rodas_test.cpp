#include "solvers/singular_pencil.hpp"

#include "model/test_problem.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/original_counts.hpp"
#include "solvers/rodas/coefficients.hpp"

#include <ivp/catalog.hpp>
#include <ivp/problem_of.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ivp {

using testing_support::expect_counts;
using testing_support::measured_dense_order;
using testing_support::plain_problem;

namespace {

run_settings once(double rtol, run_settings s = {})
{
    s.rtol = rtol;
    s.repeat = 1;
    return s;
}

run_record run(const std::string& problem, double rtol, const run_settings& s = {})
{
    return measure_run(open_problem(problem), *open_solver("rodas"), once(rtol, s));
}

constexpr int stages = solvers::rodas_method::stages;
using vector = std::array<double, stages>;
using matrix = std::array<vector, stages>;

vector times(const matrix& a, const vector& x)
{
    vector y{};
    for (int i = 0; i < stages; ++i)
        for (int j = 0; j < stages; ++j) y[i] += a[i][j] * x[j];
    return y;
}
double dot(const vector& a, const vector& b)
{
    double sum = 0;
    for (int i = 0; i < stages; ++i) sum += a[i] * b[i];
    return sum;
}
vector product(const vector& a, const vector& b)
{
    vector c{};
    for (int i = 0; i < stages; ++i) c[i] = a[i] * b[i];
    return c;
}

matrix inverse_of_lower_triangle(const matrix& l)
{
    matrix inverse{};
    for (int col = 0; col < stages; ++col)
        for (int i = col; i < stages; ++i) {
            double sum = i == col ? 1 : 0;
            for (int k = col; k < i; ++k) sum -= l[i][k] * inverse[k][col];
            inverse[i][col] = sum / l[i][i];
        }
    return inverse;
}

matrix times(const matrix& a, const matrix& b)
{
    matrix c{};
    for (int i = 0; i < stages; ++i)
        for (int j = 0; j < stages; ++j)
            for (int k = 0; k < stages; ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
}

/// The method in its textbook form: alpha, Gamma, and beta = alpha + Gamma, from the coefficients of the increments u = Gamma k.
struct textbook {
    matrix alpha{}, gamma{}, beta{}, omega{}; ///< omega = beta^-1
    vector alpha_sum{}, beta_sum{};
    vector m{}; ///< weights of the increments in the solution

    explicit textbook(const solvers::rodas_method::coefficients& c)
    {
        matrix inverse{};
        matrix a{};
        for (int i = 0; i < stages; ++i) {
            inverse[i][i] = 1 / solvers::rodas_method::gamma;
            for (int j = 0; j < i; ++j) {
                inverse[i][j] = -c.coupling[i][j];
                a[i][j] = c.a[i][j];
            }
        }
        gamma = inverse_of_lower_triangle(inverse);
        alpha = times(a, gamma);
        for (int i = 0; i < stages; ++i)
            for (int j = 0; j < stages; ++j) beta[i][j] = alpha[i][j] + gamma[i][j];
        omega = inverse_of_lower_triangle(beta);
        vector ones;
        ones.fill(1);
        alpha_sum = times(alpha, ones);
        beta_sum = times(beta, ones);
        for (int j = 0; j < stages - 1; ++j) m[j] = c.a[stages - 1][j];
        m[stages - 1] = 1;
    }
    /// From weights of the increments u to weights of the slopes k.
    [[nodiscard]] vector weights(const vector& of_increments) const
    {
        vector b{};
        for (int j = 0; j < stages; ++j)
            for (int i = 0; i < stages; ++i) b[j] += of_increments[i] * gamma[i][j];
        return b;
    }
    /// Largest violation of the conditions for order 3 at s (1: the end of the step).
    [[nodiscard]] double third_order(const vector& b, double s = 1) const
    {
        double sum = 0;
        for (const double v : b) sum += v;
        return std::max({std::abs(sum - s), std::abs(dot(b, beta_sum) - s * s / 2), std::abs(dot(b, product(alpha_sum, alpha_sum)) - s * s * s / 3),
                         std::abs(dot(b, times(beta, beta_sum)) - s * s * s / 6)});
    }
    /// The same for the four conditions that order 4 adds.
    [[nodiscard]] double fourth_order(const vector& b) const
    {
        const vector square = product(alpha_sum, alpha_sum);
        return std::max({std::abs(dot(b, product(square, alpha_sum)) - 1.0 / 4),
                         std::abs(dot(b, product(alpha_sum, times(alpha, beta_sum))) - 1.0 / 8), std::abs(dot(b, times(beta, square)) - 1.0 / 12),
                         std::abs(dot(b, times(beta, times(beta, beta_sum))) - 1.0 / 24)});
    }
    /// What index 1 adds: for order 4 of the differential, and for orders 3 and 4 of the algebraic variables.
    [[nodiscard]] double index_one(const vector& b) const
    {
        const vector square = product(alpha_sum, alpha_sum);
        const vector through = times(alpha, times(omega, square));
        return std::max({std::abs(dot(b, product(alpha_sum, through)) - 1.0 / 4), std::abs(dot(b, times(omega, square)) - 1),
                         std::abs(dot(b, times(omega, product(square, alpha_sum))) - 1),
                         std::abs(dot(b, times(omega, product(alpha_sum, times(alpha, beta_sum)))) - 1.0 / 2),
                         std::abs(dot(b, times(omega, product(alpha_sum, through))) - 1)});
    }
};

} // namespace

TEST(rodas, all_sets_of_coefficients_fulfil_their_conditions)
{
    for (const auto* set : solvers::rodas_method::sets) {
        const textbook method(*set);
        for (int i = 0; i < stages; ++i) {
            EXPECT_NEAR(method.alpha_sum[i], set->c[i], 2e-14);
            EXPECT_NEAR(method.beta_sum[i] - method.alpha_sum[i], set->d[i], 2e-14);
        }
        const vector b = method.weights(method.m);
        EXPECT_LT(method.third_order(b), 1e-14);
        EXPECT_LT(method.fourth_order(b), 1e-14);
        EXPECT_LT(method.index_one(b), 1e-13);

        vector embedded = method.m;
        embedded[stages - 1] = 0;
        EXPECT_LT(method.third_order(method.weights(embedded)), 1e-14);
        EXPECT_GT(method.fourth_order(method.weights(embedded)), 0.01) << "the estimate would see nothing";

        for (const double s : {0.3, 0.7}) {
            vector inside{};
            for (int j = 0; j < stages; ++j) {
                inside[j] = s * method.m[j];
                if (j < stages - 1) inside[j] += s * (1 - s) * (set->p[j] + s * set->q[j]);
            }
            EXPECT_LT(method.third_order(method.weights(inside), s), 1e-14);
        }
    }
}

// Counters of the original code, run with the same f and J and the tolerances of the test set's protocol. Equality, because a
// method without iteration hardly depends on rounding; left out are the chaotic ringmod and what the original itself changes when only its
// linear algebra is exchanged (emep, beam, transamp at 1e-10; e5 at 1e-4).
struct original_row {
    const char* problem;
    double rtol;
    std::uint64_t steps, accepted, nfev;
};

void PrintTo(const original_row& r, std::ostream* out) { *out << r.problem << " " << r.rtol; }

class rodas_original : public ::testing::TestWithParam<original_row> {};

TEST_P(rodas_original, counts_are_identical)
{
    const auto& row = GetParam();
    const run_record r = run(row.problem, row.rtol);
    expect_counts(r, row);
    EXPECT_EQ(r.njac, row.accepted);
    EXPECT_EQ(r.nlu, row.steps);
    EXPECT_EQ(r.nsolve, 6 * row.steps);
}

INSTANTIATE_TEST_SUITE_P(rows, rodas_original,
                         ::testing::Values(original_row{"hires", 1e-4, 33, 31, 196}, original_row{"hires", 1e-7, 138, 138, 828},
                                           original_row{"hires", 1e-10, 1003, 1003, 6018}, original_row{"pollu", 1e-4, 13, 13, 78},
                                           original_row{"pollu", 1e-7, 40, 39, 239}, original_row{"pollu", 1e-10, 246, 245, 1475},
                                           original_row{"medakzo", 1e-4, 113, 113, 678}, original_row{"medakzo", 1e-7, 628, 628, 3768},
                                           original_row{"medakzo", 1e-10, 3926, 3911, 23541}, original_row{"emep", 1e-4, 801, 740, 4745},
                                           original_row{"plei", 1e-4, 220, 207, 1307}, original_row{"plei", 1e-7, 1075, 1075, 6450},
                                           original_row{"plei", 1e-10, 5950, 5950, 35700}, original_row{"beam", 1e-4, 90, 75, 525},
                                           original_row{"beam", 1e-7, 1017, 961, 6046}, original_row{"vdpol", 1e-4, 328, 311, 1951},
                                           original_row{"vdpol", 1e-7, 2222, 2212, 13322}, original_row{"vdpol", 1e-10, 31782, 31779, 190689},
                                           original_row{"vdpolm", 1e-4, 228, 210, 1350}, original_row{"vdpolm", 1e-7, 1090, 1080, 6530},
                                           original_row{"vdpolm", 1e-10, 7418, 7413, 44503}, original_row{"orego", 1e-4, 364, 351, 2171},
                                           original_row{"orego", 1e-7, 2490, 2485, 14935}, original_row{"orego", 1e-10, 26662, 26660, 159970},
                                           original_row{"rober", 1e-4, 116, 115, 695}, original_row{"rober", 1e-7, 570, 569, 3419},
                                           original_row{"rober", 1e-10, 5139, 5138, 30833}, original_row{"e5", 1e-7, 2755, 2755, 16530},
                                           original_row{"e5", 1e-10, 14640, 14640, 87840}, original_row{"chemakzo_ode", 1e-4, 15, 15, 90},
                                           original_row{"chemakzo_ode", 1e-7, 59, 59, 354}, original_row{"chemakzo_ode", 1e-10, 349, 349, 2094},
                                           original_row{"chemakzo_dae", 1e-4, 17, 17, 102}, original_row{"chemakzo_dae", 1e-7, 67, 66, 401},
                                           original_row{"chemakzo_dae", 1e-10, 396, 396, 2376}));

// The original takes df/dt by differences, whose rounding moves its own counts: over five sets of compiler flags 6618 … 6625, 1680 … 1682,
// 9395 … 9397 steps. With the exact df/dt transamp at 1e-7 has 9600.
TEST(rodas, with_the_df_dt_of_the_original_steps_are_the_same_up_to_rounding)
{
    const auto expect_near = [](const char* problem, double rtol, double steps, double nfev) {
        constexpr double bound = 0.004;
        run_settings s;
        s.special = {{"time_differences", 1}};
        const run_record r = run(problem, rtol, s);
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_NEAR(static_cast<double>(r.steps), steps, bound * steps) << problem << ' ' << rtol;
        EXPECT_NEAR(static_cast<double>(r.nfev), nfev, bound * nfev) << problem << ' ' << rtol;
        EXPECT_EQ(r.nfev_jac, r.accepted) << "one evaluation for each df/dt";
    };
    expect_near("emep", 1e-7, 6623, 39585);
    expect_near("transamp", 1e-4, 1681, 10016);
    expect_near("transamp", 1e-7, 9395, 56308);
}

TEST(rodas, ringmod_is_inside_the_scatter_of_the_original)
{
    const run_record r = run("ringmod", 1e-4);
    EXPECT_NEAR(static_cast<double>(r.steps), 45450, 150); // 45356 … 45539 with other compiler flags and linear algebra
    EXPECT_NEAR(static_cast<double>(r.accepted), 35825, 50);
}

TEST(rodas, coefficients_and_controller_can_be_chosen)
{
    struct variant {
        double method, predictive, rtol;
        std::uint64_t steps, accepted;
    };
    for (const auto& v :
         {variant{1, 1, 1e-4, 30, 28}, variant{1, 0, 1e-4, 30, 27}, variant{2, 1, 1e-4, 26, 26}, variant{2, 0, 1e-4, 26, 26},
          variant{3, 1, 1e-4, 31, 29}, variant{3, 0, 1e-4, 31, 28}, variant{1, 1, 1e-7, 137, 136}, variant{1, 0, 1e-7, 153, 134},
          variant{2, 1, 1e-7, 173, 172}, variant{2, 0, 1e-7, 185, 168}, variant{3, 1, 1e-7, 131, 131}, variant{3, 0, 1e-7, 147, 130}}) {
        run_settings s;
        s.atol = {v.rtol};
        s.h0 = v.rtol;
        s.special = {{"method", v.method}, {"predictive", v.predictive}};
        const run_record r = run("hires", v.rtol, s);
        EXPECT_EQ(r.steps, v.steps) << v.method << v.predictive << v.rtol;
        EXPECT_EQ(r.accepted, v.accepted) << v.method << v.predictive << v.rtol;
    }
    const auto steps_from = [](double h0, std::map<std::string, double> special) {
        run_settings s;
        s.h0 = h0;
        s.special = std::move(special);
        return run("hires", 1e-7, s).steps;
    };
    EXPECT_GT(steps_from(1e-9, {{"safety", 0.7}}), steps_from(1e-9, {}) + 10);
    EXPECT_GT(steps_from(1e-9, {{"growth", 2}}), steps_from(1e-9, {}) + 10) << "the first step is far too small";
    EXPECT_GT(steps_from(100, {{"shrink", 0.9}}), steps_from(100, {}) + 10) << "the first step is far too large";
}

// Steps of equal size, of a problem that depends on t; and the interpolant.
TEST(rodas, every_set_has_order_4_and_dense_output_of_order_3)
{
    const auto solver = open_solver("rodas");
    for (const double method : {1.0, 2.0, 3.0}) {
        run_settings s;
        s.special = {{"method", method}};
        EXPECT_NEAR(measured_dense_order(*solver, 1.0 / 64, s), 3, 0.15) << method;
        s.atol = {1e2};
        std::vector<double> error;
        for (const double h : {1.0 / 16, 1.0 / 32}) {
            s.h0 = s.hmax = h;
            const run_record r = measure_run(testing_support::linear(), *solver, once(1e-2, s));
            error.push_back(std::abs(r.y[0] - testing_support::linear_problem<double>::exact(0, 2)));
        }
        EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.25) << method;
    }
}

namespace {

// Index 1, not linear, not autonomous; exact: y = cos t, z = e^-t.
template <class R>
struct circle_dae {
    mass_matrix<R> m = mass_matrix<R>::diagonal({R(1), R(0)});
    explicit circle_dae(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        using std::cos, std::exp, std::sin;
        out[0] = -y[1] * y[0] + exp(-t) * cos(t) - sin(t);
        out[1] = y[1] * (1 + y[0] * y[0]) - exp(-t) * (1 + cos(t) * cos(t));
    }
    [[nodiscard]] mass_matrix<R> mass() const { return m; }
    void initial(R* y) const { y[0] = y[1] = R(1); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "circle_dae";
        i.title = "Circle";
        i.form = form::dae;
        i.n = 2;
        i.tend = 2;
        i.highest_index = 1;
        return i;
    }
};

// Two coupled pendulums as a system of first order: y1' = y3, y2' = y4.
template <class R, bool Declared>
struct pendulums {
    explicit pendulums(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        using std::cos, std::sin;
        out[0] = y[2];
        out[1] = y[3];
        out[2] = -100 * sin(y[0]) + 10 * (y[1] - y[0]) + cos(t);
        out[3] = -sin(y[1]) - 10 * (y[1] - y[0]) - 50 * y[3];
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = y[2] = y[3] = R(0);
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "pendulums";
        i.title = "Pendulums";
        i.n = 4;
        i.tend = 10;
        if (Declared) i.chain = {2, 2};
        return i;
    }
};
template <class R>
using plain_pendulums = pendulums<R, false>;
template <class R>
using chained_pendulums = pendulums<R, true>;

} // namespace

TEST(rodas, has_order_4_for_index_1)
{
    const problem p = problem_of<circle_dae>();
    std::vector<double> error_y;
    std::vector<double> error_z;
    for (const double h : {1.0 / 32, 1.0 / 64}) {
        run_settings s;
        s.atol = {1e2};
        s.h0 = s.hmax = h;
        const run_record r = measure_run(p, *open_solver("rodas"), once(1e-2, s));
        ASSERT_EQ(r.outcome, outcome::success);
        error_y.push_back(std::abs(r.y[0] - std::cos(2.0)));
        error_z.push_back(std::abs(r.y[1] - std::exp(-2.0)));
    }
    EXPECT_GT(std::log2(error_y[0] / error_y[1]), 3.7);
    EXPECT_GT(std::log2(error_z[0] / error_z[1]), 3.7);
}

TEST(rodas, differences_are_counted_apart)
{
    run_settings s;
    s.jacobian = jacobian_source::differences;
    const run_record autonomous = run("hires", 1e-6, s);
    EXPECT_EQ(autonomous.nfev_jac, 8 * autonomous.njac);
    EXPECT_EQ(autonomous.nfev, autonomous.accepted + 5 * autonomous.steps);
    const run_record dependent = run("transamp", 1e-4, s); // band 2,1: four groups of columns, and df/dt
    EXPECT_EQ(dependent.outcome, outcome::success);
    EXPECT_EQ(dependent.nfev_jac, 5 * dependent.njac);
    EXPECT_NEAR(static_cast<double>(dependent.steps), 1681,
                10); // rounding decides: the original has 1680 … 1684, ours moves likewise with its kernels
    s.jacobian = jacobian_source::exact;
    EXPECT_EQ(run("transamp", 1e-4, s).nfev_jac, 0U);
}

TEST(rodas, difference_quotients_stay_inside_the_segment)
{
    // Three steps of a third, nearly: the fourth begins so near the end that a forward difference would look beyond it.
    const double tend = 1e-9;
    double latest = 0;
    const problem p = plain_problem({1}, tend, [&latest](double t, const double* y, double* out) {
        latest = std::max(latest, t);
        out[0] = -y[0] + std::sin(t);
        return evaluation::ok;
    });
    run_settings s;
    s.h0 = s.hmax = 0.33 * tend;
    const run_record r = measure_run(p, *open_solver("rodas"), once(1e-4, s));
    EXPECT_EQ(r.outcome, outcome::success);
    EXPECT_EQ(r.steps, 4U);
    EXPECT_LE(latest, tend * (1 + 1e-15));
}

TEST(rodas, band_and_dense_paths_agree)
{
    const problem p = open_problem("medakzo", {{"N", "25"}});
    run_settings s;
    s.algebra = algebra::dense;
    const run_record dense = measure_run(p, *open_solver("rodas"), once(1e-5, s));
    s.algebra = algebra::band;
    const run_record band = measure_run(p, *open_solver("rodas"), once(1e-5, s));
    EXPECT_EQ(dense.algebra, "dense");
    EXPECT_EQ(band.algebra, "band");
    EXPECT_EQ(dense.steps, band.steps);
    EXPECT_EQ(dense.nfev, band.nfev);
    for (int i = 0; i < p.n(); ++i) EXPECT_NEAR(dense.y[i], band.y[i], 1e-10);
}

TEST(rodas, a_declared_chain_changes_the_cost_alone)
{
    const auto solver = open_solver("rodas");
    const run_record plain = measure_run(problem_of<plain_pendulums>(), *solver, once(1e-6));
    const run_record chained = measure_run(problem_of<chained_pendulums>(), *solver, once(1e-6));
    EXPECT_EQ(plain.outcome, outcome::success);
    EXPECT_EQ(plain.steps, chained.steps);
    EXPECT_EQ(plain.accepted, chained.accepted);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(plain.y[i], chained.y[i], 1e-11);
    EXPECT_NE(plain.y, chained.y) << "the elimination was not used";
}

TEST(rodas, the_tag_autonomous_saves_the_time_derivative)
{
    struct declared {
        static problem with(std::vector<std::string> tags)
        {
            problem_info i;
            i.id = "t";
            i.title = "t";
            i.n = 1;
            i.tend = 1;
            i.tags = std::move(tags);
            return {i, parameter_values({}, {}),
                    std::make_shared<testing_support::plain_equations>(std::vector<double>{1.0}, [](double, const double* y, double* out) {
                        out[0] = -y[0];
                        return evaluation::ok;
                    })};
        }
    };
    const auto solver = open_solver("rodas");
    const run_record with_tag = measure_run(declared::with({"autonomous"}), *solver, once(1e-6));
    const run_record without = measure_run(declared::with({}), *solver, once(1e-6));
    EXPECT_EQ(with_tag.steps, without.steps);
    EXPECT_EQ(with_tag.nfev_jac, with_tag.njac);
    EXPECT_EQ(without.nfev_jac, 2 * without.njac);
}

TEST(rodas, refuses_a_higher_index_in_words)
{
    try {
        (void)run("caraxis", 1e-4);
        FAIL() << "caraxis was taken";
    } catch (const bad_request& e) {
        EXPECT_STREQ(e.what(), "rodas cannot take caraxis: the problem has index 3, rodas solves problems up to index 1");
    }
}

TEST(rodas, a_singular_pencil_ends_the_run)
{
    const run_record r = measure_run(problem_of<testing_support::singular_pencil>(), *open_solver("rodas"), once(1e-4));
    EXPECT_EQ(r.outcome, outcome::singular_matrix);
    EXPECT_EQ(r.steps, 0U);
    EXPECT_EQ(r.nlu, 0U);
}

} // namespace ivp
