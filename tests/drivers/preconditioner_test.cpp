// A problem's own preconditioner and products, through the contract of plug-ins: every solver that iterates takes them, counts them and gives
// them back; libraries that were built before the contract had them go on working.
//
// DESCRIPTION: the problem is examples/15_preconditioner, 400 equations. The truth is radau5 with elimination and a tight tolerance.
#include "drivers/plugin.hpp"
#include "test_name.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace ivp {
namespace {

constexpr double ilu0 = 0, none = 2, user = 3;     // of the option preconditioner
constexpr double by_differences = 1, by_duals = 2; // of the option products

run_record run_of(const problem& p, const std::string& solver, double rtol, algebra path, std::map<std::string, double> options = {}, int threads = 1)
{
    const auto s = open_solver(solver);
    run_settings asked;
    asked.rtol = rtol;
    asked.atol = {rtol};
    asked.repeat = 1;
    asked.algebra = path;
    asked.special = std::move(options);
    asked.threads = threads;
    if (s->info().needs_h0) asked.h0 = 1e-4;
    return measure_run(p, *s, asked);
}

std::string refusal(const problem& p, const std::string& solver, std::map<std::string, double> options)
{
    try {
        (void)run_of(p, solver, 1e-5, algebra::krylov, std::move(options));
    } catch (const bad_request& e) {
        return e.what();
    }
    return "";
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

const problem& fronts()
{
    static const problem p = open_problem(IVP_PRECONDITIONED_PROBLEM);
    return p;
}
const std::vector<double>& truth()
{
    static const std::vector<double> y = run_of(fronts(), "radau5", 1e-9, algebra::sparse).y;
    return y;
}

std::vector<std::string> solvers_that_iterate()
{
    std::vector<std::string> names;
    for (const auto& name : solver_names()) try {
            if (open_solver(name)->info().takes_krylov) names.push_back(name);
        } catch (const std::exception&) { // a library that is not installed
        }
    return names;
}

class every_iteration : public ::testing::TestWithParam<std::string> {};

TEST_P(every_iteration, takes_the_preconditioner_of_the_problem)
{
    const run_record by_factors = run_of(fronts(), GetParam(), 1e-6, algebra::krylov, {{"preconditioner", ilu0}});
    const run_record own = run_of(fronts(), GetParam(), 1e-6, algebra::krylov, {{"preconditioner", user}});
    const run_record without = run_of(fronts(), GetParam(), 1e-6, algebra::krylov, {{"preconditioner", none}});
    for (const auto* r : {&by_factors, &own, &without}) {
        ASSERT_EQ(r->outcome, outcome::success) << r->message;
        EXPECT_LT(distance(r->y, truth()), 1e-3);
    }
    EXPECT_LT(own.extra.at("krylov_iterations") / own.nsolve, 0.7 * without.extra.at("krylov_iterations") / without.nsolve);
    EXPECT_GT(own.extra.at("preconditioners"), 0);
    EXPECT_GE(own.extra.at("preconditioner_solves"), own.extra.at("krylov_iterations"));
    EXPECT_EQ(without.extra.at("preconditioner_solves"), 0);
}

INSTANTIATE_TEST_SUITE_P(solvers, every_iteration, ::testing::ValuesIn(solvers_that_iterate()), testing_support::test_name);

TEST(preconditioner, with_products_of_the_problem_no_jacobian_is_evaluated)
{
    for (const std::string solver : {"vode", "radau5", "rodas", "dassl", "cvode", "arkode"}) try {
            (void)open_solver(solver);
            SCOPED_TRACE(solver);
            const run_record r = run_of(fronts(), solver, 1e-6, algebra::krylov, {{"preconditioner", user}, {"products", by_duals}});
            ASSERT_EQ(r.outcome, outcome::success) << r.message;
            EXPECT_LT(distance(r.y, truth()), 1e-3);
            EXPECT_EQ(r.njac, 0U);
            EXPECT_EQ(r.nfev_jac, 0U);
            EXPECT_GT(r.extra.at("jacobian_products"), 0);
        } catch (const std::exception&) { // not installed
        }
}

TEST(preconditioner, several_threads_have_one_each)
{
    for (const std::string solver : {"radau5", "pside"}) {
        SCOPED_TRACE(solver);
        const problem larger = open_problem(IVP_PRECONDITIONED_PROBLEM, {{"N", "24"}}); // enough unknowns to be shared
        const run_record one = run_of(larger, solver, 1e-5, algebra::krylov, {{"preconditioner", user}});
        const run_record two = run_of(larger, solver, 1e-5, algebra::krylov, {{"preconditioner", user}}, 2);
        ASSERT_EQ(two.outcome, outcome::success) << two.message;
        EXPECT_EQ(one.y, two.y);
        EXPECT_EQ(one.extra.at("preconditioner_solves"), two.extra.at("preconditioner_solves"));
    }
}

TEST(preconditioner, is_refused_where_the_problem_has_none)
{
    const problem p = open_problem("brus2d", {{"N", "4"}});
    for (const std::string solver : {"vode", "radau5", "dassl"})
        EXPECT_NE(refusal(p, solver, {{"preconditioner", user}}).find("problem brus2d brings no preconditioner"), std::string::npos) << solver;
}

// ---- A table of this process ----

struct counts {
    std::atomic<int> states{0}, set_ups{0}, same{0}, solves{0};
};
counts seen;
bool refuses = false;

// y_i' = -(i + 1) y_i, whose preconditioner is exact.
constexpr int size = 30;
void describe(const void* /*self*/, ivp_problem_description* out)
{
    out->version = IVP_PLUGIN_VERSION;
    out->size = sizeof *out;
    out->id = "diagonal";
    out->form = IVP_ODE;
    out->n = size;
    out->tend = 1;
    out->jacobian_kind = IVP_BAND;
}
int initial(const void* /*self*/, double* y, double* /*yp*/)
{
    std::fill_n(y, size, 1.0);
    return 0;
}
int f(const void* /*self*/, double /*t*/, const double* y, double* out)
{
    for (int i = 0; i < size; ++i) out[i] = -(i + 1) * y[i];
    return IVP_OK;
}
int set_up(const void* /*self*/, double /*t*/, const double* /*y*/, double c, int32_t same_point, void** state)
{
    ++seen.set_ups;
    EXPECT_GT(c, 0);
    EXPECT_TRUE(same_point == 0 || *state != nullptr);
    if (same_point != 0) ++seen.same;
    if (*state == nullptr) {
        ++seen.states;
        *state = new double(0);
    }
    *static_cast<double*>(*state) = c;
    return refuses ? IVP_REFUSED : IVP_OK;
}
int solve(const void* /*self*/, void* state, const double* b, double* x)
{
    ++seen.solves;
    for (int i = 0; i < size; ++i) x[i] = b[i] / (*static_cast<double*>(state) + i + 1);
    return IVP_OK;
}
void end(const void* /*self*/, void* state)
{
    --seen.states;
    delete static_cast<double*>(state);
}

ivp_problem table()
{
    ivp_problem t{};
    t.version = IVP_PLUGIN_VERSION;
    t.size = sizeof t;
    t.describe = describe;
    t.initial = initial;
    t.f = f;
    t.preconditioner_set_up = set_up;
    t.preconditioner_solve = solve;
    t.preconditioner_free = end;
    return t;
}

TEST(preconditioner, its_states_are_given_back_and_it_learns_what_has_changed)
{
    for (const std::uint32_t flags : {std::uint32_t{0}, std::uint32_t{IVP_PROBLEM_SERIAL}}) {
        ivp_problem t = table();
        t.flags = flags;
        const problem p = problem_of("the problem", t, nullptr, nullptr);
        seen.set_ups = seen.same = seen.solves = 0;
        for (const std::string solver : {"vode", "radau5"}) { // one matrix, and a real beside a complex one
            const run_record r = run_of(p, solver, 1e-7, algebra::krylov, {{"preconditioner", user}, {"products", by_differences}});
            ASSERT_EQ(r.outcome, outcome::success) << r.message;
            for (int i = 0; i < size; ++i) EXPECT_NEAR(r.y[i], std::exp(-(i + 1)), 1e-5);
            EXPECT_EQ(r.njac, 0U);
        }
        EXPECT_EQ(seen.states, 0);
        EXPECT_GT(seen.same, 0);
        EXPECT_GT(seen.set_ups, seen.same);
        EXPECT_GT(seen.solves, 0);
    }
}

TEST(preconditioner, a_refused_set_up_ends_the_run_in_words)
{
    refuses = true;
    const run_record r = run_of(problem_of("the problem", table(), nullptr, nullptr), "vode", 1e-5, algebra::krylov, {{"preconditioner", user}});
    refuses = false;
    EXPECT_NE(r.outcome, outcome::success);
    EXPECT_NE(r.outcome, outcome::crashed);
    EXPECT_EQ(seen.states, 0);
}

TEST(preconditioner, a_table_of_the_first_header_has_none)
{
    ivp_problem t = table();
    t.size = offsetof(ivp_problem, tolerances) + sizeof t.tolerances;
    std::memset(reinterpret_cast<char*>(&t) + t.size, 0xAA, sizeof t - t.size); // whatever lies behind it
    const problem p = problem_of("the problem", t, nullptr, nullptr);
    EXPECT_FALSE(p.in<double>().has_products());
    EXPECT_EQ(p.in<double>().make_preconditioner(), nullptr);
    EXPECT_EQ(run_of(p, "vode", 1e-5, algebra::krylov).outcome, outcome::success);
    EXPECT_NE(refusal(p, "vode", {{"preconditioner", user}}).find("problem diagonal brings no preconditioner"), std::string::npos);
    EXPECT_NE(refusal(p, "vode", {{"products", by_duals}}).find("problem diagonal has no f that can be evaluated on dual numbers"),
              std::string::npos);
    t.size -= 8;
    EXPECT_THROW((void)problem_of("the problem", t, nullptr, nullptr), bad_request);
}

TEST(preconditioner, is_refused_in_pieces)
{
    ivp_problem t = table();
    t.preconditioner_free = nullptr;
    try {
        (void)problem_of("the problem", t, nullptr, nullptr);
        FAIL();
    } catch (const bad_request& e) {
        EXPECT_NE(std::string(e.what()).find("all or none"), std::string::npos);
    }
}

} // namespace
} // namespace ivp
