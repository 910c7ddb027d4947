// Whether a library was compiled with optimisation is judged from samples alone: a pure function, whatever the machine does meanwhile.
#include "model/library.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ivp {

namespace {

TEST(library, the_slowdown_is_the_ratio_of_the_least_samples)
{
    const std::vector<loop_samples> one{{{5e-6, 6e-6, 9e-6}, {2e-6, 1e-6, 3e-6}}};
    EXPECT_DOUBLE_EQ(slowdown_of(one).value(), 5);
}

TEST(library, a_loaded_machine_changes_nothing)
{
    // Every sample but one of each was interrupted, ours far longer than the library's and the other way round.
    const std::vector<loop_samples> library_disturbed{{{8e-3, 1.1e-6, 5e-3, 9e-3}, {1e-6, 1e-6, 1e-6, 1e-6}}};
    EXPECT_FALSE(is_unoptimised(slowdown_of(library_disturbed)));
    const std::vector<loop_samples> ours_disturbed{{{5e-6, 5e-6, 5e-6, 5e-6}, {8e-3, 4e-3, 1e-6, 9e-3}}};
    EXPECT_TRUE(is_unoptimised(slowdown_of(ours_disturbed)));
}

TEST(library, several_loops_count_by_their_geometric_mean)
{
    const std::vector<loop_samples> loops{{{8}, {1}}, {{1}, {2}}, {{2}, {1}}};
    EXPECT_DOUBLE_EQ(slowdown_of(loops).value(), 2);
}

TEST(library, without_samples_nothing_is_known)
{
    EXPECT_EQ(slowdown_of({}), std::nullopt);
    for (const auto& l : {loop_samples{{}, {1}}, loop_samples{{1}, {}}, loop_samples{{0}, {1}}, loop_samples{{1}, {0}}})
        EXPECT_EQ(slowdown_of(std::vector{l}), std::nullopt);
    EXPECT_FALSE(is_unoptimised(std::nullopt));
}

TEST(library, the_threshold_lies_between_what_was_measured_with_and_without_optimisation)
{
    EXPECT_FALSE(is_unoptimised(0.8)); // SUNDIALS 6.4.1 with -O3
    EXPECT_FALSE(is_unoptimised(1.4)); // with -O1 and -O2
    EXPECT_FALSE(is_unoptimised(2.4));
    EXPECT_TRUE(is_unoptimised(2.5));
    EXPECT_TRUE(is_unoptimised(5.2)); // as Debian 12 has it
}

TEST(library, the_warning_names_solvers_library_and_factor)
{
    const std::string text = unoptimised_warning("cvode, ida", "SUNDIALS 6.4.1", 5.24);
    EXPECT_NE(text.find("cvode, ida"), std::string::npos);
    EXPECT_NE(text.find("SUNDIALS 6.4.1 is compiled without optimisation"), std::string::npos);
    EXPECT_NE(text.find("5.2 times"), std::string::npos);
}

} // namespace

} // namespace ivp
