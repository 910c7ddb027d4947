#include "campaign/sample_runs.hpp"
#include "model/record_fields.hpp"
#include "store/fingerprint.hpp"
#include "store/processes.hpp"
#include "store/schema.hpp"
#include "store/sqlite.hpp"

#include <ivp/error.hpp>
#include <ivp/store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>
#include <sys/resource.h>

namespace ivp {
namespace {

using testing::contains_text;
using testing::fault_of;
using testing::said_by_child;
using testing::sample_run;
using testing::scratch_folder;

/// Field by field, with NaN equal to NaN: by way of JSON.
void expect_same(const stored_run& a, const stored_run& b)
{
    EXPECT_EQ(to_json(a.record), to_json(b.record));
    EXPECT_EQ(a.setting, b.setting);
    EXPECT_EQ(a.limits, b.limits);
    EXPECT_EQ(a.problem_content, b.problem_content);
    EXPECT_EQ(a.solver_content, b.solver_content);
    EXPECT_EQ(a.build_content, b.build_content);
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.measured_at, b.measured_at);
    EXPECT_EQ(a.campaign, b.campaign);
    EXPECT_EQ(a.notes, b.notes);
}

TEST(store, gives_back_what_it_was_given)
{
    const scratch_folder folder;
    stored_run failed = sample_run("rober", "dassl");
    failed.record.outcome = outcome::newton_failed;
    failed.record.cpu_s = std::numeric_limits<double>::quiet_NaN();
    failed.record.rtol = {1e-4, 1e-5, 1e-6};
    failed.record.scd.reset();
    {
        store db(folder.file("a.db"), store::access::write);
        EXPECT_TRUE(db.add(sample_run()));
        EXPECT_TRUE(db.add(failed));
    }
    const store db(folder.file("a.db"), store::access::read);
    const auto runs = db.runs();
    ASSERT_EQ(runs.size(), 2U);
    expect_same(runs[0], sample_run());
    expect_same(runs[1], failed);
    EXPECT_EQ(runs[0].machine, runs[1].machine);
}

TEST(store, every_field_of_a_record_has_a_column)
{
    const scratch_folder folder;
    const store db(folder.file("a.db"), store::access::write);
    run_record empty;
    for_each_field(empty, [&](const char* name, const auto& value) {
        using value_type = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<value_type, build_info>) return;
        EXPECT_EQ(fault_of([&] {
                      db.query(
                          std::string("SELECT ") + name + " FROM runs", [](const auto&) {}, [](const auto&) {});
                  }),
                  "")
            << name;
    });
}

TEST(store, the_same_run_is_stored_once)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    stored_run again = sample_run();
    again.record.cpu_s = 7; // the second measurement of the same is not taken
    EXPECT_FALSE(db.contains(sample_run()));
    EXPECT_TRUE(db.add(sample_run()));
    EXPECT_TRUE(db.contains(again));
    EXPECT_FALSE(db.add(again));
    EXPECT_EQ(db.count(), 1U);
    EXPECT_EQ(db.runs()[0].record.cpu_s, 0.001);
}

TEST(store, a_change_of_solver_problem_build_machine_or_limits_makes_it_another_run)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    db.add(sample_run());
    const auto is_new = [&db](auto&& change) {
        stored_run r = sample_run();
        change(r);
        return !db.contains(r);
    };
    EXPECT_FALSE(is_new([](stored_run&) {}));
    EXPECT_TRUE(is_new([](stored_run& r) { r.solver_content = "s2"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.problem_content = "p2"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.build_content = "b2"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.record.build.flags = "-O1"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.record.build.instruction_set = "x86-64-v2"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.record.build.kernels = "generic"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.record.library = "SUNDIALS 6.4.1: another file"; }));
    EXPECT_FALSE(is_new([](stored_run& r) { r.record.library_slowdown = 1.5; })) << "a measurement, not an identity";
    EXPECT_TRUE(is_new([](stored_run& r) { r.record.machine.cpu = "another"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.limits = "time limit 5 s"; }));
    EXPECT_TRUE(is_new([](stored_run& r) { r.setting = "another"; }));
    EXPECT_FALSE(is_new([](stored_run& r) { r.host = "node2"; })) << "computers of one kind are one machine";
}

TEST(store, the_newest_run_of_a_setting_hides_the_older_ones_of_its_machine)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    stored_run newer = sample_run();
    newer.solver_content = "s2";
    newer.measured_at = "2026-02-01T00:00:00Z";
    stored_run elsewhere = sample_run();
    elsewhere.record.machine.cpu = "another";
    db.add(newer);
    db.add(sample_run()); // merged in later, but measured before
    db.add(elsewhere);
    const auto runs = db.runs();
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].solver_content, "s2");
    EXPECT_EQ(runs[1].record.machine.cpu, "another");
    EXPECT_NE(runs[0].machine, runs[1].machine);
    EXPECT_EQ(db.count(), 2U);
    EXPECT_EQ(db.count({.newest_only = false}), 3U);

    const auto machines = db.machines();
    ASSERT_EQ(machines.size(), 2U);
    EXPECT_EQ(machines[0].runs, 2U);
    EXPECT_EQ(machines[0].hosts, std::vector<std::string>{"node1"});
    EXPECT_EQ(machines[1].machine.cpu, "another");
}

