// Andrews' squeezing mechanism: seven rigid bodies in a plane, driven by a motor (DAE, 27 equations, index 3, non-stiff, autonomous).
//
//   q' = v,   v' = w,   0 = M(q) w - f(q, v) + G(q)^T lambda,   0 = g(q),   G = dg/dq;      y = (q, v, w, lambda)
//
//   q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)   seven angles;   g: three loops, closed in x and y
//     X = rr cos q1 - d cos(q1 + q2),   Y = rr sin q1 - d sin(q1 + q2)      where the three loops meet
//     g1 = X - ss sin q3 - xb                               g2 = Y + ss cos q3 - yb
//     g3 = X - e sin(q4 + q5) - zt cos q5 - xa              g4 = Y + e cos(q4 + q5) - zt sin q5 - ya
//     g5 = X - zf cos(q6 + q7) - u sin q7 - xa              g6 = Y - zf sin(q6 + q7) + u cos q7 - ya
//
//   0 <= t <= 0.03,   at rest with q2 = 0:   v = 0, and w and lambda such that the motor's torque and the spring are balanced
//
// Difficult because it is of index 3: accelerations reach 6e5 and are found with few digits, while the angles are smooth.
// Origin: D. R. A. Giles (1978), D. W. Manning (1981); E. Hairer, G. Wanner (1996), section VII.7. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_ANDREWS_HPP
#define IVP_PROBLEMS_ANDREWS_HPP

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct andrews {
    static R constant(const char* text) { return decimal(text).in<R>(); }

    // Lengths and fixed points [m]. They are no parameters because the initial angles belong to them.
    R d = constant("0.028"), e = constant("0.02"), rr = constant("0.007"), ss = constant("0.035");
    R u = constant("0.04"), zf = constant("0.02"), zt = constant("0.04"), sc = constant("0.018"), sd = constant("0.02");
    R xa = constant("-0.06934"), ya = constant("-0.00227"), xb = constant("-0.03635"), yb = constant("0.03273");
    R xc = constant("0.014"), yc = constant("0.072");

    R mom, c0, l0;

    // M(q): what does not depend on q, and the factors of cos q2, sin q4, sin q6.
    R M11, M12, M22, M33, M44, M55, M66, M77;
    R cM2, cM4, cM6;

    explicit andrews(const parameter_values& p) : mom(p.get<R>("mom")), c0(p.get<R>("c0")), l0(p.get<R>("l0"))
    {
        std::array<R, 8> m{};
        std::array<R, 8> I{};
        for (int k = 1; k <= 7; ++k) {
            m[k] = p.get<R>(numbered("m", k));
            I[k] = p.get<R>(numbered("I", k));
        }
        // Positions of the centres of mass.
        const R ra = constant("0.00092"), da = constant("0.0115"), sa = constant("0.01874"), sb = constant("0.01043");
        const R ta = constant("0.02308"), tb = constant("0.00916"), ua = constant("0.01228"), ub = constant("0.00449");
        const R e_ea = e - constant("0.01421");
        const R zf_fa = zf - constant("0.01421");

        M11 = m[1] * ra * ra + m[2] * (rr * rr + da * da) + I[1] + I[2];
        M12 = M22 = m[2] * da * da + I[2];
        M33 = m[3] * (sa * sa + sb * sb) + I[3];
        M44 = m[4] * e_ea * e_ea + I[4];
        M55 = m[4] * (zt * zt + e_ea * e_ea) + m[5] * (ta * ta + tb * tb) + I[4] + I[5];
        M66 = m[6] * zf_fa * zf_fa + I[6];
        M77 = m[6] * (zf_fa * zf_fa + u * u) + m[7] * (ua * ua + ub * ub) + I[6] + I[7];
        cM2 = m[2] * da * rr;
        cM4 = m[4] * zt * e_ea;
        cM6 = m[6] * u * zf_fa;
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        using std::cos, std::sin;
        const T* const q = y;
        const T* const v = y + 7;
        const T* const w = y + 14;
        const T* const lambda = y + 21;

        const T s1 = sin(q[0]), c1 = cos(q[0]), s12 = sin(q[0] + q[1]), c12 = cos(q[0] + q[1]);
        const T s2 = sin(q[1]), c2 = cos(q[1]), s3 = sin(q[2]), c3 = cos(q[2]), s4 = sin(q[3]), c4 = cos(q[3]);
        const T s5 = sin(q[4]), c5 = cos(q[4]), s45 = sin(q[3] + q[4]), c45 = cos(q[3] + q[4]);
        const T s6 = sin(q[5]), c6 = cos(q[5]), s7 = sin(q[6]), c7 = cos(q[6]), s67 = sin(q[5] + q[6]), c67 = cos(q[5] + q[6]);

        for (int i = 0; i < 14; ++i) out[i] = y[7 + i];

        // Forces without those of the constraints.
        const T f1 = mom - cM2 * v[1] * (v[1] + 2 * v[0]) * s2;
        const T f2 = cM2 * v[0] * v[0] * s2;
        const T f3 = spring(s3, c3);
        const T f4 = cM4 * v[4] * v[4] * c4;
        const T f5 = -cM4 * v[3] * (v[3] + 2 * v[4]) * c4;
        const T f6 = -cM6 * v[6] * v[6] * c6;
        const T f7 = cM6 * v[5] * (v[5] + 2 * v[6]) * c6;

        // G: the columns 1 and 2 are the same in the three loops.
        const T X = rr * c1 - d * c12;
        const T Y = rr * s1 - d * s12;
        const T lambda_x = lambda[0] + lambda[2] + lambda[4];
        const T lambda_y = lambda[1] + lambda[3] + lambda[5];
        const T x45 = -e * c45, y45 = -e * s45;
        const T x67 = zf * s67, y67 = -zf * c67;

        const T m12 = M12 - cM2 * c2;
        const T m45 = M44 + cM4 * s4;
        const T m67 = M66 - cM6 * s6;
        out[14] = (M11 - 2 * cM2 * c2) * w[0] + m12 * w[1] - f1 - Y * lambda_x + X * lambda_y;
        out[15] = m12 * w[0] + M22 * w[1] - f2 + d * (s12 * lambda_x - c12 * lambda_y);
        out[16] = M33 * w[2] - f3 - ss * (c3 * lambda[0] + s3 * lambda[1]);
        out[17] = M44 * w[3] + m45 * w[4] - f4 + x45 * lambda[2] + y45 * lambda[3];
        out[18] = m45 * w[3] + (M55 + 2 * cM4 * s4) * w[4] - f5 + (x45 + zt * s5) * lambda[2] + (y45 - zt * c5) * lambda[3];
        out[19] = M66 * w[5] + m67 * w[6] - f6 + x67 * lambda[4] + y67 * lambda[5];
        out[20] = m67 * w[5] + (M77 - 2 * cM6 * s6) * w[6] - f7 + (x67 - u * c7) * lambda[4] + (y67 - u * s7) * lambda[5];

        out[21] = X - ss * s3 - xb;
        out[22] = Y + ss * c3 - yb;
        out[23] = X - e * s45 - zt * c5 - xa;
        out[24] = Y + e * c45 - zt * s5 - ya;
        out[25] = X - zf * c67 - u * s7 - xa;
        out[26] = Y - zf * s67 + u * c7 - ya;
    }

    /// Moment of the spring from the fixed point (xc, yc) to the body K3.
    template <class T>
    T spring(const T& s3, const T& c3) const
    {
        using std::sqrt;
        const T arm_x = sd * c3 + sc * s3;
        const T arm_y = sd * s3 - sc * c3;
        const T x = arm_x + (xb - xc);
        const T y = arm_y + (yb - yc);
        const T L = sqrt(x * x + y * y);
        return -c0 * (L - l0) / L * (y * arm_x - x * arm_y);
    }

    /// The approximation of the published runs: only the blocks I, M, G and G^T; the derivatives of f, M and G^T lambda are left out.
    void published_jacobian(const R& /*t*/, const R* q, const matrix_view<R>& out) const
    {
        using std::cos, std::sin;
        for (int i = 0; i < 14; ++i) out.set(i, 7 + i, R(1));

        const auto mass_entry = [&out](int i, int j, const R& value) {
            out.set(14 + i, 14 + j, value);
            out.set(14 + j, 14 + i, value);
        };
        const R c2 = cos(q[1]), s4 = sin(q[3]), s6 = sin(q[5]);
        mass_entry(0, 0, M11 - 2 * cM2 * c2);
        mass_entry(0, 1, M12 - cM2 * c2);
        mass_entry(1, 1, M22);
        mass_entry(2, 2, M33);
        mass_entry(3, 3, M44);
        mass_entry(3, 4, M44 + cM4 * s4);
        mass_entry(4, 4, M55 + 2 * cM4 * s4);
        mass_entry(5, 5, M66);
        mass_entry(5, 6, M66 - cM6 * s6);
        mass_entry(6, 6, M77 - 2 * cM6 * s6);

        const auto constraint_entry = [&out](int i, int j, const R& value) {
            out.set(21 + i, j, value);
            out.set(14 + j, 21 + i, value);
        };
        const R s12 = sin(q[0] + q[1]), c12 = cos(q[0] + q[1]), s45 = sin(q[3] + q[4]), c45 = cos(q[3] + q[4]);
        const R s67 = sin(q[5] + q[6]), c67 = cos(q[5] + q[6]);
        for (int loop = 0; loop < 3; ++loop) {
            constraint_entry(2 * loop, 0, d * s12 - rr * sin(q[0]));
            constraint_entry(2 * loop, 1, d * s12);
            constraint_entry(2 * loop + 1, 0, rr * cos(q[0]) - d * c12);
            constraint_entry(2 * loop + 1, 1, -d * c12);
        }
        constraint_entry(0, 2, -ss * cos(q[2]));
        constraint_entry(1, 2, -ss * sin(q[2]));
        constraint_entry(2, 3, -e * c45);
        constraint_entry(2, 4, -e * c45 + zt * sin(q[4]));
        constraint_entry(3, 3, -e * s45);
        constraint_entry(3, 4, -e * s45 - zt * cos(q[4]));
        constraint_entry(4, 5, zf * s67);
        constraint_entry(4, 6, zf * s67 - u * cos(q[6]));
        constraint_entry(5, 5, -zf * c67);
        constraint_entry(5, 6, -zf * c67 - u * sin(q[6]));
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> diagonal(27, R(0));
        std::fill(diagonal.begin(), diagonal.begin() + 14, R(1));
        return mass_matrix<R>::diagonal(std::move(diagonal));
    }

    /// At rest in the dead centre q2 = 0: rod and crank are in line, so that only they are accelerated, with w2 = k w1, and only the loop of
    /// the spring carries forces. The rows 1 and 2 of the dynamics give w1, the rows 2 and 3 the two multipliers.
    void initial(R* y) const
    {
        using std::cos, std::sin;
        std::fill(y, y + 27, R(0));
        y[0] = constant("-0.0617138900142764496358948458001");
        y[2] = constant("0.455279819163070380255912382449");
        y[3] = constant("0.222668390165885884674473185609");
        y[4] = constant("0.487364979543842550225598953530");
        y[5] = -y[3];
        y[6] = constant("1.23054744454982119249735015568");

        const R s1 = sin(y[0]), c1 = cos(y[0]), s3 = sin(y[2]), c3 = cos(y[2]);
        const R m11 = M11 - 2 * cM2, m12 = M12 - cM2;
        const R k = (rr - d) / d;
        y[14] = mom / (m11 + 2 * k * m12 + k * k * M22);
        y[15] = k * y[14];

        const R along = -spring(s3, c3) / ss;
        const R across = -(m12 * y[14] + M22 * y[15]) / d;
        const R determinant = c1 * c3 + s1 * s3;
        y[21] = (c1 * along + s3 * across) / determinant;
        y[22] = (s1 * along - c3 * across) / determinant;
    }

    /// NOTE: w' and lambda' do not occur in the equations; 0 is what the published runs had.
    void initial_derivative(R* yp) const
    {
        std::array<R, 27> y;
        initial(y.data());
        std::fill(yp, yp + 27, R(0));
        std::copy(y.begin() + 7, y.begin() + 21, yp);
    }

    static std::string numbered(std::string name, int k) { return name += std::to_string(k); }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> list = {
            {"mom", "0.033", -1, 1, "torque of the motor [N m]"},
            {"c0", 4530, 0, "1e6", "stiffness of the spring [N/m]"},
            {"l0", "0.07785", 0, 1, "length of the spring at rest [m]"},
        };
        constexpr std::array mass_of = {"0.04325", "0.00365", "0.02373", "0.00706", "0.07050", "0.00706", "0.05498"};
        constexpr std::array inertia_of = {"2.194e-6", "4.410e-7", "5.255e-6", "5.667e-7", "1.169e-5", "5.667e-7", "1.912e-5"};
        for (int k = 1; k <= 7; ++k) list.push_back({numbered("m", k), mass_of[k - 1], "1e-6", 10, numbered("mass of the body K", k) + " [kg]"});
        for (int k = 1; k <= 7; ++k)
            list.push_back({numbered("I", k), inertia_of[k - 1], "1e-9", 1, numbered("moment of inertia of the body K", k) + " [kg m^2]"});
        return list;
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "andrews";
        i.title = "Andrews' squeezing mechanism";
        i.form = form::dae;
        i.n = 27;
        i.chain = {14, 7};
        i.t0 = 0;
        i.tend = "0.03";
        i.highest_index = 3;
        for (int k = 0; k < 27; ++k) i.index.push_back(k < 7 ? 1 : k < 14 ? 2 : 3);
        const std::array angles = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
        for (const char* prime : {"", "'", "''"})
            for (const std::string angle : angles) i.component_names.push_back(angle + prime);
        for (int k = 1; k <= 6; ++k) i.component_names.push_back(numbered("lambda", k));
        i.quantity_of_interest = "the seven angles at the end, after the crank has turned two and a half times";
        i.contributor = "parallel-IVP-algorithm group of CWI, after E. Hairer, G. Wanner (test set: CWI, 1996)";
        i.tags = {"mechanics", "non-stiff", "medium", "index-3", "autonomous"};
        for (int k = 8; k <= 27; ++k) i.accuracy.excluded.push_back(k);
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 8,
                      .ladder_last = 48,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::original};
        return i;
    }
};

} // namespace ivp::problems

#endif
