// Every problem, integrated, against its reference; and every parameter that the problem has, changed a little, must be noticed there.
#include "test_name.hpp"

#include "detest/data.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <span>

namespace ivp {

namespace {

/// Settings for a tight integration that a test can afford, the digits it must reach (scd; mescd where scd is not defined), and a
/// parameter whose change by a thousandth must be noticed (e5: by a hundredth).
struct tight_run {
    double rtol;
    double atol;
    double digits;
    const char* changed;
    double change = 1e-3;
    const char* solver = "radau5";
};

const std::map<std::string, tight_run>& tight_runs()
{
    static const std::map<std::string, tight_run> runs{
        // clang-format off
        {"hires", {1e-13, 1e-16, 10.5, "k1"}},
        {"pollu", {1e-13, 1e-20, 10.5, "k19"}},
        {"ringmod", {1e-9, 1e-9, 5.2, "Rg3"}},
        {"medakzo", {1e-9, 1e-12, 8.8, "k"}},
        {"emep", {1e-14, 1e-7, 11.2, "HMIX"}},
        {"plei", {1e-13, 1e-13, 9.3, "m1"}},
        {"beam", {1e-10, 1e-10, 6.5, "force"}},
        {"vdpol", {1e-13, 1e-13, 11.5, "eps"}},
        {"vdpolm", {1e-13, 1e-16, 12.2, "mu"}},
        {"orego", {1e-13, 1e-13, 11.2, "q"}},
        {"rober", {1e-13, 1e-24, 11.5, "k1"}},
        {"e5", {1e-10, 1.1e-24, 10.7, "C", 1e-2}},
        {"chemakzo_ode", {1e-13, 1e-15, 11.2, "k4"}},
        {"chemakzo_dae", {1e-13, 1e-15, 11.0, "k4"}},
        {"andrews", {1e-12, 1e-12, 7.4, "m5"}},
        {"transamp", {1e-12, 1e-12, 9.0, "UF"}},
        {"pump", {1e-3, 1e-3, 14.5, "gamma"}},
        {"tba", {1e-4, 1e-4, 5.3, "VDD"}},
        {"caraxis", {1e-11, 1e-11, 4.0, "M"}},
        {"fekete", {1e-10, 1e-10, 8.4, "alpha"}},
        {"crank", {1e-10, 1e-15, 8.1, "m3"}},
        {"water", {1e-13, 1e-16, 8.5, "l"}},
        {"nand", {1e-11, 1e-11, 10.5, "C5"}},
        {"wheel", {1e-8, 1e-8, 5.0, "v0"}},
        {"bruss", {1e-9, 1e-9, 8.0, "alpha"}},
        {"brus2d", {1e-7, 1e-7, 6.0, "alpha"}},
        {"cusp", {1e-9, 1e-9, 6.0, "eps"}},
        {"ks", {1e-9, 1e-9, 6.5, "q", 1e-3, "dop853"}},
        {"plate", {1e-9, 1e-12, 7.0, "sigma"}},
        {"finag", {1e-9, 1e-9, 5.0, "eps"}},
        {"grayscott", {1e-9, 1e-9, 6.0, "gamma", 1e-3, "dop853"}},
        {"grayscott3d", {1e-9, 1e-9, 6.0, "gamma", 1e-3, "dop853"}},
        {"allencahn", {1e-9, 1e-9, 7.0, "growth"}},
        {"burgers", {1e-9, 1e-9, 6.0, "nu"}},
        {"adr2d", {1e-9, 1e-9, 7.0, "k"}},
        {"nandchain", {1e-9, 1e-9, 6.5, "C5"}},
        {"pendulums", {1e-12, 1e-12, 4.8, "g", 1e-3, "gamd"}}, // forces of constraints of index 3
        // clang-format on
    };
    return runs;
}

run_record tight(const problem& stored, const tight_run& t)
{
    run_settings s;
    s.rtol = t.rtol;
    s.atol = {t.atol};
    s.repeat = 1;
    if (stored.id() == "emep") s.algebra = algebra::dense; // half a digit more than with the sparse order of pivots
    // pump: at the protocol's restart points alone every published implicit Runge-Kutta run failed, and so does this one.
    const problem p = stored.id() == "pump" ? stored.with_all_restarts() : stored;
    return measure_run(p.as_dae(), *open_solver(t.solver), s);
}

/// The problems of DETEST have tests of their own (detest_test.cpp), which need no row each.
std::vector<std::string> test_set()
{
    std::vector<std::string> ids = problem_ids();
    std::erase_if(ids, [](const std::string& id) { return detest_data_of(id) != nullptr; });
    return ids;
}

/// Agreement with the stored values, also beyond the digits that are proven: a record claims no more than those.
double digits_of(const run_record& r, const problem& p)
{
    tolerances tolerance;
    tolerance.rtol = r.rtol;
    tolerance.atol = r.atol;
    std::vector<double> values;
    for (const auto& v : p.reference()->value) values.push_back(v.value());
    const auto a = measure_accuracy(std::span(r.y).first(values.size()), values, tolerance, p.info().accuracy);
    return a.scd.value_or(a.mescd.value_or(-99));
}

} // namespace

class every_reference : public ::testing::TestWithParam<std::string> {};

TEST_P(every_reference, is_reproduced)
{
    ASSERT_TRUE(tight_runs().contains(GetParam())) << "a new problem needs a row in tight_runs()";
    const tight_run& t = tight_runs().at(GetParam());
    const problem p = open_problem(GetParam());
    const run_record r = tight(p, t);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_GT(digits_of(r, p), t.digits);
}

TEST(pump, fails_at_the_published_restart_points_as_it_did_then)
{
    run_settings s;
    s.repeat = 1;
    for (const double tol : {1e-1, 1e-4, 1e-7}) {
        s.rtol = tol;
        EXPECT_NE(measure_run(open_problem("pump"), *open_solver("radau5"), s).outcome, outcome::success) << tol;
    }
}

// At the end all charges are zero again, so only a value on the way shows what the charge model does: at 20 V the two capacitor
// voltages follow from C_S y7 + Q_S = 0 and C_D y8 + Q_D = 0 alone.
TEST(pump, has_the_voltages_of_its_charge_model_at_full_input)
{
    run_settings s;
    s.repeat = 1;
    s.rtol = 1e-3;
    s.tend = 1e-7;
    const run_record r = measure_run(open_problem("pump").with_all_restarts(), *open_solver("radau5"), s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_NEAR(r.y[6], 8.9657, 1e-4);
    EXPECT_NEAR(r.y[7], 35.863, 1e-3);
    // The charges of gate, source, drain and depleted bulk add up to zero; this gives the gate charge without the formula for it.
    const auto value = [](const char* name) {
        for (const auto& q : problem_parameters("pump"))
            if (q.name == name) return q.value.value();
        return std::nan("");
    };
    const double bulk = -value("Cox") * value("gamma") * std::sqrt(value("Phi") + r.y[6]);
    EXPECT_NEAR(r.y[0] / (value("CS") * r.y[6] + value("CD") * r.y[7] - bulk), 1, 1e-6);
}

// A coefficient typed wrong shows here: the problem with one changed has another solution.
TEST_P(every_reference, notices_a_changed_coefficient)
{
    const tight_run& t = tight_runs().at(GetParam());
    const problem stored = open_problem(GetParam());
    std::map<std::string, std::string> given;
    for (const auto& q : problem_parameters(GetParam()))
        if (q.name == t.changed) given[q.name] = to_text(q.value.value() * (1 + t.change));
    ASSERT_EQ(given.size(), 1u) << "no parameter " << t.changed;
    const problem changed = open_problem(GetParam(), given).with_reference(*stored.reference());
    EXPECT_LT(digits_of(tight(changed, t), changed), t.digits - 0.3);
}

// Where another solver comes closer than radau5: the digits that were confirmed when the reference was checked.
TEST(references, are_reproduced_further_by_other_solvers)
{
    struct {
        const char* problem;
        const char* solver;
        double tolerance, atol, digits;
    } const rows[] = {{"medakzo", "radau", 1e-12, 1e-15, 9.75},
                      {"fekete", "radau", 1e-13, 1e-13, 10.3},
                      {"wheel", "pside", 1e-10, 1e-10, 5.25},
                      {"tba", "radau5", 1e-6, 1e-6, 6.1},
                      {"nand", "pside", 1e-11, 1e-11, 9.3}};
    for (const auto& row : rows) {
        run_settings s;
        s.rtol = row.tolerance;
        s.atol = {row.atol};
        s.repeat = 1;
        const problem p = open_problem(row.problem);
        const run_record r = measure_run(p, *open_solver(row.solver), s);
        EXPECT_EQ(r.outcome, outcome::success) << row.problem << ": " << r.message;
        EXPECT_GT(digits_of(r, p), row.digits) << row.problem;
    }
}

INSTANTIATE_TEST_SUITE_P(catalog, every_reference, ::testing::ValuesIn(test_set()), testing_support::test_name);

} // namespace ivp