TEST(store, what_has_another_origin_is_another_run)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    stored_run guest = sample_run();
    guest.record.solver_origin = "plug-in";
    guest.setting += " solver: plug-in";
    stored_run foreign = sample_run();
    foreign.record.problem_origin = "plug-in";
    foreign.setting += " problem: plug-in";
    EXPECT_TRUE(db.add(sample_run()));
    EXPECT_FALSE(db.contains(guest));
    EXPECT_FALSE(db.contains(foreign));
    EXPECT_TRUE(db.add(guest));
    EXPECT_TRUE(db.add(foreign));
    EXPECT_EQ(db.count(), 3U) << "none hides another";
    expect_same(db.runs()[1], guest);
    expect_same(db.runs()[2], foreign);
}

TEST(store, failed_has_the_columns_of_runs)
{
    const scratch_folder folder;
    const store db(folder.file("a.db"), store::access::write);
    const auto columns_of = [&db](const std::string& view) {
        std::vector<std::string> names;
        db.query(
            "SELECT * FROM " + view, [&names](const auto& n) { names = n; }, [](const auto&) {});
        return names;
    };
    EXPECT_EQ(columns_of("failed"), columns_of("runs"));
}

TEST(store, filters)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    db.add(sample_run("hires", "radau5"));
    db.add(sample_run("hires", "dassl"));
    stored_run failed = sample_run("rober", "dassl");
    failed.record.outcome = outcome::newton_failed;
    failed.campaign = "standard";
    db.add(failed);
    EXPECT_EQ(db.count({.problems = {"hires"}}), 2U);
    EXPECT_EQ(db.count({.solvers = {"dassl"}}), 2U);
    EXPECT_EQ(db.count({.problems = {"hires", "rober"}, .solvers = {"dassl"}}), 2U);
    EXPECT_EQ(db.count({.outcomes = {outcome::newton_failed, outcome::crashed}}), 1U);
    EXPECT_EQ(db.count({.campaign = "standard"}), 1U);
    EXPECT_EQ(db.count({.machine = 99}), 0U);
    ASSERT_EQ(db.runs({.outcomes = {outcome::newton_failed}}).size(), 1U);
    EXPECT_EQ(db.runs({.outcomes = {outcome::newton_failed}})[0].record.problem, "rober");
}

TEST(store, queries_read_and_never_write)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    db.add(sample_run());
    std::vector<std::string> names;
    std::vector<query_row> rows;
    const auto ask = [&](const std::string& sql) {
        rows.clear();
        db.query(
            sql, [&](const auto& n) { names = n; }, [&](const auto& r) { rows.push_back(r); });
    };
    ask("SELECT problem, scd, scd_abs, steps FROM runs");
    EXPECT_EQ(names, (std::vector<std::string>{"problem", "scd", "scd_abs", "steps"}));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0], (query_row{"hires", 4.25, {}, std::int64_t{41}}));
    ask("SELECT number, cpu_s, wall_s FROM samples ORDER BY number");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1], (query_row{std::int64_t{2}, 0.0012, 0.0013}));

    EXPECT_TRUE(contains_text(fault_of([&] { ask("DELETE FROM run"); }), "allowed: one SELECT"));
    EXPECT_TRUE(contains_text(fault_of([&] { ask("SELECT 1; DELETE FROM run"); }), "more than one"));
    EXPECT_TRUE(contains_text(fault_of([&] { ask("SELECT nonsense FROM runs"); }), "no such column: nonsense"))
        << fault_of([&] { ask("SELECT nonsense FROM runs"); });
    EXPECT_NE(fault_of([&] { ask(""); }), "");
    EXPECT_EQ(db.count(), 1U);
}

TEST(store, a_query_gives_reals_in_full)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    stored_run run = sample_run();
    run.record.scd = 0.1 + 0.2;
    run.record.cpu_s = 1.0 / 3;
    db.add(run);
    std::vector<std::string> cells;
    db.query(
        "SELECT scd, cpu_s, 5.0, 7, NULL FROM runs", [](const auto&) {},
        [&](const query_row& row) {
            for (const auto& v : row) cells.push_back(to_text(v));
        });
    EXPECT_EQ(cells, (std::vector<std::string>{"0.30000000000000004", "0.3333333333333333", "5", "7", ""}));
}

