#include "solvers/singular_pencil.hpp"

#include "model/test_problem.hpp"
#include "solvers/convergence.hpp"
#include "solvers/gamd/coefficients.hpp"
#include "solvers/index3_problem.hpp"
#include "solvers/linear_problem.hpp"
#include "solvers/original_counts.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

using namespace testing_support;
using solvers::gamd_method::block_method;
using solvers::gamd_method::fraction;
using solvers::gamd_method::splitting;

namespace {

run_record run(const problem& p, double rtol, run_settings s = {})
{
    s.rtol = rtol;
    s.repeat = 1;
    return measure_run(p, *open_solver("gamd"), s);
}

run_settings with(std::map<std::string, double> options)
{
    run_settings s;
    s.special = std::move(options);
    return s;
}

std::int64_t power(std::int64_t x, int k) { return k == 0 ? 1 : x * power(x, k - 1); }

/// Exactly: (q + 1) · (∫ x^q over the interval of the equation − Σ weight · point^q), for the weights of one equation.
template <class Weight>
fraction defect_of_power(int equation, int points, int q, Weight weight)
{
    std::int64_t common = 1;
    for (int j = 0; j < points; ++j) common = std::lcm(common, weight(equation, j).denominator);
    std::int64_t sum = common * (power(equation, q + 1) - power(equation - 1, q + 1));
    for (int j = 0; j < points; ++j) {
        const fraction w = weight(equation, j);
        sum -= (q + 1) * w.numerator * (common / w.denominator) * power(j, q);
    }
    return fraction::reduced(sum, common);
}

template <int P>
void expect_order()
{
    using method = block_method<P>;
    for (int i = 1; i <= method::equations; ++i) {
        for (int q = 0; q < P; ++q) EXPECT_EQ(defect_of_power(i, method::points, q, method::exact_weight).numerator, 0) << P << " " << i << " " << q;
        const double left = defect_of_power(i, method::points, P, method::exact_weight).value() / (P + 1);
        EXPECT_NE(left, 0);
        EXPECT_NEAR(method::error_constants[i - 1] * std::tgamma(P + 1), left, 1e-13 * std::abs(left)) << P << " " << i;

        // The defect vanishes for what the formulas integrate exactly, and sees the first power that they do not.
        for (int q = 0; q <= P; ++q) {
            double sum = 0;
            double size = 0;
            for (int j = 0; j < method::points; ++j) {
                sum += method::defect[i - 1][j] * std::pow(j, q);
                size += std::abs(method::defect[i - 1][j] * std::pow(j, q));
            }
            EXPECT_NEAR(sum, q < P ? 0 : -left, 1e-15 * size) << P << " " << i << " " << q;
        }
    }
}

} // namespace

TEST(gamd, formulas_integrate_exactly_what_their_order_says)
{
    expect_order<3>();
    expect_order<5>();
    expect_order<7>();
    expect_order<9>();
}

// The one number on the diagonal is the geometric mean of the pivots that it replaces; the rest makes the iteration fast where the problem is very
// stiff: its error is then multiplied by I − L^-1 B, whose powers show the rate. They are taken in quadruple precision, because this matrix is
// far from normal.
template <int P>
void expect_splitting(double rate)
{
    constexpr int n = block_method<P>::equations;
    using square = std::array<std::array<quad, n>, n>;
    square b{};
    square l{};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const fraction w = block_method<P>::exact_weight(i + 1, j + 1);
            b[i][j] = quad(static_cast<double>(w.numerator)) / quad(static_cast<double>(w.denominator));
        }
        for (int j = 0; j < i; ++j) l[i][j] = quad(splitting<P>::lower[i - 1][j]);
        l[i][i] = quad(splitting<P>::diagonal);
    }
    square u = b;
    double determinant = 1;
    for (int k = 0; k < n; ++k) {
        determinant *= value_of(u[k][k]);
        for (int i = k + 1; i < n; ++i)
            for (int j = n - 1; j >= k; --j) u[i][j] -= u[i][k] / u[k][k] * u[k][j];
    }
    EXPECT_NEAR(splitting<P>::diagonal, std::pow(determinant, 1.0 / n), 2e-15);

    const auto unit = [](int i, int j) { return quad(i == j ? 1 : 0); };
    square z{};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            quad x = b[i][j];
            for (int k = 0; k < i; ++k) x -= l[i][k] * (unit(k, j) - z[k][j]);
            z[i][j] = unit(i, j) - x / l[i][i];
        }
    double logarithm = 0; // of the size of z^(2^k), divided by 2^k
    for (int k = 0; k < 12; ++k) {
        double size = 0;
        for (const auto& row : z)
            for (const quad& x : row) size = std::max(size, std::abs(value_of(x)));
        logarithm += std::log(size) / (1 << k);
        square next{};
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int m = 0; m < n; ++m) next[i][j] += z[i][m] / quad(size) * (z[m][j] / quad(size));
        z = next;
    }
    EXPECT_NEAR(std::exp(logarithm), rate, 1e-2 * rate) << P;
}

