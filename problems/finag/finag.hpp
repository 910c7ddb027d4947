// FINAG: FitzHugh's and Nagumo's model of a nerve, impulses that travel along an axon (ODE, 2N = 400 equations, mildly stiff, autonomous).
//
//   u_i' = (u_{i-1} - 2 u_i + u_{i+1})/h^2 - u_i (u_i - a)(u_i - 1) - v_i
//   v_i' = eps (u_i - b v_i)                                               i = 1, ..., N,   h = 100/N
//   u_0 = u_1 + 0.3 h (a current enters),   u_{N+1} = u_N;   a = 0.139, b = 2.54, eps = 0.008
//
//   0 <= t <= 400,   u = v = 0,   y = (u_1, v_1, u_2, v_2, ..., u_N, v_N)
//
// Difficult because impulses arise and travel all the time: the steps can never grow. The Jacobian has five diagonals.
// Origin: R. FitzHugh (1961), J. Nagumo and others (1962); as in the drivers of ROCK2 and ROCK4 (A. Abdulle). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_FINAG_HPP
#define IVP_PROBLEMS_FINAG_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct finag {
    int N;
    R a, b, eps;
    R diffusion; ///< 1/h^2
    R influx;    ///< what the current adds to u_1'

    explicit finag(const parameter_values& p)
        : N(p.whole("N")),
          a(p.get<R>("a")),
          b(p.get<R>("b")),
          eps(p.get<R>("eps")),
          diffusion(R(N) * R(N) / 10000),
          influx(p.get<R>("current") * R(N) / 100)
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        for (int i = 0; i < N; ++i) {
            const T& u = y[2 * i];
            const T& v = y[2 * i + 1];
            T flow = i == 0 ? T(influx) : T(diffusion * (y[2 * i - 2] - u));
            if (i < N - 1) flow = flow + diffusion * (y[2 * i + 2] - u);
            dydt[2 * i] = flow - u * (u - a) * (u - 1) - v;
            dydt[2 * i + 1] = eps * (u - b * v);
        }
    }

    /// By hand: a band is filled much faster than by derivatives along directions.
    void jacobian(const R& /*t*/, const R* y, const matrix_view<R>& out) const
    {
        const auto entry = out.entries();
        for (int i = 0; i < N; ++i) {
            const int u = 2 * i, v = u + 1;
            entry(u, u) = -(y[u] - a) * (y[u] - 1) - y[u] * (2 * y[u] - a - 1);
            entry(u, v) = R(-1);
            entry(v, u) = eps;
            entry(v, v) = -eps * b;
            if (i > 0) entry(u, u - 2) = diffusion, entry(u, u) -= diffusion;
            if (i < N - 1) entry(u, u + 2) = diffusion, entry(u, u) -= diffusion;
        }
    }

    void initial(R* y) const { std::fill(y, y + 2 * N, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 200, 2, 100000, "number of grid points; the dimension is 2N [-]", true},
            {"a", "0.139", 0, 1, "threshold of an impulse [-]"},
            {"b", "2.54", 0, 100, "decay of the recovery [-]"},
            {"eps", "0.008", 0, 1, "speed of the recovery [-]"},
            {"current", "0.3", 0, 10, "current at the left end [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "finag";
        i.title = "FitzHugh-Nagumo";
        i.form = form::ode;
        i.n = 2 * p.whole("N");
        i.t0 = 0;
        i.tend = 400;
        i.jacobian_structure = structure::band(2, 2);
        const int middle = i.n / 4;
        i.pictured = {2 * middle + 1, 2 * middle + 2};
        i.quantity_of_interest = "voltage and recovery at all points at the end";
        i.contributor = "A. Abdulle, E. Hairer, G. Wanner";
        i.tags = {"biology", "pde", "size", "autonomous", "travelling-wave"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .fixed_h0 = 1e-4};
        return i;
    }
};

} // namespace ivp::problems

#endif
