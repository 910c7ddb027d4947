#include <ivp/evaluator.hpp>

#include <gtest/gtest.h>

namespace ivp {

TEST(outcome, table_is_in_the_order_of_the_codes_and_labels_are_unique)
{
    int code = 0;
    for (const auto& row : outcome_table()) {
        EXPECT_EQ(static_cast<int>(row.code), code++);
        EXPECT_EQ(outcome_from_label(row.label), row.code);
        EXPECT_EQ(label(row.code), row.label);
        EXPECT_FALSE(sentence(row.code).empty());
    }
    EXPECT_EQ(code, 17);
    EXPECT_FALSE(outcome_from_label("fine"));
}

} // namespace ivp
