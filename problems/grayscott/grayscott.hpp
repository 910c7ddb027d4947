// Gray-Scott in two dimensions: spots that divide (ODE, 2 N^2 equations, hardly stiff, a semi-discretised PDE, autonomous).
//
//   u_t = D1 (u_xx + u_yy) - u v^2 + gamma (1 - u),   v_t = D2 (v_xx + v_yy) + u v^2 - (gamma + kappa) v,   periodic on [0, 2.5]^2
//   five-point differences on N x N points, h = 2.5/N, x = (i - 1) h, y = (j - 1) h;   D1 = 8e-5, D2 = 4e-5, gamma = 0.024, kappa = 0.06
//
//   0 <= t <= 2000,   v = sin^2(4 pi x) sin^2(4 pi y)/4 for 1 <= x, y <= 1.5, else 0,   u = 1 - 2 v
//   y = (u_11, v_11, u_21, v_21, ..., u_NN, v_NN)
//
// Difficult because of its size and the long interval, not because of stiffness: explicit methods do well on it.
// Origin: J. E. Pearson (1993); W. Hundsdorfer and J. Verwer (2003), p. 21; as in PETSc's examples. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_GRAYSCOTT_HPP
#define IVP_PROBLEMS_GRAYSCOTT_HPP

#include "grid/grid.hpp"

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct grayscott {
    int N;
    R gamma, kappa;
    R u_diffusion, v_diffusion; ///< D1/h^2, D2/h^2

    explicit grayscott(const parameter_values& p) : N(p.whole("N")), gamma(p.get<R>("gamma")), kappa(p.get<R>("kappa"))
    {
        const R per_length = R(2 * N) / 5; // 1/h
        u_diffusion = p.get<R>("D1") * per_length * per_length;
        v_diffusion = p.get<R>("D2") * per_length * per_length;
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        f_pieces(t, y, dydt, 0, pieces());
    }

    /// The lines of the grid.
    int pieces() const { return N; }
    static constexpr int blocks_of_pieces = 1;
    template <class T>
    void f_pieces(const T& /*t*/, const T* y, T* dydt, int first, int last) const
    {
        for (int j = first; j < last; ++j) {
            const int row = j * N, below = before(j, N) * N, above = after(j, N) * N;
            for (int i = 0; i < N; ++i) {
                const int k = 2 * (row + i), left = 2 * (row + before(i, N)), right = 2 * (row + after(i, N));
                const int low = 2 * (below + i), high = 2 * (above + i);
                const T &u = y[k], &v = y[k + 1];
                const T reaction = u * v * v;
                dydt[k] = u_diffusion * (y[left] + y[right] + y[low] + y[high] - 4 * u) - reaction + gamma * (1 - u);
                dydt[k + 1] = v_diffusion * (y[left + 1] + y[right + 1] + y[low + 1] + y[high + 1] - 4 * v) + reaction - (gamma + kappa) * v;
            }
        }
    }

    void initial(R* y) const
    {
        using std::acos, std::sin;
        const R pi = acos(R(-1));
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) {
                const auto in_patch = [this](int k) { return 5 * k >= 2 * N && 5 * k <= 3 * N; }; // 1 <= 2.5 k/N <= 1.5
                const auto wave = [&](int k) {
                    const R s = sin(10 * pi * R(k) / R(N));
                    return s * s;
                };
                const R v = in_patch(i) && in_patch(j) ? R(wave(i) * wave(j) / 4) : R(0);
                y[2 * (i + j * N)] = 1 - 2 * v;
                y[2 * (i + j * N) + 1] = v;
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
            {"N", 32, 3, 1000, "number of grid points along an edge; the dimension is 2 N^2 [-]", true},
            {"D1", "8e-5", 0, 1, "diffusion coefficient of u [-]"},
            {"D2", "4e-5", 0, 1, "diffusion coefficient of v [-]"},
            {"gamma", "0.024", 0, 1, "rate of the feed [-]"},
            {"kappa", "0.06", 0, 1, "rate of the removal of v [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N");
        problem_info i;
        i.id = "grayscott";
        i.title = "Gray-Scott 2-D";
        i.form = form::ode;
        i.n = 2 * N * N;
        i.t0 = 0;
        i.tend = 2000;
        i.jacobian_structure = two_substances(
            N * N, [](int k, int s) { return 2 * k + s; }, [N](int k) { return neighbours(k, N); });
        const int middle = N / 2 + N / 2 * N;
        i.pictured = {2 * middle + 1, 2 * middle + 2};
        i.quantity_of_interest = "the concentrations of both substances at all points at the end";
        i.contributor = "J. E. Pearson; W. Hundsdorfer, J. Verwer";
        i.tags = {"chemistry", "pde", "size", "autonomous", "nonstiff"};
        i.accuracy.absolute_scd = true; // far from the spots v is as good as zero
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
