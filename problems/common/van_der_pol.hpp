// Van der Pol's oscillator z'' = mu (1 - z^2) z' - z from z = 2 at rest, which vdpolm and both problems E2 of DETEST share.
#ifndef IVP_PROBLEMS_COMMON_VAN_DER_POL_HPP
#define IVP_PROBLEMS_COMMON_VAN_DER_POL_HPP

#include <ivp/problem.hpp>

namespace ivp::problems {

template <class R>
struct van_der_pol {
    R mu;

    explicit van_der_pol(const parameter_values& p) : mu(p.get<R>("mu")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = y[1];
        dydt[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
    }

    void initial(R* y) const
    {
        y[0] = R(2);
        y[1] = R(0);
    }
};

} // namespace ivp::problems

#endif
