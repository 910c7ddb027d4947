// Runs through the C interface: own problems, solvers, dense output, stores; and what it says to wrong use of them.
#include "handles.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace {

using json = nlohmann::json;
using testing_support::opened;
using testing_support::start_of;
using testing_support::test_handle;
using testing_support::versioned;

struct closing {
    void operator()(ivp_solver* s) const { ivp_solver_close(s); }
    void operator()(ivp_solution* s) const { ivp_solution_close(s); }
};
using solver_handle = std::unique_ptr<ivp_solver, closing>;
using solution_handle = std::unique_ptr<ivp_solution, closing>;

solver_handle solver(const char* name)
{
    solver_handle s(ivp_solver_open(name));
    EXPECT_NE(s, nullptr) << ivp_last_error();
    return s;
}

ivp_settings once(double rtol)
{
    auto s = versioned<ivp_settings>();
    s.rtol = rtol;
    s.repeat = 1;
    return s;
}

// ---- A problem of this program: y1' = y2, y2' = -y1, with everything counted ----

struct oscillator {
    int released = 0;
    int calls = 0;
    int stop_at = -1;
};

void describe(const void* /*self*/, ivp_problem_description* out)
{
    out->version = IVP_PLUGIN_VERSION;
    out->size = sizeof *out;
    out->id = "oscillator";
    out->form = IVP_ODE;
    out->n = 2;
    out->tend = 10;
}
int initial(const void* /*self*/, double* y, double* /*yp*/)
{
    y[0] = 1;
    y[1] = 0;
    return 0;
}
int f(const void* self, double /*t*/, const double* y, double* out)
{
    auto& o = *static_cast<oscillator*>(const_cast<void*>(self));
    if (++o.calls == o.stop_at) return IVP_STOP;
    out[0] = y[1];
    out[1] = -y[0];
    return IVP_OK;
}

test_handle made(oscillator& o)
{
    auto table = versioned<ivp_problem>();
    table.describe = describe;
    table.initial = initial;
    table.f = f;
    test_handle t(ivp_test_make(&table, &o, [](void* self) { ++static_cast<oscillator*>(self)->released; }));
    EXPECT_NE(t, nullptr) << ivp_last_error();
    return t;
}

TEST(capi_solve, own_problem_with_dense_output)
{
    oscillator o;
    {
        const auto t = made(o);
        // Collocation, multistep, explicit, and one whose steps come without dense output.
        for (const char* name : {"radau5", "radau", "vode", "rodas", "dop853", "dverk", "gamd", "bimd", "odeint-dopri5"}) {
            SCOPED_TRACE(name);
            const auto settings = once(1e-9);
            const auto s = solver(name);
            if (!s) continue;
            const solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_DENSE));
            ASSERT_NE(run, nullptr) << ivp_last_error();
            const json record = json::parse(ivp_solution_record(run.get()));
            EXPECT_EQ(record["outcome"], "success");
            EXPECT_EQ(record["problem_origin"], "program");
            EXPECT_EQ(record["command"], "");
            const auto size = ivp_solution_size(run.get());
            ASSERT_EQ(size, record["accepted"].get<std::int64_t>() + 1);
            std::vector<double> times(size);
            std::vector<double> points(2 * size);
            ASSERT_EQ(ivp_solution_points(run.get(), times.data(), points.data(), size), IVP_OK) << ivp_last_error();
            EXPECT_EQ(times.front(), 0);
            EXPECT_EQ(times.back(), 10);
            EXPECT_EQ(points[2 * size - 2], record["y"][0].get<double>());
            const std::vector<double> at{10, 0, 0.01, 3.3, 9.99};
            std::vector<double> y(2 * at.size());
            ASSERT_EQ(ivp_solution_at(run.get(), at.data(), static_cast<std::int64_t>(at.size()), y.data()), IVP_OK) << ivp_last_error();
            for (std::size_t k = 0; k < at.size(); ++k) EXPECT_NEAR(y[2 * k], std::cos(at[k]), 2e-6) << at[k];
        }
        EXPECT_EQ(o.released, 0);
    }
    EXPECT_EQ(o.released, 1);
}

TEST(capi_solve, a_function_of_the_program_ends_the_run)
{
    oscillator o;
    const auto t = made(o);
    const auto s = solver("radau5");
    o.stop_at = 30;
    const auto settings = once(1e-6);
    const solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
    EXPECT_LE(o.calls, 31);
    if (run) {
        EXPECT_NE(json::parse(ivp_solution_record(run.get()))["outcome"], "success");
    }
}

