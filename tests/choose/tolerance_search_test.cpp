#include "choose/tolerance_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace ivp {

namespace {

constexpr int loosest = 8, tightest = 104;

using behaviour = std::function<std::optional<double>(int notch)>;

/// Digits that follow the tolerance: rtol 10^-(d + offset) gives d digits.
behaviour honest(double offset)
{
    return [offset](int notch) { return static_cast<double>(notch) / notches_per_decade - offset; };
}

double usual_cost(int notch) { return std::pow(10.0, notch / 40.0); }

struct finished {
    tolerance_search search;
    std::vector<int> order;
};

finished searched(double digits, int start, const behaviour& b, const std::function<double(int)>& cost = usual_cost)
{
    finished f{tolerance_search(digits, start, loosest, tightest), {}};
    while (const auto notch = f.search.next()) {
        f.order.push_back(*notch);
        if (f.order.size() > 200) break; // a search that never ends fails below
        f.search.add({*notch, b(*notch), cost(*notch)});
    }
    return f;
}

} // namespace

TEST(tolerance_search, notches_are_numbers_that_a_person_types)
{
    EXPECT_EQ(rtol_of_notch(0), 1);
    EXPECT_EQ(rtol_of_notch(8), 0.1);
    EXPECT_EQ(rtol_of_notch(32), 1e-4);
    EXPECT_EQ(rtol_of_notch(33), 7.5e-5);
    EXPECT_EQ(rtol_of_notch(39), 1.3e-5);
    EXPECT_EQ(rtol_of_notch(104), 1e-13);
    for (int k = 0; k < 104; ++k) EXPECT_NEAR(std::log10(rtol_of_notch(k)), -k / 8.0, 0.02) << k;
}

TEST(tolerance_search, finds_the_loosest_tolerance_with_delivering_neighbours)
{
    for (const int start : {8, 16, 31, 32, 48, 90}) {
        const auto f = searched(4, start, honest(1)); // delivers from notch 40
        ASSERT_TRUE(f.search.robust()) << start;
        EXPECT_EQ(f.search.robust()->notch, 41) << "from " << start;
        EXPECT_LT(f.order.size(), 30U);
    }
}

TEST(tolerance_search, tries_nothing_twice_and_nothing_outside)
{
    for (const double offset : {-3.0, 0.0, 2.5, 20.0}) {
        const auto f = searched(4, 32, honest(offset));
        EXPECT_EQ(std::set<int>(f.order.begin(), f.order.end()).size(), f.order.size());
        for (const int k : f.order) EXPECT_TRUE(k >= loosest && k <= tightest) << k;
    }
}

TEST(tolerance_search, one_lucky_tolerance_does_not_win)
{
    const auto lucky = [](int notch) -> std::optional<double> { return notch == 24 ? 9.0 : notch / 8.0 - 1; };
    const auto f = searched(4, loosest, lucky);
    EXPECT_TRUE(f.search.delivers(24));
    EXPECT_EQ(f.search.robust()->notch, 41);
}

TEST(tolerance_search, a_gap_among_the_tighter_neighbours_moves_the_answer_beyond_it)
{
    const auto gap = [](int notch) -> std::optional<double> {
        if (notch == 43) return std::nullopt; // fails there
        return notch / 8.0 - 1;
    };
    EXPECT_EQ(searched(4, loosest, gap).search.robust()->notch, 45) << "44 is the looser neighbour";
}

TEST(tolerance_search, of_the_robust_ones_the_cheapest_is_taken)
{
    const auto odd = [](int notch) { return notch == 42 ? 0.5 : usual_cost(notch); };
    EXPECT_EQ(searched(4, loosest, honest(1), odd).search.robust()->notch, 42);
}

TEST(tolerance_search, says_what_was_most_where_the_digits_are_never_there)
{
    const auto f = searched(6, loosest, [](int notch) { return std::min(notch / 8.0, 3.5 - (notch - 40) * 0.01); });
    EXPECT_FALSE(f.search.robust());
    ASSERT_TRUE(f.search.most_accurate());
    EXPECT_NEAR(*f.search.most_accurate()->digits, 3.6, 0.1);
    const auto none = searched(4, 32, [](int) -> std::optional<double> { return std::nullopt; });
    EXPECT_FALSE(none.search.most_accurate());
    EXPECT_EQ(none.order.back(), tightest) << "it gave up only at the end";
}

TEST(tolerance_search, a_result_without_digits_does_not_deliver)
{
    const auto f = searched(1, 32, [](int) { return std::numeric_limits<double>::quiet_NaN(); });
    EXPECT_FALSE(f.search.robust());
}

} // namespace ivp
