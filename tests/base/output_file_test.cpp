// Output files: whole or not at all, never in the place of somebody else's.
#include "base/output_file.hpp"
#include "report/trajectory.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ivp {

namespace {

namespace fs = std::filesystem;

constexpr file_mark ours{"ours,"};

class output_file_test : public ::testing::Test {
protected:
    output_file_test() : folder(fs::temp_directory_path() / ("ivp-output-" + std::to_string(getpid()))) { fs::create_directories(folder); }
    ~output_file_test() override { fs::remove_all(folder); }

    [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
    void put(const std::string& name, const std::string& text) const { std::ofstream(folder / name, std::ios::binary) << text; }
    [[nodiscard]] std::string text(const std::string& name) const
    {
        std::ostringstream all;
        all << std::ifstream(folder / name, std::ios::binary).rdbuf();
        return all.str();
    }
    [[nodiscard]] std::set<std::string> names() const
    {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder)) all.insert(entry.path().filename().string());
        return all;
    }
    void write(const std::string& name, const std::string& content, bool force = false) const
    {
        output_file out(at(name), "--out", ours, force);
        out.stream() << content;
        out.commit();
    }
    [[nodiscard]] std::string refusal(const std::string& name, const std::string& what = "--out") const
    {
        try {
            const output_file out(at(name), what, ours);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "";
    }

    fs::path folder;
};

} // namespace

TEST_F(output_file_test, replaces_its_own_kind_and_empty_files_only)
{
    write("a", "ours,1");
    write("a", "ours,2");
    EXPECT_EQ(text("a"), "ours,2");
    put("empty", "");
    write("empty", "ours,3");
    EXPECT_EQ(text("empty"), "ours,3");

    put("mine", "not ours, at least not at the start");
    EXPECT_EQ(refusal("mine"), "--out: '" + at("mine") +
                                   "' was not written by ivp; allowed: a new name, or that of an earlier file of this kind; --force replaces it");
    EXPECT_EQ(refusal("mine", "demo").find("--force"), std::string::npos) << "where there is no such option";
    put("store", std::string("SQLite format 3\0 ours,", 22));
    EXPECT_NE(refusal("store").find("is a store"), std::string::npos);
    EXPECT_EQ(names(), (std::set<std::string>{"a", "empty", "mine", "store"}));
    write("mine", "ours,4", true);
    EXPECT_EQ(text("mine"), "ours,4");
}

TEST_F(output_file_test, what_cannot_be_read_is_not_replaced)
{
    constexpr uid_t nobody = 65534;
    const auto put_unreadable = [&](const std::string& name) {
        put(name, "somebody's");
        if (getuid() == 0) {
            EXPECT_EQ(::chown(at(name).c_str(), nobody, nobody), 0);
        }
        EXPECT_EQ(::chmod(at(name).c_str(), 0200), 0);
    };
    put_unreadable("secret");
    output_file appeared(at("appeared"), "--out", ours);
    appeared.stream() << "ours,";
    put_unreadable("appeared");
    if (getuid() == 0) { // who may do everything reads everything
        ASSERT_EQ(::seteuid(nobody), 0);
    }
    EXPECT_NE(refusal("secret").find("cannot be read (Permission denied) and may be somebody else's"), std::string::npos) << refusal("secret");
    EXPECT_THROW(appeared.commit(), bad_request);
    if (getuid() == 0) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    for (const auto* const name : {"secret", "appeared"}) {
        EXPECT_EQ(::chmod(at(name).c_str(), 0600), 0);
        EXPECT_EQ(text(name), "somebody's");
    }
}

TEST_F(output_file_test, what_stands_beside_it_is_left_alone)
{
    put("a.partial", "somebody's");
    {
        output_file out(at("a"), "--out", ours);
        out.stream() << "half";
        EXPECT_FALSE(fs::exists(folder / "a"));
        EXPECT_EQ(names().size(), 2U);
    }
    write("a", "ours,1");
    output_file::discard_partial(at("a"));
    EXPECT_EQ(text("a.partial"), "somebody's");
    EXPECT_EQ(names(), (std::set<std::string>{"a", "a.partial"}));
}

