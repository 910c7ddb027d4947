// Wheelset: two wheels on one axle running along a straight track (IDE, 17 equations, index 2).
//
//   u = (x, y, z, theta, phi;  their velocities v;  beta;  psi_R, xi_R, psi_L, xi_L;  lambda_L, lambda_R)
//   position, yaw and roll of the axle; deviation of its spin; contact points of the two wheels; forces of the contacts / 1e4
//
//   p' = v,   M(p) (v', beta') = f(p, v, beta, contact points) + B(p)^T 1e4 lambda,   0 = B(p) v,   0 = four conditions for the contact points
//
//   f contains springs, weight, gyroscopic terms and the creep forces T_L, T_R between wheel and rail. The rows of B are
//   b_k = (G', -1, 0, G' [R (-ct S - C sp st) - cp st xi], -C R sp - cp xi + G' [cp C ct R - ct sp xi]),  S, C = sin, cos psi_k,  k = L, R
//
//   0 <= t <= 10 s,   u(0) and u'(0): initial() and initial_derivative()
//
// Difficult because the wheelset swings between the rails in a limit cycle with creep forces that saturate steeply; the mass matrix depends
// on the solution, and the multipliers are of index 2.
// Origin: B. Simeon, C. Fuehrer, P. Rentrop, Surv. Math. Ind. 1 (1991) 1-37; data A. Jaschinski (1990). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_WHEEL_HPP
#define IVP_PROBLEMS_WHEEL_HPP

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct wheel {
    static constexpr int multiplier_unit = 10000; ///< the unknowns are the forces of the contacts divided by this [N]
    static constexpr int left = 1, right = -1;

    /// Of the axle, with sines and cosines of its yaw and roll angle.
    template <class T>
    struct axle_state {
        T x, theta;
        T dx, dy, dz, dtheta, dphi;
        T spin; ///< omega0 + beta
        T st, ct, sp, cp;
    };

    /// Where a wheel touches its rail.
    template <class T>
    struct contact {
        T xi, S, C;               ///< position along the axle, sine and cosine of the angle around it
        T r;                      ///< radius of the wheel R(xi)
        chosen_constant<R, T> dr; ///< its slope
        T dG;                     ///< slope of the rail
        T sinD, cosD;             ///< of the angle of contact
        std::array<T, 5> b;       ///< gradient of the constraint
    };

    template <class T>
    struct vector3 {
        T x, y, z;
    };

    R m, gravity, v0, rho0, I1, I2, mu, cx, cz, Gmod, C11, C22, C23, a0, rho1;
    R omega0, tan_delta, rail_middle, rail_lowest, rail_highest, two_thirds;
    R yaw_stiffness; ///< 2 xl^2 cz
    R ellipse;       ///< 3 (1 - sigma) epsilon / (2 pi Gmod sqrt(Ghat))
    R wheel_bend;    ///< 1 / (2 sqrt(1 + tan^2 delta0)): with 1/R the curvature term A of the wheel
    R rail_bend;     ///< 1 / (2 rho1): the rail is a circle, -G''/(1 + G'^2)^(3/2) = 1/rho1

    explicit wheel(const parameter_values& p)
        : m(p.get<R>("mR")),
          gravity(p.get<R>("g")),
          v0(p.get<R>("v0")),
          rho0(p.get<R>("rho0")),
          I1(p.get<R>("I1")),
          I2(p.get<R>("I2")),
          mu(p.get<R>("mu")),
          cx(p.get<R>("cx")),
          cz(p.get<R>("cz")),
          Gmod(p.get<R>("G")),
          C11(p.get<R>("C11")),
          C22(p.get<R>("C22")),
          C23(p.get<R>("C23")),
          a0(p.get<R>("a0")),
          rho1(p.get<R>("rho1"))
    {
        using std::tan, std::sin, std::sqrt;
        const R delta0 = p.get<R>("delta0");
        const R margin = decimal("1e-5").in<R>();
        const R pi = decimal("3.1415926").in<R>(); // NOTE: with the digits of the original
        const R xl = p.get<R>("xl");
        omega0 = v0 / rho0;
        tan_delta = tan(delta0);
        rail_middle = a0 + rho1 * sin(delta0);
        rail_lowest = rail_middle - rho1 + margin;
        rail_highest = rail_middle + rho1 - margin;
        two_thirds = R(2) / R(3);
        yaw_stiffness = 2 * xl * xl * cz;
        ellipse = 3 * (1 - p.get<R>("sigma")) * p.get<R>("epsilon") / (2 * pi * Gmod * sqrt(p.get<R>("Ghat")));
        wheel_bend = 1 / (2 * sqrt(1 + tan_delta * tan_delta));
        rail_bend = 1 / (2 * rho1);
    }

    template <class T>
    evaluation g(const T& /*t*/, const T* u, const T* up, T* out) const
    {
        using std::sin, std::cos;
        const axle_state<T> s{u[0], u[3], u[5], u[6], u[7], u[8], u[9], T(omega0 + u[10]), sin(u[3]), cos(u[3]), sin(u[4]), cos(u[4])};
        const T &st = s.st, &ct = s.ct, &sp = s.sp, &cp = s.cp;
        const T &dtheta = s.dtheta, &dphi = s.dphi, &spin = s.spin;

        contact<T> cl, cr;
        if (touch(right, s, u[11], u[12], cr) != evaluation::ok) return evaluation::refused;
        if (touch(left, s, u[13], u[14], cl) != evaluation::ok) return evaluation::refused;

        const T lambda_l = multiplier_unit * u[15];
        const T lambda_r = multiplier_unit * u[16];
        std::array<T, 5> W; // force and moment of the constraints
        for (int i = 0; i < 5; ++i) W[i] = cl.b[i] * lambda_l + cr.b[i] * lambda_r;

        const T D = -cl.sinD * cr.cosD - cr.sinD * cl.cosD;
        const T Nl = (cr.cosD * W[0] - cr.sinD * W[1]) / D;
        const T Nr = (-cl.cosD * W[0] - cl.sinD * W[1]) / D;
        const vector3<T> Tl = creep(left, s, cl, Nl);
        const vector3<T> Tr = creep(right, s, cr, Nr);

        const T M2 = -yaw_stiffness * s.theta;
        const auto yaw = [&](const contact<T>& c, const vector3<T>& F) {
            return -(c.xi * st + c.r * c.S * ct * cp) * F.x - c.r * c.S * sp * F.y + (c.r * c.S * st * cp - c.xi * ct) * F.z;
        };
        const auto roll = [&](const contact<T>& c, const vector3<T>& F) {
            return (c.r * c.C * ct * cp - c.xi * ct * sp) * F.x + (c.xi * cp + c.r * c.C * sp) * F.y + (c.xi * st * sp - c.r * c.C * st * cp) * F.z;
        };
        const auto pitch = [&](const contact<T>& c, const vector3<T>& F) {
            return c.r * (c.S * cp * F.y - (c.C * st + c.S * ct * sp) * F.x - (c.C * ct - c.S * st * sp) * F.z);
        };

        for (int i = 0; i < 5; ++i) out[i] = up[i] - u[5 + i];
        out[5] = m * up[5] - (Tl.x + Tr.x + W[0] - 2 * cx * s.x);
        out[6] = m * up[6] - (Tl.y + Tr.y + W[1] - m * gravity);
        out[7] = m * up[7] - (Tl.z + Tr.z - 2 * cz * u[2]);
        out[8] = I2 * cp * up[8] -
                 (I2 * dtheta * dphi * sp - I1 * spin * dphi - (I1 - I2) * dtheta * dphi * sp + yaw(cl, Tl) + yaw(cr, Tr) + cp * M2 + W[3]);
        out[9] = I2 * up[9] - (I1 * spin * dtheta * cp + (I1 - I2) * dtheta * dtheta * sp * cp + roll(cl, Tl) + roll(cr, Tr) + W[4]);
        out[10] = I1 * (up[10] + sp * up[8]) - (pitch(cl, Tl) + pitch(cr, Tr) + sp * M2 - I1 * dtheta * dphi * cp);
        not_inside(s, cr, out + 11);
        not_inside(s, cl, out + 13);
        out[15] = velocity(s, cl);
        out[16] = velocity(s, cr);
        return evaluation::ok;
    }

    /// Geometry of the contact of one wheel with its rail. Refused where the wheelset leaves the rails.
    template <class T>
    evaluation touch(int side, const axle_state<T>& s, const T& psi, const T& xi, contact<T>& c) const
    {
        using std::sin, std::cos, std::sqrt, std::abs;
        const T &st = s.st, &ct = s.ct, &sp = s.sp, &cp = s.cp;
        if (xi == T(0) || abs(xi) > 4) return evaluation::refused;

        c.xi = xi;
        c.S = sin(psi);
        c.C = cos(psi);
        c.r = rho0 + tan_delta * (a0 - abs(xi));
        piecewise([&] { c.dr = xi > 0 ? R(-tan_delta) : tan_delta; }, c.dr);

        const T place = s.x + xi * ct * cp + c.r * (ct * sp * c.C - st * c.S);
        const T distance = abs(place);
        if (distance < rail_lowest || distance > rail_highest) return evaluation::refused;
        const T off = distance - rail_middle;
        const T height = sqrt(rho1 * rho1 - off * off);
        c.dG = piecewise([&]() -> T { return place > 0 ? -off : off; }) / height;

        const T tanD = -side * ((c.dr * cp - sp * c.C) * ct + c.S * st) / (c.dr * sp + c.C * cp);
        c.cosD = 1 / sqrt(1 + tanD * tanD);
        c.sinD = tanD * c.cosD;

        c.b[0] = c.dG;
        c.b[1] = T(-1);
        c.b[2] = T(0);
        c.b[3] = -c.dG * (c.r * (ct * c.S + c.C * sp * st) + cp * st * xi);
        c.b[4] = c.dG * ct * (cp * c.C * c.r - sp * xi) - c.C * c.r * sp - cp * xi;
        return evaluation::ok;
    }

    /// Creep force between wheel and rail for the normal force N.
    template <class T>
    vector3<T> creep(int side, const axle_state<T>& s, const contact<T>& c, const T& N) const
    {
        using std::sin, std::cos, std::sqrt, std::pow, std::abs, std::tanh;
        const T &dx = s.dx, &dy = s.dy, &dz = s.dz, &dtheta = s.dtheta, &dphi = s.dphi, &spin = s.spin;
        const T &sp = s.sp, &cp = s.cp;
        const T angle = s.theta / c.cosD;
        const T st = sin(angle);
        const T ct = cos(angle);
        const T& r = c.r;
        const T arm = c.xi * sp - r * cp * c.C;

        const T v1 = -spin * r * (st * c.C + ct * sp * c.S) + dx - dtheta * (r * (st * sp * c.C + ct * c.S) + c.xi * st * cp) - dphi * ct * arm;
        const T v2 = spin * r * cp * c.S + dy + dphi * (c.xi * cp + r * sp * c.C);
        const T v3 = -spin * r * (ct * c.C - st * sp * c.S) + v0 + dz - dtheta * (c.xi * ct * cp + r * (ct * sp * c.C - st * c.S)) + dphi * st * arm;
        const T w1 = v1 - 2 * dx;
        const T w2 = v2 - 2 * dy;
        const T w3 = v3 - 2 * dz - 2 * v0;
        const T per_roll = 2 / sqrt(w1 * w1 + w2 * w2 + w3 * w3); // 1 / rolling velocity
        const T side_sinD = side * c.sinD;
        const T along = (st * v1 + ct * v3) * per_roll;
        const T across = (ct * c.cosD * v1 + side_sinD * v2 - st * c.cosD * v3) * per_roll;
        const T turning = (c.cosD * dtheta - side_sinD * spin) * per_roll;

        const T cube = ellipse * abs(N) / (wheel_bend / r + rail_bend); // size of the contact ellipse, to the third power
        const T square = pow(cube, two_thirds);
        const T limit = mu * N;
        const T pull1 = -limit * tanh(Gmod * C11 * square * along / limit);
        const T pull2 = -limit * tanh(Gmod * (C22 * square * across + C23 * cube * turning) / limit);
        const T size = pull1 * pull1 + pull2 * pull2;
        T t1, t2;
        piecewise(
            [&] {
                if (size > limit * limit) {
                    const T scale = abs(limit) / sqrt(size);
                    t1 = pull1 * scale;
                    t2 = pull2 * scale;
                } else {
                    t1 = pull1;
                    t2 = pull2;
                }
            },
            t1, t2);
        return {st * t1 + ct * c.cosD * t2, side_sinD * t2, ct * t1 - st * c.cosD * t2};
    }

    /// Wheel and rail touch but do not cut each other: their tangents at the contact point agree.
    template <class T>
    void not_inside(const axle_state<T>& s, const contact<T>& c, T* out) const
    {
        out[0] = c.dG * (c.dr * s.sp + s.cp * c.C) + s.ct * (c.dr * s.cp - s.sp * c.C) + s.st * c.S;
        out[1] = s.st * (c.dr * s.cp - s.sp * c.C) - s.ct * c.S;
    }

    /// The contact is kept: b v = 0.
    template <class T>
    T velocity(const axle_state<T>& s, const contact<T>& c) const
    {
        return c.b[0] * s.dx - s.dy + c.b[3] * s.dtheta + c.b[4] * s.dphi;
    }

    void initial(R* u) const
    {
        fill(u, {"0.14941e-2", "0.40089e-6", "0.11241e-5", "-0.28573e-3", "0.26459e-3", "0", "0", "0", "0", "0", "0", "-7.4122380357667139e-6",
                 "-0.1521364296121248", "7.5634406395172940e-6", "0.1490635714733819", "-0.83593e-2", "-0.74144e-2"});
    }

    void initial_derivative(R* up) const
    {
        fill(up, {"0", "0", "0", "0", "0", "-1.975258894011285", "-1.0898297102811276e-3", "7.8855083626142589e-2", "-5.533362821731549",
                  "-0.3487021489546511", "-2.132968724380927", "0", "0", "0", "0", "0", "0"});
    }

    static void fill(R* to, const std::array<const char*, 17>& text)
    {
        for (int i = 0; i < 17; ++i) to[i] = decimal(text[i]).in<R>();
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"mR", "16.08", "1e-3", "1e6", "mass of the wheelset [kg]"},
            {"g", "9.81", 0, 100, "gravitational acceleration [m/s^2]"},
            {"v0", 30, "1e-3", "1e3", "speed along the track [m/s]"},
            {"rho0", "0.1", "1e-3", 10, "nominal radius of the wheels [m]"},
            {"I1", "0.0605", "1e-9", "1e6", "moment of inertia about the axle [kg m^2]"},
            {"I2", "0.366", "1e-9", "1e6", "moment of inertia about the other two axes [kg m^2]"},
            {"mu", "0.12", "1e-6", 10, "coefficient of friction [-]"},
            {"xl", "0.19", 0, 10, "half the distance of the springs along the axle [m]"},
            {"cx", 6400, 0, "1e12", "stiffness of the springs across the track [N/m]"},
            {"cz", 6400, 0, "1e12", "stiffness of the springs along the track [N/m]"},
            {"epsilon", "1.3537956", "1e-6", "1e3", "constant of the contact ellipse [-]"},
            {"Ghat", "0.7115218", "1e-6", "1e3", "constant of the contact ellipse [-]"},
            {"sigma", "0.28", 0, "0.5", "Poisson's ratio [-]"},
            {"G", "7.92e10", "1e3", "1e15", "modulus of rigidity [N/m^2]"},
            {"C11", "4.72772197", 0, "1e3", "Kalker's coefficient of longitudinal creep [-]"},
            {"C22", "4.27526987", 0, "1e3", "Kalker's coefficient of lateral creep [-]"},
            {"C23", "1.97203505", 0, "1e3", "Kalker's coefficient of spin creep [-]"},
            {"delta0", "0.0262", "1e-6", 1, "angle of the wheels' cones [rad]"},
            {"a0", "0.1506", "1e-3", 10, "half the gauge of the track [m]"},
            {"rho1", "0.06", "1e-3", 10, "radius of the rails' profile [m]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "wheel";
        i.title = "Wheelset";
        i.form = form::ide;
        i.n = 17;
        i.t0 = 0;
        i.tend = 10;
        i.highest_index = 2;
        i.index = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2};
        i.consistent_start = p.all_default(); // u(0) and u'(0) belong to the published constants
        i.component_names = {"x",    "y",    "z",    "theta", "phi",  "x'",  "y'",      "z'",     "theta'",
                             "phi'", "beta", "psiR", "xiR",   "psiL", "xiL", "lambdaL", "lambdaR"};
        i.pictured = {1, 4};
        i.quantity_of_interest = "position, velocity, contact points and contact forces of the wheelset at the end";
        i.contributor = "B. Simeon, C. Fuehrer, P. Rentrop (test set: CWI, 1995)";
        i.tags = {"mechanics", "stiff", "small", "index-2", "autonomous", "oscillating", "domain"};
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 8,
                      .ladder_last = 48,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
