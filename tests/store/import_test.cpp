#include "store/import.hpp"

#include "campaign/sample_runs.hpp"
#include "store/merge.hpp"
#include "store/store_file.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>
#include <ivp/store.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <streambuf>

namespace ivp {
namespace {

using json = nlohmann::ordered_json;
using testing::contains_text;
using testing::scratch_folder;

/// A record as another program writes it: a run of radau5 under another name.
json foreign_record(double rtol = 1e-4, const std::string& problem = "hires")
{
    run_settings s;
    s.rtol = rtol;
    s.repeat = 2;
    json j = json::parse(to_json(measure_run(open_problem(problem), *open_solver("radau5"), s)));
    j["solver"] = "my-radau";
    j["solver_origin"] = "program";
    j["solver_language"] = "Julia";
    j["command"] = "julia mine.jl";
    return j;
}

import_result imported(const std::string& lines, const std::string& db)
{
    std::istringstream in(lines);
    return import_records(in, "runs.jsonl", db);
}

std::vector<std::string> faults_of(const std::string& lines, const std::string& db)
{
    try {
        (void)imported(lines, db);
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

/// A stream without an end, and without an end of a line.
class endless final : public std::streambuf {
    int_type underflow() override
    {
        setg(part_.data(), part_.data(), part_.data() + part_.size());
        return traits_type::to_int_type(part_[0]);
    }
    std::string part_ = std::string(1U << 16U, '1');
};

TEST(import, a_line_without_an_end_is_refused_before_it_fills_the_memory)
{
    const scratch_folder folder;
    endless ones;
    std::istream in(&ones);
    try {
        (void)import_records(in, "ones", folder.file("a.db"));
        FAIL() << "it had an end";
    } catch (const bad_request& e) {
        EXPECT_EQ(e.faults(), std::vector<std::string>{"ones:1: more than 256 MiB given; allowed: lines up to this size"});
    }
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.db")));
}

TEST(import, a_run_of_another_program_is_one_of_the_store)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const json j = foreign_record();
    const auto r = imported(j.dump() + "\n\n" + foreign_record(1e-7).dump() + "\n", db);
    EXPECT_EQ(r.added, 2U);
    EXPECT_EQ(r.judged_otherwise, 0U);
    const auto runs = store(db, store::access::read).runs();
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(json::parse(to_json(runs[0].record)), j);
    EXPECT_EQ(runs[0].record.full_solver(), "my-radau (program)");
    EXPECT_EQ(runs[0].problem_content, "imported");
    EXPECT_EQ(runs[0].solver_content, "imported");
    EXPECT_EQ(runs[0].build_content, "imported");
    EXPECT_EQ(runs[0].record.rtol_asked, 1e-4);
    EXPECT_NE(runs[0].setting, runs[1].setting);
    EXPECT_EQ(imported(j.dump(), db).duplicates, 1U) << "the same once more";
    EXPECT_EQ(store(db, store::access::read).count(), 2U);
}

/// What a program has to write at least.
json short_record()
{
    const json whole = foreign_record();
    json j;
    for (const char* const field : {"problem", "solver", "rtol", "atol", "y", "cpu_s", "steps", "nfev"}) j[field] = whole[field];
    return j;
}

TEST(import, a_line_needs_no_more_than_its_program_knows)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    EXPECT_EQ(imported(short_record().dump(), db).added, 1U);
    const auto r = store(db, store::access::read).runs().at(0).record;
    const json whole = foreign_record();
    EXPECT_EQ(r.outcome, outcome::success);
    EXPECT_EQ(r.full_solver(), "my-radau (program)");
    EXPECT_EQ(r.mescd, whole["mescd"].get<double>()) << "computed from y";
    EXPECT_EQ(r.dimension, 8);
    EXPECT_EQ(r.form, "ode");
    EXPECT_EQ(r.t_end_reached, r.tend);
    EXPECT_EQ(r.accepted, r.steps);
    EXPECT_EQ(r.cpu_samples.size(), 1U);
    EXPECT_EQ(r.machine.cpu, "unknown");
}

TEST(import, a_short_line_is_completed_for_its_parameters_and_its_form)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    run_settings s;
    s.repeat = 1;
    const json whole = json::parse(to_json(measure_run(open_problem("allencahn", {{"N", "16"}}), *open_solver("radau5"), s)));
    json j;
    for (const char* const field : {"problem", "parameters", "rtol", "atol", "y", "steps", "nfev"}) j[field] = whole[field];
    j["solver"] = "my-radau";
    EXPECT_EQ(faults_of(j.dump(), db), std::vector<std::string>());
    const json nand = {{"problem", "nand"}, {"form", "dae"}, {"solver", "mine"}, {"rtol", 1e-4}, {"atol", 1e-4}, {"outcome", "timed_out"}};
    EXPECT_EQ(faults_of(nand.dump(), db), std::vector<std::string>());
    const auto runs = store(db, store::access::read).runs();
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].record.dimension, 16);
    EXPECT_EQ(runs[0].record.parameters, (std::map<std::string, std::string>{{"N", "16"}}));
    EXPECT_EQ(runs[1].record.dimension, open_problem("nand").as_dae().n());
    j["parameters"] = {{"N", 16}};
    EXPECT_TRUE(contains_text(faults_of(j.dump(), db).at(0), "record field 'parameters'"));
}

