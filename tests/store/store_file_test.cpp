#include "store/store_file.hpp"

#include "campaign/sample_runs.hpp"
#include "store/processes.hpp"
#include "store/sqlite.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>

namespace ivp {
namespace {

using testing::contains_text;
using testing::fault_of;
using testing::killed_after;
using testing::said_by_child;
using testing::sample_run;
using testing::scratch_folder;

/// A store whose writer was killed: the last run is in the log beside it.
void leave_with_log(const std::string& path)
{
    {
        store db(path, store::access::write);
        db.add(sample_run("hires"));
    }
    killed_after([&] {
        store db(path, store::access::write);
        db.add(sample_run("rober"));
        (void)raise(SIGKILL);
    });
    ASSERT_TRUE(std::filesystem::exists(path + "-wal"));
}

std::uint64_t runs_in(const std::string& path)
{
    const store db(path, store::access::read);
    db.query(
        "PRAGMA integrity_check", [](const auto&) {}, [&path](const query_row& r) { EXPECT_EQ(to_text(r[0]), "ok") << path; });
    return db.count();
}

TEST(store_file, a_hard_link_sees_what_is_in_the_log_of_the_other_name)
{
    for (const auto& [written, linked] : {std::pair("a.db", "b.db"), std::pair("b.db", "a.db")}) {
        const scratch_folder folder;
        const std::string first = folder.file(written);
        const std::string second = folder.file(linked);
        leave_with_log(first);
        std::filesystem::create_hard_link(first, second);
        EXPECT_EQ(runs_in(second), 2U);
        EXPECT_EQ(runs_in(first), 2U);
        {
            store db(second, store::access::write);
            EXPECT_EQ(db.count(), 2U);
            db.add(sample_run("vdpol"));
        }
        EXPECT_EQ(runs_in(first), 3U);
        EXPECT_EQ(runs_in(second), 3U);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 2) << "at rest there is no log";
    }
}

TEST(store_file, two_writers_by_two_names_share_one_log)
{
    const scratch_folder folder;
    const std::string a = folder.file("a.db");
    const std::string b = folder.file("b.db");
    {
        store(a, store::access::write);
    }
    std::filesystem::create_hard_link(a, b);
    {
        store one(b, store::access::write);
        store other(a, store::access::write);
        one.add(sample_run("hires"));
        other.add(sample_run("rober"));
        one.add(sample_run("vdpol"));
        EXPECT_EQ(other.count(), 3U);
        EXPECT_FALSE(std::filesystem::exists(b + "-wal"));
    }
    EXPECT_EQ(runs_in(b), 3U);
}

/// A store whose writer was killed within a transaction without a write-ahead log: some of its changes are in the file, and the journal beside it
/// has what was there before.
void leave_half_written(const std::string& path)
{
    constexpr int runs = 40;
    {
        store db(path, store::access::write);
        db.add_all([&db] {
            for (int k = 0; k < runs; ++k) {
                stored_run run = sample_run("hires", "radau5", 1e-4 + k);
                run.record.message = std::string(10'000, 'x');
                db.add(run);
            }
        });
    }
    killed_after([&path] {
        const sqlite::database db(path, sqlite::mode::write);
        db.execute("PRAGMA cache_size = 1; BEGIN; DELETE FROM run");
        (void)raise(SIGKILL);
    });
    ASSERT_TRUE(std::filesystem::exists(path + "-journal"));
}

TEST(store_file, what_a_killed_writer_left_half_done_is_undone_before_it_is_read)
{
    const scratch_folder folder;
    leave_half_written(folder.file("a.db"));
    EXPECT_EQ(runs_in(folder.file("a.db")), 40U);
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.db-journal")));
}

TEST(store_file, what_a_killed_writer_left_half_done_is_not_read_where_it_cannot_be_undone)
{
    namespace fs = std::filesystem;
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    leave_half_written(path);
    for (const char* const end : {"", "-journal"}) fs::permissions(path + end, fs::perms(0644));
    fs::permissions(folder.file(""), fs::perms(0555));
    const std::string text = said_by_child(testing::become_nobody, [&path] { (void)runs_in(path); });
    fs::permissions(folder.file(""), fs::perms(0755));
    EXPECT_TRUE(contains_text(text, "'" + path + "-journal'")) << text;
    EXPECT_TRUE(contains_text(text, "copy both files")) << text;
    fs::create_directory(folder.file("copy"));
    for (const char* const end : {"", "-journal"}) fs::copy(path + end, folder.file("copy/a.db") + end);
    EXPECT_EQ(runs_in(folder.file("copy/a.db")), 40U) << "as the message says";
    EXPECT_TRUE(fs::exists(path + "-journal")) << "nobody has touched it";
}

TEST(store_file, a_database_that_cannot_have_a_write_ahead_log_says_so)
{
    const sqlite::database db("a.db", sqlite::mode::memory);
    EXPECT_TRUE(contains_text(fault_of([&db] { db.use_write_ahead_log(); }), "no write-ahead log"));
}

TEST(store_file, a_name_in_another_folder_may_hide_a_log)
{
    const scratch_folder folder;
    std::filesystem::create_directory(folder.file("elsewhere"));
    const std::string here = folder.file("a.db");
    const std::string elsewhere = folder.file("elsewhere/a.db");
    leave_with_log(here);
    std::filesystem::create_hard_link(here, elsewhere);
    for (const auto a : {store::access::read, store::access::write}) {
        EXPECT_TRUE(contains_text(fault_of([&] { store(elsewhere, a); }), "another name (hard link) in another folder"));
        EXPECT_FALSE(std::filesystem::exists(elsewhere + "-wal"));
    }
    EXPECT_EQ(runs_in(here), 2U) << "the log is beside this name";
    {
        store(here, store::access::write).add(sample_run("vdpol"));
    }
    EXPECT_EQ(runs_in(elsewhere), 3U) << "at rest it can be read by every name";
    EXPECT_NE(fault_of([&] { store(elsewhere, store::access::write); }), "");
    EXPECT_EQ(runs_in(here), 3U);
}

TEST(store_file, several_names_in_a_folder_that_cannot_be_listed)
{
    namespace fs = std::filesystem;
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        store(path, store::access::write).add(sample_run());
    }
    fs::create_hard_link(path, folder.file("b.db"));
    fs::permissions(path, fs::perms(0666));
    fs::permissions(folder.file(""), fs::perms(0333));
    const std::string read = said_by_child(testing::become_nobody, [&path] {
        if (store(path, store::access::read).count() != 1) throw bad_request("not the one run");
    });
    const std::string write = said_by_child(testing::become_nobody, [&path] { store(path, store::access::write); });
    fs::permissions(folder.file(""), fs::perms(0755));
    EXPECT_EQ(read, "") << "at rest every name is as good";
    EXPECT_TRUE(contains_text(write, "cannot be listed")) << write;
}

TEST(store_file, symbolic_links_lead_to_the_file_and_its_log)
{
    const scratch_folder folder;
    std::filesystem::create_directory(folder.file("elsewhere"));
    std::filesystem::create_symlink("../a.db", folder.file("elsewhere/link.db"));
    {
        store(folder.file("elsewhere/link.db"), store::access::write);
    }
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.file("a.db"))) << "made where the link leads";
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("elsewhere/link.db")));
    leave_with_log(folder.file("a.db"));
    EXPECT_EQ(runs_in(folder.file("elsewhere/link.db")), 2U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("elsewhere")), {}), 1);
}

