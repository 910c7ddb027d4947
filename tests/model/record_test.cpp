#include "model/record_csv.hpp"

#include <ivp/record.hpp>

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
    r.library = "SUNDIALS 6.4.1: a file, flags not known";
    r.library_slowdown = 5.25;
    r.build = {"GNU 12", "-O3", "0.1.0", "x86-64-v3", "x86-64-v4"};
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
    EXPECT_EQ(j["library"], "SUNDIALS 6.4.1: a file, flags not known");
    EXPECT_EQ(j["library_slowdown"], 5.25);
    EXPECT_EQ(j["build"]["compiler"], "GNU 12");
    EXPECT_EQ(j["build"]["instruction_set"], "x86-64-v3");
    EXPECT_EQ(j["build"]["kernels"], "x86-64-v4");
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
    EXPECT_TRUE(message("{").starts_with("not a record: parse error at line 1, column 2: ")) << message("{");
    EXPECT_LT(message("{\"schema\":1" + std::string(10'000, '\t') + "\x02").size(), 250U);
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

TEST(record, one_of_before_later_fields_is_read)
{
    auto j = nlohmann::ordered_json::parse(to_json(example()));
    j.erase("problem_origin");
    j.erase("restart");
    EXPECT_EQ(record_from_json(j.dump()).problem_origin, "own");
    EXPECT_EQ(record_from_json(j.dump()).restart, "yes");
    EXPECT_EQ(record_from_json(j.dump()), example());
}

TEST(record, one_of_before_kernels_and_libraries_is_read)
{
    auto j = nlohmann::ordered_json::parse(to_json(example()));
    for (const char* field : {"library", "library_slowdown"}) j.erase(field);
    for (const char* field : {"instruction_set", "kernels"}) j["build"].erase(field);
    run_record expected = example();
    expected.library = expected.build.instruction_set = expected.build.kernels = "";
    expected.library_slowdown.reset();
    EXPECT_EQ(record_from_json(j.dump()), expected);
}

TEST(record, only_what_is_not_of_the_catalog_has_its_origin_behind_its_name)
{
    EXPECT_EQ(full_name("radau5", "own"), "radau5");
    EXPECT_EQ(full_name("cvode", "driver"), "cvode");
    EXPECT_EQ(full_name("radau5", "plug-in"), "radau5 (plug-in)");
    EXPECT_EQ(full_name("lsoda", "program"), "lsoda (program)");
}

TEST(record, counts_and_times_out_of_range_are_refused)
{
    const auto with = [](const char* field, const nlohmann::ordered_json& value) {
        auto j = nlohmann::ordered_json::parse(to_json(example()));
        j[field] = value;
        return j.dump();
    };
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            (void)record_from_json(text);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(with("steps", -1)), "record field 'steps': -1 found; allowed: a whole number from 0 to 9007199254740992");
    EXPECT_EQ(refusal(with("dimension", 4294967297)), "record field 'dimension': 4294967297 found; allowed: a whole number from 0 to 2147483647");
    for (const char* field : {"nfev", "nfev_jac", "njac", "nlu", "nsolve", "accepted", "rejected", "max_steps", "threads", "repeats", "dimension"})
        for (const nlohmann::ordered_json& value : std::vector<nlohmann::ordered_json>{-1, 1.5, 1e300, "7", nullptr})
            EXPECT_NE(refusal(with(field, value)), "") << field << " = " << value;
    EXPECT_NE(refusal(with("cpu_s", -1e-9)), "");
    EXPECT_NE(refusal(with("wall_samples", std::vector<double>{1, -1})), "");
    EXPECT_EQ(refusal(with("steps", 9007199254740992)), "");
    for (const std::uint64_t value : {std::uint64_t{9007199254740993}, std::uint64_t{1} << 63U, std::uint64_t{18446744073709551615ULL}})
        EXPECT_NE(refusal(with("steps", value)), "") << value;
    EXPECT_LT(refusal(with("steps", std::string(100'000, 'x'))).size(), 200U);
}

TEST(record, a_schema_of_any_shape_is_refused_in_a_line)
{
    const auto refusal = [](std::size_t depth) -> std::string {
        try {
            (void)record_from_json(R"({"schema":)" + std::string(depth, '[') + std::string(depth, ']') + "}");
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(99), "record of schema array; this program reads schema 1");
    EXPECT_EQ(refusal(100'000), "not a record: nested arrays and objects: more than 100 found; allowed: that many");
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
    EXPECT_EQ(row.find('['), std::string::npos) << "one number in a cell";
    EXPECT_NE(row.find("\"a \"\"quoted\"\", text\""), std::string::npos);
}

TEST(record, components_that_a_row_has_no_room_for_stand_apart)
{
    run_record r = example();
    r.dimension = 2;
    r.y = {1.5, -2};
    r.rtol_asked = 1e-4;
    r.rtol = {1e-4};
    r.atol = {1e-6};
    EXPECT_FALSE(has_components_apart(r));
    EXPECT_EQ(components_csv(r, 1), "");
    EXPECT_NE(to_csv(r).find(",1.5,-2.0,"), std::string::npos) << to_csv(r);

    r.rtol = {1e-5, 1e-3};
    r.atol = {1e-6, 1};
    EXPECT_TRUE(has_components_apart(r));
    EXPECT_EQ(components_csv(r, 7), "7,1,1e-05,1e-06,1.5\n7,2,0.001,1.0,-2.0\n");
    EXPECT_NE(to_csv(r).find(",0.0001,0.0001,,"), std::string::npos) << "asked for, and known by that: " << to_csv(r);

    r.rtol = {1e-4};
    r.atol = {1e-6};
    r.dimension = 11;
    r.y.assign(11, 3.5);
    EXPECT_TRUE(has_components_apart(r));
    EXPECT_EQ(to_csv(r).find("3.5"), std::string::npos);
    EXPECT_EQ(components_csv(r, 1).substr(0, 22), "1,1,0.0001,1e-06,3.5\n1");
}

TEST(build_and_machine, are_known)
{
    EXPECT_FALSE(this_build().compiler.empty());
    EXPECT_NE(this_build().flags.find("-ffp-contract=off"), std::string::npos);
    EXPECT_FALSE(this_build().instruction_set.empty());
    EXPECT_GE(this_machine().cores, 1);
    EXPECT_FALSE(this_machine().os.empty());
}

} // namespace ivp
