#include "campaign/campaign.hpp"

#include "base/sha256.hpp"
#include "campaign/claim.hpp"
#include "campaign/machine_state.hpp"
#include "campaign/sample_runs.hpp"
#include "catalog/content.hpp"
#include "report/comparison.hpp"
#include "store/compare.hpp"
#include "store/fingerprint.hpp"
#include "store/merge.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ivp {
namespace {

using testing::sample_run;
using testing::scratch_folder;

constexpr auto small = R"(name = "small"
repeat = 1
problems = ["hires", "rober", "plei"]
solvers = ["radau5", "dassl", "rodas"]
rtol = [1e-4, 1e-6]
)";

campaign campaign_of(const std::string& text) { return campaign(read_plan(text, "p.toml")); }

std::set<std::string> settings_in(const campaign& c, const shard& part)
{
    std::set<std::string> all;
    for (std::size_t g = 0; g < c.groups(); ++g)
        if (part.has(g))
            for (const auto& r : c.runs(g)) all.insert(r.planned.setting);
    return all;
}

// ---- Fingerprints ----

TEST(fingerprint, sha256_of_known_texts)
{
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(fingerprint, problems_and_solvers_have_one_each)
{
    std::set<std::string> all{problem_content("hires"), problem_content("rober"), solver_content("radau5"),
                              solver_content("dassl"),  solver_content("vode"),   platform_content()};
    EXPECT_EQ(all.size(), 6U);
    for (const auto& hash : all) EXPECT_EQ(hash.size(), 64U);
    EXPECT_EQ(problem_content("hires"), problem_content("hires"));
    const scratch_folder folder;
    std::ofstream(folder.file("a.so")) << "abc";
    EXPECT_EQ(solver_content(folder.file("a.so")), sha256("abc"));
    EXPECT_EQ(solver_content(folder.file("a.so:second-euler")), sha256("abc")) << "one solver of a library: the library counts";
    EXPECT_THROW((void)solver_content(folder.file("b.so")), bad_request);
}

TEST(fingerprint, a_file_has_the_content_that_it_had_when_it_was_opened)
{
    const scratch_folder folder;
    const std::string name = folder.file("a.ivp");
    std::ofstream(name) << "abc";
    const auto same = content_when_opened::of_problem(name);
    EXPECT_EQ(same.confirmed(), sha256("abc"));
    std::ofstream(name) << "abd";
    try {
        (void)same.confirmed();
        FAIL() << "it is another file";
    } catch (const machine_fault& e) {
        EXPECT_EQ(e.what(), "'" + name + "' has changed while it was opened; start again");
    }
    EXPECT_EQ(content_when_opened::of_problem("hires").confirmed(), problem_content("hires"));
    EXPECT_THROW((void)content_when_opened::of_problem(folder.file("none.ivp")).confirmed(), bad_request) << "whoever opens it says why";
}

TEST(fingerprint, a_setting_is_everything_that_decides_the_result_and_nothing_else)
{
    const std::string good = "problems = 'hires'\nsolvers = 'radau5'\nrtol = 1e-4\n";
    const auto setting = [](const std::string& text) { return campaign_of(text).runs(0)[0].planned.setting; };
    const std::string plain = setting(good);
    for (const char* const line : {"atol = 1e-7", "h0 = 1e-5", "hmax = 1.0", "max_steps = 100", "tend = 10.0", "jacobian = 'original'",
                                   "algebra = 'dense'", "set = { k1 = 1.5 }", "restart = 'no'"}) {
        EXPECT_NE(setting(good + line), plain) << line;
    }
    EXPECT_NE(setting("problems = 'hires'\nsolvers = [{ name = 'radau5', options = { safety = 0.8 } }]\nrtol = 1e-4\n"), plain);
    EXPECT_EQ(setting(good + "timeout = 3"), plain);
    EXPECT_EQ(setting(good + "repeat = 7"), plain);
    EXPECT_EQ(setting(good + "restart = 'yes'"), plain);
    EXPECT_EQ(setting("name = 'other'\n" + good), plain);
}

TEST(fingerprint, a_setting_names_what_is_not_of_the_catalog)
{
    run_record r = sample_run().record;
    const std::string own = setting_of(r);
    EXPECT_EQ(own.size(), 64U);
    r.solver_origin = "driver";
    EXPECT_EQ(setting_of(r), own);
    r.solver_origin = "plug-in";
    EXPECT_EQ(setting_of(r), own + " solver: plug-in") << "as the change from schema 1 writes it";
    r.problem_origin = "plug-in";
    EXPECT_EQ(setting_of(r), own + " problem: plug-in solver: plug-in");
}

// ---- The way through the machine ----

TEST(campaign, shards_are_disjoint_and_make_the_whole)
{
    const auto c = campaign_of(small);
    const auto whole = settings_in(c, {});
    EXPECT_EQ(whole.size(), 18U);
    std::set<std::string> joined;
    std::size_t sum = 0;
    for (std::size_t i = 1; i <= 4; ++i) {
        const auto part = settings_in(c, {i, 4});
        sum += part.size();
        joined.insert(part.begin(), part.end());
    }
    EXPECT_EQ(sum, 18U);
    EXPECT_EQ(joined, whole);
}

TEST(campaign, combinations_that_cannot_be_run_are_left_out_with_their_reason)
{
    const auto c = campaign_of("problems = ['caraxis', 'hires']\nsolvers = ['rodas', 'radau5']\nrtol = 1e-4\n");
    ASSERT_EQ(c.left_out().size(), 1U);
    EXPECT_EQ(c.left_out()[0].problem, "caraxis");
    EXPECT_EQ(c.left_out()[0].solver, "rodas");
    EXPECT_NE(c.left_out()[0].why.find("index 3"), std::string::npos);
    EXPECT_EQ(c.runs(0).size(), 1U);
    EXPECT_EQ(c.runs(1).size(), 2U);
}

TEST(campaign, stores_what_a_single_run_gives_once_and_goes_on_where_it_ended)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto c = campaign_of(small);
    campaign_options options;
    std::size_t told = 0;
    options.progress = [&told](const campaign_progress& p) {
        told = p.done;
        EXPECT_EQ(p.total, 18U);
    };
    options.stop = [&told] { return told >= 5; };
    const auto first = run_campaign(c, db, options);
    EXPECT_TRUE(first.stopped);
    EXPECT_GE(first.made, 5U);
    EXPECT_LT(first.made, 18U);
    EXPECT_EQ(store(db, store::access::read).count(), first.made);

    options.stop = {};
    const auto rest = run_campaign(c, db, options);
    EXPECT_FALSE(rest.stopped);
    EXPECT_EQ(rest.stored_before, first.made);
    EXPECT_EQ(rest.made, 18U - first.made);
    EXPECT_EQ(run_campaign(c, db, options).made, 0U);

    const auto runs = store(db, store::access::read).runs({.newest_only = false});
    ASSERT_EQ(runs.size(), 18U);
    for (const auto& r : runs) {
        const bool published_failure = r.record.problem == "rober" && r.record.solver == "dassl";
        EXPECT_TRUE(published_failure || r.record.outcome == outcome::success) << r.record.command;
        EXPECT_EQ(r.record.cpu_samples.size(), 1U);
        EXPECT_EQ(r.campaign, "small");
        EXPECT_EQ(r.measured_at.size(), 20U);
        EXPECT_EQ(r.problem_content, problem_content(r.record.problem));
        EXPECT_EQ(r.solver_content, solver_content(r.record.solver));
    }
    const auto planned = c.runs(0)[0];
    const auto stored = store(db, store::access::read).find(planned.planned);
    ASSERT_TRUE(stored);
    EXPECT_EQ(differing_results(stored->record, measure_run(*planned.problem, *planned.solver, planned.settings)), std::vector<std::string>{});
    EXPECT_EQ(stored->record.command, "ivp run hires radau5 --rtol 1e-04 --repeat 1");
}

