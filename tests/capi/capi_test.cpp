// The C interface as a program meets it: only ivp/ivp.h and the shared library.
#include "handles.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

using json = nlohmann::json;

using testing_support::opened;
using testing_support::start_of;
using testing_support::versioned;

/// The reference itself has exactly the digits that are proven of it: not more, since nobody knows whether they are right, and not less.
void expect_proven_digits_of_the_reference(const ivp_test* test, const ivp_problem_description& d)
{
    constexpr double rtol = 1e-6;
    std::vector<double> rtols(d.n);
    std::vector<double> atols(d.n);
    ASSERT_EQ(ivp_test_tolerances(test, rtol, rtols.data(), atols.data()), IVP_OK) << d.id;
    ASSERT_NE(d.reference_digits, nullptr) << d.id;
    // The proof of this one is about decimals: of components near zero not one significant digit is proven, which says nothing of their decimals.
    const std::map<std::string, double> proven_decimals{{"tba", 4}};
    double unproven = 1e-16; // a double has no more
    for (int i = 0; i < d.n; ++i) {
        const double size = std::abs(d.reference[i]);
        const double unit = size > 0 ? size : 1; // a zero has decimals
        unproven = std::max(unproven, std::pow(10.0, -d.reference_digits[i]) * unit / (atols[i] / rtols[i] + size));
    }
    double mescd = 0;
    ASSERT_EQ(ivp_test_digits(test, rtol, nullptr, d.reference, nullptr, &mescd), IVP_OK);
    const auto decimals = proven_decimals.find(d.id);
    EXPECT_NEAR(mescd, decimals == proven_decimals.end() ? -std::log10(unproven) : decimals->second, 1e-9) << d.id;
}

TEST(capi, the_catalog_and_the_facts_of_a_problem)
{
    ASSERT_GE(ivp_catalog_size(), 24);
    EXPECT_STREQ(ivp_catalog_id(0), "hires");
    EXPECT_EQ(ivp_catalog_id(ivp_catalog_size()), nullptr);
    EXPECT_EQ(ivp_catalog_id(-1), nullptr);
    for (int k = 0; k < ivp_catalog_size(); ++k) {
        const auto t = opened(ivp_catalog_id(k));
        auto d = versioned<ivp_problem_description>();
        ASSERT_EQ(ivp_test_describe(t.get(), &d), IVP_OK) << ivp_last_error();
        EXPECT_STREQ(d.id, ivp_catalog_id(k));
        EXPECT_EQ(d.n, ivp_test_dimension(t.get()));
        EXPECT_EQ(d.form, ivp_test_form(t.get()));
        EXPECT_LT(d.t0, d.tend);
        ASSERT_NE(d.reference, nullptr) << d.id;
        expect_proven_digits_of_the_reference(t.get(), d);
    }
    const auto medakzo = opened("medakzo", "N=50");
    auto d = versioned<ivp_problem_description>();
    ivp_test_describe(medakzo.get(), &d);
    EXPECT_EQ(d.n, 100);
    EXPECT_EQ(d.jacobian_kind, IVP_BAND);
    ASSERT_EQ(d.breakpoint_count, 1);
    EXPECT_EQ(d.breakpoints[0], 5);
    EXPECT_EQ(d.reference, nullptr) << "the reference belongs to the default size";
}

TEST(capi, evaluations_are_those_of_the_problem_and_counted)
{
    const auto t = opened("hires");
    const auto y = start_of(t.get());
    std::vector<double> f(8);
    std::vector<double> j(10 * 8, 7.0);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(ivp_test_f(t.get(), 0, y.data(), f.data()), IVP_OK);
    EXPECT_NEAR(f[0], -1.7093, 1e-12);
    EXPECT_EQ(ivp_test_f_difference(t.get(), 0, y.data(), f.data()), IVP_OK);
    EXPECT_EQ(ivp_test_jacobian(t.get(), 0, y.data(), j.data(), 10), IVP_OK);
    EXPECT_EQ(j[0], -1.71);
    EXPECT_EQ(j[1], 1.71);
    EXPECT_EQ(j[10], 0.43);
    ivp_test_count(t.get(), 2, 5, 1);
    auto c = versioned<ivp_counts>();
    EXPECT_EQ(ivp_test_counts(t.get(), &c), IVP_OK);
    EXPECT_EQ(c.nfev, 3);
    EXPECT_EQ(c.nfev_jac, 1);
    EXPECT_EQ(c.njac, 2);
    EXPECT_EQ(c.nlu, 2);
    EXPECT_EQ(c.nsolve, 5);
    ivp_test_begin(t.get());
    ivp_test_counts(t.get(), &c);
    EXPECT_EQ(c.nfev, 0);
}

