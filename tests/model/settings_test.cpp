// The list of settings by itself: texts, defaults, ranges. That everything iterates it: campaign/settings_test.cpp, capi/settings_test.cpp,
// cli/catalog_test.py.
#include "model/settings_fields.hpp"

#include <ivp/problem.hpp>
#include <ivp/record.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace ivp {

TEST(settings, each_has_a_name_an_option_and_a_help_of_its_own)
{
    std::set<std::string> names;
    std::set<std::string> helps;
    for (const auto& row : settings_table()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(helps.insert(row.help).second) << row.name;
        EXPECT_EQ(row.option, "--" + with_dashes(row.name));
        EXPECT_EQ(row.help.find_first_of("{}"), std::string::npos) << row.help;
    }
    EXPECT_GE(names.size(), 11U);
}

TEST(settings, defaults_are_allowed_and_are_not_part_of_a_command)
{
    const run_settings s;
    EXPECT_EQ(command_line_of(s), "");
    EXPECT_TRUE(integration_faults(s).empty());
    EXPECT_TRUE(measurement_faults(s).empty());
    EXPECT_EQ(s.max_steps, 1'000'000U);
    EXPECT_EQ(run_record().hmax, std::nullopt);
    EXPECT_EQ(run_record().restart, "yes");
}

TEST(settings, texts_are_read_and_written_again)
{
    run_settings s;
    for (const auto& [name, text] : {std::pair{"h0", "1d-3"},
                                     {"max-steps", "1e3"},
                                     {"max_steps", "2e3"},
                                     {"restart", "no"},
                                     {"jacobian", "original"},
                                     {"algebra", "band"},
                                     {"threads", "4"},
                                     {"tend", "-2"},
                                     {"repeat", "3"},
                                     {"timeout", "0.5"}})
        EXPECT_EQ(take_setting(s, name, text), std::nullopt) << name;
    EXPECT_EQ(s.h0, 1e-3);
    EXPECT_EQ(s.max_steps, 2000U);
    EXPECT_EQ(s.tend, -2);
    s.special = {{"nit", 5}};
    EXPECT_EQ(command_line_of(s), " --h0 0.001 --max-steps 2000 --tend -2 --restart no --jacobian original --algebra band --threads 4 --repeat 3"
                                  " --timeout 0.5 --opt nit=5");
}

TEST(settings, what_cannot_be_read_is_answered_by_what_can)
{
    run_settings s;
    EXPECT_EQ(take_setting(s, "h0", "x"), "a finite real number such as 1e-4");
    EXPECT_EQ(take_setting(s, "threads", "0"), "a whole number from 1 to 1024");
    EXPECT_EQ(take_setting(s, "repeat", "2.5"), "a whole number from 1 to 1000000");
    EXPECT_EQ(take_setting(s, "algebra", "full"), "auto, dense, band, sparse, krylov");
    EXPECT_EQ(take_setting(s, "restart", "maybe"), "yes, no");
    EXPECT_EQ(command_line_of(s), "") << "nothing was changed";
    try {
        (void)take_setting(s, "hmx", "1");
        FAIL();
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("did you mean 'hmax'"), std::string::npos) << e.what();
    }
}

TEST(settings, values_out_of_range_are_told_all_at_once)
{
    run_settings s;
    s.h0 = 0;
    s.hmax = -1;
    s.max_steps = 0;
    s.threads = 5000;
    s.min_time_s = std::numeric_limits<double>::quiet_NaN();
    s.timeout_s = std::numeric_limits<double>::infinity();
    s.repeat = -3;
    EXPECT_EQ(integration_faults(s), (std::vector<std::string>{"h0: 0 given; allowed: a number above 0", "hmax: -1 given; allowed: a number above 0",
                                                               "max-steps: 0 given; allowed: a whole number from 1 to 1000000000000000",
                                                               "threads: 5000 given; allowed: a whole number from 1 to 1024"}));
    EXPECT_EQ(measurement_faults(s),
              (std::vector<std::string>{"repeat: -3 given; allowed: a whole number from 1 to 1000000",
                                        "min-time: nan given; allowed: seconds above 0", "timeout: inf given; allowed: seconds above 0"}));
}

} // namespace ivp
