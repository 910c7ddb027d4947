// DOPRI5 and DOP853, which share their integrator.
#include "model/test_problem.hpp"
#include "solvers/dense_output.hpp"
#include "solvers/dopri/dop853_coefficients.hpp"
#include "solvers/dopri/dopri5_coefficients.hpp"
#include "solvers/nonstiff_problems.hpp"
#include "solvers/order_conditions.hpp"
#include "solvers/original_counts.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace ivp {

using testing_support::expect_counts;
using testing_support::measured_dense_order;
using testing_support::nonstiff_problems;
using testing_support::order_conditions;
using testing_support::plain_problem;

namespace {

problem find(const std::string& id)
{
    for (const problem& p : nonstiff_problems())
        if (p.id() == id) return p;
    return open_problem(id);
}

run_record run(const std::string& solver, const std::string& problem, double tol, run_settings s = {})
{
    s.rtol = tol;
    s.atol = {tol};
    s.repeat = 1;
    return measure_run(find(problem), *open_solver(solver), s);
}

template <class Table>
order_conditions::matrix rows(const Table& table)
{
    order_conditions::matrix m;
    for (const auto& row : table) m.emplace_back(row.begin(), row.end());
    return m;
}

// Weights of the interpolant at s, from y(s) = r1 + s (r2 + s' (r3 + s (r4 + s' (…)))): b the weights of the solution, k_new the number of
// the slope at the new point, upper those of r5 and on.
template <class Table>
std::vector<double> weights_inside(std::vector<double> b, std::size_t k_new, const Table& upper, double s)
{
    b.resize(upper[0].size());
    std::vector<double> inside(b.size());
    for (std::size_t j = 0; j < b.size(); ++j) {
        const double first = j == 0 ? 1 : 0;
        const double last = j == k_new ? 1 : 0;
        std::vector<double> r{b[j], first - b[j], 2 * b[j] - last - first}; // r2, r3, r4
        for (const auto& row : upper) r.push_back(row[j]);
        double value = 0;
        for (std::size_t m = r.size(); m-- > 0;) value = (m % 2 == 0 ? s : 1 - s) * (r[m] + value);
        inside[j] = value;
    }
    return inside;
}

} // namespace

TEST(dopri5, coefficients_fulfil_the_order_conditions)
{
    using table = solvers::dopri5_coefficients;
    const auto a = rows(table::a);
    for (std::size_t s = 0; s < a.size(); ++s) {
        double sum = 0;
        for (const double v : a[s]) sum += v;
        EXPECT_NEAR(sum, table::c[s], 1e-15) << "stage " << s;
    }
    const order_conditions conditions(a, 6);
    EXPECT_EQ(conditions.count(), 37U); // 1 + 1 + 2 + 4 + 9 + 20 rooted trees
    const std::vector<double>& b = a.back();
    EXPECT_LT(conditions.violation(b, 1, 5), 1e-15);
    EXPECT_GT(conditions.violation(b, 6, 6), 1e-4);
    std::vector<double> embedded(b);
    embedded.resize(7);
    for (std::size_t j = 0; j < embedded.size(); ++j) embedded[j] -= table::error[0][j];
    EXPECT_LT(conditions.violation(embedded, 1, 4), 1e-15);
    EXPECT_GT(conditions.violation(embedded, 5, 5), 1e-4);
    for (const double s : {0.3, 0.7}) {
        const auto inside = weights_inside(b, 6, table::dense, s);
        EXPECT_LT(conditions.violation(inside, 1, 4, s), 1e-15);
        EXPECT_GT(conditions.violation(inside, 5, 5, s), 1e-5);
    }
}

