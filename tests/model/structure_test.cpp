#include <ivp/problem.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ivp {

namespace {

// Two columns of one colour must not share a row.
void expect_valid(const structure& s, int n)
{
    const colouring c = colour_columns(s, n);
    for (int i = 0; i < n; ++i) {
        std::set<int> seen;
        for (int j = 0; j < n; ++j) {
            if (!s.contains(i, j)) continue;
            EXPECT_TRUE(seen.insert(c.colour_of_column[j]).second) << "row " << i;
        }
    }
}

} // namespace

TEST(structure, full_and_band_colourings)
{
    EXPECT_EQ(colour_columns(structure::full(), 7).colours, 7);
    EXPECT_EQ(colour_columns(structure::band(2, 1), 50).colours, 4);
    EXPECT_EQ(colour_columns(structure::band(2, 1), 3).colours, 3);
    expect_valid(structure::band(2, 1), 50);
    expect_valid(structure::band(0, 3), 9);
}

TEST(structure, sparse_colouring_is_valid_on_random_patterns)
{
    std::mt19937 random(1);
    for (const int n : {1, 5, 40}) {
        std::vector<std::vector<int>> columns(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (i == j || random() % 8 == 0) columns[i].push_back(j);
        const auto s = structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(n, columns)));
        expect_valid(s, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) EXPECT_EQ(s.contains(i, j), std::find(columns[i].begin(), columns[i].end(), j) != columns[i].end());
    }
}

TEST(structure, a_diagonal_needs_one_colour)
{
    const auto s = structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(3, {{0}, {1}, {2}})));
    EXPECT_EQ(colour_columns(s, 3).colours, 1);
    EXPECT_EQ(s.describe(), "sparse 3 entries");
}

TEST(matrix_view, stores_where_it_says)
{
    std::vector<double> data(12, 0.0);
    const matrix_view<double> band{structure_kind::band, 4, 1, 1, 3, nullptr, data.data()};
    band.set(2, 1, 5.0);
    EXPECT_EQ(data[1 + 2 - 1 + 1 * 3], 5.0);
    EXPECT_EQ(band.at(2, 1), 5.0);
    EXPECT_EQ(band.at(3, 0), 0.0);
    EXPECT_EQ(band.position(3, 0), -1);
}

TEST(mass_matrix, multiplies_like_its_dense_self)
{
    const int n = 5;
    std::vector<mass_matrix<double>> all{mass_matrix<double>::identity(n), mass_matrix<double>::diagonal({1, 0, 2, 0, 3}),
                                         mass_matrix<double>::band(n, 1, 2), mass_matrix<double>::full(n), mass_matrix<double>::band(n, 1, 1)};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            all[3].set(i, j, i + 10 * j + 1);
            if (i - j <= 1 && j - i <= 2) all[2].set(i, j, 1 + i * j);
            if (i - j <= 1 && j - i <= 1) all[4].set(i, j, 2 + i * j + 5 * j);
        }
    for (const int few : {1, 2, 3}) {
        all.push_back(mass_matrix<double>::band(few, few > 1 ? 1 : 0, few > 1 ? 1 : 0));
        for (int i = 0; i < few; ++i)
            for (int j = std::max(0, i - 1); j <= std::min(few - 1, i + 1); ++j) all.back().set(i, j, 3 + i - 7 * j);
    }
    const std::vector<double> x{1, -2, 3, -4, 5};
    for (const auto& m : all) {
        std::vector<double> out(n);
        m.multiply(x.data(), out.data());
        for (int i = 0; i < m.n(); ++i) {
            double sum = 0;
            for (int j = 0; j < m.n(); ++j) sum += m.at(i, j) * x[j];
            EXPECT_EQ(out[i], sum) << m.describe() << ", n " << m.n();
        }
    }
    EXPECT_EQ(all[2].describe(), "band 1,2");
    EXPECT_EQ(all[1].at(2, 2), 2.0);
    EXPECT_EQ(all[1].at(2, 1), 0.0);
}

// A caller may leave more room between the columns than fits beside their number into an int.
TEST(matrix_view, places_beyond_two_thousand_million_are_counted)
{
    constexpr int far = 600'000'000;
    const matrix_view<double> full{structure_kind::full, 8, 0, 0, far, nullptr, nullptr};
    EXPECT_EQ(full.position(7, 7), 4'200'000'007);
    const matrix_view<double> band{structure_kind::band, 8, 1, 1, far, nullptr, nullptr};
    EXPECT_EQ(band.position(6, 7), 4'200'000'000);
    EXPECT_EQ(band.position(5, 7), -1);
    EXPECT_EQ(full.size(), 4'800'000'000U);
}

} // namespace ivp
