// Brusselator in two dimensions: reaction and diffusion on a periodic square (ODE, 2 N^2 equations, stiff, a semi-discretised PDE).
//
//   u_ij' = 1 + u^2 v - (A + 1) u + alpha N^2 (sum of the four neighbours - 4 u) + f_ij(t)
//   v_ij' = A u - u^2 v           + alpha N^2 (sum of the four neighbours - 4 v)               i, j = 1, ..., N, indices modulo N
//   f_ij = 5 if (i/N - 0.3)^2 + (j/N - 0.6)^2 <= 0.1^2 and t > 1.1, else 0;   A = 3.4, alpha = 0.1
//
//   0 <= t <= 11.5,   u_ij(0) = 22 y (1 - y)^(3/2),   v_ij(0) = 27 x (1 - x)^(3/2),   x = (i - 1)/N,   y = (j - 1)/N
//   y = (u_11, u_21, ..., u_NN, v_11, v_21, ..., v_NN)
//
// Difficult because of its size: the Jacobian has six entries a row, but no ordering makes it a narrow band. A source is switched on at t = 1.1.
// Origin: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_BRUS2D_HPP
#define IVP_PROBLEMS_BRUS2D_HPP

#include "grid/grid.hpp"

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct brus2d {
    int N;
    R A, source, switching_time;
    R diffusion;              ///< alpha N^2
    std::vector<char> heated; ///< whether the source reaches the point

    explicit brus2d(const parameter_values& p)
        : N(p.whole("N")),
          A(p.get<R>("A")),
          source(p.get<R>("source")),
          switching_time(p.get<R>("t_on")),
          diffusion(p.get<R>("alpha") * R(N) * R(N)),
          heated(static_cast<std::size_t>(N) * N)
    {
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) {
                // In whole numbers: points may lie exactly on the circle. NOTE: the published runs have the source at (i/N, j/N), counted from 1.
                const long across = 10L * (i + 1) - 3L * N, along = 10L * (j + 1) - 6L * N;
                heated[i + j * N] = across * across + along * along <= static_cast<long>(N) * N ? 1 : 0;
            }
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        f_pieces(t, y, dydt, 0, pieces());
    }

    /// The lines of the grid, of both substances.
    int pieces() const { return N; }
    static constexpr int blocks_of_pieces = 2;
    template <class T>
    void f_pieces(const T& t, const T* y, T* dydt, int first, int last) const
    {
        const R strength = t > switching_time ? source : R(0);
        const T* const u = y;
        const T* const v = y + N * N;
        for (int j = first; j < last; ++j) {
            const int row = j * N, below = before(j, N) * N, above = after(j, N) * N;
            for (int i = 0; i < N; ++i) {
                const int k = row + i, left = row + before(i, N), right = row + after(i, N);
                const T reaction = u[k] * u[k] * v[k];
                dydt[k] = 1 + reaction - (A + 1) * u[k] + diffusion * (u[left] + u[right] + u[below + i] + u[above + i] - 4 * u[k]);
                dydt[N * N + k] = A * u[k] - reaction + diffusion * (v[left] + v[right] + v[below + i] + v[above + i] - 4 * v[k]);
                if (heated[k] != 0) dydt[k] = dydt[k] + strength;
            }
        }
    }

    /// The published runs solved with the diffusion alone, by fast Fourier transforms.
    void published_jacobian(const R& /*t*/, const R* /*y*/, const matrix_view<R>& out) const
    {
        for (int s = 0; s < 2; ++s)
            for (int k = 0; k < N * N; ++k) {
                out.set(s * N * N + k, s * N * N + k, -4 * diffusion);
                for (const int m : neighbours(k, N)) out.set(s * N * N + k, s * N * N + m, diffusion);
            }
    }

    void initial(R* y) const
    {
        using std::sqrt;
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) {
                const R from_right = R(N - i) / R(N), from_top = R(N - j) / R(N);
                y[i + j * N] = 22 * R(j) / R(N) * from_top * sqrt(from_top);
                y[N * N + i + j * N] = 27 * R(i) / R(N) * from_right * sqrt(from_right);
            }
    }

    static std::array<int, 4> neighbours(int k, int N)
    {
        const int i = k % N, row = k - i, j = k / N;
        return {row + before(i, N), row + after(i, N), before(j, N) * N + i, after(j, N) * N + i};
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 16, 3, 1000, "number of grid points along an edge; the dimension is 2 N^2 [-]", true},
            {"alpha", "0.1", 0, "1e3", "diffusion coefficient [-]"},
            {"A", "3.4", 0, 100, "rate of the reaction that consumes u [-]"},
            {"source", 5, 0, "1e3", "strength of the source [-]"},
            {"t_on", "1.1", "0.1", 11, "time when the source is switched on [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N"), points = N * N;
        problem_info i;
        i.id = "brus2d";
        i.title = "Brusselator 2-D";
        i.form = form::ode;
        i.n = 2 * points;
        i.t0 = 0;
        i.tend = "11.5";
        i.jacobian_structure = two_substances(
            points, [points](int k, int s) { return k + s * points; }, [N](int k) { return neighbours(k, N); });
        i.breakpoints = {p.exact("t_on")};
        i.discontinuities = i.breakpoints;
        i.pictured = {1, points + 1};
        i.quantity_of_interest = "the concentrations of both substances at all points at the end";
        i.contributor = "E. Hairer, G. Wanner";
        i.tags = {"chemistry", "pde", "stiff", "size", "breakpoints"};
        i.protocol = {.ladder_start = 2,
                      .ladder_per_decade = 4,
                      .ladder_last = 32,
                      .atol_per_rtol = 1,
                      .published_jacobian = jacobian_source::original,
                      .fixed_h0 = 1e-4};
        return i;
    }
};

} // namespace ivp::problems

#endif
