// CUSP: nerve impulses on a ring, a threshold of catastrophe theory with the van der Pol oscillator behind it (ODE, 3N = 96 equations, stiff,
// autonomous).
//
//   y_i' = -(1/eps) (y^3 + a y + b)                          + D (y_{i-1} - 2 y_i + y_{i+1})
//   a_i' = b + 0.07 v                                        + D (a_{i-1} - 2 a_i + a_{i+1})
//   b_i' = (1 - a^2) b - a - 0.4 y + 0.035 v                 + D (b_{i-1} - 2 b_i + b_{i+1})      i = 1, ..., N, indices modulo N
//   v = w/(w + 0.1),   w = (y - 0.7)(y - 1.3),   D = N^2/144,   eps = 1e-4
//
//   0 <= t <= 1.1,   y_i = 0, a_i = -2 cos(2 pi i/N), b_i = 2 sin(2 pi i/N),   y = (y_1, a_1, b_1, y_2, a_2, b_2, ...)
//
// Difficult because every point jumps between the sheets of a cubic, each at its own time, with a stiffness of 1/eps; the Jacobian is a band with
// corners. Origin: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10, after E. C. Zeeman (1972). Chapter:
// chapter.md.
#ifndef IVP_PROBLEMS_CUSP_HPP
#define IVP_PROBLEMS_CUSP_HPP

#include "grid/grid.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct cusp {
    int N;
    R stiffness; ///< 1/eps
    R D;
    R v_in_a = decimal("0.07").in<R>(), v_in_b = decimal("0.035").in<R>(), y_in_b = decimal("0.4").in<R>();
    R low = decimal("0.7").in<R>(), high = decimal("1.3").in<R>(), half_way = decimal("0.1").in<R>();

    explicit cusp(const parameter_values& p) : N(p.whole("N")), stiffness(1 / p.get<R>("eps")), D(R(N) * R(N) / p.get<R>("inverse_diffusion")) {}

    template <class T>
    void f(const T& /*t*/, const T* Y, T* dYdt) const
    {
        for (int i = 0; i < N; ++i) {
            const T *const here = Y + 3 * i, *const left = Y + 3 * before(i, N), *const right = Y + 3 * after(i, N);
            const T &y = here[0], &a = here[1], &b = here[2];
            const T w = (y - low) * (y - high);
            const T v = w / (w + half_way);
            const auto diffusion = [&](int s) -> T { return D * (left[s] - 2 * here[s] + right[s]); };
            dYdt[3 * i] = -stiffness * (b + y * (a + y * y)) + diffusion(0);
            dYdt[3 * i + 1] = b + v_in_a * v + diffusion(1);
            dYdt[3 * i + 2] = (1 - a * a) * b - a - y_in_b * y + v_in_b * v + diffusion(2);
        }
    }

    void initial(R* Y) const
    {
        using std::acos, std::cos, std::sin;
        const R pi = acos(R(-1));
        for (int i = 0; i < N; ++i) {
            const R angle = 2 * pi * R(i + 1) / R(N);
            Y[3 * i] = R(0);
            Y[3 * i + 1] = -2 * cos(angle);
            Y[3 * i + 2] = 2 * sin(angle);
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 32, 3, 100000, "number of grid points on the ring; the dimension is 3N [-]", true},
            {"eps", "1e-4", "1e-12", 1, "time scale of the jumps [-]"},
            {"inverse_diffusion", 144, "1e-3", "1e9", "1/sigma, the inverse of the diffusion coefficient [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N");
        problem_info i;
        i.id = "cusp";
        i.title = "CUSP";
        i.form = form::ode;
        i.n = 3 * N;
        i.t0 = 0;
        i.tend = "1.1";
        std::vector<std::vector<int>> columns(i.n);
        for (int k = 0; k < N; ++k)
            for (int s = 0; s < 3; ++s) columns[3 * k + s] = {3 * k, 3 * k + 1, 3 * k + 2, 3 * before(k, N) + s, 3 * after(k, N) + s};
        i.jacobian_structure = structure::sparse(std::move(columns));
        i.pictured = {3 * (N / 4) + 1, 3 * (N / 4) + 2};
        i.quantity_of_interest = "the state of all points at the end";
        i.contributor = "E. Hairer, G. Wanner";
        i.tags = {"biology", "pde", "stiff", "size", "autonomous"};
        i.protocol = {.ladder_start = 2,
                      .ladder_per_decade = 4,
                      .ladder_last = 32,
                      .atol_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences,
                      .fixed_h0 = 1e-6};
        return i;
    }
};

} // namespace ivp::problems

#endif
