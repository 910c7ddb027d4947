// Formulations: the builder's equations are those that were written by hand, and every formulation has the solution that is known.
#include "mechanics/systems.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/run.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ivp {

using namespace mechanics_test;

namespace {

std::vector<double> jacobian_of(const problem& p, double t, const std::vector<double>& y)
{
    const auto& e = p.in<double>();
    std::vector<double> values(static_cast<std::size_t>(p.n()) * p.n());
    const matrix_view<double> view{structure_kind::full, p.n(), 0, 0, p.n(), nullptr, values.data()};
    EXPECT_EQ(e.jacobian(t, y.data(), *e.make_scratch(), view), evaluation::ok);
    return values;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance, const char* what)
{
    ASSERT_EQ(a.size(), b.size()) << what;
    double size = 0;
    for (const double v : b) size = std::max(size, std::abs(v));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * (std::abs(b[i]) + 1e-3 * size)) << what << ", entry " << i;
}

run_record solved(const problem& p, const std::string& solver, double rtol, const std::map<std::string, double>& options = {})
{
    run_settings s;
    s.rtol = rtol;
    s.repeat = 1;
    s.special = options;
    return measure_run(p, *open_solver(solver), s);
}

} // namespace

struct written_by_hand {
    const char* id;
    const char* formulation;
    double start;     ///< how well the published start is that of the builder
    int start_values; ///< how many components of it count: that of crank has nine digits, which its accelerations show
};
class rebuilt_problem : public ::testing::TestWithParam<written_by_hand> {};

TEST_P(rebuilt_problem, has_the_equations_that_were_written_by_hand)
{
    const problem written = open_problem(GetParam().id);
    const problem built = open_problem(GetParam().id, {{"formulation", GetParam().formulation}});
    ASSERT_EQ(built.n(), written.n());
    EXPECT_EQ(built.info().index, written.info().index);
    EXPECT_EQ(built.info().highest_index, written.info().highest_index);
    EXPECT_EQ(built.info().component_names, written.info().component_names);
    EXPECT_EQ(built.info().chain.m1, written.info().chain.m1);
    EXPECT_EQ(built.in<double>().mass().values(), written.in<double>().mass().values());
    const auto beginning = [](std::vector<double> v) {
        v.resize(GetParam().start_values);
        return v;
    };
    expect_near(beginning(built.in<double>().initial_values()), beginning(written.in<double>().initial_values()), GetParam().start, "y0");
    if (GetParam().start_values == written.n())
        expect_near(built.in<double>().initial_derivatives(), written.in<double>().initial_derivatives(), GetParam().start, "y0'");

    std::mt19937 random(7);
    std::uniform_real_distribution<double> change(-0.1, 0.1);
    for (int k = 0; k < 10; ++k) {
        auto y = written.in<double>().initial_values();
        for (double& v : y) v += change(random) * (1e-3 + std::abs(v));
        const double t = 0.1 * k;
        std::vector<double> a(y.size()), b(y.size());
        EXPECT_EQ(built.in<double>().f(t, y.data(), a.data()), evaluation::ok);
        EXPECT_EQ(written.in<double>().f(t, y.data(), b.data()), evaluation::ok);
        expect_near(a, b, 1e-11, "f");
        expect_near(jacobian_of(built, t, y), jacobian_of(written, t, y), 1e-11, "Jacobian");
    }
    // As sparse as the text by hand, so that solvers take the same path. The text of crank hides zeros of its mass matrix.
    if (std::string(GetParam().id) != "crank") {
        EXPECT_EQ(built.finest_iteration_structure().describe(), written.finest_iteration_structure().describe());
    }
}
INSTANTIATE_TEST_SUITE_P(test_set, rebuilt_problem,
                         ::testing::Values(written_by_hand{"caraxis", "3", 1e-15, 10}, written_by_hand{"andrews", "3", 1e-13, 27},
                                           written_by_hand{"crank", "2", 1e-9, 14}),
                         [](const auto& p) { return std::string(p.param.id); });