TEST(gamd, the_splitting_belongs_to_the_formulas)
{
    expect_splitting<3>(0.00187);
    expect_splitting<5>(0.02142);
    expect_splitting<7>(0.06348);
    expect_splitting<9>(0.07614);
}

// Counters of the original code, run with the same f and J and the tolerances of the test set's protocol. Left out are runs whose counts the
// original itself changes with its compiler or with the last digits of h0.
struct original_row {
    const char* problem;
    double rtol;
    std::uint64_t steps, accepted, nfev, njac, nlu;
};

void PrintTo(const original_row& r, std::ostream* out) { *out << r.problem << " " << r.rtol; }

class gamd_original : public ::testing::TestWithParam<original_row> {};

TEST_P(gamd_original, counts_are_identical)
{
    const auto& row = GetParam();
    expect_counts(run(open_problem(row.problem), row.rtol), row);
}

INSTANTIATE_TEST_SUITE_P(
    rows, gamd_original,
    ::testing::Values(original_row{"hires", 1e-4, 37, 30, 1088, 30, 37}, original_row{"hires", 1e-7, 38, 34, 2167, 33, 38},
                      original_row{"vdpol", 1e-4, 149, 106, 6932, 107, 149}, original_row{"vdpol", 1e-7, 163, 133, 12727, 131, 163},
                      original_row{"vdpolm", 1e-4, 129, 90, 5133, 91, 129}, original_row{"vdpolm", 1e-7, 173, 137, 9422, 141, 173},
                      original_row{"vdpolm", 1e-10, 235, 197, 16067, 199, 235}, original_row{"rober", 1e-4, 62, 62, 2165, 62, 62},
                      original_row{"rober", 1e-7, 93, 91, 4883, 88, 92}, original_row{"rober", 1e-10, 169, 169, 9427, 165, 169},
                      original_row{"orego", 1e-4, 219, 162, 8510, 163, 219}, original_row{"e5", 1e-4, 103, 101, 4853, 99, 103},
                      original_row{"pollu", 1e-4, 17, 15, 327, 15, 17}, original_row{"pollu", 1e-7, 23, 23, 625, 23, 23},
                      original_row{"pollu", 1e-10, 36, 36, 1401, 36, 36}, original_row{"plei", 1e-4, 85, 69, 2751, 69, 85},
                      original_row{"plei", 1e-7, 122, 104, 5169, 102, 122}, original_row{"plei", 1e-10, 183, 177, 7927, 172, 183},
                      original_row{"beam", 1e-4, 49, 49, 1715, 49, 49}, original_row{"medakzo", 1e-4, 66, 66, 2116, 66, 66},
                      original_row{"chemakzo_ode", 1e-4, 12, 12, 337, 12, 12}, original_row{"chemakzo_ode", 1e-7, 24, 24, 759, 24, 24},
                      original_row{"chemakzo_ode", 1e-10, 35, 34, 1608, 33, 35}, original_row{"chemakzo_dae", 1e-4, 13, 13, 333, 13, 13},
                      original_row{"chemakzo_dae", 1e-7, 25, 25, 853, 24, 25}, original_row{"chemakzo_dae", 1e-10, 35, 35, 1745, 34, 35},
                      // index 2 and 3
                      original_row{"fekete", 1e-4, 38, 38, 1319, 38, 38}, original_row{"crank", 1e-4, 60, 60, 1983, 60, 60},
                      original_row{"water", 1e-4, 18, 16, 340, 16, 18}, original_row{"water", 1e-7, 233, 202, 8038, 204, 233},
                      original_row{"caraxis", 1e-4, 39, 39, 2169, 39, 39}, original_row{"caraxis", 1e-7, 98, 98, 7167, 98, 98},
                      original_row{"andrews", 1e-4, 80, 56, 2259, 56, 80}, original_row{"andrews", 1e-7, 133, 116, 5269, 116, 133}));

