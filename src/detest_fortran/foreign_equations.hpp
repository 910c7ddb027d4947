// The equations behind procedures of a Fortran program.
#ifndef IVP_DETEST_FORTRAN_FOREIGN_EQUATIONS_HPP
#define IVP_DETEST_FORTRAN_FOREIGN_EQUATIONS_HPP

#include "engine.h"

#include <ivp/problem.hpp>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp::detest_fortran {

/// Real: of the program. DVERK's FCN is told n; that of SECDER is not, and has PDERV beside it.
template <class Real>
class foreign_equations final : public equations<double> {
public:
    foreign_equations(int n, ivp_detest_procedure fcn, ivp_detest_procedure pderv, std::vector<double> y0)
        : n_(n), fcn_(fcn), pderv_(pderv), y0_(std::move(y0)), mass_(mass_matrix<double>::identity(n)), y_(n), values_(pderv == nullptr ? n : n * n)
    {}

    [[nodiscard]] std::vector<double> initial_values() const override { return y0_; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    [[nodiscard]] bool has_exact_jacobian() const override { return pderv_ != nullptr; }

    evaluation f(const double& t, const double* y, double* out) const override
    {
        evaluate(pderv_ == nullptr, fcn_, t, y, out, n_);
        return evaluation::ok;
    }
    evaluation jacobian(const double& t, const double* y, scratch& /*work*/, const matrix_view<double>& out) const override
    {
        if (out.kind != structure_kind::full || out.ld != n_) throw std::logic_error("PDERV writes full matrices only");
        evaluate(false, pderv_, t, y, out.data, n_ * n_);
        return evaluation::ok;
    }
    evaluation g(const double& /*t*/, const double* /*y*/, const double* /*yp*/, double* /*out*/) const override
    {
        throw std::logic_error("not an implicit problem");
    }
    evaluation partials(const double& /*t*/, const double* /*y*/, const double* /*yp*/, const double& /*a*/, const double& /*b*/, scratch& /*work*/,
                        const matrix_view<double>& /*out*/) const override
    {
        throw std::logic_error("not an implicit problem");
    }
    // PDERV knows none: SECDER takes f as autonomous, as its original does.
    evaluation time_derivative(const double& /*t*/, const double* /*y*/, const double* /*yp*/, scratch& /*work*/, double* out) const override
    {
        std::fill(out, out + n_, 0.0);
        return evaluation::ok;
    }

private:
    void evaluate(bool told_n, ivp_detest_procedure procedure, double t, const double* y, double* out, int size) const
    {
        Real x = static_cast<Real>(t);
        std::transform(y, y + n_, y_.begin(), [](double v) { return static_cast<Real>(v); });
        Real* const target = std::is_same_v<Real, double> ? reinterpret_cast<Real*>(out) : values_.data();
        int n = n_;
        if (told_n)
            reinterpret_cast<void (*)(int*, Real*, Real*, Real*)>(procedure)(&n, &x, y_.data(), target);
        else
            reinterpret_cast<void (*)(Real*, Real*, Real*)>(procedure)(&x, y_.data(), target);
        if constexpr (!std::is_same_v<Real, double>) std::copy_n(values_.begin(), size, out);
    }

    int n_;
    ivp_detest_procedure fcn_, pderv_;
    std::vector<double> y0_;
    mass_matrix<double> mass_;
    mutable std::vector<Real> y_, values_; // one caller at a time, as everything here
};

template <class Real>
problem foreign_problem(int n, ivp_detest_procedure fcn, ivp_detest_procedure pderv, std::vector<double> y0)
{
    problem_info info;
    info.id = "the procedure FCN";
    info.n = n;
    info.tags = {"autonomous"};
    info.jacobian_structure = structure::full();
    return {std::move(info), parameter_values({}, {}), std::make_shared<foreign_equations<Real>>(n, fcn, pderv, std::move(y0))};
}

} // namespace ivp::detest_fortran

#endif