TEST(store_file, only_plain_files_are_opened)
{
    const scratch_folder folder;
    ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
    for (const auto a : {store::access::read, store::access::write}) {
        EXPECT_TRUE(contains_text(fault_of([&] { store(folder.file("pipe"), a); }), "not a plain file"));
        EXPECT_TRUE(contains_text(fault_of([&] { store("/dev/null", a); }), "not a plain file"));
    }
}

TEST(store_file, a_working_directory_that_is_gone_is_named)
{
    const scratch_folder folder;
    std::filesystem::create_directory(folder.file("gone"));
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.file("gone"));
    std::filesystem::remove(folder.file("gone"));
    for (const auto a : {store::access::read, store::access::write})
        EXPECT_TRUE(contains_text(fault_of([&] { store("x.db", a); }), "working directory does not exist any more"));
    EXPECT_EQ(fault_of([&] { store(folder.file("x.db"), store::access::write); }), "") << "a whole name needs none";
    std::filesystem::current_path(before);
}

TEST(store_file, one_campaign_has_the_lock_whatever_the_name)
{
    const scratch_folder folder;
    const std::string a = folder.file("a.db");
    const std::string b = folder.file("b.db");
    {
        store(a, store::access::write);
    }
    std::filesystem::create_hard_link(a, b);
    {
        const store_lock lock(a);
        for (const auto& name : {a, b}) EXPECT_TRUE(contains_text(fault_of([&] { store_lock second(name); }), "another campaign is writing to it"));
        store db(b, store::access::write);
        EXPECT_TRUE(db.add(sample_run())) << "SQLite's own locks are others";
    }
    EXPECT_EQ(fault_of([&] { store_lock again(b); }), "");
    killed_after([&] { static const store_lock lock(a); });
    EXPECT_EQ(fault_of([&] { store_lock again(b); }), "") << "it ends with its holder";
    EXPECT_TRUE(contains_text(fault_of([&] { store_lock none(folder.file("none.db")); }), "none.db"));
}

