// --threads in methods that are not parallel: threads share the pieces of f and the independent matrices, and no bit changes.
#include "test_name.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace ivp {

using testing_support::test_name;

namespace {

run_record with_threads(const problem& p, const char* solver_name, int threads, algebra path, double tend, int repeat = 1)
{
    const auto s = open_solver(solver_name);
    run_settings settings;
    settings.rtol = 1e-4;
    settings.atol = {1e-4};
    settings.tend = tend;
    settings.algebra = path;
    settings.threads = threads;
    settings.repeat = repeat;
    return measure_run(p, *s, settings);
}

void expect_same_bits(const run_record& a, const run_record& b)
{
    ASSERT_EQ(a.outcome, outcome::success) << a.message;
    ASSERT_EQ(b.outcome, outcome::success) << b.message;
    EXPECT_EQ(a.y, b.y);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.nfev, b.nfev);
    EXPECT_EQ(a.nlu, b.nlu);
    EXPECT_EQ(a.nsolve, b.nsolve);
}

} // namespace

class in_pieces : public ::testing::TestWithParam<std::string> {};

// Each piece writes its own components and no others, whatever the division.
TEST_P(in_pieces, f_has_the_same_bits)
{
    const problem p = open_problem(GetParam());
    const auto& equations = p.in<double>();
    const function_pieces<double> pieces = equations.pieces_of_f();
    ASSERT_GT(pieces.count, 2);
    std::vector<double> y = equations.initial_values();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += 0.001 * static_cast<double>(i % 7);
    std::vector<double> whole(y.size(), 1e300), parts(y.size(), -1e300);
    ASSERT_EQ(equations.f(1.5, y.data(), whole.data()), evaluation::ok);
    for (int first = pieces.count - 1; first >= 0; --first) ASSERT_EQ(pieces.call(pieces.self, 1.5, y.data(), parts.data(), first, first + 1), 0);
    EXPECT_EQ(whole, parts);
    // The first piece wrote the first components of each block, and no others.
    std::fill(parts.begin(), parts.end(), -1e300);
    ASSERT_EQ(pieces.call(pieces.self, 1.5, y.data(), parts.data(), 0, 1), 0);
    const int block = p.n() / pieces.blocks, piece = block / pieces.count;
    for (int i = 0; i < p.n(); ++i) EXPECT_EQ(parts[i] != -1e300, i % block < piece) << i;
}

INSTANTIATE_TEST_SUITE_P(problems, in_pieces, ::testing::Values("brus2d", "grayscott", "grayscott3d", "adr2d"), test_name);

TEST(threads, share_evaluations_of_a_large_problem)
{
    const problem p = open_problem("brus2d", {{"N", "50"}});
    evaluator one(p), two(p);
    two.use_threads(2);
    const std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> a(y.size()), b(y.size());
    ASSERT_EQ(one.f(2.0, y.data(), a.data()), evaluation::ok);
    ASSERT_EQ(two.f(2.0, y.data(), b.data()), evaluation::ok);
    EXPECT_EQ(a, b);
    EXPECT_EQ(two.total().f, 1U);
}

TEST(threads, find_what_is_not_finite)
{
    const problem p = open_problem("brus2d", {{"N", "50"}});
    evaluator e(p);
    e.use_threads(2);
    std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(y.size());
    for (const std::size_t i : {std::size_t{7}, y.size() - 7}) { // of the first thread, and of the second
        y[i] = std::numeric_limits<double>::infinity();
        EXPECT_EQ(e.f(2.0, y.data(), out.data()), evaluation::nonfinite);
        ASSERT_TRUE(e.last_nonfinite());
        y[i] = 1;
        EXPECT_EQ(e.f(2.0, y.data(), out.data()), evaluation::ok);
    }
    EXPECT_EQ(e.total().nonfinite, 2U);
}

TEST(threads, leave_the_bits_of_every_kind_of_method)
{
    const problem p = open_problem("brus2d", {{"N", "46"}});
    for (const char* const name : {"vode", "rodas", "dopri5", "radau5"}) {
        SCOPED_TRACE(name);
        const algebra path = std::string(name) == "dopri5" ? algebra::automatic : algebra::krylov;
        expect_same_bits(with_threads(p, name, 1, path, 0.02), with_threads(p, name, 2, path, 0.02));
    }
}

// A real and several complex matrices: eliminated, and by iteration.
TEST(threads, share_the_matrices_of_radau)
{
    const problem p = open_problem("brus2d", {{"N", "30"}});
    for (const char* const name : {"radau5", "radau"})
        for (const algebra path : {algebra::sparse, algebra::krylov}) {
            SCOPED_TRACE(name);
            expect_same_bits(with_threads(p, name, 1, path, 0.5), with_threads(p, name, 2, path, 0.5));
        }
    const problem band = open_problem("medakzo", {{"N", "400"}});
    for (const char* const name : {"radau5", "radau"})
        expect_same_bits(with_threads(band, name, 1, algebra::band, 1), with_threads(band, name, 2, algebra::band, 1));
}

TEST(threads, speed_up_is_in_the_record)
{
    const problem p = open_problem("brus2d", {{"N", "46"}});
    const run_record r = with_threads(p, "vode", 2, algebra::krylov, 0.02, 2);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    ASSERT_TRUE(r.extra.contains("wall_one_thread_s"));
    EXPECT_DOUBLE_EQ(r.extra.at("speed_up"), r.extra.at("wall_one_thread_s") / r.wall_s);
    EXPECT_FALSE(with_threads(p, "vode", 1, algebra::krylov, 0.02, 2).extra.contains("speed_up"));
}

TEST(threads, are_refused_where_nothing_can_be_shared)
{
    const problem p = open_problem("hires");
    const auto message = [&p](const char* name, int threads) {
        try {
            (void)with_threads(p, name, threads, algebra::automatic, 1);
        } catch (const bad_request& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_NE(
        message("vode", 2).find("threads: 2 given; allowed for vode: 1 (it is not parallel, and the problem does not say how f falls into pieces)"),
        std::string::npos);
    EXPECT_NE(message("radau5", 3).find("threads: 3 given; allowed for radau5: 1 to 2"), std::string::npos);
    EXPECT_EQ(message("radau", 4), "");
}

} // namespace ivp
