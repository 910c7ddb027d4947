// Brusselator in one dimension: reaction and diffusion (ODE, 2N = 1000 equations, stiff, a semi-discretised PDE, autonomous).
//
//   u_i' = 1 + u_i^2 v_i - 4 u_i + alpha (N + 1)^2 (u_{i-1} - 2 u_i + u_{i+1})
//   v_i' = 3 u_i - u_i^2 v_i     + alpha (N + 1)^2 (v_{i-1} - 2 v_i + v_{i+1})        i = 1, ..., N
//   u_0 = u_{N+1} = 1,   v_0 = v_{N+1} = 3,   alpha = 1/50
//
//   0 <= t <= 10,   u_i(0) = 1 + a sin(2 pi x_i), a = 1/2,   v_i(0) = 3,   x_i = i/(N + 1),   y = (u_1, v_1, u_2, v_2, ..., u_N, v_N)
//
// Difficult for a method without a band: the Jacobian has five diagonals, and its eigenvalues reach 4 alpha (N + 1)^2 = 2e4.
// Origin: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_BRUSS_HPP
#define IVP_PROBLEMS_BRUSS_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct bruss {
    static constexpr int u_end = 1;
    static constexpr int v_end = 3;

    int N;
    R amplitude;
    R diffusion; ///< alpha (N + 1)^2

    explicit bruss(const parameter_values& p) : N(p.whole("N")), amplitude(p.get<R>("amplitude")), diffusion(p.get<R>("alpha") * R(N + 1) * R(N + 1))
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        if (N == 1) {
            point(0, R(u_end), R(v_end), R(u_end), R(v_end), y, dydt);
            return;
        }
        point(0, R(u_end), R(v_end), y[2], y[3], y, dydt);
        for (int i = 1; i < N - 1; ++i) point(i, y[2 * i - 2], y[2 * i - 1], y[2 * i + 2], y[2 * i + 3], y, dydt);
        point(N - 1, y[2 * N - 4], y[2 * N - 3], R(u_end), R(v_end), y, dydt);
    }

    /// The pair of equations of one point between its neighbours.
    template <class T, class Left, class Right>
    void point(int i, const Left& u_left, const Left& v_left, const Right& u_right, const Right& v_right, const T* y, T* dydt) const
    {
        const T& u = y[2 * i];
        const T& v = y[2 * i + 1];
        const T reaction = u * u * v;
        dydt[2 * i] = 1 + reaction - 4 * u + diffusion * (u_left - 2 * u + u_right);
        dydt[2 * i + 1] = 3 * u - reaction + diffusion * (v_left - 2 * v + v_right);
    }

    /// By hand: a band is filled much faster than by derivatives along directions.
    void jacobian(const R& /*t*/, const R* y, const matrix_view<R>& out) const
    {
        const auto entry = out.entries();
        for (int i = 0; i < N; ++i) {
            const int u = 2 * i, v = u + 1;
            const R by_u = 2 * y[u] * y[v]; // of the reaction
            const R by_v = y[u] * y[u];
            entry(u, u) = by_u - 4 - 2 * diffusion;
            entry(u, v) = by_v;
            entry(v, u) = 3 - by_u;
            entry(v, v) = -by_v - 2 * diffusion;
            if (i > 0) entry(u, u - 2) = entry(v, v - 2) = diffusion;
            if (i < N - 1) entry(u, u + 2) = entry(v, v + 2) = diffusion;
        }
    }

    void initial(R* y) const
    {
        using std::acos, std::sin;
        const R pi = acos(R(-1));
        for (int i = 0; i < N; ++i) {
            y[2 * i] = 1 + amplitude * sin(2 * pi * R(i + 1) / R(N + 1));
            y[2 * i + 1] = R(v_end);
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 500, 1, 1000000, "number of grid points; the dimension is 2N [-]", true},
            {"alpha", "0.02", 0, "1e3", "diffusion coefficient [-]"},
            {"amplitude", "0.5", -1, 1, "of the sine in the initial u; the book prints 1 (chapter, Errata) [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "bruss";
        i.title = "Brusselator 1-D";
        i.form = form::ode;
        i.n = 2 * p.whole("N");
        i.t0 = 0;
        i.tend = 10;
        i.jacobian_structure = structure::band(2, 2);
        const int middle = i.n / 4; // the point in the middle of the left half, where the sine is largest
        i.pictured = {2 * middle + 1, 2 * middle + 2};
        i.quantity_of_interest = "the concentrations of both substances at all points at the end";
        i.contributor = "E. Hairer, G. Wanner";
        i.tags = {"chemistry", "pde", "stiff", "size", "autonomous"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .fixed_h0 = 1e-6};
        return i;
    }
};

} // namespace ivp::problems

#endif