TEST(import, a_short_line_that_lacks_or_misspells_something_is_refused)
{
    const scratch_folder folder;
    const auto first_fault = [&](const json& j) {
        const auto faults = faults_of(j.dump(), folder.file("a.db"));
        return faults.empty() ? std::string("none") : faults.front();
    };
    json j = short_record();
    j.erase("atol");
    EXPECT_EQ(first_fault(j),
              "runs.jsonl:1: no field 'atol'; a line needs problem, solver, rtol, atol, y and nfev, or is a whole record with 'schema'");
    j = short_record();
    j["step"] = j["steps"];
    EXPECT_EQ(first_fault(j), "runs.jsonl:1: unknown field 'step'; did you mean 'steps'?");
    j = short_record();
    j.erase("y");
    EXPECT_EQ(first_fault(j), "runs.jsonl:1: neither 'y' nor 'outcome' found; a run needs a result, or an outcome that says why it has none");
    j = short_record();
    j.erase("nfev");
    EXPECT_EQ(first_fault(j), "runs.jsonl:1: no field 'nfev', the number of evaluations of f; a run that succeeds has made some");
    j = short_record();
    j["y"] = json::array({1.0, 2.0});
    EXPECT_EQ(first_fault(j), "runs.jsonl:1: y: 2 numbers given; allowed: one for each of the 8 components");
    j = short_record();
    j["problem"] = "hiress";
    EXPECT_TRUE(contains_text(first_fault(j), "unknown problem 'hiress'")) << first_fault(j);
    j = short_record();
    j["problem"] = 7;
    EXPECT_NE(first_fault(j), "none");
    j = short_record();
    j["cpu_s"] = "fast";
    EXPECT_NE(first_fault(j), "none");
}

TEST(import, digits_and_success_are_computed_and_not_believed)
{
    const scratch_folder folder;
    json flattered = foreign_record();
    const double digits = flattered["mescd"].get<double>();
    flattered["mescd"] = 15;
    flattered["scd"] = 15;
    json wrong = foreign_record(1e-5);
    for (auto& y : wrong["y"]) y = 1e3;
    json early = foreign_record(1e-6);
    early["t_end_reached"] = 1;
    const auto r = imported(flattered.dump() + "\n" + wrong.dump() + "\n" + early.dump(), folder.file("a.db"));
    EXPECT_EQ(r.judged_otherwise, 2U);
    const auto runs = store(folder.file("a.db"), store::access::read).runs();
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].record.mescd, digits);
    EXPECT_EQ(runs[1].record.outcome, outcome::wrong_answer);
    EXPECT_EQ(runs[2].record.outcome, outcome::wrong_answer);
    EXPECT_TRUE(contains_text(runs[2].record.message, "which is not tend")) << runs[2].record.message;
}