TEST(campaign, measured_again_replaces_what_is_stored)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto c = campaign_of("repeat = 1\nproblems = 'hires'\nsolvers = 'radau5'\nrtol = [1e-4, 1e-5]\n");
    (void)run_campaign(c, db, {});
    {
        store s(db, store::access::write);
        stored_run wrong = s.runs()[0];
        wrong.record.steps = 1;
        s.replace(wrong);
        EXPECT_EQ(s.count({.newest_only = false}), 2U);
    }
    campaign_options again;
    again.measure_again = true;
    EXPECT_EQ(run_campaign(c, db, again).made, 2U);
    const auto runs = store(db, store::access::read).runs({.newest_only = false});
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& r : runs) EXPECT_GT(r.record.steps, 1U);
}

TEST(campaign, a_time_limit_ends_a_run_and_is_part_of_its_identity)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const std::string text = "problems = 'rober'\nsolvers = ['vode-adams', 'radau5']\nrtol = 1e-4\nrepeat = 1\n";
    EXPECT_EQ(run_campaign(campaign_of(text + "timeout = 0.1\nmax_steps = 1000000000\n"), db, {}).outcomes[outcome::timed_out], 1U);
    const auto failed = store(db, store::access::read).runs({.outcomes = {outcome::timed_out}});
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].record.solver, "vode-adams");
    EXPECT_FALSE(failed[0].record.message.empty());
    EXPECT_EQ(failed[0].limits, "repeat 1, timeout 0.1 s");
    EXPECT_EQ(run_campaign(campaign_of(text + "timeout = 0.2\nmax_steps = 1000000000\n"), db, {}).made, 2U) << "with another limit it is another run";
}

