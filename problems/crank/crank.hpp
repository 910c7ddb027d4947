// Slider crank: a planar mechanism with an elastic connecting rod (DAE, 24 equations, index 2, stiff, autonomous).
//
//   (p, q)' = v,   v' = a,   0 = M(p, q) a - f(p, q, v) + G(p, q)^T lambda,   0 = G(p, q) v + r'(t);      y = (p, q, v, a, lambda)
//
//   p = (phi1, phi2, x3): angles of crank and rod, position of the slider;   q = (q1, .., q4): bending and stretching of the rod
//   G = dg/d(p, q),   r' = (0, 0, -Omega),   for the constraints
//     g1 = l1 sin phi1 + (l2 + q4) sin phi2,   g2 = x3 - l1 cos phi1 - (l2 + q4) cos phi2,   g3 = phi1 - Omega t
//
//   0 <= t <= 0.1,   y(0) on the smooth motion, as published;   M, f: chapter
//
// Difficult because the undamped rod vibrates with up to 25000 rad/s and amplitudes of 1e-4 .. 1e-6, and because accelerations and
// multipliers are of index 2.
// Origin: B. Simeon, Math. Modelling of Systems 2 (1996) 1-18. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_CRANK_HPP
#define IVP_PROBLEMS_CRANK_HPP

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct crank {
    static R constant(const char* text) { return decimal(text).in<R>(); }

    /// Release 2.4 of the test set. The digits belong to the default parameters.
    static constexpr std::array<const char*, 24> published_start = {
        "0", // phi1
        "0", // phi2
        "0.450016933",
        "0", // q1
        "0", // q2
        "0.103339863e-4",
        "0.169327969e-4",
        "150", // velocities
        "-0.7499576703969453e2",
        "-0.2689386719979040e-5",
        "0.4448961125815990",
        "0.4634339319238670e-2",
        "-0.1785910760000550e-5",
        "-0.2689386719979040e-5",
        "0", // accelerations
        "-1.344541576709835e-3",
        "-5.062194924490193e3",
        "-6.829725665986310e-5",
        "1.813207639590617e-20",
        "-4.268463266810281",
        "2.098339029337557e-1",
        "-6.552727150584648e-8", // multipliers
        "3.824589509350831e2",
        "-4.635908708561371e-9",
    };

    R l1, l2, m1, m2, m3, J1, J2, Omega, gravity;
    bool nonlinear, rigid_start, as_published;

    // Integrals over the rod. Each contains the factor rho, so that rho c1 of the chapter is c1 here, and rho B is B.
    R M11, M33, M34, M44;      ///< M_D; M22 = M11
    R K11, K22, K33, K34, K44; ///< K_D
    R D11, D22, D33, D34, D44; ///< D
    R B13, B14, B24;           ///< B, which is skew
    R c1_3, c1_4, c2_1, c12_3, c12_4, c21_1, c21_2;
    R k_factor, k_beta; ///< of the nonlinear stiffness

    explicit crank(const parameter_values& p)
        : l1(p.get<R>("l1")),
          l2(p.get<R>("l2")),
          m1(p.get<R>("m1")),
          m2(p.get<R>("m2")),
          m3(p.get<R>("m3")),
          J1(p.get<R>("J1")),
          J2(p.get<R>("J2")),
          Omega(p.get<R>("Omega")),
          gravity(p.get<R>("gravity")),
          nonlinear(p.whole("nonlinear") != 0),
          rigid_start(p.whole("start") != 0),
          as_published(p.all_default())
    {
        const R pi = p.get<R>("pi"), E = p.get<R>("E"), d = p.get<R>("d"), h = p.get<R>("h");
        const R section = d * h;
        const R rod = p.get<R>("rho") * section * l2;

        M11 = rod / 2;
        M33 = 8 * rod;
        M34 = rod;
        M44 = 2 * rod;

        const R axial = E * section / l2;
        const R bending = axial * pi * pi * pi * pi * (h / l2) * (h / l2) / 24;
        K11 = bending;
        K22 = 16 * bending;
        K33 = 16 * axial / 3;
        K34 = -8 * axial / 3;
        K44 = 7 * axial / 3;

        const R damping = p.get<R>("damping");
        D11 = 5 * damping;
        D22 = 25 * damping;
        D33 = constant("2.308375455264791e2") * damping / 2;
        D34 = -constant("2.626884879920526e2") * damping / 2;
        D44 = constant("4.217421837156818e2") * damping / 2;

        B13 = -16 * rod / (pi * pi * pi);
        B14 = 8 * rod / (pi * pi * pi) - rod / pi;
        B24 = rod / (2 * pi);
        c1_3 = 2 * rod / 3;
        c1_4 = rod / 6;
        c2_1 = 2 * rod / pi;
        c12_3 = rod * l2 / 3;
        c12_4 = rod * l2 / 6;
        c21_1 = rod * l2 / pi;
        c21_2 = -rod * l2 / (2 * pi);
        k_factor = pi * pi * axial / (2 * l2);
        k_beta = 80 / (9 * pi * pi);
    }

    // Products of the integrals with a vector of elastic coordinates.
    template <class T>
    std::array<T, 4> M_D(const T* q) const
    {
        return {M11 * q[0], M11 * q[1], M33 * q[2] + M34 * q[3], M34 * q[2] + M44 * q[3]};
    }
    template <class T>
    std::array<T, 4> B(const T* q) const
    {
        return {B13 * q[2] + B14 * q[3], B24 * q[3], -B13 * q[0], -B14 * q[0] - B24 * q[1]};
    }
    template <class T>
    T c1(const T* q) const
    {
        return c1_3 * q[2] + c1_4 * q[3];
    }
    template <class T>
    T c2(const T* q) const
    {
        return c2_1 * q[0];
    }
    template <class T>
    T c12(const T* q) const
    {
        return c12_3 * q[2] + c12_4 * q[3];
    }
    template <class T>
    static T dot(const std::array<T, 4>& a, const T* b)
    {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        using std::cos, std::sin;
        const T* const lambda = y + 21;
        for (int i = 0; i < 14; ++i) out[i] = y[7 + i];

        const T &phi1 = y[0], &phi2 = y[1];
        const T s = sin(phi1 - phi2), c = cos(phi1 - phi2);
        std::array<T, 7> force;
        forces(y, s, c, force.data());
        inertia(y, s, c, y + 14, out + 14);
        for (int i = 0; i < 7; ++i) out[14 + i] -= force[i];

        const T length = l2 + y[6];
        const T sin1 = sin(phi1), cos1 = cos(phi1), sin2 = sin(phi2), cos2 = cos(phi2);
        const T* const v = y + 7;
        out[14] += l1 * (cos1 * lambda[0] + sin1 * lambda[1]) + lambda[2];
        out[15] += length * (cos2 * lambda[0] + sin2 * lambda[1]);
        out[16] += lambda[1];
        out[20] += sin2 * lambda[0] - cos2 * lambda[1];
        out[21] = l1 * cos1 * v[0] + length * cos2 * v[1] + sin2 * v[6];
        out[22] = l1 * sin1 * v[0] + length * sin2 * v[1] + v[2] - cos2 * v[6];
        out[23] = v[0] - Omega;
    }

    /// M(p, q) a, with sine s and cosine c of phi1 - phi2
    template <class T>
    void inertia(const T* y, const T& s, const T& c, const T* a, T* out) const
    {
        const T* const q = y + 3;
        const T* const aq = a + 3;
        const std::array<T, 4> Bq = B(q);
        const std::array<T, 4> M2 = {c21_1 - Bq[0], c21_2 - Bq[1], -Bq[2], -Bq[3]}; // second row, beside M_D
        const T m12 = l1 * (l2 * m2 / 2 * c + c * c1(q) + s * c2(q));
        const T m22 = J2 + dot(M_D(q), q) + 2 * c12(q);

        out[0] = (J1 + m2 * l1 * l1) * a[0] + m12 * a[1] + l1 * (c * c2(aq) - s * c1(aq));
        out[1] = m12 * a[0] + m22 * a[1] + dot(M2, aq);
        out[2] = m3 * a[2];
        const std::array<T, 4> own = M_D(aq);
        const T l1a1 = l1 * a[0];
        out[3] = c * c2_1 * l1a1 + M2[0] * a[1] + own[0];
        out[4] = M2[1] * a[1] + own[1];
        out[5] = -s * c1_3 * l1a1 + M2[2] * a[1] + own[2];
        out[6] = -s * c1_4 * l1a1 + M2[3] * a[1] + own[3];
    }

    /// Centrifugal and Coriolis forces, gravity, elasticity, damping. The term qd^T B qd of the chapter is zero because B is skew.
    template <class T>
    void forces(const T* y, const T& s, const T& c, T* out) const
    {
        using std::cos, std::sin;
        const T* const q = y + 3;
        const T& v1 = y[7];
        const T& v2 = y[8];
        const T* const qd = y + 10;
        const T l1v1v1 = l1 * v1 * v1;
        const T v2v2 = v2 * v2;
        const std::array<T, 4> Mq = M_D(q);
        const std::array<T, 4> Bqd = B(qd);

        out[0] = l1 * (v2v2 * (c * c2(q) - s * (l2 * m2 / 2 + c1(q))) - 2 * v2 * (c * c1(qd) + s * c2(qd)));
        out[1] = l1v1v1 * (s * (l2 * m2 / 2 + c1(q)) - c * c2(q)) - 2 * v2 * (c12(qd) + dot(Mq, qd));
        out[2] = T(0);
        out[3] = v2v2 * Mq[0] + l1v1v1 * s * c2_1 + 2 * v2 * Bqd[0] - K11 * q[0] - D11 * qd[0];
        out[4] = v2v2 * Mq[1] + 2 * v2 * Bqd[1] - K22 * q[1] - D22 * qd[1];
        out[5] = v2v2 * (Mq[2] + c12_3) + l1v1v1 * c * c1_3 + 2 * v2 * Bqd[2] - K33 * q[2] - K34 * q[3] - D33 * qd[2] - D34 * qd[3];
        out[6] = v2v2 * (Mq[3] + c12_4) + l1v1v1 * c * c1_4 + 2 * v2 * Bqd[3] - K34 * q[2] - K44 * q[3] - D34 * qd[2] - D44 * qd[3];

        if (gravity != 0) {
            const T sin2 = sin(y[1]), cos2 = cos(y[1]);
            out[0] -= l1 * gravity * (m1 / 2 + m2) * cos(y[0]);
            out[1] -= gravity * (l2 * m2 / 2 * cos2 + cos2 * c1(q) - sin2 * c2(q));
            out[3] -= gravity * cos2 * c2_1;
            out[5] -= gravity * sin2 * c1_3;
            out[6] -= gravity * sin2 * c1_4;
        }
        if (nonlinear) {
            const T strain = k_beta * (2 * q[3] - 4 * q[2]);
            out[3] -= k_factor * (q[0] * q[3] - strain * q[1]);
            out[4] -= k_factor * (4 * q[1] * q[3] - strain * q[0]);
            out[5] -= k_factor * 4 * k_beta * q[0] * q[1];
            out[6] -= k_factor * (q[0] * q[0] / 2 + 2 * q[1] * q[1] - 2 * k_beta * q[0] * q[1]);
        }
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> diagonal(24, R(0));
        std::fill(diagonal.begin(), diagonal.begin() + 14, R(1));
        return mass_matrix<R>::diagonal(std::move(diagonal));
    }

    /// The published vector; with other parameters the same elastic coordinates (or none) and all else from the equations.
    /// NOTE: the published digits end where those of a double do. In quadruple precision the positions and the motion of the rod are those decimals;
    /// the velocities, accelerations and multipliers that depend on them satisfy the equations.
    void initial(R* y) const
    {
        for (int i = 0; i < 24; ++i) y[i] = constant(published_start[i]);
        if (as_published) {
            if constexpr (!std::is_same_v<R, double>) {
                const R slider = y[2];
                make_consistent(y);
                y[2] = slider;
            }
            return;
        }
        if (rigid_start)
            for (int i = 0; i < 4; ++i) y[3 + i] = y[10 + i] = R(0);
        make_consistent(y);
    }

    /// With crank and rod in line (phi1 = phi2 = 0) the constraints and their derivatives can be solved one after the other.
    void make_consistent(R* y) const
    {
        const R length = l2 + y[6];
        R* const v = y + 7;
        R* const a = y + 14;
        R* const lambda = y + 21;
        y[2] = l1 + length;
        v[0] = Omega;
        v[1] = -l1 * Omega / length;
        v[2] = v[6];
        a[0] = R(0);
        a[1] = -2 * v[6] * v[1] / length;
        const R centripetal = l1 * Omega * Omega + length * v[1] * v[1]; // x3'' = q4'' - centripetal

        // M_D q'' = b, with the inertia of the slider at the end of the rod.
        std::array<R, 7> force, b;
        forces(y, R(0), R(1), force.data());
        std::fill(a + 2, a + 7, R(0));
        inertia(y, R(0), R(1), a, b.data());
        for (int i = 0; i < 7; ++i) b[i] = force[i] - b[i];
        b[6] += m3 * centripetal;
        const R m44 = M44 + m3;
        const R determinant = M33 * m44 - M34 * M34;
        a[3] = b[3] / M11;
        a[4] = b[4] / M11;
        a[5] = (m44 * b[5] - M34 * b[6]) / determinant;
        a[6] = (M33 * b[6] - M34 * b[5]) / determinant;
        a[2] = a[6] - centripetal;

        inertia(y, R(0), R(1), a, b.data());
        lambda[1] = -m3 * a[2];
        lambda[0] = (force[1] - b[1]) / length;
        lambda[2] = force[0] - b[0] - l1 * lambda[0];
    }

    /// NOTE: a' and lambda' do not occur in the equations; 0 is what the published runs had.
    void initial_derivative(R* yp) const
    {
        std::array<R, 24> y;
        initial(y.data());
        std::fill(yp, yp + 24, R(0));
        std::copy(y.begin() + 7, y.begin() + 21, yp);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"l1", "0.15", "0.01", 10, "length of the crank [m]"},
            {"l2", "0.30", "0.01", 10, "length of the rod [m]"},
            {"m1", "0.36", 0, 100, "mass of the crank [kg]"},
            {"m2", "0.151104", "1e-6", 100, "mass of the rod [kg]"},
            {"m3", "0.075552", "1e-6", 100, "mass of the slider [kg]"},
            {"J1", "0.002727", 0, 100, "moment of inertia of the crank [kg m^2]"},
            {"J2", "0.0045339259", "1e-9", 100, "moment of inertia of the rod [kg m^2]"},
            {"E", "2e11", "1e6", "1e13", "modulus of elasticity of the rod [N/m^2]"},
            {"rho", 7870, 1, "1e5", "density of the rod [kg/m^3]"},
            {"d", "0.008", "1e-4", 1, "width of the rod [m]"},
            {"h", "0.008", "1e-4", 1, "height of the rod [m]"},
            {"Omega", 150, 0, "1e4", "angular velocity of the crank [1/s]"},
            {"gravity", 0, 0, 100, "gravitational acceleration [m/s^2]"},
            {"damping", 0, 0, 100, "damping of the rod: 1 is 0.5 per cent of critical damping [-]"},
            {"nonlinear", 0, 0, 1, "1: with the nonlinear part of the elastic forces [-]", true},
            {"start", 0, 0, 1, "0: on the smooth motion; 1: with an undeformed rod, which then vibrates strongly [-]", true},
            {"pi", "3.1415927", 3, 4, "the number pi in the integrals over the rod; the reference belongs to these eight digits [-]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "crank";
        i.title = "Slider crank";
        i.form = form::dae;
        i.start_residual = 1e-8; // two of the published elastic coordinates carry nine digits
        i.n = 24;
        i.chain = {14, 7};
        i.t0 = 0;
        i.tend = "0.1";
        i.highest_index = 2;
        i.index.assign(14, 1);
        i.index.resize(24, 2);
        for (const char* prime : {"", "'", "''"})
            for (const std::string coordinate : {"phi1", "phi2", "x3", "q1", "q2", "q3", "q4"}) i.component_names.push_back(coordinate + prime);
        for (const char* multiplier : {"lambda1", "lambda2", "lambda3"}) i.component_names.emplace_back(multiplier);
        i.quantity_of_interest = "positions, elastic deformations and constraint forces at the end, after more than two turns of the crank";
        i.contributor = "B. Simeon (test set: CWI, 1998)";
        i.tags = {"mechanics", "stiff", "medium", "index-2", "oscillating", "autonomous"};
        for (int k = 8; k <= 21; ++k) i.accuracy.excluded.push_back(k);
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 4,
                      .ladder_last = 24,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1e-2,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
