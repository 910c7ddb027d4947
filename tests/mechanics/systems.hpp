// Small mechanical systems with known solutions, and some that have none.
#ifndef IVP_TESTS_MECHANICS_SYSTEMS_HPP
#define IVP_TESTS_MECHANICS_SYSTEMS_HPP

#include <ivp/mechanics.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace ivp::mechanics_test {

inline problem_info facts(const char* id, const decimal& tend)
{
    problem_info i;
    i.id = id;
    i.title = id;
    i.t0 = 0;
    i.tend = tend;
    i.tags = {"mechanics", "small"};
    i.accuracy.absolute_scd = true;
    return i;
}

/// A point on a rod, released in the horizontal; after a quarter of the period, K(1/2) = Gamma(1/4)^2/(4 sqrt(pi)), it is below.
constexpr const char* quarter_period = "1.85407467730137191843385034719526005";

template <class R>
struct pendulum {
    R x0, y0, vx0, vy0;

    explicit pendulum(const parameter_values& p) : x0(p.get<R>("x")), y0(p.get<R>("y")), vx0(p.get<R>("vx")), vy0(p.get<R>("vy")) {}
    static std::vector<parameter> parameters()
    {
        return {{"x", 1, -9, 9, "start"}, {"y", 0, -9, 9, "start"}, {"vx", 0, -9, 9, "start"}, {"vy", 0, -9, 9, "start"}};
    }
    static mechanics_info describe(const parameter_values& /*p*/) { return {facts("pendulum", quarter_period), {"x", "y"}, {"rod"}, 1}; }

    void start(R* q, R* v) const
    {
        q[0] = x0;
        q[1] = y0;
        v[0] = vx0;
        v[1] = vy0;
    }
    void mass(square<R> M) const { M(0, 0) = M(1, 1) = R(1); }
    template <class T>
    void forces(const T& /*t*/, const T* /*q*/, const T* /*v*/, T* f) const
    {
        f[0] = T(0);
        f[1] = T(-1);
    }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    }
    template <class T>
    T potential(const T* q) const
    {
        return q[1];
    }
};

/// Crank, coupler and rocker, three uniform rods of a parallelogram. It swings as a pendulum: with the angle a of both cranks
/// (2 m/3 + m) L^2 a'' = -2 m g L cos a. Released at -30 degrees, 60 from the vertical, it is below after K(1/4) sqrt(5/6), with a'^2 = 6/5.
template <class R>
struct four_bar {
    R a0; ///< angle of the cranks at the start
    R crank = R(1), coupler = R(2), mass_ = R(1), g = R(1);

    explicit four_bar(const parameter_values& p) : a0(p.get<R>("angle")) {}
    static std::vector<parameter> parameters() { return {{"angle", "-0.5235987755982988730771072305465838", -4, 4, "of the cranks at the start"}}; }
    static mechanics_info describe(const parameter_values& /*p*/)
    {
        auto i = facts("four-bar", "1.538872492755327192348140415048296");
        i.tags.emplace_back("autonomous");
        return {i, {"crank", "coupler", "rocker"}, {"loop, x", "loop, y"}, -1};
    }

    void start(R* q, R* v) const
    {
        q[0] = q[2] = a0;
        q[1] = R(0);
        v[0] = v[1] = v[2] = R(0);
    }
    template <class T>
    void mass(const T* q, square<T> M) const
    {
        using std::cos;
        M(0, 0) = T(mass_ * crank * crank / 3 + mass_ * crank * crank);
        M(1, 1) = T(mass_ * coupler * coupler / 3);
        M(0, 1) = M(1, 0) = mass_ * crank * coupler / 2 * cos(q[0] - q[1]);
        M(2, 2) = T(mass_ * crank * crank / 3);
    }
    template <class T>
    void forces(const T& /*t*/, const T* q, const T* v, T* f) const
    {
        using std::cos, std::sin;
        const T swing = mass_ * crank * coupler / 2 * sin(q[0] - q[1]);
        f[0] = -swing * v[1] * v[1] - g * (mass_ / 2 + mass_) * crank * cos(q[0]);
        f[1] = swing * v[0] * v[0] - g * mass_ * coupler / 2 * cos(q[1]);
        f[2] = -g * mass_ / 2 * crank * cos(q[2]);
    }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        using std::cos, std::sin;
        phi[0] = crank * cos(q[0]) + coupler * cos(q[1]) - crank * cos(q[2]) - coupler;
        phi[1] = crank * sin(q[0]) + coupler * sin(q[1]) - crank * sin(q[2]);
    }
    template <class T>
    T potential(const T* q) const
    {
        using std::sin;
        return mass_ * g * (crank * sin(q[0]) * 3 / 2 + coupler / 2 * sin(q[1]) + crank / 2 * sin(q[2]));
    }
};

