// One line of settings.def is enough: plans, commands, records, fingerprints and the store take every setting from there.
#include "campaign/campaign.hpp"
#include "campaign/sample_runs.hpp"
#include "model/record_fields.hpp"
#include "model/settings_fields.hpp"
#include "store/fingerprint.hpp"

#include <ivp/store.hpp>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ivp {

namespace {

using testing::scratch_folder;

/// A value that is allowed and not the default, as text.
template <class T>
std::string another_value(const setting<T>& line)
{
    using value = plain_setting<T>;
    if constexpr (is_word<value>) {
        for (const auto word : setting_words<value>())
            if (word != as_recorded(line.value)) return std::string(word);
        return "";
    } else if constexpr (std::is_floating_point_v<value>) {
        return "0.5";
    } else {
        return "3";
    }
}

/// PSIDE takes everything: a first step, threads, all algebra.
constexpr auto plain_plan = "problems = 'hires'\nsolvers = 'pside'\nrtol = 1e-4\n";

stored_run planned(const std::string& plan) { return campaign(read_plan(plan, "p.toml")).runs(0)[0].planned; }

class every_setting : public ::testing::Test {
protected:
    /// visit(line, text of another value, the run of a plan that asks for it)
    template <class Visit>
    void for_each(const Visit& visit) const
    {
        const run_settings defaults;
        for_each_setting(defaults, [&visit](const auto& line, const auto& value) {
            using value_type = plain_setting<std::remove_cvref_t<decltype(value)>>;
            const std::string text = another_value(line);
            const std::string quote = is_word<value_type> ? "'" : "";
            SCOPED_TRACE(std::string(line.name) + " = " + text);
            visit(line, text, planned(plain_plan + std::string(line.name) + " = " + quote + text + quote + "\n"));
        });
    }
    const stored_run plain_ = planned(plain_plan);
};

} // namespace

TEST_F(every_setting, is_a_key_of_plans_and_an_option_of_the_command_that_repeats_the_run)
{
    EXPECT_EQ(plain_.record.command, "ivp run hires pside --rtol 1e-04");
    for_each([this](const auto& line, const std::string& text, const stored_run& run) {
        EXPECT_EQ(run.record.command, plain_.record.command + " --" + with_dashes(line.name) + " " + text);
    });
}

TEST_F(every_setting, is_part_of_what_identifies_a_run)
{
    for_each([this](const auto& line, const std::string& text, const stored_run& run) {
        if (line.kind == setting_kind::limit) {
            EXPECT_EQ(run.setting, plain_.setting);
            EXPECT_NE(run.limits.find(with_dashes(line.name) + " " + text), std::string::npos) << run.limits;
        } else {
            EXPECT_NE(run.setting, plain_.setting);
            EXPECT_EQ(run.limits, plain_.limits);
        }
    });
}

TEST_F(every_setting, of_an_integration_is_in_the_record_and_has_a_column)
{
    const scratch_folder folder;
    store db(folder.file("a.db"), store::access::write);
    for_each([&db](const auto& line, const std::string& text, const stored_run& run) {
        if (line.kind == setting_kind::limit) return;
        const auto kept = nlohmann::json::parse(to_json(run.record)).at(std::string(line.name));
        const bool known = line.name != "algebra"; // which only the run tells
        EXPECT_TRUE(!known || (kept.is_string() ? kept.get<std::string>() : to_text(kept.get<double>())) == text) << kept;
        stored_run finished = run;
        finished.measured_at = "2026-01-01T00:00:00Z";
        EXPECT_TRUE(db.add(finished));
        EXPECT_EQ(db.runs().back().record, finished.record);
        EXPECT_EQ(nlohmann::json::parse(to_json(record_from_json(to_json(run.record)))), nlohmann::json::parse(to_json(run.record)));
        std::string found;
        db.query(
            "SELECT " + std::string(line.name) + " FROM runs ORDER BY id DESC LIMIT 1", [](const auto&) {},
            [&found](const query_row& row) { found = ivp::to_text(row[0]); });
        EXPECT_TRUE(!known || found == text) << found;
    });
}

TEST_F(every_setting, that_came_later_may_be_missing_in_a_record_and_then_has_its_default)
{
    const auto whole = nlohmann::json::parse(to_json(plain_.record));
    for_each_integration_setting(plain_.record, [&](const auto& line, const auto& value) {
        auto older = whole;
        older.erase(std::string(line.name));
        if (line.since == 1) {
            EXPECT_THROW((void)record_from_json(older.dump()), std::invalid_argument) << line.name;
            return;
        }
        const run_record r = record_from_json(older.dump());
        EXPECT_EQ(setting_of(r), setting_of(plain_.record)) << line.name;
        EXPECT_EQ(value, as_recorded(line.value)) << line.name;
    });
}

// The fingerprints of stores that exist: no list of settings may change them.
TEST(settings, keep_the_fingerprints_of_stored_runs)
{
    using key = std::tuple<std::string, std::string, double>;
    const store db(std::string(IVP_SOURCE) + "/data/results/standard.db", store::access::read);
    std::map<key, std::set<std::string>> stored;
    db.for_each_run({}, [&stored](const stored_run& r) { stored[{r.record.problem, r.record.solver, r.record.rtol_asked}].insert(r.setting); });
    ASSERT_GT(stored.size(), 500U);
    const campaign c(preset_plan("standard"));
    std::size_t compared = 0;
    for (std::size_t g = 0; g < c.groups(); ++g)
        for (const auto& run : c.runs(g)) {
            const auto found = stored.find({run.planned.record.problem, run.planned.record.solver, run.planned.record.rtol_asked});
            if (found == stored.end()) continue; // a solver that came after the store
            EXPECT_TRUE(found->second.contains(run.planned.setting)) << run.settings.command;
            ++compared;
        }
    EXPECT_GT(compared, 500U);
}

} // namespace ivp
