// Other programs: what they said, and what ends them.
#include "base/command.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ivp {

namespace {

constexpr command_limits generous{.seconds = 600, .memory = 1ULL << 30U, .file = 1ULL << 30U};

/// Why it was ended.
std::string ended(const std::string& script, const command_limits& limits)
{
    std::string why;
    const auto r = run_command({"sh", "-c", script}, limits, why);
    EXPECT_FALSE(r) << r->code << r->err;
    return why;
}

} // namespace

TEST(limited_command, tells_what_a_program_said)
{
    std::string why;
    const auto r = run_command({"sh", "-c", "echo 12; echo; echo err >&2; exit 7"}, generous, why);
    ASSERT_TRUE(r) << why;
    EXPECT_EQ(r->code, 7);
    EXPECT_EQ(r->out, "12\n\n");
    EXPECT_EQ(r->err, "err\n");
    const auto silent = run_command({"true"}, generous, why);
    ASSERT_TRUE(silent) << why;
    EXPECT_EQ(silent->out + silent->err, "");
}

TEST(limited_command, is_ended_where_it_takes_too_long)
{
    auto limits = generous;
    limits.seconds = 0.5;
    EXPECT_EQ(ended("sleep 1000; true", limits), "it did not end within 0.5 s");
}

TEST(limited_command, is_ended_where_it_takes_too_much_memory)
{
    auto limits = generous;
    limits.memory = 50U << 20U;
    EXPECT_NE(ended("head -c 1000000000 /dev/zero | tail -c 900000000 | sleep 1000", limits).find("it uses more than"), std::string::npos);
}

TEST(limited_command, writes_no_file_beyond_the_limit)
{
    std::string folder = (std::filesystem::temp_directory_path() / "ivp-command-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    auto limits = generous;
    limits.file = 100000;
    std::string why;
    const auto r = run_command({"sh", "-c", "head -c 10000000 /dev/zero >" + folder + "/file"}, limits, why);
    ASSERT_TRUE(r) << why;
    EXPECT_NE(r->code, 0);
    EXPECT_EQ(std::filesystem::file_size(folder + "/file"), 100000U);
    std::filesystem::remove_all(folder);
}

} // namespace ivp
