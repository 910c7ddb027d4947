// What the three formats of 1996 have in common.
#ifndef IVP_SRC_EXPORT_FORTRAN_FACE_1996_HPP
#define IVP_SRC_EXPORT_FORTRAN_FACE_1996_HPP

#include "export_fortran/exported.hpp"

#include <ivp/plugin.h>

namespace ivp::export_fortran {

/// The first arguments of PROB, which all have.
inline const exported& describe(char* problm, std::size_t length, integer* neqn, double* tbegin, double* tend, integer* ijac, integer* mljac,
                                integer* mujac)
{
    const exported& p = exported::self();
    put(p.short_name(), problm, length);
    *neqn = p.n();
    *tbegin = p.info().t0.value();
    *tend = p.info().tend.value();
    *ijac = p.by_differences() ? 0 : 1;
    *mljac = p.jacobian_band().lower;
    *mujac = p.jacobian_band().upper;
    return p;
}

inline void count_indices(const exported& p, integer* ind1, integer* ind2, integer* ind3)
{
    *ind1 = p.count_of_index(1);
    *ind2 = p.count_of_index(2);
    *ind3 = p.count_of_index(3);
}

/// INIT of DAEs and IDEs.
inline void begin(double* y, double* dy, integer* incon)
{
    exported::self().initial(y, dy);
    *incon = exported::self().info().consistent_start ? 1 : 0;
}

} // namespace ivp::export_fortran

#endif
