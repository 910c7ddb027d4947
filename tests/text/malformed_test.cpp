// Texts with faults, each with its exact message: malformed.txt has a case after each line "=== name", the message behind "--->".
#include "base/text.hpp"
#include "text/text_problem.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ivp {

namespace {

struct bad_text {
    std::string name;
    std::string text;
    std::string message;
};

std::vector<bad_text> all_cases()
{
    std::ifstream in(IVP_MALFORMED_FILE);
    std::vector<bad_text> all;
    std::string* part = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("=== ")) {
            all.push_back({line.substr(4), "", ""});
            part = &all.back().text;
        } else if (line == "--->") {
            part = &all.back().message;
        } else if (part != nullptr) {
            *part += line + "\n";
        }
    }
    return all;
}

std::string message_of(const std::string& text)
{
    try {
        (void)text_problem("x.ivp", text);
    } catch (const bad_request& e) {
        return std::string(e.what()) + "\n";
    }
    return "nothing wrong\n";
}

} // namespace

TEST(Malformed, EveryFaultHasItsMessage)
{
    const auto all = all_cases();
    EXPECT_GE(all.size(), 60U);
    for (const auto& c : all) EXPECT_EQ(message_of(c.text), c.message) << c.name;
}

TEST(Malformed, BytesThatAreNoText)
{
    using namespace std::string_literals;
    const std::string zeros = "interval 0 .. 1\n\0\x1b[31m\nstate x = 1\nx' = 1\n"s;
    EXPECT_NE(message_of(zeros).find("x.ivp:2:1: a control character found"), std::string::npos);
    EXPECT_NE(message_of("state x = \xff 1\n").find("x.ivp:1:11: a byte that is not UTF-8 found"), std::string::npos);
    EXPECT_NE(message_of("state x\xc3\xbc = 1\n").find("x.ivp:1:8: the character '\xc3\xbc' found"), std::string::npos);
}

TEST(Malformed, DepthAndSizeAreBounded)
{
    EXPECT_NE(message_of("interval 0 .. 1\nstate x = 1\nx' = " + std::string(100000, '(') + "x\n").find("nested brackets, powers or conditions"),
              std::string::npos);
    EXPECT_NE(message_of("interval 0 .. 1\nstate x = 1\nx' = " + std::string(100000, '-') + "x\n").find("nested"), std::string::npos);
    std::string chain = "interval 0 .. 1\nstate x = 1\nlet a0 = x\n";
    for (int k = 3000; k > 0; --k) chain += "let a" + std::to_string(k) + " = a" + std::to_string(k - 1) + " + 1\n";
    EXPECT_NE(message_of(chain + "x' = a3000\n").find("nested expressions"), std::string::npos);
    EXPECT_NE(message_of("interval 0 .. 1\nstate x[1..3000000] = 1\n").find("allowed: at most 2000000"), std::string::npos);
    EXPECT_NE(message_of("interval 0 .. 1\nconstant c = sum(i in 1..100000 : sum(j in 1..100000 : i*j))\nstate x = c\nx' = 1\n").find("operations"),
              std::string::npos);
    // A sum with very many terms is no depth.
    std::string many = "interval 0 .. 1\nstate x = 1\nx' = x";
    for (int k = 0; k < 50000; ++k) many += " + x";
    EXPECT_EQ(message_of(many + "\n"), "nothing wrong\n");
}

TEST(Malformed, AtMostTwentyAtOnce)
{
    std::string text = "interval 0 .. 1\nstate x = 1\nx' = 0\n";
    for (int k = 0; k < 40; ++k) text += "x' = = 1\n";
    try {
        (void)text_problem("x.ivp", text);
        FAIL();
    } catch (const bad_request& e) {
        EXPECT_EQ(e.faults().size(), 20U);
    }
}

TEST(Malformed, WhatOnceEndedTheReaderIsRefusedOrRead)
{
    const std::string begin = "interval 0 .. 1\nstate x = 1\nx' = -x\n";
    for (const std::string line : {"tolerance", "tolerance rtol", "tolerance rtol =", "tolerance rtol = 1e-4, atol", "tolerance rtol = 1e-4,"}) {
        try {
            (void)text_problem("x.ivp", begin + line + "\n");
            ADD_FAILURE() << line;
        } catch (const bad_request& e) {
            ASSERT_FALSE(e.faults().empty());
            EXPECT_TRUE(e.faults()[0].starts_with("x.ivp:4:") || e.faults()[0].starts_with("x.ivp:5:")) << e.faults()[0];
        }
    }
    for (const std::string chapter : {"\xff\xfe\x80", "# \xc3", "$\xe2\x82$ and \xf0\x9f", "\xed\xa0\x80 a surrogate"}) {
        const problem p = text_problem("x.ivp", begin + "---\n" + chapter + "\n");
        const std::string_view shown = p.chapter().markdown;
        EXPECT_EQ(repaired_utf8(shown), shown) << "a chapter is UTF-8, whatever the file has";
    }
}

} // namespace ivp
