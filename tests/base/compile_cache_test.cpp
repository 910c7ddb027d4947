// The folder of compiled libraries: it stays below its limits, and nobody else can put a library there.
#include "base/compile_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace ivp {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CompileCache : public testing::Test {
protected:
    CompileCache()
    {
        std::string name = (fs::temp_directory_path() / "ivp-cache-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        for (const char* const variable : {"XDG_CACHE_HOME", "HOME", "TMPDIR"})
            if (const char* const value = std::getenv(variable)) before_.emplace_back(variable, value);
        set("XDG_CACHE_HOME", "xdg");
        set("HOME", "home");
        set("TMPDIR", "tmp");
    }
    ~CompileCache() override
    {
        for (const char* const variable : {"XDG_CACHE_HOME", "HOME", "TMPDIR"}) unsetenv(variable);
        for (const auto& [variable, value] : before_) setenv(variable.c_str(), value.c_str(), 1);
        fs::remove_all(folder_);
    }
    CompileCache(const CompileCache&) = delete;
    CompileCache& operator=(const CompileCache&) = delete;

    void set(const char* variable, const std::string& name)
    {
        fs::create_directories(folder_ / name);
        setenv(variable, (folder_ / name).c_str(), 1);
    }

    /// Files of so many bytes; number 1 was used last.
    void fill(const std::string& ending, int count, std::uintmax_t bytes)
    {
        for (int k = 1; k <= count; ++k) {
            const fs::path file = folder_ / (std::to_string(k) + ending);
            std::ofstream(file) << "";
            fs::resize_file(file, bytes);
            fs::last_write_time(file, fs::file_time_type::clock::now() - 1min * k);
        }
    }

    [[nodiscard]] std::set<std::string> left(const std::string& ending) const
    {
        std::set<std::string> names;
        for (const auto& f : fs::directory_iterator(folder_))
            if (f.path().extension() == ending) names.insert(f.path().stem().string());
        return names;
    }

    fs::path folder_;

private:
    std::vector<std::pair<std::string, std::string>> before_;
};

fs::perms rights_of(const fs::path& folder) { return fs::status(folder).permissions(); }

} // namespace

TEST_F(CompileCache, StaysBelowItsBytes)
{
    fill(".so", 10, 1000);
    make_room(folder_, {.bytes = 3500});
    EXPECT_EQ(left(".so"), (std::set<std::string>{"1", "2", "3"})) << "those used last stay";
    make_room(folder_, {.bytes = 3000});
    EXPECT_EQ(left(".so").size(), 3U) << "the limit itself is allowed";
    make_room(folder_, {.bytes = 999});
    EXPECT_TRUE(left(".so").empty());
}

TEST_F(CompileCache, ALargeLibraryCountsAsWhatItIs)
{
    fill(".so", 3, 10);
    fs::resize_file(folder_ / "3.so", 5000);
    fs::last_write_time(folder_ / "3.so", fs::file_time_type::clock::now() - 1h); // still the oldest
    make_room(folder_, {.bytes = 100});
    EXPECT_EQ(left(".so"), (std::set<std::string>{"1", "2"})) << "with it gone the others fit";
}

TEST_F(CompileCache, StaysBelowItsFiles)
{
    fill(".so", 10, 10);
    make_room(folder_, {.files = 4});
    EXPECT_EQ(left(".so"), (std::set<std::string>{"1", "2", "3", "4"}));
}

TEST_F(CompileCache, WhatIsInUseStays)
{
    fill(".so", 10, 1000);
    make_room(folder_, {.files = 1, .bytes = 1, .in_use = 5min + 30s});
    EXPECT_EQ(left(".so"), (std::set<std::string>{"1", "2", "3", "4", "5"}));
}

TEST_F(CompileCache, WhatInterruptedCompilationsLeftGoes)
{
    fill(".part", 2, 1000);
    fs::last_write_time(folder_ / "2.part", fs::file_time_type::clock::now() - 2h);
    for (const char* const name : {"build-old", "build-new"}) fs::create_directory(folder_ / name);
    std::ofstream(folder_ / "build-old" / "problem.f") << "x";
    fs::last_write_time(folder_ / "build-old", fs::file_time_type::clock::now() - 2h);
    make_room(folder_, {});
    EXPECT_EQ(left(".part"), std::set<std::string>{"1"});
    EXPECT_FALSE(fs::exists(folder_ / "build-old"));
    EXPECT_TRUE(fs::exists(folder_ / "build-new"));
}

TEST_F(CompileCache, IsTheUsersAloneWhateverTheMaskSays)
{
    const mode_t before = umask(0);
    const auto cache = compile_cache("models");
    umask(before);
    ASSERT_TRUE(cache);
    EXPECT_EQ(*cache, folder_ / "xdg" / "ivp" / "models");
    EXPECT_EQ(rights_of(*cache), fs::perms::owner_all);
    EXPECT_EQ(rights_of(cache->parent_path()) & (fs::perms::group_write | fs::perms::others_write), fs::perms::none);
}

TEST_F(CompileCache, AFolderThatOthersCanWriteToOrALinkIsNotUsed)
{
    fs::create_directories(folder_ / "xdg" / "ivp" / "models");
    fs::permissions(folder_ / "xdg" / "ivp" / "models", fs::perms::all);
    EXPECT_EQ(compile_cache("models"), folder_ / "home" / ".cache" / "ivp" / "models");
    fs::remove_all(folder_ / "home" / ".cache" / "ivp" / "models");
    fs::create_directory_symlink(folder_ / "tmp", folder_ / "home" / ".cache" / "ivp" / "models");
    const auto last = compile_cache("models");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->parent_path().parent_path(), folder_ / "tmp");
    fs::permissions(*last, fs::perms::all);
    EXPECT_FALSE(compile_cache("models"));
}

} // namespace ivp
