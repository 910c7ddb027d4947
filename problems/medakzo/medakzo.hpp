// Medical Akzo Nobel problem: antibodies penetrating a tumour (ODE, 2N = 400 equations, stiff, a semi-discretised PDE).
//
//   u_j' = alpha_j (u_{j+1} - u_{j-1}) / (2 dz) + beta_j (u_{j-1} - 2 u_j + u_{j+1}) / dz^2 - k u_j v_j
//   v_j' = -k u_j v_j                                                                 j = 1, ..., N
//   alpha_j = 2 (z_j - 1)^3 / c^2,   beta_j = (z_j - 1)^4 / c^2,   z_j = j dz,   dz = 1/N
//   u_0 = phi(t) = 2 for t <= 5 and 0 afterwards,   u_{N+1} = u_N
//
//   0 <= t <= 20,   u_j(0) = 0,   v_j(0) = v0 = 1,   y = (u_1, v_1, u_2, v_2, ..., u_N, v_N)
//
// Difficult because the boundary value jumps at t = 5 while a steep reaction front travels inwards; the Jacobian is a band of five
// diagonals, and a solver that does not use it pays for 400 equations.
// Origin: R. van der Hout, Akzo Nobel Central Research (1994). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_MEDAKZO_HPP
#define IVP_PROBLEMS_MEDAKZO_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct medakzo {
    static constexpr int switching_time = 5;

    int N;
    R k, v0, phi;
    std::vector<R> advection; ///< alpha_j / (2 dz)
    std::vector<R> diffusion; ///< beta_j / dz^2

    explicit medakzo(const parameter_values& p)
        : N(p.whole("N")), k(p.get<R>("k")), v0(p.get<R>("v0")), phi(p.get<R>("phi")), advection(N), diffusion(N)
    {
        const R c = p.get<R>("c");
        for (int j = 1; j <= N; ++j) {
            const R z = R(j - N) / R(N); // z_j - 1
            advection[j - 1] = z * z * z * R(N) / (c * c);
            diffusion[j - 1] = z * z * z * z * R(N) * R(N) / (c * c);
        }
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        const R surface = t <= switching_time ? phi : R(0);

        point(0, surface, y, dydt);
        for (int j = 1; j < N - 1; ++j) point(j, y[2 * j - 2], y, dydt);

        // The last point is infinitely deep: alpha_N = beta_N = 0.
        const T reaction = k * y[2 * N - 2] * y[2 * N - 1];
        dydt[2 * N - 2] = -reaction;
        dydt[2 * N - 1] = -reaction;
    }

    /// The pair of equations of one point with its left neighbour.
    template <class T, class Left>
    void point(int j, const Left& left, const T* y, T* dydt) const
    {
        const T& u = y[2 * j];
        const T& v = y[2 * j + 1];
        const T& right = y[2 * j + 2];
        const T reaction = k * u * v;
        dydt[2 * j] = advection[j] * (right - left) + diffusion[j] * (left - 2 * u + right) - reaction;
        dydt[2 * j + 1] = -reaction;
    }

    /// By hand: a band is filled much faster than by derivatives along directions.
    void jacobian(const R& /*t*/, const R* y, const matrix_view<R>& out) const
    {
        const auto entry = out.entries();
        for (int j = 0; j < N; ++j) {
            const int u = 2 * j;
            const int v = u + 1;
            const R by_u = -k * y[v]; // of minus the reaction
            const R by_v = -k * y[u];
            entry(u, u) = by_u;
            entry(u, v) = by_v;
            entry(v, u) = by_u;
            entry(v, v) = by_v;
            if (j == N - 1) break;
            entry(u, u) -= 2 * diffusion[j];
            entry(u, u + 2) = diffusion[j] + advection[j];
            if (j > 0) entry(u, u - 2) = diffusion[j] - advection[j];
        }
    }

    void initial(R* y) const
    {
        for (int j = 0; j < N; ++j) {
            y[2 * j] = R(0);
            y[2 * j + 1] = v0;
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 200, 2, 100000, "number of grid points; the dimension is 2N [-]", true},
            {"k", 100, 0, "1e6", "rate of the reaction of antibody and tissue [-]"},
            {"c", 4, "1e-3", "1e3", "depth that the map z = x/(x + c) sends to the middle of the grid [-]"},
            {"v0", 1, 0, "1e3", "initial concentration of the tissue's substrate [-]"},
            {"phi", 2, 0, "1e3", "concentration of the antibody at the surface until t = 5 [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "medakzo";
        i.title = "Medical Akzo Nobel";
        i.form = form::ode;
        i.n = 2 * p.whole("N");
        i.t0 = 0;
        i.tend = 20;
        i.jacobian_structure = structure::band(2, 2);
        i.breakpoints = {switching_time};
        i.discontinuities = {switching_time};
        if (i.n >= 80) i.pictured = {79, 80};
        i.quantity_of_interest = "the concentrations of antibody and substrate at all depths at the end";
        i.contributor = "R. van der Hout, Akzo Nobel (test set: CWI, 1996)";
        i.tags = {"biology", "pde", "stiff", "large", "breakpoints"};
        i.accuracy.absolute_scd = true;
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 8, .ladder_last = 40, .atol_per_rtol = 1, .h0_per_rtol = 1e-5};
        return i;
    }
};

} // namespace ivp::problems

#endif
