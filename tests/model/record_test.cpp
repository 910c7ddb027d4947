#include <ivp/model/record.hpp>

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace ivp {

namespace {

run_record example()
{
    run_record r;
    r.problem = "hires";
    r.parameters = {{"k1", "2"}};
    r.solver = "radau5";
    r.solver_version = "1.0";
    r.solver_origin = "own";
    r.form = "ode";
    r.dimension = 2;
    r.tend = 321.8122;
    r.rtol = {1e-4};
    r.atol = {1e-4, 1e-6};
    r.h0 = 1e-6;
    r.max_steps = 1'000'000;
    r.jacobian = "exact";
    r.algebra = "dense";
    r.options = {{"nit", 7}};
    r.outcome = outcome::newton_failed;
    r.message = "a \"quoted\", text";
    r.t_end_reached = 0.1;
    r.y = {0.1, 5e-324};
    r.scd = 3.25;
    r.steps = 42;
    r.accepted = 33;
    r.rejected = 9;
    r.nfev = 333;
    r.cpu_s = 1e-5;
    r.repeats = 2;
    r.cpu_samples = {1e-5, 2e-5};
    r.wall_samples = {1e-5, 2e-5};
    r.claimed = {{"nfev", 332}};
    r.build = {"GNU 12", "-O3", "0.1.0"};
    r.machine = {"cpu", 2, "os"};
    r.command = "ivp run hires radau5";
    r.extra = {{"newton_iterations", 90}};
    return r;
}

} // namespace

TEST(record, json_round_trip_is_exact)
{
    const run_record r = example();
    EXPECT_EQ(record_from_json(to_json(r)), r);
    EXPECT_EQ(to_json(r).find('\n'), std::string::npos);
}

TEST(record, has_the_fields_of_the_contract)
{
    const auto j = nlohmann::json::parse(to_json(example()));
    for (const char* field :
         {"problem", "solver",  "form",     "dimension", "rtol",     "atol",  "h0",       "outcome", "message", "t_end_reached", "y",     "scd",
          "scd_abs", "mescd",   "steps",    "accepted",  "rejected", "nfev",  "nfev_jac", "njac",    "nlu",     "nsolve",        "cpu_s", "wall_s",
          "repeats", "threads", "jacobian", "algebra",   "claimed",  "build", "machine",  "command", "schema",  "extra"})
        EXPECT_TRUE(j.contains(field)) << field;
    EXPECT_EQ(j["rtol"], 1e-4);      // one value: a number
    EXPECT_EQ(j["atol"].size(), 2u); // several: an array
    EXPECT_TRUE(j["mescd"].is_null());
    EXPECT_EQ(j["outcome"], "newton_failed");
    EXPECT_EQ(j["build"]["compiler"], "GNU 12");
    EXPECT_EQ(j["machine"]["cores"], 2);
}

TEST(record, numbers_that_are_not_finite_are_null)
{
    run_record r = example();
    r.y = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    const auto j = nlohmann::json::parse(to_json(r));
    EXPECT_TRUE(j["y"][0].is_null());
    EXPECT_TRUE(j["y"][1].is_null());
    EXPECT_TRUE(std::isnan(record_from_json(to_json(r)).y[1]));
}

TEST(record, reading_names_what_is_wrong)
{
    const auto message = [](const std::string& text) -> std::string {
        try {
            (void)record_from_json(text);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_NE(message("{"), "");
    EXPECT_EQ(message("{}"), "not a record: no field 'schema'");
    EXPECT_EQ(message(R"({"schema": 99})"), "record of schema 99; this program reads schema 1");
    EXPECT_EQ(message(R"({"schema": 1})"), "record without field 'problem'");
    auto j = nlohmann::ordered_json::parse(to_json(example()));
    j["steps"] = "many";
    EXPECT_NE(message(j.dump()).find("record field 'steps'"), std::string::npos);
    j = nlohmann::ordered_json::parse(to_json(example()));
    for (const auto* const wrong : {"-1", "1.5", "1e30", "18446744073709551616", "true"}) {
        j["steps"] = nlohmann::ordered_json::parse(wrong);
        EXPECT_NE(message(j.dump()).find("record field 'steps'"), std::string::npos) << wrong;
    }
    j["steps"] = 1;
    for (const char* const field : {"y", "extra"}) {
        auto damaged = j;
        damaged[field] = 3;
        EXPECT_NE(message(damaged.dump()).find(std::string("record field '") + field), std::string::npos) << field;
    }
    j = nlohmann::ordered_json::parse(to_json(example()));
    j["outcome"] = "fine";
    EXPECT_NE(message(j.dump()).find("unknown outcome 'fine'"), std::string::npos);
}

TEST(record, one_of_before_the_origin_of_problems_is_read)
{
    auto j = nlohmann::ordered_json::parse(to_json(example()));
    j.erase("problem_origin");
    EXPECT_EQ(record_from_json(j.dump()).problem_origin, "own");
    EXPECT_EQ(record_from_json(j.dump()), example());
}

TEST(record, only_what_is_not_of_the_catalog_has_its_origin_behind_its_name)
{
    EXPECT_EQ(full_name("radau5", "own"), "radau5");
    EXPECT_EQ(full_name("cvode", "driver"), "cvode");
    EXPECT_EQ(full_name("radau5", "plug-in"), "radau5 (plug-in)");
    EXPECT_EQ(full_name("lsoda", "program"), "lsoda (program)");
}

TEST(record, csv_has_one_cell_per_field)
{
    const std::string header = csv_header();
    const std::string row = to_csv(example());
    const auto cells = [](const std::string& text) {
        int count = 1;
        bool quoted = false;
        for (const char c : text) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted) ++count;
        }
        return count;
    };
    EXPECT_EQ(cells(header), cells(row));
    EXPECT_NE(row.find("\"a \"\"quoted\"\", text\""), std::string::npos);
}

TEST(build_and_machine, are_known)
{
    EXPECT_FALSE(this_build().compiler.empty());
    EXPECT_NE(this_build().flags.find("-ffp-contract=off"), std::string::npos);
    EXPECT_GE(this_machine().cores, 1);
    EXPECT_FALSE(this_machine().os.empty());
}

} // namespace ivp