TEST(crank, starts_with_the_published_digits)
{
    // x3 has nine; the others are those that the published values have.
    const auto built = open_problem("crank", {{"formulation", "2"}}).in<double>().initial_values();
    const auto published = open_problem("crank").in<double>().initial_values();
    for (int i = 0; i < 14; ++i) EXPECT_NEAR(built[i], published[i], i == 2 ? 5e-10 : 1e-13 * std::abs(published[i])) << i;
    // The last of nine digits of the elastic coordinates, 5e-15, times the square of the highest elastic frequency; the multipliers push masses below
    // 0.2.
    constexpr double highest_frequency = 24613;
    constexpr double seen = 5e-15 * highest_frequency * highest_frequency;
    for (int i = 14; i < 21; ++i) EXPECT_NEAR(built[i], published[i], seen) << i;
    for (int i = 21; i < 24; ++i) EXPECT_NEAR(built[i], published[i], 0.2 * seen) << i;
}

TEST(crank, is_as_consistent_as_by_hand_where_the_start_is_computed)
{
    const problem written = open_problem("crank", {{"start", "1"}});
    const problem built = open_problem("crank", {{"start", "1"}, {"formulation", "2"}});
    expect_near(built.in<double>().initial_values(), written.in<double>().initial_values(), 1e-12, "y0");
}

class every_formulation : public ::testing::TestWithParam<formulation_kind> {};

TEST_P(every_formulation, of_a_pendulum_reaches_the_known_solution)
{
    const problem p = mechanical_system_of<pendulum>().as_problem(GetParam());
    const run_record r = solved(p, "radau5", 1e-9);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    const std::vector<double> expected{0, -1, -std::sqrt(2.0), 0};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(r.y[i], expected[i], 1e-6) << p.info().component_names[i];
    EXPECT_NEAR(r.y[4], -3, GetParam() == formulation_kind::index3 ? 1e-2 : 1e-4);
    EXPECT_LT(r.extra.at("drift_position"), 1e-6);
    EXPECT_LT(r.extra.at("drift_energy"), 1e-6);
}

TEST_P(every_formulation, of_a_four_bar_swings_as_the_pendulum_it_is)
{
    const problem p = mechanical_system_of<four_bar>().as_problem(GetParam());
    EXPECT_EQ(p.n(), GetParam() == formulation_kind::ggl ? 13 : 11) << "M depends on q: accelerations are unknowns";
    const run_record r = solved(p, "radau5", 1e-9);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    const double below = -std::acos(-1.0) / 2;
    const double speed = -std::sqrt(1.2);
    const std::vector<double> expected{below, 0, below, speed, 0, speed};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(r.y[i], expected[i], 1e-6) << p.info().component_names[i];
    EXPECT_LT(r.extra.at("drift_energy"), 1e-6);
}

TEST_P(every_formulation, passes_the_checks_of_a_problem)
{
    for (const auto& p :
         {mechanical_system_of<moving_ring>().as_problem(GetParam()), mechanical_system_of<four_bar>({{"angle", "-1"}}).as_problem(GetParam()),
          open_problem("caraxis", parameters_of(GetParam()))})
        for (const auto& f : check_problem(p, {.reference_s = 0.1}).findings)
            EXPECT_NE(f.proof, proof::failed) << p.id() << ": " << f.what << ": " << f.detail;
}

TEST_P(every_formulation, names_its_unknowns_and_itself)
{
    const problem p = open_problem("caraxis", parameters_of(GetParam()));
    EXPECT_EQ(static_cast<int>(p.info().component_names.size()), p.n());
    EXPECT_EQ(p.n(), GetParam() == formulation_kind::ggl ? 12 : 10);
    EXPECT_EQ(formulation_of(p.parameters().changed()), GetParam());
    EXPECT_EQ(formulation_from_label(label(GetParam())), GetParam());
    EXPECT_TRUE(p.reference());
    EXPECT_NE(invariants_of(p), nullptr);
    EXPECT_EQ(invariants_of(p)->names().size(), 3u);
}
INSTANTIATE_TEST_SUITE_P(mechanics, every_formulation, ::testing::ValuesIn(all_formulations().begin(), all_formulations().end()),
                         [](const auto& p) { return "of_" + std::string(label(p.param)); });

