// Linear systems by iteration: every solver that takes algebra krylov reaches the solution that it reaches by elimination, and counts what it did.
//
// DESCRIPTION: reaction and diffusion of two substances on a periodic grid of 14 x 14 points, 392 equations. The truth is radau5 with elimination and
// a tolerance a thousand times as tight.
#include "model/test_problem.hpp"
#include "test_name.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/problem_of.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace ivp {

namespace {

template <class R>
struct reaction_and_diffusion {
    static constexpr int side = 14;
    static constexpr int points = side * side;
    R slowness; // of the second substance

    explicit reaction_and_diffusion(const parameter_values& p) : slowness(p.get<R>("slowness")) {}

    static int place(int i, int j) { return (j + side) % side * side + (i + side) % side; }

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        const R diffusion = R(20);
        for (int j = 0; j < side; ++j)
            for (int i = 0; i < side; ++i) {
                const int k = place(i, j);
                const T* const v = y + points;
                const auto spread = [&](const T* x) {
                    return diffusion * (x[place(i - 1, j)] + x[place(i + 1, j)] + x[place(i, j - 1)] + x[place(i, j + 1)] - 4 * x[k]);
                };
                const T reaction = y[k] * y[k] * v[k];
                out[k] = 1 + reaction - 4 * y[k] + spread(y);
                out[points + k] = 3 * y[k] - reaction + spread(v);
            }
    }
    void initial(R* y) const
    {
        for (int k = 0; k < points; ++k) {
            y[k] = R(1) + R(k % side) / side;
            y[points + k] = R(3) - R(k / side) / side;
        }
    }
    mass_matrix<R> mass_of(int n) const
    {
        std::vector<R> d(n, R(1));
        std::fill(d.begin() + points, d.end(), slowness);
        return mass_matrix<R>::diagonal(std::move(d));
    }

    static std::vector<parameter> parameters() { return {{"slowness", 1, 0, 10, "of the second substance"}}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "reaction-and-diffusion";
        i.title = "Reaction and diffusion";
        i.n = 2 * points;
        i.t0 = 0;
        i.tend = 1;
        i.tags = {"autonomous"};
        std::vector<std::vector<int>> columns(2 * static_cast<std::size_t>(points));
        for (int field = 0; field < 2; ++field)
            for (int j = 0; j < side; ++j)
                for (int k = 0; k < side; ++k) {
                    const auto at = [&](int a, int b) { return field * points + place(a, b); };
                    columns[at(k, j)] = {at(k, j), at(k - 1, j), at(k + 1, j), at(k, j - 1), at(k, j + 1), (at(k, j) + points) % (2 * points)};
                }
        i.jacobian_structure = structure::sparse(std::move(columns));
        return i;
    }
};

/// The same with the second substance twice as slow: M y' = f.
template <class R>
struct with_mass : reaction_and_diffusion<R> {
    using reaction_and_diffusion<R>::reaction_and_diffusion;
    mass_matrix<R> mass() const { return this->mass_of(2 * reaction_and_diffusion<R>::points); }
    static problem_info describe(const parameter_values& p)
    {
        problem_info i = reaction_and_diffusion<R>::describe(p);
        i.form = form::dae;
        i.highest_index = 1;
        return i;
    }
};

run_settings settings(double rtol, algebra path, std::map<std::string, double> options = {})
{
    run_settings s;
    s.rtol = rtol;
    s.atol = {rtol};
    s.repeat = 1;
    s.algebra = path;
    s.special = std::move(options);
    return s;
}