TEST(store, a_query_may_end_with_a_comment)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    db.add(sample_run());
    for (const char* const sql :
         {"SELECT problem FROM runs -- all", "SELECT problem FROM runs; -- all\n ; /* of\n them */ ", "/* a */ SELECT problem FROM runs;"}) {
        int rows = 0;
        EXPECT_EQ(fault_of([&] {
                      db.query(
                          sql, [](const auto&) {}, [&rows](const auto&) { ++rows; });
                  }),
                  "")
            << sql;
        EXPECT_EQ(rows, 1) << sql;
    }
    for (const char* const sql : {"SELECT 1; -- a\n SELECT 2", "SELECT 1; nonsense", "-- nothing"})
        EXPECT_NE(fault_of([&] {
                      db.query(
                          sql, [](const auto&) {}, [](const auto&) {});
                  }),
                  "")
            << sql;
}

/// What is said to a query that is refused, line by line.
std::vector<std::string> answer_to(const store& db, const std::string& sql)
{
    try {
        db.query(
            sql, [](const auto&) {}, [](const auto&) {});
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

TEST(store, a_query_for_a_name_that_does_not_exist_is_answered_with_those_that_do)
{
    const scratch_folder folder;
    const store db(folder.file("a.db"), store::access::write);
    const auto column = answer_to(db, "SELECT rtoll FROM runs");
    ASSERT_GT(column.size(), 2U);
    EXPECT_TRUE(contains_text(column[0], "no such column: rtoll")) << column[0];
    EXPECT_TRUE(contains_text(column[0], "rtol'")) << column[0];
    EXPECT_TRUE(contains_text(column[1], "columns of runs and failed: id, setting, limits, problem, problem_origin, ")) << column[1];
    EXPECT_TRUE(
        std::ranges::any_of(column, [](const std::string& line) { return contains_text(line, "columns of samples: run, number, cpu_s, wall_s"); }));
    const auto table = answer_to(db, "SELECT * FROM result");
    ASSERT_GT(table.size(), 2U);
    EXPECT_TRUE(contains_text(table[0], "no such table: result")) << table[0];
    EXPECT_EQ(table[1], column[1]);
    EXPECT_EQ(answer_to(db, "SELECT problem FRM runs").size(), 1U);
}

TEST(store, an_answer_repeats_foreign_names_in_lines_that_can_be_read)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    store(path, store::access::write);
    {
        const sqlite::database db(path, sqlite::mode::write);
        db.execute("CREATE TABLE \"it's mine\" (\"a\nivp: b\")");
        db.execute("CREATE VIEW broken AS SELECT * FROM gone");
        db.execute("CREATE VIEW \"" + std::string(100'000, 'v') + "\" AS SELECT 1 AS \"" + std::string(100'000, 'w') + "\"");
        db.execute("CREATE VIEW \"a\nivp: view\" AS SELECT 1 AS \"c\nivp: d\"");
        for (int k = 0; k < 500; ++k) db.execute("CREATE VIEW v" + std::to_string(k) + " AS SELECT 1 AS w" + std::to_string(k));
    }
    const store db(path, store::access::read);
    const auto said = answer_to(db, "SELECT rtoll FROM runs");
    ASSERT_GT(said.size(), 2U);
    EXPECT_TRUE(contains_text(said[0], "no such column: rtoll")) << said[0];
    EXPECT_TRUE(contains_text(said[1], "columns of runs and failed: id, setting, ")) << said[1];
    EXPECT_TRUE(contains_text(said[1], "wall_samples")) << said[1];
    EXPECT_TRUE(contains_text(said.back(), "it's mine")) << said.back();
    EXPECT_LT(said.size(), 50U);
    for (const auto& line : said) {
        EXPECT_LT(line.size(), 5000U);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
    for (const auto& line : answer_to(db, "SELECT \"x\ny\" FROM [" + std::string(100'000, 'z') + "\n]")) {
        EXPECT_LT(line.size(), 5000U);
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
}

TEST(store, a_damaged_run_is_named_with_its_store_and_column)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    const auto damaged = [&](const std::string& change) {
        std::filesystem::remove(path);
        store(path, store::access::write).add(sample_run());
        sqlite::database(path, sqlite::mode::write).execute("PRAGMA ignore_check_constraints = ON; UPDATE run SET " + change);
        return fault_of([&] { (void)store(path, store::access::read).runs(); });
    };
    const std::string begin = "store '" + path + "': run 1 is damaged: ";
    for (const auto& [change, column] :
         std::vector<std::pair<std::string, std::string>>{{"y = '[1,2'", "y"},
                                                          {"y = '{\"a\":1}'", "y"},
                                                          {"y = '[1 2]'", "y"},
                                                          {"y = '[1,nothing]'", "y"},
                                                          {"cpu_samples = 'x'", "cpu_samples"},
                                                          {"notes = '[1]'", "notes"},
                                                          {"parameters = '[]'", "parameters"},
                                                          {"options = '{\"a\":\"b\"}'", "options"},
                                                          {"extra = '{'", "extra"},
                                                          {"outcome = 'splendid'", "outcome"},
                                                          {"steps = -1", "steps"},
                                                          {"threads = 5000000000", "threads"},
                                                          {"dimension = -1", "dimension"},
                                                          {"nfev = 9007199254740993", "nfev"},
                                                          {"rtol = 'small'", "rtol"},
                                                          {"rtol = 9e999", "rtol"},
                                                          {"rtol = x'00'", "rtol"},
                                                          {"atol = '[1e-4,null]'", "atol"},
                                                          {"atol = '[]'", "atol"},
                                                          {"t0 = -9e999", "t0"},
                                                          {"tend = 9e999", "tend"},
                                                          {"rtol_asked = 9e999", "rtol_asked"},
                                                          {"h0 = 9e999", "h0"},
                                                          {"cpu_s = 9e999", "cpu_s"},
                                                          {"notes = '" + std::string(300'000, '[') + "'", "notes"},
                                                          {"outcome = '" + std::string(200'000, 'x') + "'", "outcome"}}) {
        const std::string said = damaged(change);
        EXPECT_TRUE(said.starts_with(begin + column + ": ")) << change.substr(0, 80) << ": " << said;
        EXPECT_LT(said.size(), begin.size() + 300) << change.substr(0, 80);
        EXPECT_FALSE(contains_text(said, "json.exception")) << said;
    }
}

TEST(store, a_run_that_no_measurement_can_have_is_named_with_its_store_and_column)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    store(path, store::access::write).add(sample_run());
    const auto said = [&path](const std::string& change) {
        sqlite::database(path, sqlite::mode::write).execute("UPDATE run SET " + change);
        return fault_of([&path] { (void)store(path, store::access::read).runs(); });
    };
    const std::string run = "store '" + path + "': run 1 is damaged: ";
    EXPECT_EQ(said("cpu_s = -1"), run + "cpu_s: -1 given; allowed: a number from 0");
    EXPECT_EQ(said("cpu_s = NULL, wall_samples = '[1,-2]'"), run + "wall_samples: -2 given; allowed: a number from 0");
    EXPECT_EQ(said("wall_samples = '[1,null]', atol = '[1e-7,-1e-7]'"), run + "atol: -1e-07 given; allowed: a number from 0");
    EXPECT_EQ(said("atol = 0, rtol = -4"), run + "rtol: -4 given; allowed: a number from 0");
    EXPECT_EQ(said("rtol = 0, t0 = 1e9"), run + "t0: 1e+09 given; allowed: at most tend");
    EXPECT_EQ(said("t0 = tend"), "");
}

TEST(store, a_run_does_not_vanish_with_the_row_that_it_refers_to)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    for (const std::string table : {"problem", "solver", "build", "machine"}) {
        std::filesystem::remove(path);
        store(path, store::access::write).add(sample_run());
        sqlite::database(path, sqlite::mode::write).execute("PRAGMA foreign_keys = OFF; DELETE FROM " + table);
        EXPECT_EQ(fault_of([&] { (void)store(path, store::access::read); }),
                  "store '" + path + "': run 1 is damaged: " + table + "_id: there is no " + table + " 1");
    }
}

TEST(store, a_count_that_no_reader_takes_is_not_stored)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    stored_run run = sample_run();
    run.record.nfev = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(fault_of([&] { db.add(run); }), "a count of 18446744073709551615 cannot be stored; allowed: 0 to 9007199254740992");
    EXPECT_EQ(db.count(), 0U);
}

TEST(store, assessments)
{
    const scratch_folder folder;
    stored_assessment a;
    a.set = "stiff";
    a.solver = "radau5";
    a.level = 3;
    a.norm = "max";
    a.setting = "x";
    a.machine = {"cpu", 2, "os"};
    a.measured_at = "2026-01-31T12:00:00Z";
    a.json = R"({"solver":"radau5"})";
    store db(folder.file("a.db"), store::access::write);
    EXPECT_TRUE(db.add(a));
    EXPECT_FALSE(db.add(a));
    ASSERT_EQ(db.assessments().size(), 1U);
    const auto back = db.assessments()[0];
    EXPECT_EQ(back.set, "stiff");
    EXPECT_EQ(back.solver, "radau5");
    EXPECT_EQ(back.level, 3);
    EXPECT_EQ(back.machine, a.machine);
    EXPECT_EQ(back.json, a.json);
    a.setting = "y";
    a.json = "{not json";
    EXPECT_NE(fault_of([&] { db.add(a); }), "");
    EXPECT_EQ(db.assessments().size(), 1U);
}

TEST(store, names_of_machines_and_campaigns_are_short)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        store db(path, store::access::write);
        stored_run run = sample_run();
        run.host = std::string(4000, 'x');
        EXPECT_TRUE(db.add(run));
        run = sample_run("rober");
        run.record.machine.os = std::string(4001, 'x');
        EXPECT_EQ(fault_of([&] { db.add(run); }), "os: 4001 bytes given; allowed: at most 4000");
        stored_assessment a;
        a.json = "{}";
        a.host = std::string(4001, 'x');
        EXPECT_EQ(fault_of([&] { db.add(a); }), "host: 4001 bytes given; allowed: at most 4000");
        a.host = "x";
        a.machine.cpu = "cpu of a test";
        a.machine.cores = 2;
        a.machine.os = "Debian";
        EXPECT_TRUE(db.add(a));
    }
    EXPECT_EQ(store(path, store::access::read).runs().size(), 1U);
    const auto said = [&](const std::string& change, auto&& read) {
        sqlite::database(path, sqlite::mode::write).execute("UPDATE " + change);
        return fault_of([&] { read(store(path, store::access::read)); });
    };
    const auto runs = [](const store& db) { (void)db.runs(); };
    const auto machines = [](const store& db) { (void)db.machines(); };
    const auto assessments = [](const store& db) { (void)db.assessments(); };
    const std::string long_text = "= hex(zeroblob(3000))";
    EXPECT_EQ(said("run SET campaign " + long_text, runs),
              "store '" + path + "': run 1 is damaged: campaign: 6000 bytes given; allowed: at most 4000");
    EXPECT_EQ(said("run SET campaign = '', host " + long_text, machines),
              "store '" + path + "': machine 1 is damaged: host: 6000 bytes given; allowed: at most 4000");
    EXPECT_TRUE(contains_text(said("machine SET cpu " + long_text, machines), "machine 1 is damaged: cpu: 6000 bytes"));
    EXPECT_TRUE(contains_text(said("machine SET cpu " + long_text, assessments), "assessment 1 is damaged: cpu: 6000 bytes"));
}

TEST(store, a_damaged_assessment_or_machine_is_named_with_its_store_and_column)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        stored_assessment a;
        a.set = "stiff";
        a.solver = "radau5";
        a.json = "{}";
        store db(path, store::access::write);
        EXPECT_TRUE(db.add(a));
        db.add(sample_run());
    }
    const auto change = [&](const std::string& what) {
        sqlite::database(path, sqlite::mode::write).execute("PRAGMA ignore_check_constraints = ON; UPDATE " + what);
    };
    const auto said = [&](auto&& read) { return fault_of([&] { read(store(path, store::access::read)); }); };
    const auto assessments = [](const store& db) { (void)db.assessments(); };
    change("assessment SET level = 4294967295");
    EXPECT_EQ(said(assessments), "store '" + path + "': assessment 1 is damaged: level: 4294967295 is out of range");
    change("assessment SET level = 1");
    EXPECT_EQ(said(assessments), "");
    for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
             {"[]", "it is not an object, but array"},
             {"null", "it is not an object, but null"},
             {"{", "parse error at line 1, column 2: syntax error while parsing object key - unexpected end of input; expected string literal"},
             {R"({"groups":5})", "'groups' is not an array of objects"},
             {R"({"groups":[5]})", "'groups' is not an array of objects"},
             {R"({"groups":[{"problems":[{"name":5}]}]})", "a 'name' is not text"},
             {R"({"groups":[{"problems":[{"scaled":5}]}]})", "a 'scaled' is not true or false"},
             {R"({"groups":[{"problems":[{"rows":[{"tol":"x"}]}]}]})", "a 'tol' is not a number"},
             {"{\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}",
              "nested arrays and objects: more than 100 found; allowed: that many"}}) {
        change("assessment SET json = '" + text + "'");
        EXPECT_EQ(said(assessments), "store '" + path + "': assessment 1 is damaged: json: " + reason);
    }
    change("assessment SET json = '{}'");
    change("machine SET cores = -5000000000");
    EXPECT_TRUE(said([](const store& db) { (void)db.machines(); }).ends_with(" is damaged: cores: -5000000000 is out of range"));
}

// ---- Files that are not what they should be ----

/// Makes an empty file, which is an empty database to SQLite, and returns its name.
std::string empty_file(std::string path)
{
    std::ofstream(path).flush();
    return path;
}

TEST(store, refuses_what_is_no_store)
{
    const scratch_folder folder;
    std::ofstream(folder.file("text.db")) << std::string(2000, 'x');
    sqlite::database(empty_file(folder.file("foreign.db")), sqlite::mode::write).execute("CREATE TABLE t (a)");
    for (const auto a : {store::access::read, store::access::write}) {
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("text.db"), a); }), "not a store of ivp"));
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("foreign.db"), a); }), "not a store of ivp"));
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("no/such/folder.db"), a); }), "no/such/folder.db"));
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("."), a); }), "directory"));
    }
    EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("none.db"), store::access::read); }), "no such file"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("none.db")));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 2) << "nothing else was made";
    EXPECT_EQ(sqlite::database(folder.file("foreign.db"), sqlite::mode::read).number("SELECT count(*) FROM t"), 0);
}