TEST(campaign, a_solver_that_refuses_when_it_sees_the_run_is_a_row_with_its_reason)
{
    const auto libraries = library_solvers();
    const auto ida = std::ranges::find_if(libraries, [](const library_solver& s) { return s.name == "ida"; });
    if (ida == libraries.end() || !ida->available) GTEST_SKIP() << "SUNDIALS is not installed";
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    // Difference quotients for a sparse matrix: found out in the run.
    const auto s =
        run_campaign(campaign_of("problems = 'tba'\nsolvers = ['ida']\nrtol = 1e-2\njacobian = 'differences'\nalgebra = 'sparse'\n"), db, {});
    EXPECT_EQ(s.made, 1U);
    const auto runs = store(db, store::access::read).runs({.outcomes = {outcome::unsupported}});
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_NE(runs[0].record.message.find("difference quotients"), std::string::npos) << runs[0].record.message;
}

TEST(campaign, more_jobs_than_cores_and_two_campaigns_in_one_store_are_refused)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto c = campaign_of(small);
    campaign_options options;
    options.jobs = usable_cores() + 1;
    EXPECT_THROW((void)run_campaign(c, db, options), bad_request);
    if (usable_cores() > 1 && usable_cores() < 8) {
        options.jobs = 2;
        EXPECT_THROW((void)run_campaign(campaign_of("problems = 'hires'\nsolvers = 'pside'\nrtol = 1e-4\nthreads = 4\n"), db, options), bad_request);
    }
    options.jobs = 1;
    std::string refused;
    options.progress = [&](const campaign_progress& p) {
        if (p.last == nullptr || !refused.empty()) return;
        try {
            (void)run_campaign(c, db, {});
        } catch (const bad_request& e) {
            refused = e.what();
        }
    };
    EXPECT_EQ(run_campaign(c, db, options).made, 18U);
    EXPECT_NE(refused.find("another campaign is writing"), std::string::npos);
}

