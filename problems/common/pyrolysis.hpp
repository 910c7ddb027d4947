// Chemical pyrolysis, which the test set (e5) and DETEST (stiff E5) pose over intervals of their own.
#ifndef IVP_PROBLEMS_COMMON_PYROLYSIS_HPP
#define IVP_PROBLEMS_COMMON_PYROLYSIS_HPP

namespace ivp::problems {

template <class R>
struct pyrolysis {
    R decay;    ///< of y1 alone
    R binding;  ///< of y1 to y3, which makes y4
    R removal;  ///< of y2 together with y3
    R cleavage; ///< of y4

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T decayed = decay * y[0];
        const T bound = binding * y[0] * y[2];
        dydt[0] = -decayed - bound;
        dydt[1] = decayed - removal * y[1] * y[2];
        dydt[3] = bound - cleavage * y[3];
        dydt[2] = dydt[1] - dydt[3]; // NOTE: not its own sum of four terms, whose rounding would break the invariant
    }
};

} // namespace ivp::problems

#endif
