// Characters, lines and lists of words.
#include "base/labels.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ivp {

TEST(text, characters_are_read_as_unicode_defines_them)
{
    const auto code = [](std::string_view text) { return first_code_point(text).code; };
    EXPECT_EQ(code("A"), U'A');
    EXPECT_EQ(code("\xC3\xA9"), U'\u00E9');
    EXPECT_EQ(code("\xE2\x88\x92"), U'\u2212');
    EXPECT_EQ(code("\xF0\x9D\x91\x9F"), U'\U0001D45F');
    EXPECT_EQ(code("\xF4\x8F\xBF\xBF"), U'\U0010FFFF');
    for (const char32_t c : {0x7F, 0x80, 0x7FF, 0x800, 0xFFFE, 0x10000, 0x10FFFF}) {
        EXPECT_EQ(code(utf8(c)), c);
        EXPECT_EQ(first_code_point(utf8(c) + "x").bytes, utf8(c));
    }
}

TEST(text, what_is_not_utf8_is_one_byte_and_no_character)
{
    for (const char* broken : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE2\x88", "\xE2(\xA1", "\xE0\x80\xAF", "\xED\xA0\x80",
                               "\xF0\x80\x80\x80", "\xF0\x9D\x91", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
        EXPECT_EQ(first_code_point(broken).code, replacement_character);
        EXPECT_EQ(first_code_point(broken).bytes.size(), 1U);
    }
    EXPECT_EQ(repaired_utf8("a\xFF\xC3\xA9\xC3"), "a\uFFFD\u00E9\uFFFD");
}

TEST(text, controls_are_those_that_change_what_stands_around_them)
{
    for (const char32_t c :
         {0x00, 0x1B, 0x0D, 0x0A, 0x7F, 0x80, 0x9B, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE0041})
        EXPECT_TRUE(is_control(c)) << static_cast<unsigned>(c);
    for (const char32_t c : {0x20, 0x7E, 0xA0, 0xE9, 0x2027, 0x202F, 0x2212, 0xFFFD, 0x1D45F})
        EXPECT_FALSE(is_control(c)) << static_cast<unsigned>(c);
}

TEST(text, long_text_is_cut_between_characters)
{
    EXPECT_EQ(cut("abcd", 4), "abcd");
    EXPECT_EQ(cut("abcde", 4), "abc\u2026");
    EXPECT_EQ(cut("\u00E9\u00E9\u00E9", 2), "\u00E9\u2026");
    EXPECT_EQ(cut("abc", 1), "\u2026");
    EXPECT_EQ(cut("", 1), "");
}

TEST(text, a_foreign_text_becomes_one_line)
{
    EXPECT_EQ(plain_line("a\nb\x1B[31mc \u202E d\xFF \r\n"), "a b [31mc   d\uFFFD");
    EXPECT_EQ(plain_line(std::string(100, 'x'), 10), "xxxxxxxxx\u2026");
    EXPECT_EQ(plain_line(""), "");
}

TEST(text, words)
{
    EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, ", "), "a, b");
    EXPECT_EQ(counted(1, "run"), "1 run");
    EXPECT_EQ(counted(0, "run"), "0 runs");
    EXPECT_EQ(wrapped("aa bb cc", 5, 2), "aa bb\n  cc");
}

TEST(text, is_divided_into_words_and_lines)
{
    using words = std::vector<std::string>;
    EXPECT_EQ(split("a,,b", ','), (words{"a", "", "b"}));
    EXPECT_EQ(split("", ','), words{""});
    EXPECT_EQ(split("a,", ','), (words{"a", ""}));
    EXPECT_EQ(lines_of("a\n\nb"), (words{"a", "", "b"}));
    EXPECT_EQ(lines_of("a\n"), words{"a"});
    EXPECT_TRUE(lines_of("").empty());
    EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
}

TEST(text, rows_are_aligned_by_their_widest_words)
{
    EXPECT_EQ(aligned({{"a", "bb"}, {"ccc"}, {"d", "e", "f"}}, " ", "  "), " a    bb\n ccc\n d    e   f\n");
    EXPECT_EQ(aligned({}, "", " "), "");
}

TEST(labels, lead_both_ways)
{
    enum class fruit { apple, pear };
    constexpr enum_labels<fruit, 2> labels{{"apple", "pear"}};
    EXPECT_EQ(labels[fruit::pear], "pear");
    EXPECT_EQ(labels.find("apple"), fruit::apple);
    EXPECT_FALSE(labels.find("plum"));
}

TEST(whole_file, is_written_with_its_folder_and_read_again)
{
    const std::filesystem::path folder = testing::TempDir() + "ivp-whole-file";
    std::filesystem::remove_all(folder);
    EXPECT_FALSE(read_whole(folder / "a"));
    write_whole(folder / "a", "one\n");
    write_whole(folder / "a", "two\n");
    EXPECT_EQ(read_whole(folder / "a"), "two\n");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.partial"));
    EXPECT_THROW(write_whole(folder / "a" / "b", "a file is no folder"), bad_request);
    std::filesystem::remove_all(folder);
}

} // namespace ivp
