// True solutions, classic and in quadruple precision; problems in scaled variables.
#include "detest/assess.hpp"
#include "detest/truth.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace {

using namespace ivp;
using namespace ivp::detest;

assessment_settings settings_for(problem_set set, truth_kind kind, bool as_1986 = false)
{
    assessment_settings s;
    s.set = set;
    s.truth = kind;
    s.as_1986 = as_1986;
    return s;
}

// y' = -y, y(0) = 1
TEST(truth, global_and_local_solutions_meet_their_tolerance)
{
    const problem p = open_problem("detest-n-a1");
    for (const auto set : {problem_set::nonstiff, problem_set::stiff})
        for (const auto kind : {truth_kind::classic, truth_kind::quad})
            for (const double tol : {1e-4, 1e-8}) {
                SCOPED_TRACE(std::string(label(set)) + " " + std::string(label(kind)) + " " + std::to_string(tol));
                const auto t = make_truth(p, settings_for(set, kind));
                for (const double x : {0.5, 1.25, 4.0}) {
                    EXPECT_EQ(t->advance(x, tol).flag, truth_good);
                    EXPECT_NEAR(t->global_solution()[0], std::exp(-x), kind == truth_kind::quad ? 0.1 * tol : 5 * tol);
                    const std::array<double, 1> off{2.0};
                    std::array<double, 1> y{};
                    const true_point end = t->local(x - 0.25, off, x, tol, y);
                    EXPECT_EQ(end.flag, truth_good);
                    EXPECT_EQ(end.t, x);
                    EXPECT_NEAR(y[0], 2 * std::exp(-0.25), kind == truth_kind::quad ? 0.1 * tol : 5 * tol);
                }
            }
}

// F2: y' = 55 - 1.5 y until x = 1, then 55 - 0.5 y.
TEST(truth, quad_begins_anew_at_a_jump)
{
    const problem p = open_problem("detest-n-f2");
    ASSERT_FALSE(p.info().discontinuities.empty());
    const auto t = make_truth(p, settings_for(problem_set::nonstiff, truth_kind::quad));
    const std::array<double, 1> start{100};
    std::array<double, 1> y{};
    ASSERT_EQ(t->local(0.75, start, 1.5, 1e-10, y).flag, truth_good);
    const double at_jump = 55 / 1.5 + (100 - 55 / 1.5) * std::exp(-1.5 * 0.25);
    EXPECT_NEAR(y[0], 110 + (at_jump - 110) * std::exp(-0.5 * 0.5), 1e-11);
}

TEST(truth, what_the_classic_one_cannot_follow_is_rescued)
{
    // At 1e-11 the limit of 200 evaluations is met in the first close passage of D5.
    const auto solver = open_solver("dverk");
    solver_request request;
    request.solver = solver.get();
    const auto method = make_solver_method(request);
    for (const bool as_1986 : {true, false}) {
        auto settings = settings_for(problem_set::nonstiff, truth_kind::classic, as_1986);
        settings.timing_s = 0;
        const row r = assess_row(detest_problem(*detest_data_of("detest-n-d5"), true, settings), 1e-11, *method, settings);
        EXPECT_EQ(r.code, as_1986 ? truth_failed : all_well);
        EXPECT_EQ(r.assessed_steps == r.lumped_steps, !as_1986);
    }
    // SECDER cannot go below rounding; quadruple precision can.
    auto settings = settings_for(problem_set::stiff, truth_kind::classic);
    settings.timing_s = 0;
    const auto stiff = open_solver("radau5");
    request.solver = stiff.get();
    const row r = assess_row(detest_problem(*detest_data_of("detest-s-e2"), true, settings), 1e-11, *make_solver_method(request), settings);
    EXPECT_EQ(r.code, all_well);
    EXPECT_GT(r.truth_rescues, 0);
}

TEST(truth, is_refused_in_words)
{
    auto s = settings_for(problem_set::stiff, truth_kind::classic);
    const problem dae = open_problem("transamp");
    EXPECT_NE(truth_refusal(dae, s).find("'transamp' is not an ODE"), std::string::npos);
    s.truth = truth_kind::quad;
    EXPECT_EQ(truth_refusal(dae, s), "");
    const problem index3 = open_problem("andrews");
    EXPECT_NE(truth_refusal(index3, s).find("'andrews' has index 3"), std::string::npos);
    s.level = 2;
    EXPECT_EQ(truth_refusal(index3, s), "");
    s.truth = truth_kind::classic;
    s.level = 1;
    EXPECT_EQ(truth_refusal(index3, s), "");
}

