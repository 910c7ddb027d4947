// Car axis: a chassis on two stiff springs, one wheel on a bumpy road (DAE, 10 equations, index 3, stiff).
//
//   p' = q,   (eps^2 M/2) q' = f(t, p, lambda),   0 = phi(t, p);      p = (xl, yl, xr, yr),   y = (p, q, lambda1, lambda2)
//
//   f1 = (L0 - Ll) xl / Ll + lambda1 xb + 2 lambda2 (xl - xr)
//   f2 = (L0 - Ll) yl / Ll + lambda1 yb + 2 lambda2 (yl - yr) - g eps^2 M/2
//   f3 = (L0 - Lr) (xr - xb) / Lr - 2 lambda2 (xl - xr)
//   f4 = (L0 - Lr) (yr - yb) / Lr - 2 lambda2 (yl - yr) - g eps^2 M/2
//   phi1 = xl xb + yl yb,   phi2 = (xl - xr)^2 + (yl - yr)^2 - L^2
//   Ll^2 = xl^2 + yl^2,   Lr^2 = (xr - xb)^2 + (yr - yb)^2,   yb = 0.1 sin(10 t),   xb^2 = L^2 - yb^2
//
//   0 <= t <= 3,   p(0) = (0, 1/2, 1, 1/2),   q(0) = (-1/2, 0, -1/2, 0),   lambda(0) = (0, 0)
//
// Difficult because it is of index 3 with springs of stiffness 1/eps^2 = 1e4: lambda is found with few digits, and q at the end is small.
// Origin: S. Schneider, thesis, Geneve (1994). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_CARAXIS_HPP
#define IVP_PROBLEMS_CARAXIS_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct caraxis {
    R L, L0, h, omega, gravity;
    R inertia; ///< eps^2 M/2

    explicit caraxis(const parameter_values& p)
        : L(p.get<R>("L")),
          L0(p.get<R>("L0")),
          h(p.get<R>("h")),
          omega(p.get<R>("omega")),
          gravity(p.get<R>("g")),
          inertia(p.get<R>("eps") * p.get<R>("eps") * p.get<R>("M") / 2)
    {}

    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        using std::sin, std::sqrt;
        const T &xl = y[0], &yl = y[1], &xr = y[2], &yr = y[3];
        const T &lambda1 = y[8], &lambda2 = y[9];

        const T yb = h * sin(omega * t);
        const T xb = sqrt(L * L - yb * yb);
        const T Ll = sqrt(xl * xl + yl * yl);
        const T Lr = sqrt((xr - xb) * (xr - xb) + (yr - yb) * (yr - yb));
        const T left = (L0 - Ll) / Ll; // spring forces per length
        const T right = (L0 - Lr) / Lr;

        for (int i = 0; i < 4; ++i) out[i] = y[4 + i];
        out[4] = left * xl + lambda1 * xb + 2 * lambda2 * (xl - xr);
        out[5] = left * yl + lambda1 * yb + 2 * lambda2 * (yl - yr) - gravity * inertia;
        out[6] = right * (xr - xb) - 2 * lambda2 * (xl - xr);
        out[7] = right * (yr - yb) - 2 * lambda2 * (yl - yr) - gravity * inertia;
        out[8] = xl * xb + yl * yb;
        out[9] = (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - L * L;
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> d(10, R(0));
        std::fill(d.begin(), d.begin() + 4, R(1));
        std::fill(d.begin() + 4, d.begin() + 8, inertia);
        return mass_matrix<R>::diagonal(std::move(d));
    }

    /// Springs at rest, no force on the constraints; the velocities follow from d/dt phi = 0.
    void initial(R* y) const
    {
        std::fill(y, y + 10, R(0));
        y[1] = y[3] = L0;
        y[2] = L;
        y[4] = y[6] = -L0 / L * h * omega;
    }

    /// Only gravity acts. NOTE: lambda' does not occur in the equations; 0 is what the published runs had (chapter, Errata).
    void initial_derivative(R* yp) const
    {
        std::fill(yp, yp + 10, R(0));
        yp[0] = yp[2] = -L0 / L * h * omega;
        yp[5] = yp[7] = -gravity;
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"L", 1, "0.5", 100, "length of the axis and of the chassis [m]"},
            {"L0", "0.5", "0.01", 100, "length of the springs at rest [m]"},
            {"eps", "0.01", "1e-6", 10, "square root of the springs' compliance: their stiffness is 1/eps^2 [(m/N)^(1/2)]"},
            {"M", 10, "1e-6", "1e6", "mass of the chassis [kg]"},
            {"h", "0.1", 0, "0.4", "amplitude of the bumps, half the height of a hill [m]"},
            {"omega", 10, 0, "1e4", "angular frequency of the bumps [1/s]"},
            {"g", 1, 0, 100, "gravitational acceleration [m/s^2]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "caraxis";
        i.title = "Car axis";
        i.form = form::dae;
        i.n = 10;
        i.chain = {4, 4};
        i.t0 = 0;
        i.tend = 3;
        i.highest_index = 3;
        i.index = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3};
        i.component_names = {"xl", "yl", "xr", "yr", "xl'", "yl'", "xr'", "yr'", "lambda1", "lambda2"};
        i.pictured = {2, 4};
        i.quantity_of_interest = "position and velocity of both ends of the chassis, and the constraint forces, at the end";
        i.contributor = "S. Schneider (test set: CWI, 1996)";
        i.tags = {"mechanics", "stiff", "small", "index-3", "oscillating"};
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 4,
                      .ladder_last = 24,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
