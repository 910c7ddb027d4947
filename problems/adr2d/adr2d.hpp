// Advection, diffusion and reaction in a channel with Robin boundaries (ODE, N^2 equations, stiff, a semi-discretised PDE, autonomous).
//
//   u_t = -a u_x + D (u_xx + u_yy) + k u^2 (1 - u) on the unit square
//   inflow x = 0: a u - D u_x = a u_in,   outflow x = 1: u_x = 0,   walls y = 0, 1: D u_n = -w u
//
//   N x N cells of width h = 1/N: u_ij' = (F_{i-1/2} - F_{i+1/2})/h + D (u_{i,j-1} - 2 u_ij + u_{i,j+1})/h^2 + k u_ij^2 (1 - u_ij)
//   F_{i+1/2} = a (u_i + u_{i+1})/2 - D (u_{i+1} - u_i)/h,   F_{1/2} = a u_in,   F_{N+1/2} = a u_N
//   through a wall: h (1/w + h/(2 D))^-1 u_ij/h^2 instead of the difference to the missing cell
//
//   0 <= t <= 2,   u = 0,   a = 1, D = 0.05, k = 50, w = 0.5, u_in = 1,   y = (u_11, u_21, ..., u_NN)
//
// Difficult because a front of the reaction moves with the flow through a system that is stiff by its diffusion and whose Jacobian is not symmetric.
// Origin: a tubular reactor with the boundaries of P. V. Danckwerts (1953), as W. Hundsdorfer and J. Verwer (2003) discretise such problems. Chapter:
// chapter.md.
#ifndef IVP_PROBLEMS_ADR2D_HPP
#define IVP_PROBLEMS_ADR2D_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct adr2d {
    int N;
    R a, k, u_in;
    R diffusion; ///< D/h^2
    R wall;      ///< what the wall takes from a cell beside it

    explicit adr2d(const parameter_values& p)
        : N(p.whole("N")), a(p.get<R>("a")), k(p.get<R>("k")), u_in(p.get<R>("u_in")), diffusion(p.get<R>("D") * R(N) * R(N))
    {
        const R w = p.get<R>("w");
        wall = R(N) * w / (1 + w / (2 * p.get<R>("D") * R(N)));
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        f_pieces(t, y, dydt, 0, pieces());
    }

    /// The rows of cells.
    int pieces() const { return N; }
    static constexpr int blocks_of_pieces = 1;
    template <class T>
    void f_pieces(const T& /*t*/, const T* y, T* dydt, int first, int last) const
    {
        for (int j = first; j < last; ++j)
            for (int i = 0; i < N; ++i) {
                const int c = i + j * N;
                const T& u = y[c];
                T sum = k * u * u * (1 - u);
                sum = sum + (i == 0 ? T(R(N) * a * u_in) : inflow(y[c - 1], u));
                sum = sum - (i == N - 1 ? T(R(N) * a * u) : inflow(u, y[c + 1]));
                sum = sum + (j == 0 ? T(-wall * u) : T(diffusion * (y[c - N] - u)));
                sum = sum + (j == N - 1 ? T(-wall * u) : T(diffusion * (y[c + N] - u)));
                dydt[c] = sum;
            }
    }

    /// F/h between two cells.
    template <class T>
    T inflow(const T& left, const T& right) const
    {
        return R(N) * a / 2 * (left + right) - diffusion * (right - left);
    }

    void initial(R* y) const { std::fill(y, y + N * N, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 20, 2, 2000, "number of cells along an edge; the dimension is N^2 [-]", true},
            {"a", 1, 0, 100, "velocity of the flow [-]"},
            {"D", "0.05", "1e-6", 100, "diffusion coefficient [-]"},
            {"k", 50, 0, "1e6", "rate of the reaction [-]"},
            {"w", "0.5", 0, "1e6", "transfer through the walls; 0: none [-]"},
            {"u_in", 1, 0, 10, "concentration of the inflow [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N");
        problem_info i;
        i.id = "adr2d";
        i.title = "Advection-diffusion-reaction 2-D";
        i.form = form::ode;
        i.n = N * N;
        i.t0 = 0;
        i.tend = 2;
        std::vector<std::vector<int>> columns(i.n);
        for (int c = 0; c < i.n; ++c) {
            columns[c] = {c};
            if (c % N > 0) columns[c].push_back(c - 1);
            if (c % N < N - 1) columns[c].push_back(c + 1);
            if (c >= N) columns[c].push_back(c - N);
            if (c < i.n - N) columns[c].push_back(c + N);
        }
        i.jacobian_structure = structure::sparse(std::move(columns));
        const int middle = N / 2 + N / 2 * N;
        i.pictured = {middle + 1, N / 2 * N + N};
        i.quantity_of_interest = "the concentration in all cells at the end";
        i.contributor = "the authors of ivp";
        i.tags = {"chemistry", "pde", "stiff", "size", "autonomous"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