// Rows of the Bari test set of 2008 that the public original does not reproduce: it takes an update of size 0 for a failure, and it evaluates f
// behind breakpoints.
TEST(gamd, counts_are_those_of_the_published_tables)
{
    run_settings s;
    expect_counts(run(open_problem("pump"), 1e-3), original_row{"pump", 1e-3, 350, 220, 4786, 220, 350});
    expect_counts(run(open_problem("pump"), 1e-5), original_row{"pump", 1e-5, 620, 370, 14890, 320, 570});
    expect_counts(run(open_problem("pump"), 1e-7), original_row{"pump", 1e-7, 870, 510, 22340, 410, 770});
    expect_counts(run(open_problem("medakzo"), 1e-7), original_row{"medakzo", 1e-7, 104, 104, 4760, 102, 104}); // published: 104 Jacobians
    s.h0 = 1e-6;
    s.atol = {1.7e-24};
    expect_counts(run(open_problem("e5"), 1e-4, s), original_row{"e5", 1e-4, 103, 101, 4977, 99, 103});
}

TEST(gamd, sensitive_runs_are_inside_the_scatter_of_the_original)
{
    // Ranges of the original with h0 disturbed in its sixth digit.
    const run_record emep = run(open_problem("emep"), 1e-2);
    EXPECT_GE(emep.steps, 329U);
    EXPECT_LE(emep.steps, 352U);
    EXPECT_NEAR(static_cast<double>(emep.nfev), 10453, 342);
    const run_record transamp = run(open_problem("transamp"), 1e-7);
    EXPECT_NEAR(static_cast<double>(transamp.steps), 371, 6);
    EXPECT_NEAR(static_cast<double>(transamp.nfev), 34925, 1920);
    const run_record orego = run(open_problem("orego"), 1e-10);
    EXPECT_NEAR(static_cast<double>(orego.steps), 295.5, 9.5);
}

namespace {

/// Equal steps at one order, with an iteration that leaves nothing.
run_settings equal_steps(int order, double length, int blocks)
{
    run_settings s = with({{"min_order", order}, {"max_order", order}, {"fnewt", 1e-13}, {"nit", 300}});
    s.atol = {1};
    s.h0 = s.hmax = length / (blocks * (order == 9 ? 9 : order + 1));
    return s;
}

} // namespace

TEST(gamd, every_order_is_measured)
{
    struct row {
        int order, coarse, fine;
        double from, to;
    };
    // Of order 7 the error constants of a block nearly cancel, so that steps which are not very small show one order more.
    for (const row& r : {row{3, 16, 32, 2.9, 3.1}, row{5, 8, 16, 4.9, 5.3}, row{7, 2, 4, 7, 8.2}, row{9, 2, 4, 8.8, 10}}) {
        const auto order = measured_orders(r.coarse, r.fine, [&](int blocks) {
            const run_record k = run(linear(), 1, equal_steps(r.order, 2, blocks));
            EXPECT_EQ(k.outcome, outcome::success) << k.message;
            EXPECT_EQ(k.steps, static_cast<std::uint64_t>(blocks));
            EXPECT_EQ(k.extra.at("steps_of_order_" + std::to_string(r.order)), blocks);
            double error = 0;
            for (int i = 0; i < 2; ++i) error = std::max(error, std::abs(k.y[i] - linear_problem<double>::exact(i, 2)));
            return std::array{error};
        });
        EXPECT_GT(order[0], r.from) << r.order;
        EXPECT_LT(order[0], r.to) << r.order;
    }
}

