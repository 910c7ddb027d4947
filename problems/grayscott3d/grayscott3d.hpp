// Gray-Scott in three dimensions: a cloud that divides (ODE, 2 N^3 equations, hardly stiff, a semi-discretised PDE, autonomous).
//
//   u_t = D1 lap u - u v^2 + gamma (1 - u),   v_t = D2 lap v + u v^2 - (gamma + kappa) v,   periodic on [0, 1]^3
//   seven-point differences on N x N x N points, h = 1/N, x = (i - 1) h and so on;   D1 = 8e-5, D2 = 4e-5, gamma = 0.024, kappa = 0.06
//
//   0 <= t <= 500,   v = (sin(pi x) sin(pi y) sin(pi z))^4/2,   u = 1 - v;   y = (u_111, v_111, u_211, v_211, ...)
//
// Difficult because of its size: an elimination in three dimensions fills most of the factors, and explicit methods need no elimination here.
// Origin: the model of J. E. Pearson (1993), in a third dimension. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_GRAYSCOTT3D_HPP
#define IVP_PROBLEMS_GRAYSCOTT3D_HPP

#include "grid/grid.hpp"

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct grayscott3d {
    int N;
    R gamma, kappa;
    R u_diffusion, v_diffusion; ///< D1/h^2, D2/h^2

    explicit grayscott3d(const parameter_values& p)
        : N(p.whole("N")),
          gamma(p.get<R>("gamma")),
          kappa(p.get<R>("kappa")),
          u_diffusion(p.get<R>("D1") * R(N) * R(N)),
          v_diffusion(p.get<R>("D2") * R(N) * R(N))
    {}

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        f_pieces(t, y, dydt, 0, pieces());
    }

    /// The planes of the grid.
    int pieces() const { return N; }
    static constexpr int blocks_of_pieces = 1;
    template <class T>
    void f_pieces(const T& /*t*/, const T* y, T* dydt, int first, int last) const
    {
        for (int k = first * N * N; k < last * N * N; ++k) {
            const T &u = y[2 * k], &v = y[2 * k + 1];
            T u_sum = T(-6 * u), v_sum = T(-6 * v);
            for (const int m : neighbours(k, N)) {
                u_sum = u_sum + y[2 * m];
                v_sum = v_sum + y[2 * m + 1];
            }
            const T reaction = u * v * v;
            dydt[2 * k] = u_diffusion * u_sum - reaction + gamma * (1 - u);
            dydt[2 * k + 1] = v_diffusion * v_sum + reaction - (gamma + kappa) * v;
        }
    }

    void initial(R* y) const
    {
        using std::acos, std::sin;
        const R pi = acos(R(-1));
        std::vector<R> wave;
        for (int i = 0; i < N; ++i) {
            const R s = sin(pi * R(i) / R(N));
            wave.push_back(s * s * s * s);
        }
        for (int k = 0; k < N * N * N; ++k) {
            const R v = wave[k % N] * wave[k / N % N] * wave[k / (N * N)] / 2;
            y[2 * k] = 1 - v;
            y[2 * k + 1] = v;
        }
    }

    static std::array<int, 6> neighbours(int k, int N)
    {
        const int i = k % N, j = k / N % N, l = k / (N * N);
        const auto point = [N](int x, int y, int z) { return x + N * (y + N * z); };
        return {point(before(i, N), j, l), point(after(i, N), j, l),  point(i, before(j, N), l),
                point(i, after(j, N), l),  point(i, j, before(l, N)), point(i, j, after(l, N))};
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 8, 3, 100, "number of grid points along an edge; the dimension is 2 N^3 [-]", true},
            {"D1", "8e-5", 0, 1, "diffusion coefficient of u [-]"},
            {"D2", "4e-5", 0, 1, "diffusion coefficient of v [-]"},
            {"gamma", "0.024", 0, 1, "rate of the feed [-]"},
            {"kappa", "0.06", 0, 1, "rate of the removal of v [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N"), points = N * N * N;
        problem_info i;
        i.id = "grayscott3d";
        i.title = "Gray-Scott 3-D";
        i.form = form::ode;
        i.n = 2 * points;
        i.t0 = 0;
        i.tend = 500;
        i.jacobian_structure = two_substances(
            points, [](int k, int s) { return 2 * k + s; }, [N](int k) { return neighbours(k, N); });
        const int middle = N / 2 * (1 + N + N * N);
        i.pictured = {2 * middle + 1, 2 * middle + 2};
        i.quantity_of_interest = "the concentrations of both substances at all points at the end";
        i.contributor = "the authors of ivp, after J. E. Pearson";
        i.tags = {"chemistry", "pde", "size", "autonomous", "nonstiff"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
