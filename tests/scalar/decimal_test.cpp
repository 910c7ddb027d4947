#include <ivp/scalar.hpp>

#include <clocale>
#include <gtest/gtest.h>

namespace ivp {

TEST(parse_real, reads_what_users_and_fortran_write)
{
    EXPECT_EQ(parse_real("0.1"), 0.1);
    EXPECT_EQ(parse_real("1e-4"), 1e-4);
    EXPECT_EQ(parse_real("1d-4"), 1e-4);
    EXPECT_EQ(parse_real("1D+2"), 100.0);
    EXPECT_EQ(parse_real("+3"), 3.0);
    EXPECT_EQ(parse_real("-0.5"), -0.5);
    EXPECT_EQ(parse_real("5e-324"), 5e-324);
}

TEST(parse_real, refuses_everything_else)
{
    for (const char* text : {"", " ", "1e", "abc", "1,5", "1.5x", "nan", "inf", "-inf", "1e400", "0x1p3", "--1", "1 2", "+-1"})
        EXPECT_FALSE(parse_real(text)) << text;
}

TEST(parse_real, does_not_depend_on_the_locale)
{
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr && std::setlocale(LC_ALL, "C.UTF-8") == nullptr) FAIL() << "no locale to try";
    EXPECT_EQ(parse_real("0.25"), 0.25);
    EXPECT_EQ(to_text(0.25), "0.25");
    std::setlocale(LC_ALL, "C");
}

TEST(decimal, gives_each_precision_its_nearest_value)
{
    const decimal d("321.8122");
    EXPECT_EQ(d.value(), 321.8122);
    EXPECT_EQ(d.in<double>(), 321.8122);
    // The quad is the decimal number itself to 33 digits, not the widened double (which is off by 1e-14).
    const quad exact = quad(3218122) / quad(10000);
    EXPECT_LT(value_of(abs(d.in<quad>() - exact)), 1e-31);
    EXPECT_GT(value_of(abs(quad(321.8122) - exact)), 1e-16);
}

TEST(decimal, is_exact_for_doubles_and_refuses_words)
{
    EXPECT_EQ(decimal(0.1).text(), "0.1");
    EXPECT_EQ(decimal(5).value(), 5.0);
    EXPECT_THROW(decimal("five"), std::invalid_argument);
}

} // namespace ivp
