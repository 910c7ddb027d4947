// Sweeps over size are found among records, and their exponents are those of the work.
#include "stats/scaling.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace ivp {

namespace {

run_record run_of(const std::string& solver, int n, double cpu_s, double rtol = 1e-4)
{
    run_record r;
    r.problem = "bruss";
    r.solver = solver;
    r.solver_origin = "own";
    if (n != 1000) r.parameters["N"] = std::to_string(n / 2);
    r.dimension = n;
    r.rtol = {rtol};
    r.rtol_asked = rtol;
    r.atol = {rtol};
    r.cpu_s = cpu_s;
    r.steps = 50;
    r.nfev = static_cast<std::uint64_t>(n);
    r.extra["peak_memory_mib"] = 1e-3 * n * std::sqrt(n);
    r.outcome = outcome::success;
    return r;
}

/// Linear and quadratic, in no order; what the smallest size costs besides is large.
std::vector<run_record> some_runs()
{
    std::vector<run_record> all;
    for (const int n : {1000, 400, 100, 200, 20}) {
        all.push_back(run_of("radau5", n, 1e-6 * n + (n == 20 ? 1 : 0)));
        all.push_back(run_of("dopri5", n, 1e-8 * n * n));
    }
    return all;
}

} // namespace

TEST(scaling, is_found_and_ordered_by_size)
{
    const auto records = some_runs();
    const auto found = scalings_of(records);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].problem, "bruss");
    EXPECT_EQ(found[0].rtol, 1e-4);
    ASSERT_EQ(found[0].curves.size(), 2u);
    EXPECT_EQ(found[0].curves[0].label, "radau5");
    std::vector<int> sizes;
    for (const auto k : found[0].curves[1].runs) sizes.push_back(records[k].dimension);
    EXPECT_EQ(sizes, std::vector<int>({20, 100, 200, 400, 1000}));
}

TEST(scaling, needs_three_sizes_at_one_tolerance)
{
    std::vector<run_record> records{run_of("radau5", 100, 1), run_of("radau5", 200, 2), run_of("radau5", 400, 4, 1e-6)};
    EXPECT_TRUE(scalings_of(records).empty());
    const auto all = scalings_of(records, 1);
    ASSERT_EQ(all.size(), 2u) << "one for each tolerance";
    EXPECT_EQ(sizes_of(records, all[0]), 2u);
    EXPECT_EQ(sizes_of(records, all[1]), 1u);
    records.push_back(run_of("radau5", 400, 4));
    EXPECT_EQ(scalings_of(records).size(), 1u);
}

TEST(scaling, has_the_exponents_of_the_larger_sizes)
{
    const auto records = some_runs();
    const auto s = scalings_of(records).at(0);
    EXPECT_NEAR(exponent_of(records, s.curves[0], scaled_quantity::cpu).value(), 1, 1e-12);
    EXPECT_NEAR(exponent_of(records, s.curves[1], scaled_quantity::cpu).value(), 2, 1e-12);
    EXPECT_NEAR(exponent_of(records, s.curves[1], scaled_quantity::steps).value(), 0, 1e-12);
    EXPECT_NEAR(exponent_of(records, s.curves[1], scaled_quantity::f).value(), 1, 1e-12);
    EXPECT_NEAR(exponent_of(records, s.curves[1], scaled_quantity::memory).value(), 1.5, 1e-12);
    EXPECT_FALSE(exponent_of(records, s.curves[1], scaled_quantity::lu)) << "it had none";
}

TEST(scaling, leaves_out_what_failed)
{
    auto records = some_runs();
    records[0].outcome = outcome::timed_out; // radau5 with n = 1000
    records[0].cpu_s = 77;
    const auto s = scalings_of(records).at(0);
    EXPECT_FALSE(value_of(records[0], scaled_quantity::cpu));
    EXPECT_NEAR(exponent_of(records, s.curves[0], scaled_quantity::cpu).value(), 1, 1e-12);
}

} // namespace ivp
