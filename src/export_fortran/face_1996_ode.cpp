// The routines of the format of 1996 for ODEs.
#include "export_fortran/face_1996.hpp"

using namespace ivp::export_fortran;

extern "C" {

IVP_EXPORT void prob_(char* problm, integer* neqn, double* tbegin, double* tend, integer* ijac, integer* mljac, integer* mujac,
                      std::size_t problm_length)
{
    (void)describe(problm, problm_length, neqn, tbegin, tend, ijac, mljac, mujac);
}

IVP_EXPORT void init_(const integer* /*neqn*/, double* y) { exported::self().initial(y, nullptr); }

// The format has no way to say that y is outside of the domain of f: the numbers are then what they are.
IVP_EXPORT void feval_(const integer* /*neqn*/, const double* t, const double* y, double* dy) { (void)exported::self().evaluate(*t, y, nullptr, dy); }

IVP_EXPORT void jeval_(const integer* /*neqn*/, const double* t, const double* y, double* jac, const integer* ldim)
{
    (void)exported::self().jacobian(*t, y, nullptr, jac, *ldim);
}

IVP_EXPORT void solut_(const integer* /*neqn*/, double* y) { exported::self().reference(y); }
}
