// Burgers: a wave that steepens (ODE, N = 128 equations, mildly stiff, a semi-discretised PDE, autonomous).
//
//   u_t = -u u_x + nu u_xx, split as -(u u_x + (u^2)_x)/3:
//   y_i' = nu (y_{c-1} - 2 y_c + y_{c+1})/h^2 - (y_i (D y)_i + (D y^2)_i)/3,   c = i but 2 and N - 1 at the ends
//   (D y)_i = (y_{i+1} - y_{i-1})/(2h), one-sided at the ends,   h = 2/(N - 1),   nu = 0.01
//
//   0 <= t <= 1,   y_i(0) = exp(-(x_i - 1/2)^2/(2 0.05^2)),   x_i = (i - 1)/(N - 1)
//
// Difficult only with many points: the eigenvalues of the diffusion reach 4 nu/h^2.
// Origin: J. M. Burgers (1948); as in the SciML benchmarks. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_BURGERS_HPP
#define IVP_PROBLEMS_BURGERS_HPP

#include "grid/line.hpp"

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct burgers {
    int N;
    R diffusion;  ///< nu/h^2
    R per_length; ///< 1/h
    R width;

    explicit burgers(const parameter_values& p)
        : N(p.whole("N")), diffusion(p.get<R>("nu") * R(N - 1) * R(N - 1) / 4), per_length(R(N - 1) / 2), width(p.get<R>("width"))
    {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        for (int i = 0; i < N; ++i) {
            const secant s = secant_at(i, N);
            const T &left = y[s.left], &right = y[s.right];
            const R slope = per_length / (3 * s.steps());
            dydt[i] = diffusion * second_difference(y, i, N) - slope * (y[i] * (right - left) + (right * right - left * left));
        }
    }

    void initial(R* y) const
    {
        using std::exp;
        for (int i = 0; i < N; ++i) {
            const R from_middle = (R(i) / R(N - 1) - R(1) / 2) / width;
            y[i] = exp(-from_middle * from_middle / 2);
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 128, 4, 100000, "number of grid points, which is the dimension [-]", true},
            {"nu", "0.01", 0, 1, "viscosity [-]"},
            {"width", "0.05", "1e-3", 1, "of the initial wave [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "burgers";
        i.title = "Burgers";
        i.form = form::ode;
        i.n = p.whole("N");
        i.t0 = 0;
        i.tend = 1;
        i.jacobian_structure = structure::band(2, 2);
        i.pictured = {i.n / 2, i.n * 3 / 4};
        i.quantity_of_interest = "the velocity at all points at the end";
        i.contributor = "SciML benchmarks";
        i.tags = {"fluids", "pde", "size", "autonomous"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