TEST(import, what_is_wrong_is_named_with_its_line_and_nothing_is_stored)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto fault = [&](const std::function<void(json&)>& change) {
        json j = foreign_record();
        change(j);
        const auto all = faults_of(foreign_record().dump() + "\n" + j.dump() + "\n", db);
        EXPECT_FALSE(std::filesystem::exists(db)) << j.dump();
        return all.empty() ? "" : all[0];
    };
    EXPECT_EQ(fault([](json& j) { j.erase("nfev"); }), "runs.jsonl:2: record without field 'nfev'");
    EXPECT_EQ(fault([](json& j) { j["solver_origin"] = "own"; }).substr(0, 45), "runs.jsonl:2: solver_origin: 'own' given; all");
    EXPECT_TRUE(contains_text(fault([](json& j) { j["solver"] = "a (plug-in)"; }), "solver: 'a (plug-in)' given; allowed: letters"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["problem"] = "hiers"; }), "'hiers'"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["problem_origin"] = "plug-in"; }), "problem_origin: 'plug-in' given"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["dimension"] = 9; }), "one for each"));
    EXPECT_TRUE(contains_text(fault([](json& j) {
                                  j["dimension"] = 1;
                                  j["y"] = {1.0};
                              }),
                              "dimension: 1 given; allowed: 8"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["steps"] = -1; }), "record field 'steps'"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["rejected"] = 12345; }), "steps = accepted + rejected"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["cpu_s"] = 1e-12; }), "cpu_s: 1e-12 given; allowed: one of the samples"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["cpu_samples"] = {-1.0, 1.0}; }), "a time below 0 s"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["rtol"] = -1; }), "rtol: a number that is negative"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["rtol"] = {1e-4, 1e-5}; }), "rtol: 2 numbers given"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["parameters"] = {{"nonsense", "1"}}; }), "nonsense"));
    EXPECT_TRUE(contains_text(fault([](json& j) { j["measured_at"] = "tomorrow"; }), "measured_at: 'tomorrow' given; allowed: UTC"));
    EXPECT_EQ(faults_of("{\n", db).size(), 1U);
    EXPECT_EQ(faults_of("", db), std::vector<std::string>{"'runs.jsonl' holds no record"});
    EXPECT_FALSE(std::filesystem::exists(db));
}

TEST(import, another_result_of_the_same_run_is_refused_and_another_version_is_not)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    json j = foreign_record();
    (void)imported(j.dump(), db);
    j["nfev"] = 1;
    const auto all = faults_of(j.dump(), db);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(contains_text(all[0], "runs.jsonl:1: hires with my-radau (program) at rtol 1e-04 is stored with different nfev")) << all[0];
    EXPECT_EQ(store(db, store::access::read).runs()[0].record.nfev, foreign_record()["nfev"].get<std::uint64_t>());
    j["solver_version"] = "2";
    EXPECT_EQ(imported(j.dump(), db).added, 1U);
}

TEST(import, and_merge_wait_for_no_campaign)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const std::string other = folder.file("b.db");
    (void)imported(foreign_record().dump(), db);
    (void)imported(foreign_record(1e-5).dump(), other);
    {
        const store_lock campaign(db);
        EXPECT_EQ(faults_of(foreign_record(1e-7).dump(), db),
                  std::vector<std::string>{"store '" + db + "': another campaign is writing to it, or an import or a merge"});
        EXPECT_TRUE(contains_text(testing::fault_of([&] { (void)merge_stores(db, {other}); }), "another campaign is writing to it"));
    }
    EXPECT_EQ(store(db, store::access::read).count(), 1U);
    EXPECT_EQ(merge_stores(db, {other}).added, 1U);
}

