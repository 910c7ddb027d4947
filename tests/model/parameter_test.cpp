#include <ivp/problem.hpp>

#include "base/text.hpp"

#include <gtest/gtest.h>

namespace ivp {

namespace {

const std::vector<parameter> known{{"k", "1.5", 0, 10, "rate"}, {"N", 200, 2, 1000, "grid points", true}};

std::vector<std::string> faults_of(const std::map<std::string, std::string>& given)
{
    try {
        parameter_values v(known, given);
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

} // namespace

TEST(parameter_values, defaults_and_changes)
{
    const parameter_values standard(known, {});
    EXPECT_TRUE(standard.all_default());
    EXPECT_EQ(standard.get<double>("k"), 1.5);
    EXPECT_EQ(standard.whole("N"), 200);

    const parameter_values changed(known, {{"k", "2d0"}, {"N", "200"}});
    EXPECT_FALSE(changed.all_default());
    EXPECT_EQ(changed.get<double>("k"), 2.0);
    EXPECT_EQ(changed.changed().size(), 1u);
    EXPECT_TRUE(parameter_values(known, {{"N", "2e2"}}).all_default());
}

TEST(parameter_values, every_fault_at_once_with_what_is_allowed)
{
    const auto faults = faults_of({{"K", "1"}, {"k", "-1"}, {"N", "2.5"}});
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0], "unknown parameter 'K'; allowed: k, N; did you mean 'k'?");
    EXPECT_EQ(faults[1], "parameter 'N': '2.5' given; allowed: a whole number from 2 to 1000");
    EXPECT_EQ(faults[2], "parameter 'k': '-1' given; allowed: a number from 0 to 10");
    EXPECT_EQ(faults_of({{"k", "ten"}}).size(), 1u);
}

TEST(parameter_values, reading_an_undeclared_parameter_is_our_own_mistake)
{
    EXPECT_THROW((void)parameter_values(known, {}).get<double>("nothing"), std::logic_error);
}

TEST(nearest_name_hint, offers_only_what_is_near)
{
    const std::vector<std::string> names{"hires", "rober", "vdpol", "medakzo"};
    EXPECT_EQ(nearest_name_hint("hirs", names), "; did you mean 'hires'?");
    EXPECT_EQ(nearest_name_hint("robertson", names), "; did you mean 'rober'?");
    EXPECT_EQ(nearest_name_hint("vdpl", names), "; did you mean 'vdpol'?");
    EXPECT_EQ(nearest_name_hint("xyzzy", names), "");
    EXPECT_EQ(nearest_name_hint("med", names), "; did you mean 'medakzo'?");
}

} // namespace ivp