TEST(dop853, coefficients_fulfil_the_order_conditions)
{
    using table = solvers::dop853_coefficients;
    const auto a = rows(table::a);
    for (std::size_t s = 0; s < a.size(); ++s) {
        double sum = 0;
        for (const double v : a[s]) sum += v;
        EXPECT_NEAR(sum, table::c[s], 1e-14) << "stage " << s;
    }
    const order_conditions conditions(a, 9);
    EXPECT_EQ(conditions.count(), 486U); // 200 up to order 8, 286 of order 9
    std::vector<double> b = a[table::stages];
    EXPECT_LT(conditions.violation(b, 1, 8), 1e-14);
    EXPECT_GT(conditions.violation(b, 9, 9), 1e-8);
    std::vector<double> fifth(b);
    for (std::size_t j = 0; j < table::stages; ++j) fifth[j] -= table::fifth_order_error[0][j];
    EXPECT_LT(conditions.violation(fifth, 1, 5), 1e-14);
    EXPECT_GT(conditions.violation(fifth, 6, 6), 1e-6);
    const std::vector<double> third(table::third_order_weights.begin(), table::third_order_weights.end());
    EXPECT_LT(conditions.violation(third, 1, 3), 1e-14);
    EXPECT_GT(conditions.violation(third, 4, 4), 1e-6);
    for (const double s : {0.3, 0.7}) {
        const auto inside = weights_inside(b, table::stages, table::dense, s);
        EXPECT_LT(conditions.violation(inside, 1, 7, s), 1e-13);
        EXPECT_GT(conditions.violation(inside, 8, 8, s), 1e-8);
    }
}

// Counters of the original codes, run with the same f, atol = rtol and their own first step. Identical also between compilers, because an
// explicit method has no linear algebra.
struct original_row {
    const char* solver;
    const char* problem;
    double tol;
    std::uint64_t steps, accepted, nfev;
};

void PrintTo(const original_row& r, std::ostream* out) { *out << r.solver << " " << r.problem << " " << r.tol; }

class explicit_original : public ::testing::TestWithParam<original_row> {};

