// Andrews' squeezing mechanism as masses, forces and constraints: what its formulations are built from (ivp/mechanics.hpp).
#ifndef IVP_PROBLEMS_ANDREWS_SYSTEM_HPP
#define IVP_PROBLEMS_ANDREWS_SYSTEM_HPP

#include "andrews/andrews.hpp"

#include <ivp/mechanics.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct andrews_system {
    andrews<R> c; ///< its constants

    explicit andrews_system(const parameter_values& p) : c(p) {}

    static std::vector<parameter> parameters() { return andrews<R>::parameters(); }
    static mechanics_info describe(const parameter_values& p)
    {
        return {andrews<R>::describe(p),
                {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"},
                {"loop of the spring, x", "loop of the spring, y", "loop K4 K5, x", "loop K4 K5, y", "loop K6 K7, x", "loop K6 K7, y"},
                -1};
    }

    void start(R* q, R* v) const
    {
        std::array<R, 27> y;
        c.initial(y.data());
        std::copy(y.begin(), y.begin() + 7, q);
        std::fill(v, v + 7, R(0));
    }

    template <class T>
    void mass(const T* q, square<T> M) const
    {
        using std::cos, std::sin;
        const T c2 = cos(q[1]), s4 = sin(q[3]), s6 = sin(q[5]);
        M(0, 0) = c.M11 - 2 * c.cM2 * c2;
        M(0, 1) = M(1, 0) = c.M12 - c.cM2 * c2;
        M(1, 1) = c.M22;
        M(2, 2) = c.M33;
        M(3, 3) = c.M44;
        M(3, 4) = M(4, 3) = c.M44 + c.cM4 * s4;
        M(4, 4) = c.M55 + 2 * c.cM4 * s4;
        M(5, 5) = c.M66;
        M(5, 6) = M(6, 5) = c.M66 - c.cM6 * s6;
        M(6, 6) = c.M77 - 2 * c.cM6 * s6;
    }

    template <class T>
    void forces(const T& /*t*/, const T* q, const T* v, T* f) const
    {
        using std::cos, std::sin;
        const T s2 = sin(q[1]), c4 = cos(q[3]), c6 = cos(q[5]);
        f[0] = c.mom - c.cM2 * v[1] * (v[1] + 2 * v[0]) * s2;
        f[1] = c.cM2 * v[0] * v[0] * s2;
        f[2] = c.spring(T(sin(q[2])), T(cos(q[2])));
        f[3] = c.cM4 * v[4] * v[4] * c4;
        f[4] = -c.cM4 * v[3] * (v[3] + 2 * v[4]) * c4;
        f[5] = -c.cM6 * v[6] * v[6] * c6;
        f[6] = c.cM6 * v[5] * (v[5] + 2 * v[6]) * c6;
    }

    /// Of the spring and of the motor's constant torque.
    template <class T>
    T potential(const T* q) const
    {
        using std::cos, std::sin, std::sqrt;
        const T s3 = sin(q[2]), c3 = cos(q[2]);
        const T x = c.sd * c3 + c.sc * s3 + c.xb - c.xc;
        const T y = c.sd * s3 - c.sc * c3 + c.yb - c.yc;
        const T stretched = sqrt(x * x + y * y) - c.l0;
        return c.c0 * stretched * stretched / 2 - c.mom * q[0];
    }

    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        using std::cos, std::sin;
        const T X = c.rr * cos(q[0]) - c.d * cos(q[0] + q[1]);
        const T Y = c.rr * sin(q[0]) - c.d * sin(q[0] + q[1]);
        phi[0] = X - c.ss * sin(q[2]) - c.xb;
        phi[1] = Y + c.ss * cos(q[2]) - c.yb;
        phi[2] = X - c.e * sin(q[3] + q[4]) - c.zt * cos(q[4]) - c.xa;
        phi[3] = Y + c.e * cos(q[3] + q[4]) - c.zt * sin(q[4]) - c.ya;
        phi[4] = X - c.zf * cos(q[5] + q[6]) - c.u * sin(q[6]) - c.xa;
        phi[5] = Y - c.zf * sin(q[5] + q[6]) + c.u * cos(q[6]) - c.ya;
    }
};

} // namespace ivp::problems

#endif
