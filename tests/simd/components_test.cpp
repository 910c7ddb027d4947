// Packs calculate as their numbers do, one by one; loops over components meet each of them once; vectors have room for whole packs.
#include "simd/components.hpp"

#include <ivp/scalar.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace ivp::simd {

namespace {

using value = pack<double>;
constexpr int width = value::width;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

value pack_of(const std::array<double, width>& x) { return value::load(x.data()); }

constexpr std::array<double, width> some{0.1, -3.0, 1e300, -0.0};
constexpr std::array<double, width> others{1 / 3.0, 7.25, -1e300, 2.0};

} // namespace

TEST(pack, rounds_as_its_numbers_do)
{
    const value a = pack_of(some);
    const value b = pack_of(others);
    for (int i = 0; i < width; ++i) {
        EXPECT_EQ(bits((a + b)[i]), bits(some[i] + others[i])) << i;
        EXPECT_EQ(bits((a - b)[i]), bits(some[i] - others[i])) << i;
        EXPECT_EQ(bits((a * b)[i]), bits(some[i] * others[i])) << i;
        EXPECT_EQ(bits((a / b)[i]), bits(some[i] / others[i])) << i;
        EXPECT_EQ(bits((-a)[i]), bits(-some[i])) << i;
        EXPECT_EQ(bits((a + b * 0.3)[i]), bits(some[i] + others[i] * 0.3)) << "no fused operation: " << i;
        EXPECT_EQ(bits(magnitude(a)[i]), bits(std::abs(some[i]))) << i;
    }
}

TEST(pack, begins_in_memory_at_any_double)
{
    using four = pack<double, 4>;
    alignas(64) std::array<double, 16> from{}, to{};
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
    for (int first = 0; first < 8; ++first) {
        four::load(from.data() + first).store(to.data() + first + 1);
        for (int i = 0; i < four::width; ++i) EXPECT_EQ(to[first + 1 + i], from[first + i]);
    }
}

TEST(pack, takes_a_number_for_equal_ones)
{
    for (const double x : {2.5, -0.0, infinity})
        for (int i = 0; i < width; ++i) EXPECT_EQ(bits(value(x)[i]), bits(x));
    const value a = pack_of(some);
    for (int i = 0; i < width; ++i) EXPECT_EQ((2 * a)[i], 2 * some[i]);
}

TEST(pack, compares_and_chooses_number_by_number)
{
    const value a = pack_of({1, 2, 3, 4});
    const value b = pack_of({4, 3, 3, 1});
    const value chosen = select(a < b, a, b);
    const std::array<double, width> smaller{1, 2, 3, 1};
    const std::array<double, width> larger_ones{4, 3, 3, 4};
    for (int i = 0; i < width; ++i) {
        EXPECT_EQ(chosen[i], smaller[i]);
        EXPECT_EQ(larger(a, b)[i], larger_ones[i]);
    }
    EXPECT_TRUE(any(a > b));
    EXPECT_FALSE(any(a < a));
    EXPECT_TRUE(any((a < a) | (a > b)));
    const value unknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(any(unknown > a));
}

// 1e16 + 1 is lost, 1e16 + (1 + 1) is not: the sums show their order.
TEST(pack, adds_its_numbers_in_the_order_it_says)
{
    const value x = pack_of({1e16, 1, 1, 1});
    double in_order = 0;
    add_in_order(in_order, x);
    EXPECT_EQ(in_order, ((1e16 + 1) + 1) + 1);
    EXPECT_EQ(sum_of(x), (1e16 + 1) + (1 + 1));
    EXPECT_NE(in_order, sum_of(x));
}

TEST(components, meet_every_component_once)
{
    for (int n = 1; n <= 3 * width; ++n) {
        padded_vector<double> count(n);
        EXPECT_EQ(count.size() % width, 0);
        EXPECT_GE(count.size(), n);
        EXPECT_LT(count.size(), n + width);
        for (int i = 0; i < count.size(); ++i) EXPECT_EQ(count[i], 0) << "what lies behind the last component is 0";
        for_components<double>(n, [&](auto at) { at(count) += 1; });
        for (int i = 0; i < count.size(); ++i) EXPECT_EQ(count[i], 1) << n << " " << i;
        for (int pieces = 1; pieces <= 4; ++pieces) {
            for (int k = 0; k < pieces; ++k) for_components_of_piece<double>(n, k, pieces, [&](auto at) { at(count) += 1; });
            for (int i = 0; i < count.size(); ++i) EXPECT_EQ(count[i], 1 + pieces) << n << " " << i;
        }
    }
}

TEST(components, are_written_as_the_formula_says)
{
    constexpr int n = 7;
    padded_vector<double> y(n), f(n), out(n);
    for (int i = 0; i < n; ++i) {
        y[i] = 0.1 * i;
        f[i] = 1 - 0.3 * i;
    }
    for_components<double>(n, [&](auto at) { at(out) = at(y) + 0.7 * at(just_written(f)); });
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], y[i] + 0.7 * f[i]);
    for_components<double>(n, [&](auto at) {
        at(y) -= at(f);
        at(f) *= 2;
        at(out) = at(f);
    });
    for (int i = 0; i < n; ++i) {
        EXPECT_EQ(y[i], 0.1 * i - (1 - 0.3 * i));
        EXPECT_EQ(out[i], 2 * (1 - 0.3 * i));
    }
}