TEST(gamd, components_of_every_index_converge)
{
    const auto errors = [](int order, int blocks) {
        const run_record r = run(index3(), 1, equal_steps(order, 1, blocks));
        EXPECT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_EQ(r.steps, static_cast<std::uint64_t>(blocks));
        return index3_errors(r.y, 1.0);
    };
    const auto order = measured_orders(32, 128, [&](int blocks) { return errors(3, blocks); });
    EXPECT_NEAR(order[0], 3, 0.1);
    EXPECT_NEAR(order[1], 3, 0.1);
    EXPECT_NEAR(order[2], 2, 0.1);
    // Higher orders reach at once what rounding errors leave of variables of index 3, which they multiply by h^-2.
    for (const int high : {5, 7, 9}) {
        const auto e = errors(high, 32);
        EXPECT_LT(e[0], 1e-8) << high;
        EXPECT_LT(e[1], 1e-8) << high;
        EXPECT_LT(e[2], 1e-5) << high;
    }
}

TEST(gamd, an_index_3_problem_is_solved_as_by_the_original)
{
    run_settings s;
    s.h0 = 1e-7;
    s.atol = {1e-7};
    expect_counts(run(index3(), 1e-7, s), original_row{"index3", 1e-7, 45, 45, 1269, 45, 45});
    s.h0 = 1e-11;
    s.atol = {1e-11};
    const run_record tight = run(index3(), 1e-11, s);
    EXPECT_EQ(tight.outcome, outcome::success);
    const auto e = index3_errors(tight.y, 1.0);
    EXPECT_LT(e[0], 1e-7);
    EXPECT_LT(e[1], 1e-7);
    EXPECT_LT(e[2], 1e-3);
}

TEST(gamd, dense_output_and_error_estimate_of_a_block)
{
    struct first_block final : step_observer {
        double inside = 0;
        std::array<double, 2> estimate{}, error{};
        observer_answer on_step(const accepted_step& step) override
        {
            std::array<double, 2> y{};
            for (int k = 0; k <= 20; ++k) {
                const double t = step.t_old + k * step.h / 20;
                step.between->evaluate(t, y.data());
                for (int i = 0; i < 2; ++i) inside = std::max(inside, std::abs(y[i] - linear_problem<double>::exact(i, t)));
            }
            for (int i = 0; i < 2; ++i) {
                estimate[i] = step.error_estimate[i];
                error[i] = step.y[i] - linear_problem<double>::exact(i, step.t);
                EXPECT_EQ(y[i], step.y[i]) << "the polynomial goes through the end of the block";
            }
            return observer_answer::stop;
        }
    };
    const auto inside = [](int order, int blocks) {
        first_block seen;
        run_settings s = equal_steps(order, 2, blocks);
        s.rtol = 1;
        s.repeat = 1;
        (void)measure_run(linear(), *open_solver("gamd"), s, &seen);
        for (int i = 0; i < 2 && order == 3; ++i) EXPECT_NEAR(seen.estimate[i], seen.error[i], 0.3 * std::abs(seen.error[i])) << i;
        return seen.inside;
    };
    EXPECT_NEAR(std::log2(inside(3, 16) / inside(3, 32)), 4, 0.2);
    EXPECT_NEAR(std::log2(inside(5, 8) / inside(5, 16)), 6, 0.3);
}