TEST(campaign, the_forecast_counts_and_learns)
{
    const scratch_folder folder;
    const std::string db = folder.file("a.db");
    const auto c = campaign_of(std::string(small) + "timeout = 4\n");
    const auto before = forecast(c, db, {});
    EXPECT_EQ(before.runs, 18U);
    EXPECT_EQ(before.stored, 0U);
    EXPECT_EQ(before.known, 0U);
    EXPECT_GT(before.seconds, 0);
    EXPECT_DOUBLE_EQ(before.most_seconds, 18 * 4.0);
    EXPECT_FALSE(std::filesystem::exists(db)) << "a forecast leaves nothing behind";
    (void)run_campaign(c, db, {});
    const auto after = forecast(c, db, {});
    EXPECT_EQ(after.stored, 18U);
    EXPECT_EQ(after.seconds, 0);
    const auto finer = forecast(campaign_of("repeat = 1\nproblems = ['hires', 'pollu']\nsolvers = ['radau5', 'vode']\nrtol = 1e-8\n"), db, {});
    EXPECT_EQ(finer.known, 1U) << "hires with radau5";
    EXPECT_TRUE(std::isinf(finer.most_seconds));
}

TEST(campaign, the_forecast_tries_out_what_nothing_is_known_of)
{
    const scratch_folder folder;
    const auto c = campaign_of(small);
    const auto f = forecast(c, folder.file("none.db"), {}, {}, 1000);
    EXPECT_EQ(f.known, 0U);
    EXPECT_EQ(f.tried, f.runs);
    EXPECT_GT(f.seconds, 0);
    EXPECT_FALSE(std::filesystem::exists(folder.file("none.db"))) << "a forecast leaves nothing behind";
    (void)run_campaign(c, folder.file("a.db"), {});
    EXPECT_EQ(forecast(c, folder.file("a.db"), {}, {}, 1000).tried, 0U) << "what is stored needs no trial";
}

// ---- What disturbs ----

TEST(machine_state, samples_tell_of_waiting_and_of_times_that_vary)
{
    run_record r = sample_run().record;
    r.threads = 1;
    r.cpu_samples = {0.010, 0.0101, 0.0102};
    r.wall_samples = {0.010, 0.0101, 0.0102};
    r.cpu_s = 0.010;
    EXPECT_TRUE(notes_on_samples(r).empty());
    r.wall_samples = {0.020, 0.0201, 0.0202};
    ASSERT_EQ(notes_on_samples(r).size(), 1U);
    EXPECT_NE(notes_on_samples(r)[0].find("wait for its core"), std::string::npos);
    r.threads = 2;
    EXPECT_TRUE(notes_on_samples(r).empty()) << "threads wait for each other";
    r.cpu_samples = {0.010, 0.015, 0.016};
    ASSERT_EQ(notes_on_samples(r).size(), 1U);
    EXPECT_NE(notes_on_samples(r)[0].find("varies"), std::string::npos);
}

TEST(machine_state, only_what_others_do_on_other_cores_counts)
{
    const auto ticks = [](const std::string& text) {
        std::istringstream in(text);
        return read_core_ticks(in);
    };
    const auto before = ticks("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 50 800 7 0 0 3 0 0\ncpu1 10 5 20 900 5 1 2 0 0 0\nintr 12 0 1\n");
    ASSERT_EQ(before.size(), 2U);
    EXPECT_EQ(before.at(1).busy, 38U);
    EXPECT_EQ(before.at(0).stolen, 3U);
    EXPECT_EQ(before.at(0).all, 960U);
    const auto quiet = ticks("cpu0 200 0 50 800 7 0 0 3 0 0\ncpu1 14 5 22 990 9 1 2 0 0 0\n");
    const auto loud = ticks("cpu0 200 0 50 800 7 0 0 3 0 0\ncpu1 20 5 25 980 10 1 3 0 0 0\n");
    EXPECT_FALSE(others_were_running(before, quiet, {0}, 0)) << "6 ticks of 100";
    EXPECT_TRUE(others_were_running(before, loud, {0}, 0)) << "16 ticks of 100";
    EXPECT_FALSE(others_were_running(before, loud, {0}, 8)) << "half of them were the campaign's own";
    EXPECT_FALSE(others_were_running(before, loud, {0, 1}, 0)) << "both cores are the campaign's";
    EXPECT_FALSE(others_were_running(before, before, {0}, 0));
}

