// The slider crank as masses, forces and constraints: what its formulations are built from (ivp/mechanics.hpp).
#ifndef IVP_PROBLEMS_CRANK_SYSTEM_HPP
#define IVP_PROBLEMS_CRANK_SYSTEM_HPP

#include "crank/crank.hpp"

#include <ivp/mechanics.hpp>

#include <algorithm>
#include <array>

namespace ivp::problems {

template <class R>
struct crank_system {
    crank<R> c; ///< its constants and integrals over the rod

    explicit crank_system(const parameter_values& p) : c(p) {}

    static std::vector<parameter> parameters() { return crank<R>::parameters(); }
    static mechanics_info describe(const parameter_values& p)
    {
        return {crank<R>::describe(p),
                {"phi1", "phi2", "x3", "q1", "q2", "q3", "q4"},
                {"end of the rod, y", "end of the rod, x", "turning of the crank"},
                -1};
    }

    void start(R* q, R* v) const
    {
        std::array<R, 24> y;
        c.initial(y.data());
        std::copy(y.begin(), y.begin() + 7, q);
        std::copy(y.begin() + 7, y.begin() + 14, v);
        // Crank and rod are in line. The published x3 is this, rounded to nine digits; what is missing must not be looked for in the elastic
        // coordinates.
        q[2] = c.l1 + c.l2 + q[6];
    }

    /// Column by column: M a for the unit vectors a.
    template <class T>
    void mass(const T* q, square<T> M) const
    {
        using std::cos, std::sin;
        const T s = sin(q[0] - q[1]), k = cos(q[0] - q[1]);
        for (int j = 0; j < 7; ++j) {
            std::array<T, 7> a{}, column{};
            a[j] = T(1);
            c.inertia(q, s, k, a.data(), column.data());
            for (int i = 0; i < 7; ++i) M(i, j) = column[i];
        }
    }

    template <class T>
    void forces(const T& /*t*/, const T* q, const T* v, T* f) const
    {
        using std::cos, std::sin;
        std::array<T, 14> y;
        std::copy(q, q + 7, y.begin());
        std::copy(v, v + 7, y.begin() + 7);
        c.forces(y.data(), T(sin(q[0] - q[1])), T(cos(q[0] - q[1])), f);
    }

    template <class T>
    void constraints(const T& t, const T* q, T* phi) const
    {
        using std::cos, std::sin;
        const T length = c.l2 + q[6];
        phi[0] = c.l1 * sin(q[0]) + length * sin(q[1]);
        phi[1] = q[2] - c.l1 * cos(q[0]) - length * cos(q[1]);
        phi[2] = q[0] - c.Omega * t;
    }
};

} // namespace ivp::problems

#endif