TEST(capi_solve, settings_and_options_by_name)
{
    const auto t = opened("hires");
    const auto s = solver("radau5");
    auto settings = once(1e-6);
    settings.others = "max-steps=7,hmax=10";
    solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
    ASSERT_NE(run, nullptr) << ivp_last_error();
    const json record = json::parse(ivp_solution_record(run.get()));
    EXPECT_EQ(record["outcome"], "too_many_steps");
    EXPECT_EQ(record["max_steps"], 7);
    EXPECT_EQ(record["command"].get<std::string>().rfind("ivp run hires radau5", 0), 0U) << record["command"];
    settings.others = "max-step=7";
    EXPECT_EQ(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END), nullptr);
    EXPECT_NE(std::string(ivp_last_error()).find("unknown setting 'max-step'; allowed: h0"), std::string::npos) << ivp_last_error();
    settings.others = "hmax=10,max-steps=7,hmax=20";
    EXPECT_EQ(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END), nullptr);
    EXPECT_STREQ(ivp_last_error(), "others: 'hmax' is given twice");
    EXPECT_EQ(ivp_test_open("hires", "k1=1.5,k1=1.7", 0), nullptr);
    EXPECT_STREQ(ivp_last_error(), "parameters: 'k1' is given twice");
}

TEST(capi_solve, an_option_by_name_overrides_the_fields)
{
    const auto t = opened("hires");
    const auto s = solver("radau5");
    const json facts = json::parse(ivp_solver_facts(s.get()));
    std::vector<double> standard;
    for (const auto& o : facts["options"]) standard.push_back(o["default"]);
    ASSERT_FALSE(standard.empty());
    auto settings = once(1e-4);
    settings.hmax = 5;
    settings.options = standard.data();
    settings.others = "safety=0.7,hmax=10";
    const solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
    ASSERT_NE(run, nullptr) << ivp_last_error();
    const auto command = json::parse(ivp_solution_record(run.get()))["command"].get<std::string>();
    EXPECT_NE(command.find("safety=0.7"), std::string::npos) << command;
    EXPECT_NE(command.find("--hmax 10"), std::string::npos) << command;
}

TEST(capi_solve, the_same_counts_as_the_tool_has)
{
    const auto t = opened("hires");
    const auto s = solver("radau5");
    const auto settings = once(1e-6);
    const solution_handle plain(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
    const solution_handle dense(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_DENSE));
    const json a = json::parse(ivp_solution_record(plain.get()));
    const json b = json::parse(ivp_solution_record(dense.get()));
    for (const char* field : {"nfev", "njac", "nlu", "steps", "y", "scd"}) EXPECT_EQ(a[field], b[field]) << field;
    EXPECT_EQ(ivp_solution_size(plain.get()), 0);
}

TEST(capi_solve, structured_jacobians_are_the_full_one)
{
    for (const char* id : {"medakzo", "transamp", "water", "tba", "hires"}) {
        SCOPED_TRACE(id);
        const auto t = opened(id);
        auto d = versioned<ivp_problem_description>();
        ASSERT_EQ(ivp_test_describe(t.get(), &d), IVP_OK);
        const auto y = start_of(t.get());
        const int n = d.n;
        std::vector<double> full(static_cast<std::size_t>(n) * n);
        ASSERT_EQ(ivp_test_jacobian(t.get(), d.t0, y.data(), full.data(), n), IVP_OK);
        const int rows = d.jacobian_lower + d.jacobian_upper + 1;
        if (d.jacobian_kind == IVP_BAND) {
            std::vector<double> band(static_cast<std::size_t>(rows) * n);
            ASSERT_EQ(ivp_test_jacobian_band(t.get(), d.t0, y.data(), band.data(), rows), IVP_OK) << ivp_last_error();
            for (int j = 0; j < n; ++j)
                for (int i = std::max(0, j - d.jacobian_upper); i <= std::min(n - 1, j + d.jacobian_lower); ++i)
                    EXPECT_EQ(band[d.jacobian_upper + i - j + j * rows], full[i + static_cast<std::size_t>(j) * n]);
            EXPECT_EQ(ivp_test_jacobian_band(t.get(), d.t0, y.data(), band.data(), rows - 1), IVP_WRONG_USE);
        } else if (d.jacobian_kind == IVP_SPARSE) {
            const int entries = d.jacobian_column_start[n];
            std::vector<double> values(entries);
            ASSERT_EQ(ivp_test_jacobian_sparse(t.get(), d.t0, y.data(), values.data(), entries), IVP_OK) << ivp_last_error();
            for (int j = 0; j < n; ++j)
                for (int p = d.jacobian_column_start[j]; p < d.jacobian_column_start[j + 1]; ++p)
                    EXPECT_EQ(values[p], full[d.jacobian_row[p] + static_cast<std::size_t>(j) * n]);
            EXPECT_EQ(ivp_test_jacobian_sparse(t.get(), d.t0, y.data(), values.data(), entries - 1), IVP_WRONG_USE);
        } else {
            EXPECT_EQ(ivp_test_jacobian_band(t.get(), d.t0, y.data(), full.data(), n), IVP_WRONG_USE);
            EXPECT_NE(std::string(ivp_last_error()).find("whose structure is full"), std::string::npos) << ivp_last_error();
        }
    }
}