/// A point in the plane with constraints of its own; what it needs beside them.
template <class R>
struct point_in_the_plane {
    static std::vector<parameter> parameters() { return {}; }
    void start(R* q, R* v) const
    {
        q[0] = R(1);
        q[1] = R(0.25);
        v[0] = v[1] = R(0);
    }
    void mass(square<R> M) const { M(0, 0) = M(1, 1) = R(2); }
    template <class T>
    void forces(const T& /*t*/, const T* /*q*/, const T* /*v*/, T* f) const
    {
        f[1] = T(-1);
    }
};

template <class R>
struct two_equal_rods : point_in_the_plane<R> {
    explicit two_equal_rods(const parameter_values& /*p*/) {}
    static mechanics_info describe(const parameter_values& /*p*/) { return {facts("equal-rods", 1), {"x", "y"}, {"rod", "second rod"}, 1}; }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
        phi[1] = q[0] * q[0] + q[1] * q[1] - 1;
    }
};

template <class R>
struct two_unequal_rods : point_in_the_plane<R> {
    explicit two_unequal_rods(const parameter_values& /*p*/) {}
    static mechanics_info describe(const parameter_values& /*p*/) { return {facts("unequal-rods", 1), {"x", "y"}, {"short rod", "long rod"}, 1}; }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
        phi[1] = (q[0] * q[0] + q[1] * q[1] - 4) / 2;
    }
};

/// A rod and a wire that it does not reach.
template <class R>
struct far_wire : point_in_the_plane<R> {
    explicit far_wire(const parameter_values& /*p*/) {}
    static mechanics_info describe(const parameter_values& /*p*/) { return {facts("far-wire", 1), {"x", "y"}, {"rod", "wire"}, 1}; }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        using std::pow;
        phi[0] = (pow(q[0], 2) + pow(q[1], 2) - 1) / 2;
        phi[1] = q[0] - 5;
    }
};

/// A platform on three equal parallel cranks. One is too many, but the gradients are dependent only where all three hold.
template <class R>
struct three_cranks {
    explicit three_cranks(const parameter_values& /*p*/) {}
    static std::vector<parameter> parameters() { return {}; }
    static mechanics_info describe(const parameter_values& /*p*/)
    {
        return {facts("three-cranks", 1), {"x", "y", "alpha"}, {"left crank", "middle crank", "right crank"}, 1};
    }
    void start(R* q, R* v) const
    {
        q[0] = R(0.5);
        q[1] = R(-0.75);
        q[2] = R(0.0078125);
        v[0] = v[1] = v[2] = R(0);
    }
    void mass(square<R> M) const { M(0, 0) = M(1, 1) = M(2, 2) = R(1); }
    template <class T>
    void forces(const T& /*t*/, const T* /*q*/, const T* /*v*/, T* f) const
    {
        f[1] = T(-1);
    }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        using std::cos, std::sin;
        for (int k = 0; k < 3; ++k) {
            const T dx = q[0] + (k - 1) * cos(q[2]) - (k - 1);
            const T dy = q[1] + (k - 1) * sin(q[2]);
            phi[k] = (dx * dx + dy * dy - 1) / 2;
        }
    }
};

/// A bead on a turning, breathing ring: a constraint that depends on t, and a mass matrix that is constant but not diagonal.
template <class R>
struct moving_ring {
    explicit moving_ring(const parameter_values& /*p*/) {}
    static std::vector<parameter> parameters() { return {}; }
    static mechanics_info describe(const parameter_values& /*p*/) { return {facts("moving-ring", 1), {"x", "y", "z"}, {"ring", "plane"}, -1}; }
    void start(R* q, R* v) const
    {
        q[0] = R(0.75);
        q[1] = R(-0.5);
        q[2] = R(0.25);
        v[0] = R(0.5);
        v[1] = R(0.25);
        v[2] = R(0);
    }
    void mass(square<R> M) const
    {
        M(0, 0) = R(2);
        M(1, 1) = R(1);
        M(2, 2) = R(3);
        M(0, 1) = M(1, 0) = R(0.5);
    }
    template <class T>
    void forces(const T& t, const T* q, const T* v, T* f) const
    {
        using std::sin;
        f[0] = -v[0] * v[1] - q[0];
        f[1] = sin(t) - v[1];
        f[2] = T(-1) - q[2] * q[2] * q[2];
    }
    template <class T>
    void constraints(const T& t, const T* q, T* phi) const
    {
        using std::cos, std::exp;
        phi[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - exp(t / 2);
        phi[1] = q[2] * cos(t) - q[0] * t;
    }
};

} // namespace ivp::mechanics_test

#endif