TEST(scaled_problem, is_the_problem_in_other_units)
{
    for (const char* id : {"hires", "transamp"}) {
        SCOPED_TRACE(id);
        const problem p = open_problem(id);
        const bool ode = p.info().form == form::ode;
        std::vector<double> w;
        for (int i = 0; i < p.n(); ++i) w.push_back(std::pow(2.0, i - 3)); // scaling by powers of two is exact
        const problem s = scaled_problem(p, w);
        const auto n = static_cast<std::size_t>(p.n());
        std::vector<double> y(n), z(n), fy(n), fz(n);
        for (std::size_t i = 0; i < n; ++i) {
            y[i] = 0.1 + 0.3 * static_cast<double>(i);
            z[i] = y[i] / w[i];
            EXPECT_EQ(s.in<double>().initial_values()[i], p.in<double>().initial_values()[i] / w[i]);
        }
        ASSERT_EQ(p.in<double>().f(0, y.data(), fy.data()), evaluation::ok);
        ASSERT_EQ(s.in<double>().f(0, z.data(), fz.data()), evaluation::ok);
        for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(fz[i], ode ? fy[i] / w[i] : fy[i]);
        std::vector<double> jy(n * n), jz(n * n);
        const auto view = [&](std::vector<double>& j) { return matrix_view<double>{structure_kind::full, p.n(), 0, 0, p.n(), nullptr, j.data()}; };
        const auto wy = p.in<double>().make_scratch();
        const auto wz = s.in<double>().make_scratch();
        ASSERT_EQ(p.in<double>().jacobian(0, y.data(), *wy, view(jy)), evaluation::ok);
        ASSERT_EQ(s.in<double>().jacobian(0, z.data(), *wz, view(jz)), evaluation::ok);
        for (int i = 0; i < p.n(); ++i)
            for (int j = 0; j < p.n(); ++j) {
                EXPECT_EQ(view(jz).at(i, j), ode ? view(jy).at(i, j) * w[j] / w[i] : view(jy).at(i, j) * w[j]);
                EXPECT_EQ(s.in<double>().mass().at(i, j), ode ? p.in<double>().mass().at(i, j) : p.in<double>().mass().at(i, j) * w[j]);
            }
    }
}

// DETEST's own problems are scaled by the catalog; both ways give the same runs.
TEST(scaled_problem, agrees_with_that_of_the_catalog)
{
    assessment_settings s;
    s.set = problem_set::stiff;
    s.timing_s = 0;
    const auto solver = open_solver("radau5");
    solver_request request;
    request.solver = solver.get();
    const auto method = make_solver_method(request);
    const detest_data& data = *detest_data_of("detest-s-b1");
    const assessed_problem by_catalog = detest_problem(data, true, s);
    assessed_problem by_wrapper = by_catalog;
    by_wrapper.problem = scaled_problem(open_problem("detest-s-b1"), by_catalog.weights);
    const row a = assess_row(by_catalog, 1e-5, *method, s);
    const row b = assess_row(by_wrapper, 1e-5, *method, s);
    EXPECT_EQ(a.cost.nfev, b.cost.nfev);
    EXPECT_EQ(a.cost.accepted, b.cost.accepted);
    EXPECT_NEAR(a.max_global_error, b.max_global_error, 1e-6 * a.max_global_error);
}

TEST(weights, are_those_the_package_stores)
{
    for (const char* id : {"detest-n-c1", "detest-n-d5", "detest-s-d6", "detest-s-e1"}) {
        SCOPED_TRACE(id);
        const detest_data& d = *detest_data_of(id);
        const auto w = compute_weights(open_problem(id), d.set, d.hbegin, d.hmax);
        for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], d.weight[i].value(), 0.002 * w[i]) << i + 1;
    }
    EXPECT_NEAR(compute_weights(open_problem("hires"), problem_set::stiff, {}, {}).at(1), 0.132, 1e-12);
}

TEST(groups, are_read_with_every_fault)
{
    const auto groups = read_groups("A1, a2;-C1,-E1", problem_set::stiff);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0][1].data->id, "detest-s-a2");
    EXPECT_TRUE(groups[0][1].scaled);
    EXPECT_EQ(groups[1][1].data->id, "detest-s-e1");
    EXPECT_FALSE(groups[1][1].scaled);
    EXPECT_EQ(all_groups(problem_set::stiff).size(), 6U);
    EXPECT_EQ(all_groups(problem_set::stiff)[3].size(), 6U);
    try {
        (void)read_groups("A5;G1,;A1;A1;A1;A1;A1", problem_set::stiff); // A5 is of the other set
        FAIL();
    } catch (const bad_request& e) {
        ASSERT_EQ(e.faults().size(), 4U);
        EXPECT_NE(e.faults()[0].find("'A5' given; allowed: problems of the stiff set (A1-A4, B1-B5"), std::string::npos);
        EXPECT_NE(e.faults()[3].find("7 groups given; allowed: 1 to 6"), std::string::npos);
    }
}

} // namespace