run_record run_of(const problem& p, const std::string& solver, const run_settings& asked)
{
    const auto s = open_solver(solver);
    run_settings with_start = asked;
    if (s->info().needs_h0) with_start.h0 = 1e-4;
    return measure_run(p, *s, with_start);
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

const problem& plain()
{
    static const problem p = problem_of<reaction_and_diffusion>();
    return p;
}
const std::vector<double>& truth()
{
    static const std::vector<double> y = run_of(plain(), "radau5", settings(1e-9, algebra::sparse)).y;
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

} // namespace

class every_iteration : public ::testing::TestWithParam<std::string> {};

TEST_P(every_iteration, reaches_the_solution_of_elimination)
{
    const run_record direct = run_of(plain(), GetParam(), settings(1e-6, algebra::sparse));
    const run_record by_iteration = run_of(plain(), GetParam(), settings(1e-6, algebra::krylov));
    ASSERT_EQ(direct.outcome, outcome::success) << direct.message;
    ASSERT_EQ(by_iteration.outcome, outcome::success) << by_iteration.message;
    EXPECT_EQ(direct.algebra, "sparse");
    EXPECT_EQ(by_iteration.algebra, "krylov");
    const double error = distance(direct.y, truth());
    EXPECT_LT(error, 1e-3);
    EXPECT_LE(distance(by_iteration.y, truth()), 3 * error + 1e-6);
    EXPECT_LE(by_iteration.steps, 1.3 * static_cast<double>(direct.steps) + 10);
    EXPECT_GT(by_iteration.extra.at("krylov_iterations"), 0);
    EXPECT_GT(by_iteration.extra.at("preconditioners"), 0);
    EXPECT_EQ(direct.extra.count("krylov_iterations"), 0U);
}

TEST_P(every_iteration, takes_the_preconditioner_that_is_asked_for)
{
    std::map<double, double> iterations; // by preconditioner
    for (const double preconditioner : {0.0, 1.0, 2.0}) {
        const run_record r =
            run_of(plain(), GetParam(),
                   settings(1e-5, algebra::krylov, {{"preconditioner", preconditioner}, {"block", reaction_and_diffusion<double>::side}}));
        ASSERT_EQ(r.outcome, outcome::success) << preconditioner << ": " << r.message;
        EXPECT_LT(distance(r.y, truth()), 1e-2);
        iterations[preconditioner] = r.extra.at("krylov_iterations") / static_cast<double>(r.steps);
    }
    EXPECT_LT(iterations[0], iterations[1]);
    EXPECT_LT(iterations[1], iterations[2]);
}

INSTANTIATE_TEST_SUITE_P(solvers, every_iteration, ::testing::ValuesIn(solvers_that_iterate()), testing_support::test_name);

TEST(krylov, products_by_differences_need_no_jacobian)
{
    for (const std::string solver : {"vode", "radau5", "rodas", "dassl"}) {
        SCOPED_TRACE(solver);
        const run_record by_matrix = run_of(plain(), solver, settings(1e-5, algebra::krylov));
        const run_record by_differences = run_of(plain(), solver, settings(1e-5, algebra::krylov, {{"products", 1.0}}));
        const run_record without_matrix = run_of(plain(), solver, settings(1e-5, algebra::krylov, {{"products", 1.0}, {"preconditioner", 2.0}}));
        for (const auto* r : {&by_matrix, &by_differences, &without_matrix}) {
            ASSERT_EQ(r->outcome, outcome::success) << r->message;
            EXPECT_LT(distance(r->y, truth()), 1e-2);
        }
        EXPECT_EQ(by_matrix.nfev_jac, 0U);
        EXPECT_GE(static_cast<double>(by_differences.nfev_jac), by_differences.extra.at("krylov_iterations"));
        EXPECT_EQ(without_matrix.njac, 0U);
    }
}

TEST(krylov, products_by_duals_take_the_steps_of_the_matrix)
{
    for (const std::string solver : {"vode", "radau5", "radau", "rodas", "dassl", "mebdfi", "mebdfdae", "bimd", "gamd"}) {
        SCOPED_TRACE(solver);
        const run_record by_matrix = run_of(plain(), solver, settings(1e-5, algebra::krylov));
        const run_record by_duals = run_of(plain(), solver, settings(1e-5, algebra::krylov, {{"products", 2.0}}));
        const run_record without_matrix = run_of(plain(), solver, settings(1e-5, algebra::krylov, {{"products", 2.0}, {"preconditioner", 2.0}}));
        for (const auto* r : {&by_matrix, &by_duals, &without_matrix}) {
            ASSERT_EQ(r->outcome, outcome::success) << r->message;
            EXPECT_LT(distance(r->y, truth()), 1e-2);
            EXPECT_EQ(r->nfev_jac, 0U);
        }
        // The products are the same but for rounding.
        EXPECT_EQ(by_duals.steps, by_matrix.steps);
        EXPECT_EQ(by_duals.njac, by_matrix.njac);
        EXPECT_NEAR(by_duals.extra.at("krylov_iterations"), by_matrix.extra.at("krylov_iterations"), 3);
        EXPECT_LT(distance(by_duals.y, by_matrix.y), 1e-7);
        EXPECT_GE(by_duals.extra.at("jacobian_products"), by_duals.extra.at("krylov_iterations"));
        EXPECT_EQ(by_matrix.extra.count("jacobian_products"), 0U);
        EXPECT_EQ(without_matrix.njac, 0U);
    }
}

TEST(krylov, takes_a_mass_matrix)
{
    const problem p = problem_of<with_mass>({{"slowness", "2"}});
    const run_record exact = run_of(p, "radau5", settings(1e-8, algebra::sparse));
    for (const std::string solver : {"radau5", "rodas", "dassl", "mebdfdae", "bimd", "gamd", "pside"})
        for (const double products : {0.0, 1.0, 2.0}) {
            if (products != 0 && solver == "pside") continue; // its threads solve at the same time
            SCOPED_TRACE(solver);
            const run_record r = run_of(p, solver, settings(1e-5, algebra::krylov, {{"products", products}}));
            ASSERT_EQ(r.outcome, outcome::success) << r.message;
            EXPECT_LT(distance(r.y, exact.y), 1e-2);
        }
}

TEST(krylov, is_refused_in_words)
{
    const auto message = [](const problem& p, const std::string& solver, const run_settings& s) {
        try {
            (void)run_of(p, solver, s);
        } catch (const bad_request& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const problem full = testing_support::plain_problem({1.0}, 1, [](double, const double* y, double* out) {
        out[0] = -y[0];
        return evaluation::ok;
    });
    EXPECT_NE(message(plain(), "secder", settings(1e-5, algebra::krylov)).find("has no krylov linear algebra; allowed: auto, dense"),
              std::string::npos);
    EXPECT_NE(message(plain(), "dopri5", settings(1e-5, algebra::krylov)).find("explicit"), std::string::npos);
    EXPECT_NE(message(plain(), "pside", settings(1e-5, algebra::krylov, {{"products", 1.0}})).find("allowed for this solver"), std::string::npos);
    EXPECT_NE(message(plain(), "pside", settings(1e-5, algebra::krylov, {{"products", 2.0}})).find("duals given; allowed for this solver"),
              std::string::npos);
    EXPECT_NE(message(plain(), "vode", settings(1e-5, algebra::krylov, {{"preconditioner", 3.0}})).find("brings no preconditioner"),
              std::string::npos);
    EXPECT_NE(message(full, "vode", settings(1e-5, algebra::krylov)).find("allowed"), std::string::npos);
    EXPECT_NE(message(plain(), "vode", settings(1e-5, algebra::krylov, {{"block", 0.0}})).find("block"), std::string::npos);
}

} // namespace ivp
