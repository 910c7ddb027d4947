// Problems from outside: everything a description holds arrives, everything wrong in it is named.
#include "catalog/foreign.hpp"
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace ivp {
namespace {

std::string file(const std::string& name) { return std::string(IVP_TEST_PLUGIN_DIR "/") + name + ".so"; }

std::string refusal(const std::map<std::string, std::string>& parameters, const std::string& name = "pendulum")
{
    try {
        (void)load_plugin_problem(file(name), parameters);
    } catch (const bad_request& e) {
        return e.what();
    }
    return "loaded";
}

TEST(plugin_problem, brings_all_its_facts)
{
    const problem p = open_problem(file("pendulum"));
    const problem_info& i = p.info();
    EXPECT_EQ(i.id, "pendulum");
    EXPECT_EQ(i.title, "Pendulum");
    EXPECT_EQ(i.form, form::dae);
    EXPECT_EQ(i.n, 5);
    EXPECT_EQ(i.tend.value(), 2);
    EXPECT_EQ(i.index, (std::vector{1, 1, 2, 2, 3}));
    EXPECT_EQ(i.tags, (std::vector<std::string>{"mechanics", "small", "index3"}));
    EXPECT_EQ(i.component_names.back(), "tension");
    EXPECT_EQ(i.breakpoints.size(), 1U);
    EXPECT_EQ(i.discontinuities.size(), 2U);
    EXPECT_EQ(i.accuracy.excluded, (std::vector{5})); // counted from 1 here, from 0 there
    EXPECT_EQ(i.jacobian_structure.describe(), "sparse 8 entries");
    EXPECT_DOUBLE_EQ(i.protocol.atol(1e-4), 1e-5);
    EXPECT_DOUBLE_EQ(i.protocol.expand(1e-4, 1e-5).absolute(4), 1e-3);
    EXPECT_EQ(p.in<double>().mass().kind(), mass_kind::diagonal);
    EXPECT_EQ(p.in<double>().mass().at(4, 4), 0);
    EXPECT_EQ(p.in<double>().initial_derivatives().at(3), -1);
    EXPECT_TRUE(p.reference());
    EXPECT_TRUE(p.chapter().markdown.starts_with("# Pendulum\n\nIt swings.\n"));
    EXPECT_FALSE(p.has_quad());
    EXPECT_EQ(problem_parameters(file("pendulum")).at(0).name, "gravity");
}

TEST(plugin_problem, takes_parameters)
{
    const problem p = open_problem(file("pendulum"), {{"gravity", "2"}});
    EXPECT_EQ(p.in<double>().initial_derivatives().at(3), -2);
    EXPECT_FALSE(p.reference()) << "the reference belongs to the defaults";
    EXPECT_NE(refusal({{"gravity", "0"}}).find("gravity"), std::string::npos);
    EXPECT_NE(refusal({{"gravity", "13"}}).find("refuses these parameter values: no pendulum swings at gravity 13"), std::string::npos);
}

TEST(plugin_problem, its_jacobian_goes_into_every_layout)
{
    const problem p = open_problem(file("pendulum"));
    const auto work = p.in<double>().make_scratch();
    const std::vector<double> y{0.6, -0.8, 0.1, 0.2, 3};
    const structure s = p.info().jacobian_structure;
    std::vector<double> sparse(8);
    std::vector<double> full(25, -7);
    ASSERT_EQ(p.in<double>().jacobian(0, y.data(), *work, {structure_kind::sparse, 5, 0, 0, 0, s.pattern.get(), sparse.data()}), evaluation::ok);
    const matrix_view<double> dense{structure_kind::full, 5, 0, 0, 5, nullptr, full.data()};
    ASSERT_EQ(p.in<double>().jacobian(0, y.data(), *work, dense), evaluation::ok);
    EXPECT_EQ(sparse, (std::vector<double>{-3, 1.2, -3, -1.6, 1, 1, -0.6, 0.8}));
    EXPECT_EQ(dense.at(4, 1), -1.6);
    EXPECT_EQ(dense.at(3, 4), 0.8);
    EXPECT_EQ(dense.at(0, 0), 0);
}

TEST(plugin_problem, refuses_arguments_outside_its_domain)
{
    const problem p = open_problem(file("pendulum"));
    std::vector<double> v(5);
    EXPECT_EQ(p.in<double>().f(2e6, v.data(), v.data()), evaluation::refused);
    EXPECT_THROW((void)p.in<double>().g(0, v.data(), v.data(), v.data()), std::logic_error);
}

TEST(plugin_problem, is_solved_and_keeps_the_length_of_its_rod)
{
    run_settings s;
    s.rtol = 1e-8;
    s.repeat = 1;
    const run_record r = measure_run(open_problem(file("pendulum"), {{"gravity", "1.5"}}), *open_solver("radau5"), s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.jacobian, "exact");
    EXPECT_NEAR(std::hypot(r.y[0], r.y[1]), 1, 1e-7);
    EXPECT_NEAR(0.5 * (r.y[2] * r.y[2] + r.y[3] * r.y[3]) + 1.5 * r.y[1], 0, 1e-5); // energy; the velocities are of index 2
}

TEST(plugin_problem, passes_the_checks)
{
    for (const auto& item : check_problem(open_problem(file("pendulum"), {{"gravity", "2"}})).findings)
        EXPECT_NE(item.proof, proof::failed) << item.what << ' ' << item.detail;
}

TEST(plugin_problem, without_jacobian_is_differenced_for_the_platform)
{
    const problem p = open_problem(file("problem_only"), {{"rate", "3"}});
    EXPECT_FALSE(p.in<double>().has_exact_jacobian());
    const auto work = p.in<double>().make_scratch();
    double j = 0;
    const double y = 1;
    ASSERT_EQ(p.in<double>().jacobian(0, &y, *work, {structure_kind::full, 1, 0, 0, 1, nullptr, &j}), evaluation::ok);
    EXPECT_NEAR(j, -3, 1e-6);
    double rate_of_change = 1;
    ASSERT_EQ(p.in<double>().time_derivative(0, &y, nullptr, *work, &rate_of_change), evaluation::ok);
    EXPECT_EQ(rate_of_change, 0);
}

TEST(plugin_problem, differences_take_as_few_evaluations_as_its_structure_allows)
{
    static int evaluations = 0;
    constexpr int n = 50;
    ivp_problem t{};
    t.version = IVP_PLUGIN_VERSION;
    t.size = sizeof t;
    t.describe = [](const void*, ivp_problem_description* out) {
        out->version = IVP_PLUGIN_VERSION;
        out->size = sizeof *out;
        out->id = "chain";
        out->form = IVP_ODE;
        out->n = n;
        out->tend = 1;
        out->jacobian_kind = IVP_BAND;
        out->jacobian_lower = 1;
    };
    t.initial = [](const void*, double* y, double*) {
        std::fill_n(y, n, 1.0);
        return 0;
    };
    t.f = [](const void*, double, const double* y, double* out) {
        ++evaluations;
        for (int i = 0; i < n; ++i) out[i] = -(i + 1) * y[i] + (i > 0 ? 3 * y[i - 1] : 0);
        return static_cast<int>(IVP_OK);
    };
    const problem p = problem_of("the problem", t, nullptr, nullptr);
    const auto work = p.in<double>().make_scratch();
    const std::vector<double> y(n, 2.0);
    std::vector<double> band(2 * n, -7), full(n * n, -7);
    const matrix_view<double> as_band{structure_kind::band, n, 1, 0, 2, nullptr, band.data()};
    const matrix_view<double> as_full{structure_kind::full, n, 0, 0, n, nullptr, full.data()};
    for (const auto* out : {&as_band, &as_full, &as_band}) {
        evaluations = 0;
        ASSERT_EQ(p.in<double>().jacobian(0, y.data(), *work, *out), evaluation::ok);
        EXPECT_EQ(evaluations, out == &as_band ? 3 : n + 1);
        for (int i = 0; i < n; ++i) {
            EXPECT_NEAR(out->at(i, i), -(i + 1), 1e-5);
            if (i > 0) {
                EXPECT_NEAR(out->at(i, i - 1), 3, 1e-5);
            }
        }
    }
    EXPECT_EQ(as_full.at(0, 5), 0);
}

struct fault_case {
    int number;
    const char* words;
};
// NOLINTNEXTLINE(readability-identifier-naming): gtest asks for this name
void PrintTo(const fault_case& f, std::ostream* out) { *out << f.words; }
class faulty_problem : public testing::TestWithParam<fault_case> {};

TEST_P(faulty_problem, is_refused_in_words)
{
    const std::string words = refusal({{"fault", std::to_string(GetParam().number)}});
    EXPECT_NE(words.find(GetParam().words), std::string::npos) << words;
    EXPECT_NE(words.find("pendulum.so'"), std::string::npos) << words;
}

INSTANTIATE_TEST_SUITE_P(descriptions, faulty_problem,
                         testing::Values(fault_case{1, "its id is 'Pendulum!'"}, fault_case{2, "n = 0"}, fault_case{3, "from t0 = 0 to tend = -1"},
                                         fault_case{4, "form = 3"}, fault_case{5, "index of component 5 = 4"},
                                         fault_case{6, "breakpoints are not increasing times"},
                                         fault_case{7, "jacobian_column_start or jacobian_row is NULL"}, fault_case{8, "band 7,0"},
                                         fault_case{9, "version 2"}, fault_case{10, "mass_kind = 9"}, fault_case{11, "it has no function g"},
                                         fault_case{12, "excluded is NULL"}),
                         [](const auto& i) { return "fault_" + std::to_string(i.param.number); });

TEST(plugin_problem, a_solver_is_no_problem)
{
    EXPECT_NE(refusal({}, "echo").find("is a solver (it exports ivp_solver_describe), not a problem"), std::string::npos);
    EXPECT_TRUE(is_problem_file(file("pendulum")));
    EXPECT_FALSE(is_problem_file(file("echo")));
}

} // namespace
} // namespace ivp
