// The car axis as masses, springs and constraints: what its formulations are built from (ivp/mechanics.hpp).
#ifndef IVP_PROBLEMS_CARAXIS_SYSTEM_HPP
#define IVP_PROBLEMS_CARAXIS_SYSTEM_HPP

#include "caraxis/caraxis.hpp"

#include <ivp/mechanics.hpp>

namespace ivp::problems {

template <class R>
struct caraxis_system {
    caraxis<R> car; ///< its constants

    explicit caraxis_system(const parameter_values& p) : car(p) {}

    static std::vector<parameter> parameters() { return caraxis<R>::parameters(); }
    static mechanics_info describe(const parameter_values& p)
    {
        return {caraxis<R>::describe(p), {"xl", "yl", "xr", "yr"}, {"left spring across the axis", "length of the chassis"}, 1};
    }

    void start(R* q, R* v) const
    {
        q[0] = R(0);
        q[1] = q[3] = car.L0;
        q[2] = car.L;
        v[0] = v[2] = -car.L0 / car.L * car.h * car.omega;
        v[1] = v[3] = R(0);
    }

    void mass(square<R> M) const
    {
        for (int i = 0; i < 4; ++i) M(i, i) = car.inertia;
    }

    /// The wheel on the bumpy road.
    template <class T>
    void road(const T& t, T& xb, T& yb) const
    {
        using std::sin, std::sqrt;
        yb = car.h * sin(car.omega * t);
        xb = sqrt(car.L * car.L - yb * yb);
    }

    template <class T>
    void forces(const T& t, const T* q, const T* /*v*/, T* f) const
    {
        T xb, yb;
        road(t, xb, yb);
        const T x = q[2] - xb, y = q[3] - yb;
        spring(q[0], q[1], f);
        spring(x, y, f + 2);
        f[1] -= car.gravity * car.inertia;
        f[3] -= car.gravity * car.inertia;
    }
    template <class T>
    void spring(const T& x, const T& y, T* f) const
    {
        using std::sqrt;
        const T length = sqrt(x * x + y * y);
        const T pull = (car.L0 - length) / length;
        f[0] = pull * x;
        f[1] = pull * y;
    }

    template <class T>
    void constraints(const T& t, const T* q, T* phi) const
    {
        T xb, yb;
        road(t, xb, yb);
        phi[0] = q[0] * xb + q[1] * yb;
        phi[1] = (q[0] - q[2]) * (q[0] - q[2]) + (q[1] - q[3]) * (q[1] - q[3]) - car.L * car.L;
    }
};

} // namespace ivp::problems

#endif
