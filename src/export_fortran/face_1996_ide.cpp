// The routines of the format of 1996 for IDEs.
#include "export_fortran/exported.hpp"

#include <ivp/plugin.h>

using ivp::export_fortran::exported;
using ivp::export_fortran::integer;
using ivp::export_fortran::put;

extern "C" {

IVP_EXPORT void prob_(char* problm, integer* neqn, double* tbegin, double* tend, integer* ijac, integer* mljac, integer* mujac, integer* ind1,
                      integer* ind2, integer* ind3, std::size_t problm_length)
{
    const exported& p = exported::self();
    put(p.short_name(), problm, problm_length);
    *neqn = p.n();
    *tbegin = p.info().t0.value();
    *tend = p.info().tend.value();
    *ijac = p.by_differences() ? 0 : 1;
    *mljac = p.jacobian_band().lower;
    *mujac = p.jacobian_band().upper;
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

// The format has no way to say that (y, y') is outside of the domain of G: the numbers are then what they are.
IVP_EXPORT void geval_(const integer* /*neqn*/, const double* t, const double* y, const double* dy, double* g)
{
    (void)exported::self().evaluate(*t, y, dy, g);
}

IVP_EXPORT void jeval_(const integer* /*neqn*/, const double* t, const double* y, const double* dy, double* dgdy, double* dgddy, const integer* ldim)
{
    (void)exported::self().jacobian(*t, y, dy, dgdy, *ldim);
    (void)exported::self().mass(*t, y, dy, dgddy, *ldim);
}

IVP_EXPORT void solut_(const integer* /*neqn*/, double* y) { exported::self().reference(y); }
}
