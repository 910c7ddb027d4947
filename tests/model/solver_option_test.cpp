#include "model/option_table.hpp"

#include <gtest/gtest.h>

namespace ivp {

namespace {

struct settings {
    double safety = 0.9;
    int nit = 7;
    std::uint64_t calls = 10'000'000'000;
    bool predictive = true;
    int method = 2;
    int stages = 3;
};

const option_table<settings>& table()
{
    using s = settings;
    static const option_table<s> all{{
        bind::real("safety", &s::safety, 0.1, 0.99, "a factor"),
        bind::whole("nit", &s::nit, 3, 50, "iterations"),
        bind::whole("calls", &s::calls, 0, 1e15, "calls"),
        bind::flag("predictive", &s::predictive, "step control"),
        bind::choice("method", &s::method, {{"standard", 1}, {"other", 2}}, "coefficients"),
        bind::one_of("stages", &s::stages, {1, 3, 5}, "stages"),
    }};
    return all;
}

} // namespace

TEST(solver_option, is_described_with_the_default_of_its_member)
{
    const auto all = table().describe();
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[0].value, 0.9);
    EXPECT_EQ(all[2].value, 1e10);
    EXPECT_EQ(all[3].value, 1);
    EXPECT_EQ(all[0].kind, option_kind::real);
    EXPECT_EQ(all[1].kind, option_kind::whole);
    EXPECT_EQ(all[0].allowed(), "a number from 0.1 to 0.99");
    EXPECT_EQ(all[1].allowed(), "a whole number from 3 to 50");
    EXPECT_EQ(all[3].allowed(), "yes, no");
    EXPECT_EQ(all[4].allowed(), "standard, other");
    EXPECT_EQ(all[5].allowed(), "1, 3, 5");
    EXPECT_EQ(all[3].text_of(1), "yes");
    EXPECT_EQ(all[4].text_of(all[4].value), "other");
    for (const auto& o : all) EXPECT_EQ(option_kind_from_label(label(o.kind)), o.kind);
}

TEST(solver_option, is_read_into_its_member_and_the_others_keep_their_defaults)
{
    const settings s = table().read({{"nit", 10}, {"predictive", 0}, {"calls", 12}, {"safety", 0.5}, {"method", 1}});
    EXPECT_EQ(s.nit, 10);
    EXPECT_FALSE(s.predictive);
    EXPECT_EQ(s.calls, 12U);
    EXPECT_EQ(s.safety, 0.5);
    EXPECT_EQ(s.method, 1);
    EXPECT_EQ(s.stages, 3);
}

TEST(solver_option, tables_can_be_continued_with_other_defaults)
{
    settings other;
    other.nit = 4;
    other.stages = 5;
    const auto more = option_table<settings>({bind::whole("nit", &settings::nit, 3, 50, "")})
                          .with({bind::one_of("stages", &settings::stages, {1, 3, 5}, "")}, other);
    EXPECT_EQ(more.describe().at(0).value, 4);
    EXPECT_EQ(more.describe().at(1).value, 5);
    EXPECT_EQ(more.read({}).nit, 4);
}

TEST(solver_option, takes_words_and_the_numbers_behind_them)
{
    const auto all = table().describe();
    const solver_option& flag = all[3];
    const solver_option& choice = all[4];
    const solver_option& stages = all[5];
    EXPECT_EQ(flag.from_text("yes"), 1);
    EXPECT_EQ(flag.from_text("no"), 0);
    EXPECT_EQ(flag.from_text("0"), 0);
    EXPECT_EQ(flag.from_text("maybe"), std::nullopt);
    EXPECT_FALSE(flag.takes(0.5));
    EXPECT_EQ(choice.from_text("other"), 2);
    EXPECT_EQ(choice.from_text("1"), 1);
    EXPECT_TRUE(choice.takes(2));
    EXPECT_FALSE(choice.takes(3));
    EXPECT_TRUE(stages.takes(5));
    EXPECT_FALSE(stages.takes(2)) << "between the words, but none of them";
    EXPECT_FALSE(all[1].takes(4.5));
    EXPECT_FALSE(all[0].takes(1));
}

} // namespace ivp
