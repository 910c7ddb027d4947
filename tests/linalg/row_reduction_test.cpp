#include "linalg/row_reduction.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ivp {

TEST(reduce_rows, finds_the_rank_and_the_left_null_space)
{
    std::mt19937 random(3);
    const auto uniform = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
    for (const int n : {1, 3, 8}) {
        for (int rank = 0; rank <= n; ++rank) {
            std::vector<double> b(static_cast<std::size_t>(n) * n, 0.0); // a sum of `rank` outer products
            for (int k = 0; k < rank; ++k) {
                std::vector<double> u(n);
                std::vector<double> v(n);
                for (int i = 0; i < n; ++i) {
                    u[i] = uniform();
                    v[i] = uniform();
                }
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) b[i + j * n] += u[i] * v[j];
            }
            const row_reduction r = reduce_rows(b, n);
            EXPECT_EQ(r.rank, rank) << n;
            for (int i = r.rank; i < n; ++i)
                for (int j = 0; j < n; ++j) EXPECT_NEAR(r.apply(i, b.data() + j * n), 0.0, 1e-13);
        }
    }
}

} // namespace ivp