TEST(store, refuses_one_of_a_later_version)
{
    const scratch_folder folder;
    {
        store db(folder.file("a.db"), store::access::write);
    }
    sqlite::database(folder.file("a.db"), sqlite::mode::write).execute("PRAGMA user_version = 99");
    for (const auto a : {store::access::read, store::access::write})
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("a.db"), a); }), "later version of ivp (schema 99"));
}

TEST(store, refuses_a_version_below_one)
{
    const scratch_folder folder;
    {
        store db(folder.file("a.db"), store::access::write);
    }
    for (const std::string version : {"-1", "0"}) {
        sqlite::database(folder.file("a.db"), sqlite::mode::write).execute("PRAGMA user_version = " + version);
        for (const auto a : {store::access::read, store::access::write})
            EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("a.db"), a); }),
                                      "a.db': the file is damaged: its schema (user_version) is " + version + "; allowed: 1 to 2"));
    }
}

TEST(store, refuses_triggers_and_changed_tables_and_views)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    const auto said = [&](const std::string& change) {
        std::filesystem::remove(path);
        store(path, store::access::write).add(sample_run());
        sqlite::database(path, sqlite::mode::write).execute(change);
        std::string reading = fault_of([&] { (void)store(path, store::access::read); });
        EXPECT_EQ(fault_of([&] { (void)store(path, store::access::write); }), reading) << change;
        return reading;
    };
    const std::string begin = "store '" + path + "': ";
    EXPECT_TRUE(said("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END").starts_with(begin + "it has the trigger 't'; allowed: "));
    EXPECT_TRUE(said("DROP VIEW runs; CREATE VIEW runs AS WITH RECURSIVE a(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM a) SELECT * FROM a")
                    .starts_with(begin + "its view 'runs' is not that of a store"));
    EXPECT_TRUE(said("DROP VIEW runs; CREATE TABLE runs (id)").starts_with(begin + "its table 'runs' is not that of a store"));
    EXPECT_TRUE(said("DROP VIEW failed").starts_with(begin + "its view 'failed' is missing"));
    EXPECT_TRUE(said("ALTER TABLE run ADD COLUMN more TEXT").starts_with(begin + "its table 'run' is not that of a store"));
    EXPECT_EQ(said("CREATE TABLE mine (a); CREATE VIEW ours AS SELECT * FROM mine; CREATE INDEX mine_a ON mine (a); ANALYZE; VACUUM"), "");
    // Without the look at the schema a trigger would not run either.
    const sqlite::database db(empty_file(folder.file("b.db")), sqlite::mode::write);
    db.execute("CREATE TABLE t (a); CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END; INSERT INTO t VALUES (1)");
    EXPECT_EQ(db.number("SELECT count(*) FROM t"), 1);
}

