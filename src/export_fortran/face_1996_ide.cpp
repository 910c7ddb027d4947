// The routines of the format of 1996 for IDEs.
#include "export_fortran/face_1996.hpp"

using namespace ivp::export_fortran;

extern "C" {

IVP_EXPORT void prob_(char* problm, integer* neqn, double* tbegin, double* tend, integer* ijac, integer* mljac, integer* mujac, integer* ind1,
                      integer* ind2, integer* ind3, std::size_t problm_length)
{
    const exported& p = describe(problm, problm_length, neqn, tbegin, tend, ijac, mljac, mujac);
    count_indices(p, ind1, ind2, ind3);
}

IVP_EXPORT void init_(const integer* /*neqn*/, double* y, double* dy, integer* incon) { begin(y, dy, incon); }

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
