#include "run/initial_derivative.hpp"

#include <ivp/catalog.hpp>
#include <ivp/problem_of.hpp>

#include <cmath>
#include <gtest/gtest.h>

namespace ivp {

namespace {

/// The equations of another problem without its y0'.
class without_derivative final : public equations<double> {
public:
    explicit without_derivative(const problem& p) : p_(p), base_(p_.in<double>()) {}
    [[nodiscard]] std::vector<double> initial_values() const override { return base_.initial_values(); }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return base_.mass(); }
    evaluation f(const double& t, const double* y, double* out) const override { return base_.f(t, y, out); }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override { return base_.g(t, y, yp, out); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return base_.make_scratch(); }
    evaluation jacobian(const double& t, const double* y, scratch& w, const matrix_view<double>& o) const override
    {
        return base_.jacobian(t, y, w, o);
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& w,
                        const matrix_view<double>& o) const override
    {
        return base_.partials(t, y, yp, a, b, w, o);
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& w, double* o) const override
    {
        return base_.time_derivative(t, y, yp, w, o);
    }

private:
    problem p_;
    const equations<double>& base_;
};

problem forget_derivative(const char* id)
{
    const problem p = open_problem(id);
    return {p.info(), p.parameters(), std::make_shared<without_derivative>(p)};
}

} // namespace

TEST(initial_derivative, of_an_ode_is_f)
{
    const problem p = open_problem("hires");
    std::vector<double> f(8);
    (void)p.in<double>().f(0, p.in<double>().initial_values().data(), f.data());
    EXPECT_EQ(initial_derivative(p), f);
}

TEST(initial_derivative, of_index_one_with_a_coupled_mass_matrix)
{
    // transamp knows its y0' in closed form: the computed one must agree in all components.
    const auto given = open_problem("transamp").in<double>().initial_derivatives();
    const auto computed = initial_derivative(forget_derivative("transamp"));
    ASSERT_EQ(given.size(), computed.size());
    for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(computed[i], given[i], 1e-10 * (1 + std::abs(given[i]))) << i;
}

TEST(initial_derivative, of_an_algebraic_variable_follows_the_constraint)
{
    // chemakzo: 0 = Ks y1 y4 - y6, so y6' = Ks (y1' y4 + y1 y4').
    const problem p = open_problem("chemakzo_dae");
    const auto y = p.in<double>().initial_values();
    const auto yp = initial_derivative(p);
    EXPECT_NEAR(yp[5], 115.83 * (yp[0] * y[3] + y[0] * yp[3]), 1e-12);
    EXPECT_GT(std::abs(yp[5]), 1e-3);
}

TEST(initial_derivative, of_an_ide)
{
    const auto yp = initial_derivative(forget_derivative("nand"));
    for (const double v : yp) EXPECT_NEAR(v, 0.0, 1e-8); // the circuit rests at t = 0
}

TEST(initial_derivative, of_higher_index_is_refused_in_words)
{
    try {
        (void)initial_derivative(forget_derivative("caraxis"));
        FAIL() << "computed";
    } catch (const bad_request& e) {
        EXPECT_STREQ(e.what(), "y0' of caraxis cannot be computed: the problem has index 3; only index 0 and 1 can be completed");
    }
}

} // namespace ivp