TEST(capi_solve, parameters_are_listed_and_set)
{
    const auto t = opened("hires", "k1=2");
    ASSERT_EQ(ivp_test_parameter_count(t.get()), 11);
    auto known = versioned<ivp_named_value>();
    double value = 0;
    ASSERT_EQ(ivp_test_parameter(t.get(), 0, &known, &value), IVP_OK);
    EXPECT_STREQ(known.name, "k1");
    EXPECT_EQ(known.value, 1.71);
    EXPECT_EQ(value, 2);
    ASSERT_EQ(ivp_test_set(t.get(), "k1=3"), IVP_OK);
    ASSERT_EQ(ivp_test_parameter(t.get(), 0, &known, &value), IVP_OK);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(ivp_test_set(t.get(), "nothing=3"), IVP_WRONG_USE);
    EXPECT_EQ(ivp_test_parameter(t.get(), 11, &known, nullptr), IVP_WRONG_USE);
    oscillator o;
    EXPECT_EQ(ivp_test_set(made(o).get(), "k1=3"), IVP_WRONG_USE);
}

TEST(capi_solve, lists_and_texts)
{
    ASSERT_GE(ivp_catalog_solver_count(), 15);
    EXPECT_STREQ(ivp_catalog_solver(0), "radau5");
    EXPECT_EQ(ivp_catalog_solver(-1), nullptr);
    EXPECT_EQ(ivp_catalog_solver(ivp_catalog_solver_count()), nullptr);
    EXPECT_EQ(json::parse(ivp_catalog_settings())[0]["name"], "h0");
    const auto t = opened("hires");
    EXPECT_EQ(json::parse(ivp_test_facts(t.get()))["id"], "hires");
    EXPECT_EQ(json::parse(ivp_solver_facts(solver("vode").get()))["id"], "vode");
    const json reference = json::parse(ivp_test_reference(t.get(), 0, nullptr, 0));
    EXPECT_EQ(reference["at"][0]["components"].size(), 8U);
    EXPECT_EQ(std::string(ivp_solver_refusal(solver("dopri5").get(), opened("transamp").get())).empty(), false);
    EXPECT_STREQ(ivp_solver_refusal(solver("radau5").get(), opened("transamp").get()), "");
}

TEST(capi_solve, a_store_of_the_tool)
{
    const std::string db = testing::TempDir() + "ivp_capi_solve.db";
    std::remove(db.c_str());
    const auto t = opened("hires");
    const auto s = solver("radau5");
    const auto settings = once(1e-5);
    const solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
    ASSERT_EQ(ivp_solution_store(run.get(), db.c_str()), IVP_OK) << ivp_last_error();
    ASSERT_EQ(ivp_solution_store(run.get(), db.c_str()), IVP_OK) << ivp_last_error();
    json rows = json::parse(ivp_store_query(db.c_str(), "SELECT count(*) FROM runs"))["rows"];
    EXPECT_EQ(rows[0][0], 1);
    EXPECT_EQ(json::parse(ivp_store_records(db.c_str()))["solver"], "radau5");
    // The same by another program.
    json other = json::parse(ivp_solution_record(run.get()));
    other["solver"] = "mine";
    other["solver_origin"] = "program";
    EXPECT_EQ(ivp_store_add(db.c_str(), (other.dump() + "\n").c_str()), 1) << ivp_last_error();
    EXPECT_EQ(ivp_store_add(db.c_str(), "{\"problem\": 1}\n"), IVP_WRONG_USE);
    EXPECT_EQ(ivp_store_query(db.c_str(), "DELETE FROM runs"), nullptr);
    EXPECT_EQ(ivp_store_query(db.c_str(), "SELECT nothing FROM runs"), nullptr);
    EXPECT_EQ(ivp_store_records("/nowhere/at/all.db"), nullptr);
    // Text of a store need not be UTF-8.
    const char* const foreign = ivp_store_query(db.c_str(), "SELECT CAST(x'41ff42' AS TEXT), 7, 0.5, NULL");
    ASSERT_NE(foreign, nullptr) << ivp_last_error();
    EXPECT_EQ(json::parse(foreign)["rows"].dump(), "[[\"A\uFFFDB\",7,0.5,null]]");
    std::remove(db.c_str());
}