TEST(index_reduction, lets_the_position_drift_unless_it_is_stabilised)
{
    // Newton's iteration goes on to rounding, so that what is left of a constraint in the equations does not hide the drift of the others.
    const auto drifts = [](formulation_kind k) {
        const run_record r = solved(open_problem("caraxis", parameters_of(k)), "radau5", 1e-10, {{"fnewt", 2e-8}});
        EXPECT_EQ(r.outcome, outcome::success) << r.message;
        return r.extra;
    };
    const auto of_3 = drifts(formulation_kind::index3);
    const auto of_2 = drifts(formulation_kind::index2);
    const auto of_1 = drifts(formulation_kind::index1);
    const auto of_ggl = drifts(formulation_kind::ggl);
    const auto of_baumgarte = drifts(formulation_kind::baumgarte);
    EXPECT_LT(of_3.at("drift_position"), 2e-14);
    EXPECT_LT(of_ggl.at("drift_position"), 2e-14);
    EXPECT_LT(of_ggl.at("drift_velocity"), 2e-12);
    EXPECT_LT(of_2.at("drift_velocity"), 2e-12);
    EXPECT_GT(of_3.at("drift_velocity"), 1e-7);
    EXPECT_LT(of_3.at("drift_velocity"), 1e-3);
    EXPECT_GT(of_2.at("drift_position"), 100 * of_3.at("drift_position"));
    EXPECT_GT(of_1.at("drift_position"), 10 * of_2.at("drift_position"));
    EXPECT_LT(of_baumgarte.at("drift_position"), of_1.at("drift_position") / 10);

    for (const auto* stays : {&of_3, &of_ggl, &of_baumgarte}) EXPECT_NEAR(stays->at("drift_position_growth"), 0, 0.4);
    EXPECT_NEAR(of_2.at("drift_position_growth"), 1, 0.2);
    EXPECT_GT(of_1.at("drift_position_growth"), 1.2);
    EXPECT_NEAR(of_1.at("drift_velocity_growth"), 1, 0.3);
    EXPECT_NEAR(of_3.at("drift_velocity_growth"), 0, 0.2);
}

TEST(parameters_in_words, name_a_formulation_as_it_is_typed)
{
    using words = std::vector<std::string>;
    for (const auto kind : all_formulations()) EXPECT_EQ(parameters_in_words(parameters_of(kind)), words{"formulation " + std::string(label(kind))});
    EXPECT_EQ(parameters_in_words({{"formulation", "2"}}), words{"formulation 2"});
    EXPECT_EQ(parameters_in_words({{"L", "2"}, {"formulation", "1"}, {"stabilised", "1"}}), (words{"L = 2", "formulation baumgarte"}));
    EXPECT_EQ(parameters_in_words({{"formulation", "7"}, {"stabilised", "yes"}}), (words{"formulation = 7", "stabilised = yes"})) << "another's own";
    EXPECT_TRUE(parameters_in_words({}).empty());
}

TEST(formulation_parameters, choose_a_formulation_or_are_refused)
{
    EXPECT_FALSE(formulation_of({}));
    EXPECT_FALSE(formulation_of({{"formulation", "0"}, {"L", "2"}}));
    EXPECT_EQ(formulation_of({{"formulation", "2"}, {"stabilised", "1"}}), formulation_kind::ggl);
    EXPECT_THROW((void)formulation_of({{"formulation", "3"}, {"stabilised", "1"}}), bad_request);
    EXPECT_THROW((void)open_problem("caraxis", {{"formulation", "4"}}), bad_request);
    EXPECT_THROW((void)open_problem("hires", {{"formulation", "3"}}), bad_request);
    EXPECT_EQ(invariants_of(open_problem("hires")), nullptr);
}

TEST(baumgarte, takes_the_factors_that_are_given)
{
    const auto f = [](const std::map<std::string, std::string>& parameters) {
        auto all = parameters_of(formulation_kind::baumgarte);
        all.insert(parameters.begin(), parameters.end());
        const problem p = mechanical_system_of<pendulum>(all).as_problem(formulation_kind::baumgarte);
        const std::vector<double> y{1.5, 0, 1, 0, 0};
        std::vector<double> out(5);
        EXPECT_EQ(p.in<double>().f(0, y.data(), out.data()), evaluation::ok);
        return out[4];
    };
    // phi = 0.625, phi' = 1.5, phi'' = 1
    EXPECT_NEAR(f({{"baumgarte_alpha", "2"}, {"baumgarte_beta", "3"}}), 1 + 2 * 2 * 1.5 + 9 * 0.625, 1e-12);
    const double usual = 100 / decimal(quarter_period).value();
    EXPECT_NEAR(f({}), 1 + 2 * usual * 1.5 + usual * usual * 0.625, 1e-9);
}

} // namespace ivp