TEST(gamd, orders_can_be_limited)
{
    const run_record r = run(open_problem("orego"), 1e-10);
    double sum = 0;
    for (const char* key : {"steps_of_order_3", "steps_of_order_5", "steps_of_order_7", "steps_of_order_9"}) {
        EXPECT_GT(r.extra.at(key), 0) << key;
        sum += r.extra.at(key);
    }
    EXPECT_EQ(sum, static_cast<double>(r.accepted));
    const run_record limited = run(open_problem("orego"), 1e-7, with({{"min_order", 5}, {"max_order", 7}}));
    EXPECT_EQ(limited.outcome, outcome::success);
    EXPECT_EQ(limited.extra.at("steps_of_order_3") + limited.extra.at("steps_of_order_9"), 0);
    EXPECT_GT(limited.extra.at("steps_of_order_5"), 0);

    const auto fault_of = [](std::map<std::string, double> options) {
        try {
            (void)run(open_problem("hires"), 1e-4, with(std::move(options)));
        } catch (const bad_request& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(fault_of({{"min_order", 4}}), "option 'min_order': 4 given; allowed: 3, 5, 7, 9");
    EXPECT_EQ(fault_of({{"min_order", 7}, {"max_order", 5}}), "option 'min_order': 7 given; allowed: at most max_order, 5");
}

TEST(gamd, other_options_have_their_effect)
{
    const problem p = open_problem("hires");
    const run_record usual = run(p, 1e-7);
    EXPECT_LT(run(p, 1e-7, with({{"thet", 0.3}})).njac, usual.njac - 5);
    EXPECT_GT(run(p, 1e-7, with({{"fnewt", 1e-6}})).nfev, usual.nfev + 500);
    EXPECT_GT(run(p, 1e-7, with({{"nit", 3}})).steps, usual.steps + 10);
}

// The iteration of a solution at rest ends at once; the original takes its updates of size 0 for divergence.
TEST(gamd, a_solution_at_rest_is_no_failure)
{
    const problem p = plain_problem({1, 2}, 5, [](double, const double*, double* out) {
        out[0] = out[1] = 0;
        return evaluation::ok;
    });
    const run_record r = run(p, 1e-6);
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.steps, r.accepted);
    EXPECT_EQ(r.y, (std::vector<double>{1, 2}));
}

TEST(gamd, nothing_is_evaluated_behind_the_end)
{
    double latest = 0;
    const problem p = plain_problem({1}, 0.7, [&latest](double t, const double* y, double* out) {
        latest = std::max(latest, t);
        out[0] = -y[0] + std::sin(t);
        return evaluation::ok;
    });
    for (const double tol : {1e-3, 1e-5, 1e-7, 1e-9}) {
        const run_record r = run(p, tol);
        EXPECT_EQ(r.outcome, outcome::success);
        EXPECT_EQ(r.t_end_reached, 0.7);
        EXPECT_LE(latest, 0.7) << tol;
    }
}

TEST(gamd, a_refused_prediction_cuts_the_step)
{
    // The domain becomes narrow around the solution e^t: extrapolations over long steps leave it.
    const problem p = plain_problem({1}, 3, [](double t, const double* y, double* out) {
        out[0] = y[0];
        return std::abs(y[0] - std::exp(t)) > 1e-2 * std::exp(t) && t > 1 ? evaluation::refused : evaluation::ok;
    });
    const run_record r = run(p, 1e-3);
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_GT(r.extra.at("refused_evaluations"), 0);
    EXPECT_NEAR(r.y[0], std::exp(3), 1e-2);
}

TEST(gamd, differences_are_counted_apart)
{
    run_settings s;
    s.jacobian = jacobian_source::differences;
    s.algebra = algebra::dense; // the sparse path disturbs several columns at once
    const run_record r = run(open_problem("hires"), 1e-6, s);
    EXPECT_EQ(r.outcome, outcome::success);
    EXPECT_EQ(r.nfev_jac, 8 * r.njac);
    s.jacobian = jacobian_source::exact;
    EXPECT_EQ(run(open_problem("hires"), 1e-6, s).nfev_jac, 0U);
}

TEST(gamd, all_paths_of_the_linear_algebra_agree)
{
    for (const auto& [p, paths] : {std::pair{open_problem("medakzo", {{"N", "25"}}), std::vector{algebra::dense, algebra::band}},
                                   std::pair{open_problem("pollu"), std::vector{algebra::dense, algebra::sparse}},
                                   std::pair{open_problem("hires"), std::vector{algebra::dense, algebra::sparse}}}) {
        std::vector<run_record> runs;
        for (const algebra path : paths) {
            run_settings s;
            s.algebra = path;
            runs.push_back(run(p, 1e-5, s));
            EXPECT_EQ(runs.back().algebra, label(path));
            EXPECT_EQ(runs.back().steps, runs[0].steps);
            EXPECT_EQ(runs.back().nfev, runs[0].nfev);
            for (int i = 0; i < p.n(); ++i) EXPECT_NEAR(runs.back().y[i], runs[0].y[i], 1e-9 * (1 + std::abs(runs[0].y[i])));
        }
    }
}

TEST(gamd, a_singular_pencil_ends_the_run)
{
    const run_record r = run(problem_of<testing_support::singular_pencil>(), 1e-4);
    EXPECT_EQ(r.outcome, outcome::singular_matrix);
    EXPECT_EQ(r.steps, 0U);
    EXPECT_EQ(r.nlu, 0U);
}

} // namespace ivp