TEST(import, a_text_without_bounds_is_refused)
{
    const scratch_folder folder;
    const auto said = [&](const std::string& line) {
        const auto all = faults_of(line, folder.file("a.db"));
        return all.empty() ? "" : all[0];
    };
    const std::string deep = R"({"schema":1,"x":)" + std::string(300'000, '[') + std::string(300'000, ']') + "}";
    EXPECT_EQ(said(deep), "runs.jsonl:1: not a record: nested arrays and objects: more than 100 found; allowed: that many");
    json wide = foreign_record();
    for (int k = 0; k < 1001; ++k) wide["extra"]["key" + std::to_string(k)] = k;
    EXPECT_EQ(said(wide.dump()), "runs.jsonl:1: not a record: members of one object: more than 1000 found; allowed: that many");
    json text = foreign_record();
    text["message"] = std::string(2000, '[') + std::string(2000, ':') + "\"{";
    EXPECT_EQ(said(text.dump()), "") << "brackets in a text are none";
    json long_word = foreign_record(1e-6);
    long_word["outcome"] = std::string(200'000, 'x');
    EXPECT_LT(said(long_word.dump()).size(), 200U);
    long_word = foreign_record(1e-6);
    long_word["solver_origin"] = std::string(200'000, 'x');
    EXPECT_LT(said(long_word.dump()).size(), 300U);
    json wrong_type = foreign_record(1e-6);
    wrong_type["command"] = 5;
    EXPECT_EQ(said(wrong_type.dump()).find("json.exception"), std::string::npos) << said(wrong_type.dump());
    EXPECT_TRUE(contains_text(said(wrong_type.dump()), "record field 'command': "));
}

TEST(import, and_merge_repeat_foreign_text_in_short_lines)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto said = [&db](const json& j) {
        const auto all = faults_of(j.dump(), db);
        EXPECT_FALSE(all.empty());
        for (const auto& fault : all) {
            EXPECT_LT(fault.size(), 700U);
            EXPECT_EQ(fault.find('\n'), std::string::npos) << fault;
            EXPECT_TRUE(fault.starts_with("runs.jsonl:1: ")) << fault;
        }
        return all.empty() ? "" : all[0];
    };
    const std::string forged = "a\nivp: 7 runs added\n" + std::string(1'000'000, 'x');
    json j = short_record();
    j["problem"] = forged;
    EXPECT_TRUE(contains_text(said(j), "problem: 'a ivp: 7 runs"));
    for (const json& base : {foreign_record(), short_record()}) {
        j = base;
        j["parameters"] = {{forged, "1"}};
        (void)said(j);
        j["parameters"] = {{"N", forged}};
        (void)said(j);
    }
    for (const char* const field : {"host", "campaign"}) {
        j = foreign_record();
        j[field] = forged;
        EXPECT_EQ(said(j), "runs.jsonl:1: " + std::string(field) + ": 1000020 bytes given; allowed: at most 4000");
    }
    for (const char* const field : {"cpu", "os"}) {
        j = foreign_record();
        j["machine"][field] = forged;
        EXPECT_EQ(said(j), "runs.jsonl:1: " + std::string(field) + ": 1000020 bytes given; allowed: at most 4000");
    }
    EXPECT_FALSE(std::filesystem::exists(db));

    stored_run run = testing::sample_run("a\nproblem");
    run.host = "a\nhost" + std::string(900, 'x');
    store(db, store::access::write).add(run);
    run.record.nfev += 1;
    store(folder.file("b.db"), store::access::write).add(run);
    const auto r = merge_stores(folder.file("out.db"), {db, folder.file("b.db")});
    ASSERT_EQ(r.conflicts.size(), 1U);
    EXPECT_TRUE(r.conflicts[0].starts_with("a problem with radau5 at rtol 1e-04: different nfev (a hostxxx")) << r.conflicts[0];
    EXPECT_LT(r.conflicts[0].size(), 700U);
}

TEST(import, a_count_and_a_time_must_be_ones)
{
    const scratch_folder folder;
    const auto said = [&](const char* field, const json& value) {
        json j = foreign_record();
        j[field] = value;
        const auto all = faults_of(j.dump(), folder.file("a.db"));
        return all.empty() ? "" : all[0];
    };
    for (const std::uint64_t count : {18446744073709551615U, std::uint64_t{1} << 63U, (std::uint64_t{1} << 53U) + 1})
        for (const char* const field : {"nfev", "steps", "nsolve"})
            EXPECT_EQ(said(field, count), "runs.jsonl:1: record field '" + std::string(field) + "': " + std::to_string(count) +
                                              " found; allowed: a whole number from 0 to 9007199254740992");
    for (const char* const time : {"9999-99-99T99:99:99Z", "2026-02-29T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
                                   "2026-01-31T12:00:60Z", "2026-00-31T12:00:00Z"})
        EXPECT_TRUE(contains_text(said("measured_at", time), "given; allowed: UTC")) << time;
    EXPECT_EQ(said("nfev", std::uint64_t{1} << 53U), "");
    EXPECT_EQ(store(folder.file("a.db"), store::access::read).runs().at(0).record.nfev, std::uint64_t{1} << 53U);
    std::filesystem::remove(folder.file("a.db"));
    EXPECT_EQ(said("measured_at", "2028-02-29T23:59:59Z"), "");
}

TEST(import, a_problem_of_ones_own_keeps_its_name_and_its_digits)
{
    const scratch_folder folder;
    json j = foreign_record();
    j["problem_origin"] = "program";
    j["mescd"] = 3.25;
    EXPECT_EQ(imported(j.dump(), folder.file("a.db")).added, 1U);
    const auto runs = store(folder.file("a.db"), store::access::read).runs();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].record.full_problem(), "hires (program)");
    EXPECT_EQ(runs[0].record.mescd, 3.25);
}

} // namespace
} // namespace ivp