TEST(store, migrations_go_on_from_the_version_found_and_happen_whole)
{
    const scratch_folder folder;
    const sqlite::database db(empty_file(folder.file("a.db")), sqlite::mode::write);
    const std::array first{"CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)"};
    const std::array good{first[0], "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1"};
    const std::array broken{first[0], "UPDATE a SET x = 7; CREATE TABLE b (x NONSENSE) STRICT"};
    migrate(db, first);
    EXPECT_EQ(db.number("PRAGMA user_version"), 1);
    EXPECT_NE(fault_of([&] { migrate(db, broken); }), "");
    EXPECT_EQ(db.number("PRAGMA user_version"), 1);
    EXPECT_EQ(db.number("SELECT x FROM a"), 1) << "nothing of the broken script is left";
    migrate(db, good);
    migrate(db, good);
    EXPECT_EQ(db.number("PRAGMA user_version"), 2);
    EXPECT_EQ(db.number("SELECT y FROM a"), 2);
    EXPECT_TRUE(contains_text(fault_of([&] { migrate(db, first); }), "later version"));
}

/// A store as the first version of ivp wrote it: problem and solver of the catalog, and both from plug-ins that have the same names.
void write_first_version(const std::string& path)
{
    const sqlite::database db(empty_file(path), sqlite::mode::write);
    migrate(db, store_migrations().first(1));
    db.execute(R"sql(
        INSERT INTO problem VALUES (1, 'hires', 'text'), (2, 'hires', 'file');
        INSERT INTO solver VALUES (1, 'radau5', '1', 'own', 'text'), (2, 'radau5', '1', 'plug-in', 'file');
        INSERT INTO build VALUES (1, 'c', 'f', 'v', 'b');
        INSERT INTO machine VALUES (1, 'cpu', 2, 'os');
        )sql");
    const auto add = [&db](const std::string& id, const std::string& problem, const std::string& solver, const std::string& command) {
        db.execute(
            "INSERT INTO run SELECT " + id + ", 's" + id + "', 'l', " + problem + ", " + solver +
            ", 1, 1, 'host', '2026-01-01T00:00:00Z', 'c', '[]', 1e-4, 'C', '{}', 'ode', 1, 0, 1, 1e-4, 1e-4, NULL, NULL, 9, 'exact', 'dense', 1,"
            " '{}', 'success', '', 1.0, '[1]', 4, 4, 4, 1, 1, 0, 1, 0, 0, 0, 0, 1e-3, 1e-3, 1, '[1e-3]', '[1e-3]', '{}', '" +
            command + "', '{}'");
    };
    add("1", "1", "1", "ivp run hires radau5 --rtol 0.0001");
    add("2", "1", "2", "ivp run hires ./radau5.so --rtol 0.0001");
    add("3", "2", "1", "ivp run ./hires.so radau5 --rtol 0.0001");
}

