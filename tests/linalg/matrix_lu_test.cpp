#include "linalg/matrix_lu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ivp {

namespace {

double entry(int i, int j) { return std::sin(1 + 3.0 * i + 7.0 * j * j) + (i == j ? 0.1 : 0); }

} // namespace

TEST(matrix_lu, solves)
{
    for (const int n : {1, 2, 3, 7, 16, 40}) {
        counters count;
        matrix_lu lu(n, count);
        std::vector<double> x(n);
        std::vector<double> b(n, 0.0);
        for (int i = 0; i < n; ++i) {
            x[i] = 1 + std::cos(i);
            for (int j = 0; j < n; ++j) lu.row(i)[j] = entry(i, j);
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) b[i] += entry(i, j) * x[j];
        ASSERT_TRUE(lu.factor());
        lu.solve(b.data());
        for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-11) << "n = " << n;
        EXPECT_EQ(count.lu, 1u);
        double determinant = 1;
        for (int k = 0; k < n; ++k) determinant *= lu.pivot(k);
        if (n == 2) {
            EXPECT_NEAR(std::abs(determinant), std::abs(entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0)), 1e-14);
        }
    }
}

TEST(matrix_lu, exchanges_rows)
{
    counters count;
    matrix_lu lu(3, count);
    const double a[3][3] = {{0, 0, 2}, {4, 0, 0}, {0, 8, 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) lu.row(i)[j] = a[i][j];
    ASSERT_TRUE(lu.factor());
    double b[3] = {2, 4, 16};
    lu.solve(b);
    EXPECT_EQ(b[0], 1);
    EXPECT_EQ(b[1], 2);
    EXPECT_EQ(b[2], 1);
}

TEST(matrix_lu, refuses_and_counts_what_is_singular_or_not_finite)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double last : {4.0, nan, infinity}) {
        for (const bool transposed : {false, true}) {
            counters count;
            matrix_lu lu(2, count);
            lu.row(0)[0] = 1;
            lu.row(0)[1] = transposed && last != 4 ? last : 2;
            lu.row(1)[0] = 2;
            lu.row(1)[1] = transposed && last != 4 ? 1 : last;
            EXPECT_FALSE(lu.factor()) << last;
            EXPECT_EQ(count.lu, 1u);
        }
    }
}

} // namespace ivp