TEST(capi, all_three_forms)
{
    const auto transamp = opened("transamp");
    EXPECT_EQ(ivp_test_form(transamp.get()), IVP_DAE);
    std::vector<double> m(64);
    std::vector<double> x(8, 1.0);
    std::vector<double> mx(8);
    EXPECT_EQ(ivp_test_mass(transamp.get(), m.data(), 8), IVP_OK);
    EXPECT_EQ(ivp_test_mass_multiply(transamp.get(), x.data(), mx.data()), IVP_OK);
    EXPECT_EQ(mx[0], m[0] + m[8]);

    const auto ide = opened("transamp", nullptr, IVP_IDE);
    std::vector<double> y(8);
    std::vector<double> yp(8);
    std::vector<double> g(8);
    std::vector<double> f(8);
    ASSERT_EQ(ivp_test_initial(ide.get(), y.data(), yp.data()), IVP_OK) << ivp_last_error();
    ASSERT_EQ(ivp_test_g(ide.get(), 0, y.data(), yp.data(), g.data()), IVP_OK);
    for (const double v : g) EXPECT_NEAR(v, 0, 1e-9);
    std::vector<double> p(64);
    std::vector<double> j(64);
    ASSERT_EQ(ivp_test_partials(ide.get(), 0, y.data(), yp.data(), 1, 0, p.data(), 8), IVP_OK);
    ASSERT_EQ(ivp_test_jacobian(transamp.get(), 0, y.data(), j.data(), 8), IVP_OK);
    for (int k = 0; k < 64; ++k) EXPECT_EQ(p[k], -j[k]);

    EXPECT_EQ(ivp_test_f(ide.get(), 0, y.data(), f.data()), IVP_WRONG_USE);
    EXPECT_STREQ(ivp_last_error(), "f asked of transamp, which has the form G(t, y, y') = 0");
    EXPECT_EQ(ivp_test_g(transamp.get(), 0, y.data(), yp.data(), g.data()), IVP_WRONG_USE);
    EXPECT_EQ(ivp_test_open("hires", nullptr, IVP_DAE), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("allowed for hires: 0, IVP_IDE"), std::string::npos);
}

TEST(capi, wrong_use_is_told_with_every_fault)
{
    EXPECT_EQ(ivp_test_open("hirs", nullptr, 0), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("did you mean 'hires'"), std::string::npos);
    EXPECT_EQ(ivp_test_open(nullptr, nullptr, 0), nullptr);
    EXPECT_STREQ(ivp_last_error(), "id is NULL");
    EXPECT_EQ(ivp_test_open("medakzo", "N,=3", 0), nullptr);
    EXPECT_STREQ(ivp_last_error(), "parameters: 'N' given; allowed: name=value\nparameters: '=3' given; allowed: name=value");
    EXPECT_EQ(ivp_test_open("medakzo", "M=3", 0), nullptr);
    const auto t = opened("hires");
    EXPECT_STREQ(ivp_last_error(), "");
    std::vector<double> out(64);
    const auto y = start_of(t.get());
    EXPECT_EQ(ivp_test_jacobian(t.get(), 0, y.data(), out.data(), 7), IVP_WRONG_USE);
    EXPECT_STREQ(ivp_last_error(), "ld: 7 given; allowed: at least n = 8");
    ivp_counts unversioned{};
    EXPECT_EQ(ivp_test_counts(t.get(), &unversioned), IVP_WRONG_USE);
    EXPECT_EQ(ivp_test_digits(t.get(), -1, nullptr, y.data(), nullptr, nullptr), IVP_WRONG_USE);

    auto s = versioned<ivp_submission>();
    s.solver = "No Name";
    s.outcome = 99;
    s.rtol = 1e-4;
    s.steps = 1;
    s.accepted = 2;
    EXPECT_EQ(ivp_test_submit(t.get(), &s, nullptr), nullptr);
    const std::string faults = ivp_last_error();
    EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 3) << faults;
}