TEST(machine_state, other_processes_are_noticed)
{
    if (usable_cores() == 1) GTEST_SKIP() << "there is no core beside the one that measures";
    const int busy = usable_cores() + 3;
    std::vector<pid_t> pids;
    for (int k = 0; k < busy; ++k) {
        const pid_t pid = fork();
        if (pid == 0)
            for (std::atomic<unsigned> turns = 0;; ++turns) {}
        pids.push_back(pid);
    }
    const machine_watch watch(0, {{0}, getpid()});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto notes = watch.notes();
    for (const pid_t pid : pids) {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    EXPECT_NE(std::ranges::find(notes, "other processes were running"), notes.end());
}

TEST(claim, is_held_by_one_and_free_after_it)
{
    const std::string name = "test-" + std::to_string(getpid());
    {
        const auto mine = claim::of(name);
        EXPECT_TRUE(mine);
        EXPECT_FALSE(claim::of(name));
        EXPECT_TRUE(claim::of(name + "x"));
    }
    EXPECT_TRUE(claim::of(name));
}

// ---- Merge ----

void make_store(const std::string& path, const std::vector<stored_run>& runs)
{
    store db(path, store::access::write);
    for (const auto& r : runs) db.add(r);
}

TEST(merge, shards_make_the_same_store_as_the_whole)
{
    const scratch_folder folder;
    const auto c = campaign_of(small);
    (void)run_campaign(c, folder.file("whole.db"), {});
    for (std::size_t i = 1; i <= 3; ++i) {
        campaign_options options;
        options.part = {i, 3};
        (void)run_campaign(c, folder.file("part" + std::to_string(i) + ".db"), options);
    }
    const auto r = merge_stores(folder.file("all.db"), {folder.file("part1.db"), folder.file("part2.db"), folder.file("part3.db")});
    EXPECT_EQ(r.added, 18U);
    EXPECT_EQ(r.duplicates, 0U);
    EXPECT_EQ(r.machines.size(), 1U);
    const auto compared = compare_stores(store(folder.file("whole.db"), store::access::read), store(folder.file("all.db"), store::access::read));
    EXPECT_EQ(compared.compared, 18U);
    EXPECT_TRUE(compared.unchanged());
    EXPECT_EQ(compared.added, 0U);
    EXPECT_EQ(run_campaign(c, folder.file("all.db"), {}).made, 0U) << "nothing is left to do";
    EXPECT_EQ(merge_stores(folder.file("all.db"), {folder.file("part2.db")}).duplicates, 6U);
}

TEST(merge, different_results_of_the_same_run_are_a_conflict_and_nothing_is_written)
{
    const scratch_folder folder;
    stored_run other = sample_run();
    other.record.nlu += 1;
    other.record.y[0] += 1e-15;
    other.host = "node2";
    make_store(folder.file("a.db"), {sample_run(), sample_run("rober")});
    make_store(folder.file("b.db"), {other, sample_run("vdpol")});
    const auto r = merge_stores(folder.file("out.db"), {folder.file("a.db"), folder.file("b.db")});
    ASSERT_EQ(r.conflicts.size(), 1U);
    EXPECT_NE(r.conflicts[0].find("hires with radau5 at rtol 1e-04: different y, nlu (node1"), std::string::npos) << r.conflicts[0];
    EXPECT_FALSE(std::filesystem::exists(folder.file("out.db")));
    const auto into = merge_stores(folder.file("a.db"), {folder.file("b.db")});
    EXPECT_EQ(into.conflicts.size(), 1U);
    EXPECT_EQ(store(folder.file("a.db"), store::access::read).count(), 2U) << "an existing store is as it was";
}

TEST(merge, times_may_differ_and_runs_ended_by_the_clock_give_way)
{
    const scratch_folder folder;
    stored_run slower = sample_run();
    slower.record.cpu_s = 9;
    slower.record.cpu_samples = {9, 10};
    stored_run timed_out = sample_run("rober");
    timed_out.record.outcome = outcome::timed_out;
    timed_out.record.steps = 3;
    make_store(folder.file("a.db"), {sample_run(), timed_out});
    make_store(folder.file("b.db"), {slower, sample_run("rober")});
    const auto r = merge_stores(folder.file("out.db"), {folder.file("a.db"), folder.file("b.db")});
    EXPECT_EQ(r.conflicts, std::vector<std::string>{});
    EXPECT_EQ(r.added, 2U);
    EXPECT_EQ(r.duplicates, 1U);
    EXPECT_EQ(r.replaced, 1U);
    const store out(folder.file("out.db"), store::access::read);
    EXPECT_EQ(out.runs({.problems = {"hires"}})[0].record.cpu_s, 0.001) << "the first measurement is kept";
    EXPECT_EQ(out.runs({.problems = {"rober"}})[0].record.outcome, outcome::success);
}

TEST(merge, machines_are_kept_apart)
{
    const scratch_folder folder;
    stored_run elsewhere = sample_run();
    elsewhere.record.machine.cpu = "another";
    elsewhere.record.steps = 7; // other kernels, other last bits
    make_store(folder.file("a.db"), {sample_run()});
    make_store(folder.file("b.db"), {elsewhere});
    const auto r = merge_stores(folder.file("out.db"), {folder.file("a.db"), folder.file("b.db")});
    EXPECT_EQ(r.added, 2U);
    ASSERT_EQ(r.machines.size(), 2U);
    const auto runs = store(folder.file("out.db"), store::access::read).runs();
    EXPECT_NE(runs[0].machine, runs[1].machine);
    EXPECT_THROW((void)merge_stores(folder.file("out2.db"), {folder.file("a.db"), folder.file("none.db")}), bad_request);
    EXPECT_FALSE(std::filesystem::exists(folder.file("out2.db")));
}

// ---- Compare ----

comparison compared(const std::vector<stored_run>& before, const std::vector<stored_run>& after)
{
    const scratch_folder folder;
    make_store(folder.file("a.db"), before);
    make_store(folder.file("b.db"), after);
    return compare_stores(store(folder.file("a.db"), store::access::read), store(folder.file("b.db"), store::access::read));
}

template <class Change>
stored_run with(Change&& change, stored_run r = sample_run())
{
    change(r);
    return r;
}

TEST(compare, every_exact_field_counts)
{
    EXPECT_TRUE(compared({sample_run()}, {sample_run()}).unchanged());
    const auto changed = [](auto&& change) {
        const auto c = compared({sample_run()}, {with(change)});
        return c.changes.size() == 1 && c.changes[0].changed.size() == 1 ? c.changes[0].changed[0] : std::string();
    };
    EXPECT_EQ(changed([](stored_run& r) { r.record.outcome = outcome::newton_failed; }), "outcome");
    EXPECT_EQ(changed([](stored_run& r) { *r.record.scd += 1e-14; }), "scd");
    EXPECT_EQ(changed([](stored_run& r) { r.record.mescd.reset(); }), "mescd");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.steps; }), "steps");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.accepted; }), "accepted");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.nfev; }), "nfev");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.nfev_jac; }), "nfev_jac");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.njac; }), "njac");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.nlu; }), "nlu");
    EXPECT_EQ(changed([](stored_run& r) { ++r.record.nsolve; }), "nsolve");
    EXPECT_EQ(changed([](stored_run& r) { r.record.outcome = outcome::crashed; }), "outcome");
}