// What was just written is read number by number in short vectors, and in packs in long ones: the same numbers, and each component once.
TEST(components, of_short_and_of_long_vectors_are_the_same_numbers)
{
    for (const int n : {1, 5, long_vector - 1, long_vector, long_vector + 1, 3 * long_vector + 2}) {
        padded_vector<double> x(n), y(n);
        for (int i = 0; i < n; ++i) x[i] = 1 + i;
        int short_turns = 0;
        int long_turns = 0;
        for_many_components<double>(n, [&](auto at) {
            constexpr bool is_short = std::is_same_v<decltype(at), components<double>>;
            ++(is_short ? short_turns : long_turns);
            at(y) += 2 * at(just_written(x));
        });
        EXPECT_EQ(short_turns, n < long_vector ? padded_size<double>(n) / width : 0) << n;
        EXPECT_EQ(long_turns, n < long_vector ? 0 : padded_size<double>(n) / width) << n;
        for (int i = 0; i < n; ++i) EXPECT_EQ(y[i], 2.0 * (1 + i)) << n;
    }
}

TEST(components, are_one_number_in_other_precisions)
{
    constexpr int n = 3;
    padded_vector<quad> y(n);
    EXPECT_EQ(y.size(), n);
    const quad third = quad(1) / quad(3);
    int turns = 0;
    for_components<quad>(n, [&](auto at) {
        at(y) = third * pack<quad>(quad(-2));
        at(y) = magnitude(pack<quad>(at(y)));
        ++turns;
    });
    EXPECT_EQ(turns, n);
    for (int i = 0; i < n; ++i) EXPECT_TRUE(y[i] == quad(2) * third);
}

TEST(components, of_several_vectors_make_sums)
{
    padded_vectors<double, 3> k(2);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 2; ++i) k[j][i] = 1 + j + 10 * i;
    const std::array<double, 3> a{0.5, -2, 4};
    padded_vector<double> sum(2);
    const auto factors = spread(a);
    for_components<double>(2, [&](auto at) { at(sum) = dot(factors, at(k.first())); });
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sum[i], 0.5 * k[0][i] - 2 * k[1][i] + 4 * k[2][i]);
}

// 1e16 is lost in a sum that takes it up too late: the sums show that they begin at the left.
TEST(components, of_several_vectors_are_multiplied_by_matrices)
{
    constexpr int n = 5;
    padded_vectors<double, 2> x(n), y(n), z(n);
    for (int i = 0; i < n; ++i) {
        x[0][i] = 0.1 * i;
        x[1][i] = 1 + i;
    }
    const std::array<std::array<double, 2>, 2> a{{{1e16, 1}, {-0.5, 0.3}}};
    const auto matrix = spread(a);
    for_components<double>(n, [&](auto at) {
        const auto of_x = at(all_just_written(x.first()));
        at.assign(y.first(), product(matrix, of_x));
        at(z[0]) = dot_onto(value(-1e16), a[0], of_x);
    });
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 2; ++k) EXPECT_EQ(y[k][i], a[k][0] * x[0][i] + a[k][1] * x[1][i]) << k << " " << i;
        EXPECT_EQ(z[0][i], (-1e16 + 1e16 * x[0][i]) + x[1][i]) << i;
    }
}

TEST(padded_vectors, change_places_and_do_not_overlap)
{
    for (const int n : {1, 5, 512, 600}) { // 512 doubles are 4096 bytes: these keep a distance
        work_memory memory;
        padded_vectors<double, 4> a(n, 3, memory);
        padded_vectors<double, 4> b(n, 3, memory);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < padded_size<double>(n); ++i) {
                a[k][i] = k;
                b[k][i] = 10 + k;
            }
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(a[k][0], k);
            EXPECT_EQ(a[k][padded_size<double>(n) - 1], k);
        }
        a.exchange(0, 2);
        EXPECT_EQ(a[0][0], 2);
        EXPECT_EQ(a[2][0], 0);
        a.exchange_with(b, 1);
        EXPECT_EQ(a[1][n - 1], 11);
        EXPECT_EQ(b[1][n - 1], 1);
        EXPECT_TRUE(n != 512 || a[1] - b[2] != 512);
    }
}

TEST(unrolled, counts_with_constants)
{
    std::vector<int> seen;
    unrolled<3>([&](auto k) {
        constexpr int doubled = 2 * k;
        seen.push_back(doubled);
    });
    unrolled<2, 4>([&](auto k) { seen.push_back(k); });
    unrolled<2, 2>([&](auto /*k*/) { seen.push_back(-1); });
    EXPECT_EQ(seen, (std::vector<int>{0, 2, 4, 2, 3}));
}

} // namespace ivp::simd