TEST(store_file, one_that_is_made_and_not_kept_goes_unless_somebody_has_used_it)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    {
        const filled_store_file made(path);
        EXPECT_TRUE(contains_text(fault_of([&] { store_lock second(path); }), "another campaign is writing to it, or an import or a merge"));
        EXPECT_EQ(runs_in(path), 0U);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 0);
    {
        const filled_store_file made(path);
        store(path, store::access::write).add(sample_run());
    }
    EXPECT_EQ(runs_in(path), 1U) << "another command has stored a run";
    {
        const filled_store_file made(path);
    }
    EXPECT_EQ(runs_in(path), 1U) << "it was there before";
    {
        filled_store_file made(folder.file("b.db"));
        made.keep();
    }
    EXPECT_EQ(runs_in(folder.file("b.db")), 0U);
    {
        const filled_store_file made(folder.file("c.db"));
        std::filesystem::copy_file(folder.file("b.db"), folder.file("d.db"));
        std::filesystem::rename(folder.file("d.db"), folder.file("c.db"));
        store(folder.file("c.db"), store::access::write).add(sample_run());
    }
    EXPECT_EQ(runs_in(folder.file("c.db")), 1U) << "another file has taken the name";
}

TEST(store_file, nothing_is_written_to_a_file_that_has_lost_its_name)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    store db(path, store::access::write);
    EXPECT_TRUE(db.add(sample_run()));
    std::filesystem::rename(path, folder.file("b.db"));
    const std::string fault = fault_of([&] { db.add(sample_run("rober")); });
    EXPECT_EQ(fault, "store '" + path + "': it was moved, removed or replaced while it was in use; what was stored before is where that file is now");
}

TEST(store_file, that_loses_its_name_is_told_whatever_sqlite_meets_first)
{
    const scratch_folder folder;
    const std::string path = folder.file("a.db");
    const std::string lost =
        "store '" + path + "': it was moved, removed or replaced while it was in use; what was stored before is where that file is now";
    const auto begins = [&](const std::function<void(const sqlite::database&)>& work) {
        {
            store db(path, store::access::write);
            (void)db.add(sample_run());
        }
        const sqlite::database db(path, sqlite::mode::write);
        std::filesystem::remove(path);
        return fault_of([&] { work(db); });
    };
    EXPECT_EQ(begins([](const sqlite::database& db) { db.use_write_ahead_log(); }), lost);
    EXPECT_EQ(begins([](const sqlite::database& db) { db.execute("DELETE FROM run"); }), lost);
    EXPECT_EQ(fault_of([&] { store(path, store::access::write_existing); }), lost);
    EXPECT_EQ(fault_of([&] { sqlite::database(path, sqlite::mode::write); }), lost);
    EXPECT_EQ(fault_of([&] { file_in_place{path}; }), lost);
    EXPECT_FALSE(std::filesystem::exists(path)) << "none is made in its place";
}

TEST(store_file, a_store_that_is_made_appears_whole_and_takes_nobodys_place)
{
    const scratch_folder folder;
    make_whole_file(folder.file("x"), "first");
    make_whole_file(folder.file("x"), "second");
    EXPECT_EQ(std::filesystem::file_size(folder.file("x")), 5U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 1);
    EXPECT_TRUE(contains_text(fault_of([&] { make_whole_file(folder.file("no/x"), "y"); }), "cannot make the store"));
}

/// SQLite would apply the log of an earlier store to a new one with its name: runs of another campaign, or a damaged file.
TEST(store_file, a_new_store_does_not_take_the_log_of_an_earlier_one)
{
    for (const char* const end : {"-wal", "-journal", "-shm"}) {
        const scratch_folder folder;
        const std::string name = folder.file("a.db");
        leave_with_log(name);
        std::filesystem::rename(name, folder.file("kept"));
        std::filesystem::rename(name + "-wal", folder.file("kept-wal"));
        std::filesystem::remove(name + "-shm");
        std::filesystem::copy_file(folder.file("kept-wal"), name + end);
        for (const auto& work : {std::function<void()>([&] { store(name, store::access::write); }), std::function<void()>([&] { make_store(name); }),
                                 std::function<void()>([&] { const filled_store_file made(name); })}) {
            const std::string fault = fault_of(work);
            EXPECT_TRUE(contains_text(fault, "store '" + name + "': it does not exist, but '" + name + end + "'")) << fault;
            EXPECT_FALSE(std::filesystem::exists(name));
            EXPECT_TRUE(std::filesystem::exists(name + end)) << "it may hold runs";
        }
        std::filesystem::remove(name + end);
        EXPECT_EQ(fault_of([&] { store(name, store::access::write); }), "");
        EXPECT_EQ(runs_in(name), 0U);
        EXPECT_EQ(runs_in(folder.file("kept")), 2U);
    }
}

} // namespace
} // namespace ivp
