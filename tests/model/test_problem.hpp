// A problem made of lambdas, for tests that need a formula of their own.
#ifndef IVP_TESTS_MODEL_TEST_PROBLEM_HPP
#define IVP_TESTS_MODEL_TEST_PROBLEM_HPP

#include <ivp/problem.hpp>

#include <functional>
#include <utility>

namespace ivp::testing_support {

/// y' = f(t, y), or M y' = f(t, y), in double precision, without exact derivatives.
class plain_equations final : public equations<double> {
public:
    using formula = std::function<evaluation(double t, const double* y, double* out)>;
    plain_equations(std::vector<double> y0, formula f)
        : y0_(std::move(y0)), f_(std::move(f)), mass_(mass_matrix<double>::identity(static_cast<int>(y0_.size())))
    {}
    plain_equations(std::vector<double> y0, formula f, mass_matrix<double> mass) : y0_(std::move(y0)), f_(std::move(f)), mass_(std::move(mass)) {}

    [[nodiscard]] std::vector<double> initial_values() const override { return y0_; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    evaluation f(const double& t, const double* y, double* out) const override { return f_(t, y, out); }
    evaluation g(const double& /*t*/, const double* /*y*/, const double* /*yp*/, double* /*out*/) const override { throw std::logic_error("no G"); }
    [[nodiscard]] bool has_exact_jacobian() const override { return false; }
    evaluation jacobian(const double&, const double*, scratch&, const matrix_view<double>&) const override { throw std::logic_error("no Jacobian"); }
    evaluation partials(const double&, const double*, const double*, const double&, const double&, scratch&,
                        const matrix_view<double>&) const override
    {
        throw std::logic_error("no partials");
    }
    evaluation time_derivative(const double&, const double*, const double*, scratch&, double*) const override
    {
        throw std::logic_error("no derivative");
    }

private:
    std::vector<double> y0_;
    formula f_;
    mass_matrix<double> mass_;
};

inline problem plain_problem(std::vector<double> y0, double tend, plain_equations::formula f, mass_matrix<double> mass)
{
    problem_info i;
    i.form = mass.kind() == mass_kind::identity ? form::ode : form::dae;
    i.id = "plain";
    i.title = "Plain";
    i.n = static_cast<int>(y0.size());
    i.tend = tend;
    return {i, parameter_values({}, {}), std::make_shared<plain_equations>(std::move(y0), std::move(f), std::move(mass))};
}

inline problem plain_problem(std::vector<double> y0, double tend, plain_equations::formula f)
{
    auto identity = mass_matrix<double>::identity(static_cast<int>(y0.size()));
    return plain_problem(std::move(y0), tend, std::move(f), std::move(identity));
}

} // namespace ivp::testing_support

#endif
