// Problems with a size: what all of them have in common, and what was published about them.
#include "published_values.hpp"

#include "catalog/problem_sets.hpp"
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace ivp {

using testing_support::distance;
using testing_support::published_values;

namespace {

std::vector<double> stored_values(const problem& p)
{
    std::vector<double> y;
    for (const auto& v : p.reference()->value) y.push_back(v.value());
    return y;
}

bool has_tag(const problem& p, const char* tag) { return std::ranges::find(p.info().tags, tag) != p.info().tags.end(); }

} // namespace

TEST(problem_sets, are_told_apart_by_the_tags)
{
    EXPECT_EQ(problem_ids(problem_set::test_set).size(), 24u);
    EXPECT_EQ(problem_ids(problem_set::detest).size(), 60u);
    EXPECT_EQ(problem_ids().size(), 84 + problem_ids(problem_set::sized).size());
    for (const auto set : {problem_set::test_set, problem_set::detest, problem_set::sized})
        for (const auto& id : problem_ids(set)) {
            const problem p = open_problem(id);
            EXPECT_EQ(has_tag(p, "size"), set == problem_set::sized) << id;
            EXPECT_EQ(has_tag(p, "detest"), set == problem_set::detest) << id;
        }
}

class every_size : public ::testing::TestWithParam<std::string> {};

// The size is the parameter N, and everything that depends on it follows: dimension, structure, start, reference.
TEST_P(every_size, is_whole_at_a_second_size)
{
    const auto all = problem_parameters(GetParam());
    const auto size = std::ranges::find(all, "N", &parameter::name);
    ASSERT_NE(size, all.end());
    EXPECT_TRUE(size->whole);
    const problem usual = open_problem(GetParam());
    const problem smallest = open_problem(GetParam(), {{"N", size->min.text()}});
    EXPECT_LE(smallest.n(), usual.n());
    EXPECT_GT(open_problem(GetParam(), {{"N", to_text(size->value.value() + 3)}}).n(), usual.n());
    for (const auto& f : check_problem(smallest, {.reference_s = 0.1}).findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
}

TEST_P(every_size, has_a_reference_at_two_sizes)
{
    static const std::map<std::string, const char*> second{
        {"bruss", "50"},       {"brus2d", "32"},     {"cusp", "128"},    {"ks", "128"},   {"plate", "2"},     {"finag", "50"},   {"grayscott", "24"},
        {"grayscott3d", "10"}, {"allencahn", "512"}, {"burgers", "512"}, {"adr2d", "10"}, {"nandchain", "2"}, {"pendulums", "5"}};
    ASSERT_TRUE(second.contains(GetParam())) << "a new problem needs a reference at a second size";
    const problem p = open_problem(GetParam(), {{"N", second.at(GetParam())}});
    const auto r = stored_reference(p);
    ASSERT_TRUE(r);
    EXPECT_EQ(static_cast<int>(r->value.size()), p.n());
    EXPECT_EQ(r->t.value(), p.info().tend.value());
    EXPECT_TRUE(std::ranges::any_of(r->digits, [](double d) { return d >= 8; }));
    EXPECT_TRUE(with_made_reference(p, {GetParam(), {}}).reference());
    // It is that of the equations: a run of a method that had no part in it comes close.
    run_settings s;
    s.rtol = 1e-6;
    s.repeat = 1;
    s.max_steps = 20000;
    const bool mechanism = p.info().highest_index == 3, implicit = p.info().form == form::ide, chaotic = has_tag(p, "chaotic");
    const char* const method = mechanism ? "gamd" : implicit ? "mebdfi" : chaotic ? "radau5" : "rodas";
    const run_record run = measure_run(with_made_reference(p, {GetParam(), {}}), *open_solver(method), s);
    EXPECT_EQ(run.outcome, outcome::success) << run.message;
    EXPECT_GT(run.mescd.value_or(-1), mechanism ? 2 : chaotic ? 1 : 3); // forces of index 3; errors that grow by 1e5
}

INSTANTIATE_TEST_SUITE_P(catalog, every_size, ::testing::ValuesIn(problem_ids(problem_set::sized)));

// What the authors of the book published, to the digits that their values have.
TEST(bruss, has_the_published_values) { EXPECT_LT(distance(stored_values(open_problem("bruss")), 10, published_values("bruss")), 1e-13); }
TEST(cusp, has_the_published_values) { EXPECT_LT(distance(stored_values(open_problem("cusp")), 1.1, published_values("cusp")), 1e-14); }
TEST(plate, has_the_published_values) { EXPECT_LT(distance(stored_values(open_problem("plate")), 7, published_values("plate")), 2e-15); }

TEST(bruss, of_the_book_has_another_solution)
{
    run_settings s;
    s.rtol = 1e-8;
    s.repeat = 1;
    const run_record r = measure_run(open_problem("bruss", {{"amplitude", "1"}}), *open_solver("radau5"), s);
    ASSERT_EQ(r.outcome, outcome::success);
    EXPECT_NEAR(r.y[0], 0.99482519789713534, 1e-7);
    EXPECT_NEAR(r.y[499], 3.6881025890889624, 1e-6);
    EXPECT_GT(distance(r.y, 10, published_values("bruss")), 0.1);
}

// N = 20: points lie exactly on the circle around the source, and are inside.
TEST(brus2d, decides_in_whole_numbers_where_its_source_is)
{
    const problem p = open_problem("brus2d", {{"N", "20"}});
    std::vector<double> y(static_cast<std::size_t>(p.n()), 1.0), without(y), with(y);
    (void)p.in<double>().f(1.0, y.data(), without.data());
    (void)p.in<double>().f(1.2, y.data(), with.data());
    const auto heated = [&](int i, int j) { return with[i - 1 + (j - 1) * 20] - without[i - 1 + (j - 1) * 20]; };
    EXPECT_EQ(heated(6, 12), 5);
    EXPECT_EQ(heated(8, 12), 5); // (0.4, 0.6)
    EXPECT_EQ(heated(6, 14), 5); // (0.3, 0.7)
    EXPECT_EQ(heated(9, 12), 0);
    EXPECT_EQ(heated(7, 14), 0);
    (void)p.in<double>().f(1.1, y.data(), with.data());
    EXPECT_EQ(with, without) << "at the breakpoint the interval before it counts";
}

// A grid whose number of points has other prime factors than 2 gives the same modes, where both grids resolve the product: the transform is right for
// them.
TEST(ks, has_the_same_slope_on_every_grid)
{
    const problem p = open_problem("ks"), other = open_problem("ks", {{"N", "95"}});
    std::vector<double> few(static_cast<std::size_t>(p.n()), 0.0), slope(few), other_slope(few);
    for (int i = 0; i < 20; ++i) few[i] = 0.1 * (i % 3 - 1);
    (void)p.in<double>().f(0, few.data(), slope.data());
    (void)other.in<double>().f(0, few.data(), other_slope.data());
    // The mean c_0 of the profile, sampled at other points, differs a little; its part of the slope is q j c_0 (Im c_j, -Re c_j).
    const double q = 0.025, difference = (other_slope[1] - slope[1]) / (q * few[0]);
    EXPECT_LT(std::abs(difference), 1e-2);
    for (int j = 1; j <= 20; ++j) {
        EXPECT_NEAR(slope[2 * j - 2] - other_slope[2 * j - 2], q * j * difference * few[2 * j - 1], 1e-13) << j;
        EXPECT_NEAR(slope[2 * j - 1] - other_slope[2 * j - 1], -q * j * difference * few[2 * j - 2], 1e-13) << j;
    }
}

TEST(plate, is_symmetric_about_its_middle)
{
    const auto y = stored_values(open_problem("plate"));
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 5; ++j) EXPECT_NEAR(y[i + 8 * j], y[i + 8 * (4 - j)], 1e-17);
}

// One gate of the chain is the problem nand.
TEST(nandchain, of_one_gate_is_the_nand_gate)
{
    const problem chain = open_problem("nandchain", {{"N", "1"}}), gate = open_problem("nand");
    ASSERT_EQ(chain.n(), gate.n());
    const auto y = gate.in<double>().initial_values();
    std::vector<double> yp(14, 0.3), a(14), b(14);
    for (const double t : {1.0, 7.0, 17.0, 33.0}) {
        EXPECT_EQ(chain.in<double>().g(t, y.data(), yp.data(), a.data()), evaluation::ok);
        EXPECT_EQ(gate.in<double>().g(t, y.data(), yp.data(), b.data()), evaluation::ok);
        EXPECT_EQ(a, b) << t;
    }
}

TEST(pendulums, keep_their_energy)
{
    const problem p = open_problem("pendulums");
    const auto energy = [](const std::vector<double>& y) {
        const int N = 10;
        double sum = 0;
        for (int i = 0; i < N; ++i)
            sum += (y[2 * N + 2 * i] * y[2 * N + 2 * i] + y[2 * N + 2 * i + 1] * y[2 * N + 2 * i + 1]) / 2 + 9.81 * y[2 * i + 1];
        return sum / N;
    };
    EXPECT_NEAR(energy(stored_values(p)), energy(p.in<double>().initial_values()), 1e-13);
}

} // namespace ivp