std::string bytes_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void expect_origins_told_apart(const store& db)
{
    const auto runs = db.runs();
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].record.full_problem() + " " + runs[0].record.full_solver() + " " + runs[0].setting, "hires radau5 s1");
    EXPECT_EQ(runs[1].record.full_problem() + " " + runs[1].record.full_solver() + " " + runs[1].setting,
              "hires radau5 (plug-in) s2 solver: plug-in");
    EXPECT_EQ(runs[2].record.full_problem() + " " + runs[2].record.full_solver() + " " + runs[2].setting,
              "hires (plug-in) radau5 s3 problem: plug-in");
    for (const auto& r : runs) {
        EXPECT_EQ(r.record.build, (build_info{"c", "f", "v", "", ""})) << "kernels of before are not known";
        EXPECT_EQ(r.record.library, "");
        EXPECT_EQ(r.record.library_slowdown, std::nullopt);
    }
}

TEST(store, of_the_first_version_is_read_as_it_is_and_brought_up_to_date_when_written)
{
    const scratch_folder folder;
    const std::string path = folder.file("old.db");
    write_first_version(path);
    for (const char* const mode : {"DELETE", "WAL"}) {
        sqlite::database(path, sqlite::mode::write).execute(std::string("PRAGMA journal_mode = ") + mode);
        const std::string before = bytes_of(path);
        {
            const store db(path, store::access::read);
            expect_origins_told_apart(db);
        }
        EXPECT_EQ(bytes_of(path), before) << "reading changes nothing";
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 1);
    }
    {
        store db(path, store::access::write);
        expect_origins_told_apart(db);
        EXPECT_TRUE(db.add(sample_run()));
    }
    const sqlite::database db(path, sqlite::mode::read);
    EXPECT_EQ(db.number("PRAGMA user_version"), store_schema);
    EXPECT_EQ(db.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    EXPECT_EQ(db.number("SELECT count(*) FROM runs"), 4);
    EXPECT_EQ(db.number("SELECT count(*) FROM runs WHERE restart = 'yes'"), 4) << "there was no choice before";
}