TEST_P(explicit_original, counts_are_identical)
{
    const auto& row = GetParam();
    const run_record r = run(row.solver, row.problem, row.tol);
    expect_counts(r, row);
    EXPECT_EQ(r.nlu, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    rows, explicit_original,
    ::testing::Values(original_row{"dopri5", "arenstorf", 1e-4, 82, 64, 494}, original_row{"dopri5", "arenstorf", 1e-7, 240, 216, 1442},
                      original_row{"dopri5", "arenstorf", 1e-10, 843, 841, 5060}, original_row{"dopri5", "kepler", 1e-4, 110, 86, 662},
                      original_row{"dopri5", "kepler", 1e-7, 336, 267, 2018}, original_row{"dopri5", "kepler", 1e-10, 1007, 1006, 6044},
                      original_row{"dopri5", "rigid_body", 1e-4, 50, 40, 302}, original_row{"dopri5", "rigid_body", 1e-7, 153, 145, 920},
                      original_row{"dopri5", "rigid_body", 1e-10, 567, 565, 3404}, original_row{"dopri5", "brusselator", 1e-4, 69, 55, 416},
                      original_row{"dopri5", "brusselator", 1e-7, 203, 182, 1220}, original_row{"dopri5", "brusselator", 1e-10, 686, 683, 4118},
                      original_row{"dopri5", "lorenz", 1e-4, 367, 311, 2204}, original_row{"dopri5", "lorenz", 1e-7, 1113, 1093, 6680},
                      original_row{"dopri5", "lorenz", 1e-10, 4279, 4279, 25676}, original_row{"dopri5", "swing", 1e-4, 36, 29, 218},
                      original_row{"dopri5", "swing", 1e-7, 115, 98, 692}, original_row{"dopri5", "swing", 1e-10, 384, 367, 2306},
                      original_row{"dopri5", "plei", 1e-4, 100, 74, 602}, original_row{"dopri5", "plei", 1e-7, 295, 244, 1772},
                      original_row{"dopri5", "plei", 1e-10, 940, 940, 5642}, original_row{"dop853", "arenstorf", 1e-4, 56, 42, 660},
                      original_row{"dop853", "arenstorf", 1e-7, 116, 83, 1361}, original_row{"dop853", "arenstorf", 1e-10, 237, 176, 2785},
                      original_row{"dop853", "kepler", 1e-4, 77, 58, 907}, original_row{"dop853", "kepler", 1e-7, 152, 112, 1786},
                      original_row{"dop853", "kepler", 1e-10, 331, 239, 3882}, original_row{"dop853", "rigid_body", 1e-4, 26, 22, 310},
                      original_row{"dop853", "rigid_body", 1e-7, 54, 48, 644}, original_row{"dop853", "rigid_body", 1e-10, 111, 111, 1334},
                      original_row{"dop853", "brusselator", 1e-4, 42, 33, 497}, original_row{"dop853", "brusselator", 1e-7, 88, 65, 1035},
                      original_row{"dop853", "brusselator", 1e-10, 188, 143, 2213}, original_row{"dop853", "lorenz", 1e-4, 194, 147, 2283},
                      original_row{"dop853", "lorenz", 1e-7, 413, 305, 4850}, original_row{"dop853", "lorenz", 1e-10, 755, 693, 9000},
                      original_row{"dop853", "swing", 1e-4, 26, 17, 305}, original_row{"dop853", "swing", 1e-7, 49, 34, 575},
                      original_row{"dop853", "swing", 1e-10, 113, 81, 1326}, original_row{"dop853", "plei", 1e-4, 69, 48, 809},
                      original_row{"dop853", "plei", 1e-7, 148, 104, 1734}, original_row{"dop853", "plei", 1e-10, 298, 226, 3506}));

TEST(dopri5, plei_has_the_published_digits)
{
    EXPECT_NEAR(*run("dopri5", "plei", 1e-4).scd, 0.50, 0.0051);
    EXPECT_NEAR(*run("dopri5", "plei", 1e-7).scd, 3.49, 0.0051);
    EXPECT_NEAR(*run("dopri5", "plei", 1e-10).scd, 7.83, 0.0051);
}

TEST(dopri5, dense_output_has_order_4) { EXPECT_NEAR(measured_dense_order(*open_solver("dopri5"), 1.0 / 16), 4, 0.2); }

TEST(dop853, dense_output_has_order_7) { EXPECT_NEAR(measured_dense_order(*open_solver("dop853"), 1.0 / 4), 7, 0.2); }

TEST(dop853, dense_output_is_not_counted)
{
    struct looker final : step_observer {
        observer_answer on_step(const accepted_step& s) override
        {
            std::vector<double> y(s.y.size());
            s.between->evaluate(0.5 * (s.t_old + s.t), y.data());
            s.between->evaluate(s.t, y.data());
            for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], s.y[i], 1e-12);
            return observer_answer::go_on;
        }
    } seen;
    run_settings s;
    s.rtol = 1e-7;
    s.atol = {1e-7};
    s.repeat = 1;
    const run_record r = measure_run(find("arenstorf"), *open_solver("dop853"), s, &seen);
    EXPECT_EQ(r.nfev, 2 + 11 * r.steps + r.accepted);
    EXPECT_EQ(r.steps, 116U);
}

TEST(explicit_codes, a_given_first_step_saves_an_evaluation)
{
    run_settings s;
    s.h0 = 1e-3;
    run_record r = run("dopri5", "brusselator", 1e-6, s);
    EXPECT_EQ(r.nfev, 1 + 6 * r.steps);
    r = run("dop853", "brusselator", 1e-6, s);
    EXPECT_EQ(r.nfev, 1 + 11 * r.steps + r.accepted);
}