TEST(compare, a_guest_with_the_name_of_a_host_is_another_run)
{
    const auto guest = with([](stored_run& r) {
        r.record.solver_origin = "plug-in";
        r.setting += " solver: plug-in";
        ++r.record.steps;
    });
    const auto c = compared({sample_run()}, {guest});
    EXPECT_EQ(c.compared, 0U);
    EXPECT_TRUE(c.changes.empty());
    EXPECT_EQ(c.missing, std::vector<std::string>{"hires with radau5 at rtol 1e-04"});
    EXPECT_EQ(compared({guest}, {sample_run()}).missing, std::vector<std::string>{"hires with radau5 (plug-in) at rtol 1e-04"});
}

TEST(compare, time_is_told_and_never_judged)
{
    const auto slow = with([](stored_run& r) {
        r.record.cpu_s = 0.002;
        r.record.cpu_samples = {0.002, 0.0025};
    });
    const auto c = compared({sample_run()}, {slow});
    EXPECT_TRUE(c.unchanged());
    EXPECT_EQ(c.times, 1U);
    EXPECT_DOUBLE_EQ(c.mean_time_ratio, 2);
    EXPECT_EQ(c.slower.size(), 1U);
    EXPECT_EQ(compared({slow}, {sample_run()}).faster.size(), 1U);
    const auto overlapping = with([](stored_run& r) {
        r.record.cpu_s = 0.00115; // within the spread of the other's samples
        r.record.cpu_samples = {0.00115, 0.002};
    });
    EXPECT_TRUE(compared({sample_run()}, {overlapping}).slower.empty());
    const auto elsewhere = compared({sample_run()}, {with([](stored_run& r) { r.record.machine.cpu = "another"; }, slow)});
    EXPECT_FALSE(elsewhere.same_machine);
    EXPECT_EQ(elsewhere.times, 0U);
    EXPECT_EQ(elsewhere.compared, 1U);
}