TEST_F(output_file_test, what_appears_in_the_meantime_is_judged_too)
{
    const std::string store("SQLite format 3\0 ours,", 22);
    for (const std::string& appeared : {std::string("somebody's"), store}) {
        fs::remove(folder / "a");
        output_file out(at("a"), "--out", ours);
        out.stream() << "ours,1";
        put("a", appeared);
        EXPECT_THROW(out.commit(), bad_request);
        EXPECT_EQ(text("a"), appeared);
    }
    EXPECT_EQ(names(), std::set<std::string>{"a"}) << "nothing half-written";
    fs::remove(folder / "a");
    {
        output_file out(at("a"), "--out", ours);
        out.stream() << "ours,1";
        put("a", "ours,2"); // by the same command in another terminal, it could be
        out.commit();
        EXPECT_EQ(text("a"), "ours,1");
    }
    {
        output_file out(at("a"), "--out", ours); // there from the beginning, then replaced
        out.stream() << "ours,3";
        put("a", "somebody's");
        EXPECT_THROW(out.commit(), bad_request);
    }
    EXPECT_EQ(text("a"), "somebody's");
    {
        output_file out(at("a"), "--out", ours, true);
        out.stream() << "ours,4";
        put("a", store);
        out.commit();
    }
    EXPECT_EQ(text("a"), "ours,4");
    fs::remove(folder / "a");
    {
        output_file out(at("a"), "--out", ours);
        ASSERT_EQ(::mkfifo(at("a").c_str(), 0600), 0); // who reads it waits
        EXPECT_THROW(out.commit(), bad_request);
    }
    EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(output_file_test, one_file_by_two_names_is_given_twice)
{
    output_file out(at("a"), "--out", ours);
    EXPECT_NE(refusal("./a").find("given twice"), std::string::npos) << refusal("./a");
    fs::create_symlink("a", folder / "link");
    EXPECT_NE(refusal("link").find("given twice"), std::string::npos) << refusal("link");
    out.stream() << "ours,";
    out.commit();
    EXPECT_EQ(text("a"), "ours,");
    output_file x(at(std::string(200, 'x') + "1"), "--out", ours);
    EXPECT_EQ(refusal(std::string(200, 'x') + "2"), "") << "another file, though its name begins like that";
}

TEST_F(output_file_test, links_are_followed_and_modes_kept)
{
    fs::create_directory(folder / "there");
    fs::create_symlink("there/real", folder / "link");
    write("link", "ours,1"); // the file is still to be made
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(text("there/real"), "ours,1");
    EXPECT_EQ(::chmod(at("there/real").c_str(), 0604), 0);
    write("link", "ours,2");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    struct stat s {};
    ASSERT_EQ(::stat(at("there/real").c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777U, 0604U);
    EXPECT_EQ(text("link"), "ours,2");

    const mode_t mask = ::umask(027);
    write("new", "ours,");
    ::umask(mask);
    ASSERT_EQ(::stat(at("new").c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777U, 0640U) << "as the user's mask says";
    fs::create_symlink("loop", folder / "loop");
    EXPECT_NE(refusal("loop"), "");
}

TEST_F(output_file_test, what_is_open_already_is_written_where_it_stands)
{
    const int file = ::open(at("a").c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_EQ(::write(file, "somebody's\n", 11), 11);
    const auto same = [&] {
        struct stat s {};
        EXPECT_EQ(::fstat(file, &s), 0);
        return s.st_nlink == 1;
    };
    for (const char* const of_mine : {"/dev/fd/", "/proc/self/fd/"}) {
        output_file out(of_mine + std::to_string(file), "--out", ours);
        out.stream() << "ours\n";
        out.commit();
        EXPECT_TRUE(same()) << "it is not another file by now";
    }
    ASSERT_EQ(::write(file, "end\n", 4), 4);
    ::close(file);
    EXPECT_EQ(text("a"), "somebody's\nours\nours\nend\n");
    EXPECT_THROW(output_file("/dev/fd/" + std::to_string(file), "--out", ours), bad_request) << "open no more";
    EXPECT_EQ(names(), std::set<std::string>{"a"});

    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    output_file out("/dev/fd/" + std::to_string(ends[1]), "--out", ours);
    ::close(ends[0]);
    out.stream() << "nobody reads it";
    EXPECT_THROW(out.commit(), bad_request);
    ::close(ends[1]);
}

TEST_F(output_file_test, any_name_that_a_file_can_have)
{
    for (const auto& name : {std::string("it's, \"so\" $(to) say"), std::string(255, 'x'), std::string("line\nbreak"), std::string("\xFF")}) {
        write(name, "ours,");
        EXPECT_EQ(text(name), "ours,") << name;
    }
    EXPECT_NE(refusal(std::string(256, 'x')), "");
    EXPECT_EQ(refusal("no/folder").substr(0, 19), "--out: cannot write");
    fs::create_directory(folder / "d");
    EXPECT_NE(refusal("d").find("it is a directory"), std::string::npos);
}

TEST_F(output_file_test, a_trial_says_the_same_and_leaves_nothing)
{
    put("mine", "not ours");
    EXPECT_THROW(output_file::try_out(at("mine"), "--out", ours), bad_request);
    EXPECT_THROW(output_file::try_out(at("no/folder"), "--out", ours), bad_request);
    output_file::try_out(at("mine"), "--out", ours, true);
    output_file::try_out(at("new"), "--out", ours);
    EXPECT_EQ(names(), std::set<std::string>{"mine"});
    EXPECT_EQ(text("mine"), "not ours");
}

TEST_F(output_file_test, a_child_that_died_leaves_what_its_parent_can_remove)
{
    const pid_t child = fork();
    if (child == 0) {
        output_file out(at("a"), "--out", ours);
        out.stream() << "half" << std::flush;
        ::_exit(0); // no destructor
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(names().size(), 1U);
    output_file::discard_partial(at("a"));
    EXPECT_TRUE(names().empty());

    output_file out(at("b"), "--out", ours);
    const pid_t second = fork();
    if (second == 0) {
        out.~output_file(); // the copy of a child removes nothing
        ::_exit(0);
    }
    ASSERT_EQ(waitpid(second, &status, 0), second);
    out.stream() << "ours,";
    out.commit();
    EXPECT_EQ(text("b"), "ours,");
}

TEST_F(output_file_test, a_trajectory_is_known_by_its_head)
{
    const problem p = open_problem("rober");
    for (int k = 0; k < 2; ++k) { // the second one replaces the first
        trajectory_writer writer(at("t.csv"), p);
        writer.commit();
    }
    EXPECT_EQ(text("t.csv"), "t,A,B,C\n0,1,0,0\n");
    put("store.db", std::string("SQLite format 3\0", 16));
    EXPECT_THROW(trajectory_writer(at("store.db"), p), bad_request);
    trajectory_writer(at("store.db"), p, {.force = true}).commit();
    EXPECT_EQ(text("store.db").substr(0, 4), "t,A,");
}

TEST_F(output_file_test, a_trajectory_may_be_an_array_of_numpy)
{
    const problem p = open_problem("rober");
    const std::vector<double> y{0.5, 0.25, 0.125};
    for (int k = 0; k < 2; ++k) { // the second one replaces the first
        trajectory_writer writer(at("t.npy"), p, {.components = {2, 0}});
        (void)writer.on_step({0.0, 1.0, 1.0, y, 1.0, 0.0, {}, {}, nullptr});
        writer.commit();
    }
    const std::string file = text("t.npy");
    ASSERT_EQ(file.size(), 128 + 2 * 3 * sizeof(double));
    EXPECT_EQ(file.substr(0, 6), "\x93NUMPY");
    EXPECT_NE(file.find("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"), std::string::npos);
    EXPECT_EQ(file[127], '\n');
    std::array<double, 6> rows{};
    std::memcpy(rows.data(), file.data() + 128, sizeof rows);
    EXPECT_EQ(rows, (std::array<double, 6>{0.0, 0.0, 1.0, 1.0, 0.125, 0.5}));
    trajectory_writer(at("some.csv"), p, {.components = {1}}).commit();
    EXPECT_EQ(text("some.csv"), "t,B\n0,0\n");
    put("other.npy", "not an array");
    EXPECT_THROW(trajectory_writer(at("other.npy"), p), bad_request);
}

} // namespace ivp