TEST(capi, a_result_becomes_a_record_and_false_claims_are_found_out)
{
    const auto t = opened("hires");
    const std::string store = testing::TempDir() + "ivp_capi_store.jsonl";
    std::remove(store.c_str());
    auto d = versioned<ivp_problem_description>();
    ivp_test_describe(t.get(), &d);
    std::vector<double> y(d.reference, d.reference + 8);
    for (double& v : y) v *= 1.0001;
    ivp_test_begin(t.get());
    std::vector<double> f(8);
    for (int k = 0; k < 7; ++k) (void)ivp_test_f(t.get(), 0, y.data(), f.data());

    auto s = versioned<ivp_submission>();
    s.solver = "mine";
    s.language = "Julia";
    s.rtol = 1e-4;
    s.t = d.tend;
    s.y = y.data();
    s.steps = 5;
    s.accepted = 4;
    const char* const line = ivp_test_submit(t.get(), &s, store.c_str());
    ASSERT_NE(line, nullptr) << ivp_last_error();
    const json r = json::parse(line);
    EXPECT_EQ(r["outcome"], "success");
    EXPECT_EQ(r["solver_language"], "Julia");
    EXPECT_EQ(r["solver_origin"], "program");
    EXPECT_NEAR(r["scd"].get<double>(), 4, 1e-6);
    EXPECT_EQ(r["nfev"], 7);
    EXPECT_EQ(r["rejected"], 1);
    EXPECT_GE(r["cpu_s"].get<double>(), 0);

    s.t = 1;
    EXPECT_EQ(json::parse(ivp_test_submit(t.get(), &s, store.c_str()))["outcome"], "wrong_answer");
    s.t = d.tend;
    y[3] = std::nan("");
    EXPECT_EQ(json::parse(ivp_test_submit(t.get(), &s, store.c_str()))["outcome"], "nonfinite");
    y = start_of(t.get());
    s.y = y.data();
    EXPECT_EQ(json::parse(ivp_test_submit(t.get(), &s, store.c_str()))["outcome"], "wrong_answer");
    EXPECT_EQ(ivp_test_submit(t.get(), &s, "/nowhere/store"), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("'/nowhere/store' cannot be opened"), std::string::npos);

    std::ifstream in(store);
    int lines = 0;
    for (std::string text; std::getline(in, text); ++lines) EXPECT_EQ(json::parse(text)["problem"], "hires");
    EXPECT_EQ(lines, 4);
    std::remove(store.c_str());
}

/// Euler's method with equal steps, as many as `data` says.
void euler(void* data, const ivp_task* task, ivp_result* result)
{
    const int steps = *static_cast<const int*>(data);
    const double h = (task->tend - task->t0) / steps;
    std::vector<double> f(task->n);
    result->accepted = result->steps = 0;
    for (int k = 0; k < steps; ++k) {
        const double t = task->t0 + k * h;
        const int status = task->callbacks->f(task->host, t, task->y, f.data());
        if (status != IVP_OK) {
            result->outcome = status == IVP_STOP ? IVP_STOPPED : IVP_NOT_FINITE;
            return;
        }
        for (int i = 0; i < task->n; ++i) task->y[i] += h * f[i];
        auto step = versioned<ivp_step>();
        step.t_old = t;
        step.t = k + 1 == steps ? task->tend : t + h;
        step.h = h;
        step.y = task->y;
        ++result->steps;
        ++result->accepted;
        result->t = step.t;
        if (task->callbacks->accepted_step(task->host, &step) == IVP_STOP) {
            result->outcome = IVP_STOPPED;
            return;
        }
    }
    result->outcome = IVP_SUCCESS;
}

