// The junction between the bulk of a MOS transistor and its source or drain, as the circuits nand and tba model it.
#ifndef IVP_PROBLEMS_COMMON_PN_JUNCTION_HPP
#define IVP_PROBLEMS_COMMON_PN_JUNCTION_HPP

#include <ivp/recorder.hpp>

#include <cmath>

namespace ivp::problems {

/// C0/sqrt(1 − U/phi_B), continued by its tangent where U > 0.
template <class R, class T>
T junction_capacitance(const R& C0, const R& phiB, const T& U)
{
    using std::sqrt;
    return piecewise([&]() -> T {
        if (U <= 0) return C0 / sqrt(1 - U / phiB);
        return C0 * (1 + U / (2 * phiB));
    });
}

/// Current through the diode; none where it blocks.
template <class R, class T>
T junction_current(const R& iS, const R& UT, const T& U)
{
    using std::exp;
    return piecewise([&]() -> T {
        if (U <= 0) return -iS * (exp(U / UT) - 1);
        return T(0);
    });
}

} // namespace ivp::problems

#endif