TEST(capi_solve, a_stored_run_belongs_to_the_text_that_was_opened)
{
    const std::string db = testing::TempDir() + "ivp_capi_replaced.db";
    const std::string text = testing::TempDir() + "ivp_capi_replaced.ivp";
    std::remove(db.c_str());
    const auto write = [&text](const char* formula) {
        std::ofstream(text) << "problem decay\nparameter k = 1 in 0 .. 10\ninterval 0 .. 1\nstate x = 1\nx' = " << formula << "\n";
    };
    const auto s = solver("radau5");
    const auto settings = once(1e-5);
    const auto stored = [&](const char* now, const char* later) {
        write(now);
        const auto t = opened(text.c_str());
        write(later);
        const solution_handle run(ivp_solve(t.get(), s.get(), &settings, IVP_KEEP_END));
        EXPECT_EQ(ivp_solution_store(run.get(), db.c_str()), IVP_OK) << ivp_last_error();
    };
    stored("-k*x", "-k*x*x");
    stored("-k*x", "-k*x");
    const json rows = json::parse(ivp_store_query(db.c_str(), "SELECT count(*) FROM runs"))["rows"];
    EXPECT_EQ(rows[0][0], 1) << "both ran the same text";
    std::remove(db.c_str());
    std::remove(text.c_str());
}

TEST(capi_solve, every_solver_at_every_tolerance)
{
    const auto t = opened("hires");
    const auto a = solver("radau5");
    const auto b = solver("vode");
    const std::vector<const ivp_solver*> both{a.get(), b.get()};
    const std::vector<double> rtol{1e-4, 1e-5};
    const auto settings = once(1);
    const char* const lines = ivp_measure_all(t.get(), both.data(), 2, rtol.data(), 2, &settings, nullptr);
    ASSERT_NE(lines, nullptr) << ivp_last_error();
    std::istringstream in(lines);
    std::vector<std::string> seen;
    for (std::string line; std::getline(in, line);)
        seen.push_back(json::parse(line)["solver"].get<std::string>() + json::parse(line)["rtol_asked"].dump());
    EXPECT_EQ(seen, (std::vector<std::string>{"radau50.0001", "vode0.0001", "radau51e-05", "vode1e-05"}));
    EXPECT_EQ(ivp_measure_all(t.get(), both.data(), 0, nullptr, 0, &settings, nullptr), nullptr);
    EXPECT_EQ(ivp_measure_all(t.get(), both.data(), 2, rtol.data(), 0, &settings, nullptr), nullptr);
}

TEST(capi_solve, a_refused_measurement_makes_no_store)
{
    const std::string db = testing::TempDir() + "ivp_capi_measure_all.db";
    std::remove(db.c_str());
    const auto t = opened("hires");
    const auto s = solver("radau5");
    const ivp_solver* const only = s.get();
    const auto settings = once(1);
    for (const double wrong : {1e-20, 2.0}) {
        const std::vector<double> rtol{1e-4, wrong};
        EXPECT_EQ(ivp_measure_all(t.get(), &only, 1, rtol.data(), 2, &settings, db.c_str()), nullptr);
        EXPECT_FALSE(std::ifstream(db).is_open()) << ivp_last_error();
    }
    const double right = 1e-4;
    ASSERT_NE(ivp_measure_all(t.get(), &only, 1, &right, 1, &settings, db.c_str()), nullptr) << ivp_last_error();
    EXPECT_EQ(json::parse(ivp_store_query(db.c_str(), "SELECT count(*) FROM runs"))["rows"][0][0], 1);
    std::remove(db.c_str());
}

// ---- Wrong use ----