TEST(capi, a_function_is_measured_like_a_plug_in)
{
    const auto t = opened("plei");
    auto about = versioned<ivp_solver_description>();
    about.name = "euler";
    about.language = "C++";
    about.forms = IVP_ODE;
    about.lowest_order = about.highest_order = 1;
    auto settings = versioned<ivp_settings>();
    settings.rtol = 1e-4;
    settings.repeat = 3;
    int steps = 20000;
    const char* line = ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr);
    ASSERT_NE(line, nullptr) << ivp_last_error();
    const json r = json::parse(line);
    EXPECT_EQ(r["solver"], "euler");
    EXPECT_EQ(r["nfev"], steps);
    EXPECT_EQ(r["accepted"], steps);
    EXPECT_EQ(r["repeats"], 3);
    EXPECT_EQ(r["jacobian"], "none");
    EXPECT_GT(r["cpu_s"].get<double>(), 0);

    settings.max_steps = 100;
    EXPECT_EQ(json::parse(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr))["outcome"], "too_many_steps");
    settings.max_steps = 0;

    // A breakpoint is a restart: the function is called for each part.
    const auto medakzo = opened("medakzo", "N=10");
    const json restarted = json::parse(ivp_measure(medakzo.get(), &about, euler, &steps, &settings, nullptr));
    EXPECT_EQ(restarted["nfev"], 2 * steps);
    settings.no_restart = 1;
    const json whole = json::parse(ivp_measure(medakzo.get(), &about, euler, &steps, &settings, nullptr));
    EXPECT_EQ(whole["nfev"], steps);
    EXPECT_EQ(whole["restart"], "no");
    settings.size = offsetof(ivp_settings, no_restart); // of a program that was compiled before the field came
    EXPECT_EQ(json::parse(ivp_measure(medakzo.get(), &about, euler, &steps, &settings, nullptr))["restart"], "yes");
    settings.size = sizeof settings;
    settings.no_restart = 0;

    const auto dae = opened("transamp");
    EXPECT_EQ(ivp_measure(dae.get(), &about, euler, &steps, &settings, nullptr), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("euler cannot take transamp"), std::string::npos) << ivp_last_error();
    EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, "/nowhere/store"), nullptr);
    settings.rtol = -1;
    EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr), nullptr);
    about.name = nullptr;
    EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("the solver: its name is empty"), std::string::npos) << ivp_last_error();
}

// A setting of the list needs no field of its own.
TEST(capi, every_setting_can_be_given_by_its_name)
{
    struct line {
        std::string name;
        std::string type;
    };
    const std::vector<line> lines{
#define IVP_SETTING(member, name, type, ...) {name, #type},
#define IVP_INTERVAL(member, name, type, ...) {name, #type},
#define IVP_LIMIT(member, name, type, ...) {name, #type},
#include <ivp/settings.def>
    };
    const auto value_of = [](const line& l) -> std::string {
        if (l.type == "bool") return "no";
        if (l.type.find("jacobian_source") != std::string::npos) return "differences";
        if (l.type.find("algebra") != std::string::npos) return "dense";
        return l.type.find("double") != std::string::npos ? "0.5" : "30000";
    };
    const auto t = opened("plei");
    auto about = versioned<ivp_solver_description>();
    about.name = "euler";
    about.forms = IVP_ODE;
    about.flags = IVP_TAKES_H0 | IVP_IMPLICIT;
    about.lowest_order = about.highest_order = 1;
    about.max_threads = 1024;
    int steps = 20000;
    for (const auto& l : lines) {
        auto settings = versioned<ivp_settings>();
        settings.rtol = 1e-4;
        settings.repeat = l.name == "min_time" ? 0 : 1;
        const std::string value = l.name == "threads" || l.name == "repeat" ? "3" : value_of(l);
        const std::string given = l.name + "=" + value;
        settings.others = given.c_str();
        const char* const record = ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr);
        ASSERT_NE(record, nullptr) << given << ": " << ivp_last_error();
        const json r = json::parse(record);
        EXPECT_EQ(r["repeats"] == 3, l.name == "repeat");
        EXPECT_EQ(r["restart"] == "no", l.name == "restart");
        const bool kept = r.contains(l.name) && r[l.name].is_number();
        EXPECT_TRUE(!kept || r[l.name] == json::parse(value)) << given << " " << r[l.name];

        const std::string wrong = l.name + "=?";
        settings.others = wrong.c_str();
        EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr), nullptr) << l.name;
        EXPECT_EQ(std::string(ivp_last_error()).rfind("others: " + l.name + "=? given; allowed: ", 0), 0U) << ivp_last_error();
    }
    auto settings = versioned<ivp_settings>();
    settings.rtol = 1e-4;
    settings.others = "hmx=1";
    EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("did you mean 'hmax'"), std::string::npos) << ivp_last_error();
    settings.others = "hmax";
    EXPECT_EQ(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr), nullptr);
    EXPECT_STREQ(ivp_last_error(), "others: 'hmax' given; allowed: name=value");
    settings.others = "max-steps=100,repeat=1";
    EXPECT_EQ(json::parse(ivp_measure(t.get(), &about, euler, &steps, &settings, nullptr))["outcome"], "too_many_steps");
}

} // namespace
