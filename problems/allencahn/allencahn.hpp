// Allen-Cahn: two phases separate (ODE, N = 128 equations, mildly stiff, a semi-discretised PDE, autonomous).
//
//   u_t = eps u_xx + 3 (u - u^3),   -2 <= x <= 2,   second-order differences on N points, the end rows with the second difference of their
//   neighbours: y_i' = eps (y_{c-1} - 2 y_c + y_{c+1})/h^2 + 3 y_i - r_i,   c = i but 2 and N - 1 at the ends,   r_i = 3 y_i^3 but 0 at the ends
//
//   0 <= t <= 1,   y_i(0) = cos(2 pi x_i),   x_i = -2 + (i - 1) h,   h = 4/(N - 1),   eps = 1e-3
//
// Difficult only with many points: the eigenvalues of the diffusion reach 4 eps/h^2.
// Origin: S. M. Allen and J. W. Cahn (1979); as in the SciML benchmarks. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_ALLENCAHN_HPP
#define IVP_PROBLEMS_ALLENCAHN_HPP

#include "grid/line.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct allencahn {
    int N;
    R growth;
    R diffusion; ///< eps/h^2

    explicit allencahn(const parameter_values& p) : N(p.whole("N")), growth(p.get<R>("growth")), diffusion(p.get<R>("eps") * R(N - 1) * R(N - 1) / 16)
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        for (int i = 0; i < N; ++i) {
            dydt[i] = diffusion * second_difference(y, i, N);
            if (i > 0 && i < N - 1) dydt[i] = dydt[i] + growth * y[i] * (1 - y[i] * y[i]);
        }
    }

    void initial(R* y) const
    {
        using std::acos, std::cos;
        const R pi = acos(R(-1));
        for (int i = 0; i < N; ++i) y[i] = cos(8 * pi * R(i) / R(N - 1)); // a shift by 2 is two periods
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 128, 4, 100000, "number of grid points, which is the dimension [-]", true},
            {"eps", "1e-3", 0, 1, "diffusion coefficient [-]"},
            {"growth", 3, 0, 1000, "rate of the separation [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "allencahn";
        i.title = "Allen-Cahn";
        i.form = form::ode;
        i.n = p.whole("N");
        i.t0 = 0;
        i.tend = 1;
        i.jacobian_structure = structure::band(2, 2);
        i.pictured = {i.n / 8 + 1, i.n / 2 + 1};
        i.quantity_of_interest = "the phase at all points at the end";
        i.contributor = "SciML benchmarks";
        i.tags = {"physics", "pde", "size", "autonomous"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