TEST(compare, few_samples_are_not_held_against_many)
{
    const auto many = with([](stored_run& r) {
        r.record.repeats = 5;
        r.record.cpu_s = 0.0005;
        r.record.cpu_samples = {0.0005, 0.0006, 0.0006, 0.0006, 0.0006};
    });
    for (const auto& c : {compared({sample_run()}, {many}), compared({many}, {sample_run()})}) {
        EXPECT_EQ(c.times, 0U);
        EXPECT_EQ(c.uneven, 1U);
        EXPECT_TRUE(c.slower.empty() && c.faster.empty());
        EXPECT_TRUE(c.unchanged());
        EXPECT_NE(comparison_table(c, "a.db", "b.db").find("Times of 1 run are not compared: fewer than five samples in one store"),
                  std::string::npos);
    }
    EXPECT_EQ(compared({many}, {many}).uneven, 0U);
    EXPECT_EQ(compared({many}, {many}).times, 1U);
}

TEST(compare, where_the_stores_have_a_machine_in_common_only_its_runs_are_compared)
{
    const auto elsewhere = with([](stored_run& r) {
        r.record.machine.cpu = "another";
        r.record.steps += 5;
    });
    for (const auto& after : {std::vector{sample_run(), elsewhere}, std::vector{elsewhere, sample_run()}}) {
        const auto c = compared({sample_run()}, after);
        EXPECT_EQ(c.compared, 1U);
        EXPECT_EQ(c.times, 1U);
        EXPECT_TRUE(c.unchanged());
        EXPECT_TRUE(compared(after, {sample_run()}).unchanged()) << "and nothing of the other machine is missing";
    }
}

TEST(compare, runs_ended_by_a_clock_are_not_judged)
{
    const auto timed_out = with([](stored_run& r) {
        r.record.outcome = outcome::timed_out;
        r.record.steps = 3;
    });
    const auto c = compared({sample_run()}, {timed_out});
    EXPECT_TRUE(c.unchanged());
    EXPECT_EQ(c.unjudged.size(), 1U);
}

TEST(compare, missing_runs_count_and_further_ones_do_not)
{
    const auto less = compared({sample_run(), sample_run("rober")}, {sample_run()});
    EXPECT_FALSE(less.unchanged());
    EXPECT_EQ(less.missing, std::vector<std::string>{"rober with radau5 at rtol 1e-04"});
    const auto more = compared({sample_run()}, {sample_run(), sample_run("rober")});
    EXPECT_TRUE(more.unchanged());
    EXPECT_EQ(more.added, 1U);
}

TEST(compare, another_version_of_a_solver_is_the_same_run)
{
    const auto c = compared({sample_run()}, {with([](stored_run& r) {
                                r.solver_content = "s2";
                                r.record.solver_version = "2.0";
                                r.record.build.compiler = "clang";
                            })});
    EXPECT_EQ(c.compared, 1U);
    EXPECT_TRUE(c.unchanged());
}

} // namespace
} // namespace ivp