// The first version counted every digit of a tolerance, and its ladders had noise in the last one.
TEST(store, of_the_first_version_matches_tolerances_to_twelve_digits)
{
    const scratch_folder folder;
    const std::string path = folder.file("old.db");
    write_first_version(path);
    sqlite::database(path, sqlite::mode::write)
        .execute("UPDATE run SET rtol = 1.0000000000000001e-07, atol = 1.0000000000000001e-07, rtol_asked = 1.0000000000000001e-07,"
                 " setting = 'e200a1eaa092f8be24c97739fce86672c529e6ff6d81cadb499f5b305633448e' WHERE id = 1");
    run_record clean;
    clean.problem = "hires";
    clean.solver = "radau5";
    clean.form = "ode";
    clean.tend = 1;
    clean.rtol = {1e-7};
    clean.atol = {1e-7};
    clean.max_steps = 9;
    clean.problem_origin = clean.solver_origin = "own";
    run_settings asked;
    asked.jacobian = jacobian_source::original;
    const std::string wanted = setting_of(clean, asked);
    EXPECT_EQ(store(path, store::access::read).runs()[0].setting, wanted);
    asked.jacobian = jacobian_source::exact;
    EXPECT_NE(setting_of(clean, asked), wanted);
    {
        store(path, store::access::write);
    }
    EXPECT_EQ(store(path, store::access::read).runs()[0].setting, wanted);

    clean.rtol = {1e-4 * 1e-3};
    asked.jacobian = jacobian_source::original;
    EXPECT_EQ(setting_of(clean, asked), wanted);
    clean.rtol = {1.00000000001e-7};
    EXPECT_NE(setting_of(clean, asked), wanted);
}

