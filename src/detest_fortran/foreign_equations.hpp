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

/// What a program evaluates its problem by.
struct procedures {
    int n;
    ivp_detest_procedure fcn;
    ivp_detest_procedure pderv; ///< null: there is none
    bool told_n;                ///< FCN is, as DVERK calls it; else FCN(X, Y, YP)
};

/// Real: of the program.
template <class Real>
class foreign_equations final : public equations<double> {
public:
    foreign_equations(const procedures& p, std::vector<double> y0)
        : n_(p.n),
          program_(p),
          y0_(std::move(y0)),
          mass_(mass_matrix<double>::identity(n_)),
          y_(static_cast<std::size_t>(n_)),
          values_(static_cast<std::size_t>(p.pderv == nullptr ? n_ : n_ * n_))
    {}

    [[nodiscard]] std::vector<double> initial_values() const override { return y0_; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    [[nodiscard]] bool has_exact_jacobian() const override { return program_.pderv != nullptr; }

    evaluation f(const double& t, const double* y, double* out) const override
    {
        evaluate(program_.told_n, program_.fcn, t, y, out, n_);
        return evaluation::ok;
    }
    evaluation jacobian(const double& t, const double* y, scratch& /*work*/, const matrix_view<double>& out) const override
    {
        if (out.kind != structure_kind::full || out.ld != n_) throw std::logic_error("PDERV writes full matrices only");
        evaluate(false, program_.pderv, t, y, out.data, n_ * n_);
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
    procedures program_;
    std::vector<double> y0_;
    mass_matrix<double> mass_;
    mutable std::vector<Real> y_, values_; // one caller at a time, as everything here
};

template <class Real>
problem foreign_problem(const procedures& p, std::vector<double> y0, double t0 = 0, double tend = 0)
{
    problem_info info;
    info.id = "the procedure FCN";
    info.n = p.n;
    info.t0 = decimal(t0);
    info.tend = decimal(tend);
    info.tags = {"autonomous"};
    info.jacobian_structure = structure::full();
    return {std::move(info), parameter_values({}, {}), std::make_shared<foreign_equations<Real>>(p, std::move(y0))};
}

} // namespace ivp::detest_fortran

#endif
