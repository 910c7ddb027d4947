// One loop over all problems: what every one of them must be. Adding a problem to the catalog adds its tests.
#include "test_name.hpp"

#include "catalog/problem_sets.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

class every_problem : public ::testing::TestWithParam<std::string> {
protected:
    problem p_ = open_problem(GetParam());
};

// Jacobian against differences in quad precision, structure, mass matrix, consistency of y0, index, reference: see check.cpp.
TEST_P(every_problem, passes_its_checks)
{
    for (const auto& f : check_problem(p_, {.reference_s = 0.3}).findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
}

TEST_P(every_problem, has_a_complete_description)
{
    const auto& i = p_.info();
    EXPECT_EQ(i.id, GetParam());
    EXPECT_FALSE(i.title.empty());
    EXPECT_FALSE(i.contributor.empty());
    EXPECT_FALSE(i.quantity_of_interest.empty());
    EXPECT_GE(i.tags.size(), 3u);
    EXPECT_GT(i.protocol.atol_per_rtol, 0);
    EXPECT_TRUE(i.component_names.empty() || static_cast<int>(i.component_names.size()) == i.n);
    EXPECT_TRUE(p_.has_quad());
    ASSERT_TRUE(p_.reference());
    EXPECT_FALSE(p_.reference()->source.empty());
    EXPECT_FALSE(p_.reference()->confirmed.empty());
}

TEST_P(every_problem, has_a_chapter_in_four_sections)
{
    const std::string_view text = p_.chapter().markdown;
    std::size_t at = 0;
    for (const char* heading : {"\n## General information\n", "\n## Mathematical description\n", "\n## Origin of the problem\n",
                                "\n## Numerical solution of the problem\n", "\n### Recommendations\n"}) {
        const auto found = text.find(heading, at);
        ASSERT_NE(found, std::string_view::npos) << heading;
        at = found;
    }
    for (const char* word : {"contributor", "quantity of interest", "References"}) EXPECT_NE(text.find(word), std::string_view::npos) << word;
}

TEST_P(every_problem, has_explained_parameters_inside_their_ranges)
{
    for (const auto& q : problem_parameters(GetParam())) {
        EXPECT_LE(q.min.value(), q.value.value()) << q.name;
        EXPECT_GE(q.max.value(), q.value.value()) << q.name;
        EXPECT_FALSE(q.meaning.empty()) << q.name;
    }
}

TEST_P(every_problem, is_the_same_in_the_ide_view)
{
    if (p_.info().form == form::ide) GTEST_SKIP() << "it is given in this form";
    // Of a problem with a size a small one: the check compares all n^2 entries, and they are made by the same text.
    const auto sized = problem_ids(problem_set::sized);
    const bool has_size = std::ranges::find(sized, GetParam()) != sized.end();
    const problem p = has_size ? open_problem(GetParam(), {{"N", problem_parameters(GetParam()).front().min.text()}}) : p_;
    const check_report r = check_problem(p.as_ide(), {.reference_s = 0.1});
    for (const auto& f : r.findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
}

INSTANTIATE_TEST_SUITE_P(catalog, every_problem, ::testing::ValuesIn(problem_ids()), testing_support::test_name);

} // namespace ivp
