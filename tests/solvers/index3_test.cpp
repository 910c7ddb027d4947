// One loop over the Runge-Kutta solvers of index 3: with equal steps the components of each index converge as the method's theory says.
#include "solvers/convergence.hpp"
#include "solvers/index3_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace ivp {

using namespace testing_support;

/// Options that make the error of the iteration vanish beside that of the method, and the orders in the components of index 1, 2, 3. Orders that
/// double precision cannot show are measured elsewhere.
struct index3_row {
    const char* solver;
    std::map<std::string, double> options;
    int coarse;
    int fine;
    std::array<double, 3> order;
};

void PrintTo(const index3_row& r, std::ostream* out) { *out << r.solver; }

class index3_orders : public ::testing::TestWithParam<index3_row> {};

TEST_P(index3_orders, are_those_of_the_theory)
{
    const auto& row = GetParam();
    const problem p = index3();
    const auto order = measured_orders(row.coarse, row.fine, [&](int steps) {
        run_settings s;
        s.rtol = 1;
        s.atol = {1};
        s.h0 = s.hmax = 1.0 / steps;
        s.repeat = 1;
        s.special = row.options;
        const run_record r = measure_run(p, *open_solver(row.solver), s);
        EXPECT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_EQ(r.steps, static_cast<std::uint64_t>(steps));
        return index3_errors(r.y, 1.0);
    });
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(order[k], row.order[k], 0.2) << "index " << k + 1;
}

INSTANTIATE_TEST_SUITE_P(solvers, index3_orders,
                         ::testing::Values(index3_row{"radau5", {{"fnewt", 1e-12}, {"nit", 50}, {"thet", -1}}, 16, 32, {5, 3, 2}}));

} // namespace ivp