TEST(store, a_change_of_the_schema_gives_what_a_new_store_has)
{
    const scratch_folder folder;
    write_first_version(folder.file("old.db"));
    {
        store(folder.file("old.db"), store::access::write);
    }
    {
        store(folder.file("new.db"), store::access::write);
    }
    const auto columns_of = [&](const std::string& file) {
        std::string all;
        const sqlite::database db(folder.file(file), sqlite::mode::read);
        sqlite::statement s(db, "SELECT t.name || '.' || c.name || ' ' || c.type FROM pragma_table_list AS t, pragma_table_info(t.name) AS c"
                                " WHERE t.schema = 'main' ORDER BY 1");
        while (s.step()) all += std::string(s.text(0)) + "\n";
        return all;
    };
    EXPECT_EQ(columns_of("old.db"), columns_of("new.db"));
    EXPECT_TRUE(contains_text(columns_of("new.db"), "failed.problem_origin"));
}

TEST(store, tables_are_strict)
{
    const scratch_folder folder;
    {
        store db(folder.file("a.db"), store::access::write);
    }
    const sqlite::database db(folder.file("a.db"), sqlite::mode::read);
    EXPECT_EQ(
        db.number("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict"), 0);
}

TEST(store, a_full_disk_is_told_and_leaves_what_was_stored)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    std::uint64_t stored = 0;
    const std::string text = said_by_child(
        [] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{1'000'000, 1'000'000};
            setrlimit(RLIMIT_FSIZE, &small);
        },
        [&] {
            store db(path, store::access::write);
            for (int k = 0; k < 10'000; ++k) db.add(sample_run("hires", "radau5", 1e-4 + k));
        });
    EXPECT_TRUE(contains_text(text, "what was stored before is intact")) << text;
    EXPECT_TRUE(contains_text(text, path)) << text;
    store db(path, store::access::write);
    stored = db.count();
    EXPECT_GT(stored, 10U);
    EXPECT_EQ(db.runs().size(), stored);
    db.query(
        "PRAGMA integrity_check", [](const auto&) {}, [](const query_row& r) { EXPECT_EQ(to_text(r[0]), "ok"); });
    EXPECT_TRUE(db.add(sample_run("rober", "radau5"))) << "where there is room again it goes on";
}

TEST(store, readers_leave_nothing_beside_it_whatever_its_writer_left)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        store db(path, store::access::write);
        db.add(sample_run());
    }
    const auto files = [&folder] {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) names.insert(entry.path().filename());
        return names;
    };
    EXPECT_EQ(store(path, store::access::read).count(), 1U);
    EXPECT_EQ(files(), std::set<std::string>{"a.db"});
    // As a writer leaves it whom a reader prevents from putting it to rest.
    sqlite::database(path, sqlite::mode::write).execute("PRAGMA journal_mode = WAL");
    ASSERT_EQ(files(), std::set<std::string>{"a.db"});
    {
        const store first(path, store::access::read);
        EXPECT_EQ(first.count(), 1U);
        EXPECT_EQ(store(path, store::access::read).count(), 1U);
        EXPECT_EQ(first.count(), 1U) << "others come and go";
    }
    EXPECT_EQ(files(), std::set<std::string>{"a.db"});
}

TEST(store, one_that_is_read_only_is_read_and_not_written)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        store db(path, store::access::write);
        db.add(sample_run());
    }
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::group_read | std::filesystem::perms::others_read);
    std::filesystem::permissions(folder.file(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec |
                                                      std::filesystem::perms::others_read | std::filesystem::perms::others_exec);
    EXPECT_EQ(said_by_child(testing::become_nobody, [&] { EXPECT_EQ(store(path, store::access::read).count(), 1U); }), "");
    const std::string text = said_by_child(testing::become_nobody, [&] { store(path, store::access::write).add(sample_run("rober")); });
    EXPECT_TRUE(contains_text(text, "read-only")) << text;
    std::filesystem::permissions(folder.file(""), std::filesystem::perms::owner_all);
    EXPECT_EQ(store(path, store::access::read).count(), 1U);
}

/// A guest with the name of a solver of ours is told from it in every view.
TEST(store, views_of_assessments_name_the_origin)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    for (const char* const origin : {"own", "plug-in"}) {
        stored_assessment a;
        a.set = "nonstiff";
        a.solver = "dverk";
        a.solver_version = "1";
        a.solver_origin = origin;
        a.json = R"({"groups":[{"problems":[{"id":"detest-nonstiff-a1","name":"A1","rows":[{"tol":0.01,"code":1,"errors_by_bound":[[1,2]]}]}]}]})";
        EXPECT_TRUE(db.add(a));
    }
    for (const std::string view : {"assessed_rows", "reliability", "assessed_errors"}) {
        std::vector<std::string> origins;
        db.query(
            "SELECT DISTINCT solver, solver_version, solver_origin FROM " + view + " ORDER BY solver_origin", [](const auto&) {},
            [&origins](const query_row& r) { origins.push_back(to_text(r[2])); });
        EXPECT_EQ(origins, (std::vector<std::string>{"own", "plug-in"})) << view;
    }
}

} // namespace
} // namespace ivp