TEST(capi_solve, null_and_closed_handles_are_answered)
{
    const auto settings = once(1e-4);
    ivp_test* const t = ivp_test_open("hires", nullptr, 0);
    ivp_solver* const s = ivp_solver_open("radau5");
    ivp_solution* const run = ivp_solve(t, s, &settings, IVP_KEEP_DENSE);
    ASSERT_NE(run, nullptr) << ivp_last_error();
    double t_at = 400;
    std::vector<double> y(8);
    EXPECT_EQ(ivp_solution_at(run, &t_at, 1, y.data()), IVP_WRONG_USE);
    EXPECT_NE(std::string(ivp_last_error()).find("400 given; allowed: times from 0 to 321.8"), std::string::npos) << ivp_last_error();
    t_at = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(ivp_solution_at(run, &t_at, 1, y.data()), IVP_WRONG_USE);
    EXPECT_EQ(ivp_solution_at(run, nullptr, 1, y.data()), IVP_WRONG_USE);
    EXPECT_EQ(ivp_solution_at(run, &t_at, -1, y.data()), IVP_WRONG_USE);
    EXPECT_EQ(ivp_solution_points(run, &t_at, y.data(), 1), IVP_WRONG_USE);
    EXPECT_EQ(ivp_solve(t, s, &settings, 3), nullptr);
    EXPECT_EQ(ivp_solve(t, s, nullptr, 0), nullptr);
    EXPECT_EQ(ivp_solve(nullptr, s, &settings, 0), nullptr);
    EXPECT_EQ(ivp_solve(t, nullptr, &settings, 0), nullptr);
    EXPECT_EQ(ivp_solver_open("radau6"), nullptr);
    EXPECT_EQ(ivp_solver_open(nullptr), nullptr);
    EXPECT_EQ(ivp_test_make(nullptr, nullptr, nullptr), nullptr);
    EXPECT_EQ(ivp_solver_make(nullptr, nullptr, nullptr, nullptr), nullptr);
    EXPECT_EQ(ivp_choose(t, "dopri6", 4, 1), nullptr);
    EXPECT_EQ(ivp_choose(t, nullptr, 40, 1), nullptr);
    EXPECT_EQ(ivp_test_reference(t, 99, nullptr, 0), nullptr);
    t_at = -1;
    EXPECT_EQ(ivp_test_reference(t, 0, &t_at, 1), nullptr);
    ivp_solution_close(run);
    ivp_solver_close(s);
    EXPECT_EQ(ivp_solution_record(run), nullptr);
    EXPECT_STREQ(ivp_last_error(), "solution has been closed");
    EXPECT_EQ(ivp_solution_size(run), IVP_WRONG_USE);
    EXPECT_EQ(ivp_solve(t, s, &settings, 0), nullptr);
    EXPECT_STREQ(ivp_last_error(), "solver has been closed");
    ivp_solution_close(run);
    ivp_solver_close(s);
    ivp_solution_close(nullptr);
    ivp_solver_close(nullptr);
    ivp_test_close(t);
    EXPECT_EQ(ivp_test_facts(t), nullptr);
    EXPECT_STREQ(ivp_last_error(), "test has been closed");
}

TEST(capi_solve, threads_share_a_test_and_close_it)
{
    ivp_test* const t = ivp_test_open("hires", nullptr, 0);
    const auto y = start_of(t);
    std::vector<std::thread> all;
    for (int k = 0; k < 4; ++k)
        all.emplace_back([&, k] {
            const auto s = solver("radau5");
            const auto settings = once(1e-4);
            std::vector<double> out(8);
            std::vector<double> matrix(64);
            for (int i = 0; i < 300; ++i) {
                (void)ivp_test_f(t, 0, y.data(), out.data());
                (void)ivp_test_jacobian(t, 0, y.data(), matrix.data(), 8);
                if (i % 50 == k) (void)ivp_test_set(t, "k1=1.5");
                const solution_handle run(i % 10 == 0 ? ivp_solve(t, s.get(), &settings, IVP_KEEP_DENSE) : nullptr);
                if (k == 3 && i == 250) ivp_test_close(t);
            }
        });
    for (auto& one : all) one.join();
    EXPECT_EQ(ivp_test_dimension(t), IVP_WRONG_USE);
}

TEST(capi_solve, threads_count_into_one_test)
{
    const auto t = opened("hires");
    constexpr int each = 50'000;
    std::vector<std::thread> all;
    for (int k = 0; k < 4; ++k)
        all.emplace_back([&t] {
            for (int i = 0; i < each; ++i) EXPECT_EQ(ivp_test_count(t.get(), 1, 2, 0), IVP_OK);
        });
    for (auto& one : all) one.join();
    auto c = versioned<ivp_counts>();
    ASSERT_EQ(ivp_test_counts(t.get(), &c), IVP_OK);
    EXPECT_EQ(c.nlu, 4 * each);
    EXPECT_EQ(c.nsolve, 8 * each);
}

} // namespace
