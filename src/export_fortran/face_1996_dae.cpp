// The routines of the format of 1996 for DAEs.
#include "export_fortran/exported.hpp"

#include <ivp/plugin.h>

using ivp::export_fortran::exported;
using ivp::export_fortran::integer;
using ivp::export_fortran::put;

extern "C" {

IVP_EXPORT void prob_(char* problm, integer* neqn, double* tbegin, double* tend, integer* ijac, integer* mljac, integer* mujac, integer* mlmas,
                      integer* mumas, integer* ind1, integer* ind2, integer* ind3, std::size_t problm_length)
{
    const exported& p = exported::self();
    put(p.short_name(), problm, problm_length);
    *neqn = p.n();
    *tbegin = p.info().t0.value();
    *tend = p.info().tend.value();
    *ijac = p.by_differences() ? 0 : 1;
    *mljac = p.jacobian_band().lower;
    *mujac = p.jacobian_band().upper;
    *mlmas = p.mass_band().lower;
    *mumas = p.mass_band().upper;
    *ind1 = p.count_of_index(1);
    *ind2 = p.count_of_index(2);
    *ind3 = p.count_of_index(3);
}

IVP_EXPORT void init_(const integer* /*neqn*/, double* y, double* dy, integer* incon)
{
    const exported& p = exported::self();
    p.initial(y, dy);
    *incon = p.info().consistent_start ? 1 : 0;
}

// The format has no way to say that y is outside of the domain of f: the numbers are then what they are.
IVP_EXPORT void feval_(const integer* /*neqn*/, const double* t, const double* y, double* dy) { (void)exported::self().evaluate(*t, y, nullptr, dy); }

IVP_EXPORT void jeval_(const integer* /*neqn*/, const double* t, const double* y, double* jac, const integer* ldim)
{
    (void)exported::self().jacobian(*t, y, nullptr, jac, *ldim);
}

IVP_EXPORT void mas_(const integer* /*neqn*/, double* am, const integer* ldim) { (void)exported::self().mass(0, nullptr, nullptr, am, *ldim); }

IVP_EXPORT void solut_(const integer* /*neqn*/, double* y) { exported::self().reference(y); }
}