// The originals with their printing switched off end at the same steps.
TEST(explicit_codes, suspected_stiffness_ends_the_run_in_words)
{
    run_record r = run("dopri5", "vdpol", 1e-7);
    EXPECT_EQ(r.outcome, outcome::stiffness_suspected);
    EXPECT_EQ(r.steps, 1017U);
    EXPECT_EQ(r.accepted, 1014U);
    EXPECT_NE(r.message.find("h times the largest eigenvalue is about 3.3"), std::string::npos) << r.message;
    EXPECT_GT(r.t_end_reached, 0.0);
    EXPECT_FALSE(r.scd);
    r = run("dop853", "medakzo", 1e-10);
    EXPECT_EQ(r.outcome, outcome::stiffness_suspected);
    EXPECT_EQ(r.steps, 1059U);
    EXPECT_EQ(r.accepted, 1014U);
    r = run("dopri5", "medakzo", 1e-10);
    EXPECT_EQ(r.steps, 3017U) << "the first two looks find nothing";
}

TEST(explicit_codes, stiffness_can_be_endured_or_ignored)
{
    run_settings s;
    s.special = {{"stiff_stop", 0}};
    s.max_steps = 5000;
    run_record r = run("dopri5", "vdpol", 1e-7, s);
    EXPECT_EQ(r.outcome, outcome::too_many_steps);
    EXPECT_EQ(r.steps, 5000U);
    EXPECT_GT(r.extra.at("stiffness_suspected_at"), 0.0);
    s.special = {{"stiff_test", 0}};
    r = run("dopri5", "vdpol", 1e-7, s);
    EXPECT_EQ(r.outcome, outcome::too_many_steps);
    EXPECT_EQ(r.extra.count("stiffness_suspected_at"), 0U);
    s.special = {{"stiff_test", 100}};
    EXPECT_EQ(run("dopri5", "vdpol", 1e-7, s).accepted, 114U) << "the first look with suspicion, and 14 more";
}

TEST(explicit_codes, a_calm_problem_is_not_suspected)
{
    run_settings s;
    s.special = {{"stiff_test", 1}};
    for (const char* solver : {"dopri5", "dop853"}) EXPECT_EQ(run(solver, "lorenz", 1e-7, s).outcome, outcome::success);
}

TEST(explicit_codes, options_change_the_run)
{
    const auto steps_from = [](std::optional<double> h0, std::map<std::string, double> special) {
        run_settings s;
        s.h0 = h0;
        s.special = std::move(special);
        return run("dopri5", "kepler", 1e-7, s).steps;
    };
    EXPECT_NE(steps_from({}, {{"beta", 0}}), steps_from({}, {}));
    EXPECT_GT(steps_from({}, {{"safety", 0.7}}), steps_from({}, {}) + 20);
    EXPECT_GT(steps_from(1e-9, {{"growth", 2}}), steps_from(1e-9, {}) + 10) << "the first step is far too small";
    EXPECT_GT(steps_from(10, {{"shrink", 0.5}}), steps_from(10, {}) + 5) << "the first step is far too large";
}

TEST(explicit_codes, refuse_a_mass_matrix_in_words)
{
    try {
        (void)run("dopri5", "transamp", 1e-4);
        FAIL() << "transamp was taken";
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("dopri5 cannot take transamp"), std::string::npos) << e.what();
    }
}

TEST(explicit_codes, a_solution_that_blows_up_ends_in_words)
{
    const problem p = plain_problem({1}, 2, [](double, const double* y, double* out) {
        out[0] = y[0] * y[0]; // a pole at t = 1
        return evaluation::ok;
    });
    run_settings s;
    s.rtol = 1e-6;
    s.repeat = 1;
    for (const char* solver : {"dopri5", "dop853"}) {
        const run_record r = measure_run(p, *open_solver(solver), s);
        EXPECT_TRUE(r.outcome == outcome::step_too_small || r.outcome == outcome::nonfinite) << label(r.outcome);
        EXPECT_NEAR(r.t_end_reached, 1.0, 1e-6);
        EXPECT_FALSE(r.message.empty());
    }
}

} // namespace ivp
