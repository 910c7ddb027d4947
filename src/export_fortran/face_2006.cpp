// The routines of releases 2.0 to 2.4 (2006): those of 2.0, and the three that 2.3 added, which earlier drivers do not call.
#include "export_fortran/exported.hpp"

#include <ivp/plugin.h>

#include <algorithm>

using ivp::form;
using ivp::export_fortran::exported;
using ivp::export_fortran::integer;
using ivp::export_fortran::logical;
using ivp::export_fortran::put;

namespace {

constexpr integer interface_date = 20060828;

/// -1 where it cannot be evaluated; drivers set it to 0 before.
void answer(bool good, integer* ierr)
{
    if (!good) *ierr = -1;
}

} // namespace

extern "C" {

IVP_EXPORT integer pidate_() { return interface_date; }

IVP_EXPORT void prob_(char* fullnm, char* problm, char* type, integer* neqn, integer* ndisc, double* t, logical* numjac, integer* mljac,
                      integer* mujac, logical* nummas, integer* mlmas, integer* mumas, integer* ind, std::size_t fullnm_length,
                      std::size_t problm_length, std::size_t type_length)
{
    const exported& p = exported::self();
    const auto& info = p.info();
    put(p.full_name(), fullnm, fullnm_length);
    put(p.short_name(), problm, problm_length);
    put(info.form == form::ode ? "ODE" : info.form == form::dae ? "DAE" : "IDE", type, type_length);
    *neqn = p.n();
    *ndisc = static_cast<integer>(info.breakpoints.size());
    t[0] = info.t0.value();
    for (const auto& b : info.breakpoints) *++t = b.value();
    *++t = info.tend.value();
    *numjac = p.by_differences() ? 1 : 0;
    *mljac = p.jacobian_band().lower;
    *mujac = p.jacobian_band().upper;
    *nummas = info.form == form::ide ? *numjac : 0;
    *mlmas = p.mass_band().lower;
    *mumas = p.mass_band().upper;
    for (int i = 0; i < p.n(); ++i) ind[i] = info.form == form::ode ? 0 : info.index_of(i);
}

IVP_EXPORT void init_(const integer* /*neqn*/, const double* /*t*/, double* y, double* yprime, logical* consis)
{
    const exported& p = exported::self();
    p.initial(y, yprime);
    *consis = p.info().consistent_start ? 1 : 0;
}

IVP_EXPORT void settolerances_(const integer* /*neqn*/, double* rtol, double* atol, logical* tolvec)
{
    const exported& p = exported::self();
    *tolvec = p.has_tolerance_rule() ? 1 : 0;
    if (p.has_tolerance_rule()) p.tolerances(rtol[0], atol[0], rtol, atol);
}

IVP_EXPORT void setoutput_(const integer* neqn, logical* solref, logical* printsolout, integer* nindsol, integer* indsol)
{
    *solref = exported::self().has_reference() ? 1 : 0;
    *printsolout = 1;
    *nindsol = *neqn;
    for (integer i = 0; i < *neqn; ++i) indsol[i] = i + 1;
}

IVP_EXPORT void feval_(const integer* /*neqn*/, const double* t, const double* y, const double* yprime, double* f, integer* ierr,
                       const double* /*rpar*/, const integer* /*ipar*/)
{
    answer(exported::self().evaluate(*t, y, yprime, f), ierr);
}

IVP_EXPORT void jeval_(const integer* ldim, const integer* /*neqn*/, const double* t, const double* y, const double* yprime, double* dfdy,
                       integer* ierr, const double* /*rpar*/, const integer* /*ipar*/)
{
    answer(exported::self().jacobian(*t, y, yprime, dfdy, *ldim), ierr);
}

/// A driver asks for the mass matrix of a DAE before it has set y, yprime and ierr.
IVP_EXPORT void meval_(const integer* ldim, const integer* /*neqn*/, const double* t, const double* y, const double* yprime, double* dfddy,
                       integer* ierr, const double* /*rpar*/, const integer* /*ipar*/)
{
    answer(exported::self().mass(*t, y, yprime, dfddy, *ldim), ierr);
}

IVP_EXPORT void solut_(const integer* /*neqn*/, const double* /*t*/, double* y) { exported::self().reference(y); }
}
