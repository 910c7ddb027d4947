// Beam: an elastic beam, clamped at one end, pulled at the other (ODE, 2n = 80 equations, stiff by oscillation).
//
//   z' = w,   w' = C v + D u,   C u = D v + (w_1^2, ..., w_n^2)                 z: angles of the n segments of the beam
//
//   C tridiagonal:  1, 2, ..., 2, 3 on the diagonal, -cos(z_l - z_{l-1}) left, -cos(z_l - z_{l+1}) right of it
//   D:              0 on the diagonal,               -sin(z_l - z_{l-1}) left, -sin(z_l - z_{l+1}) right of it
//   v_l = n^4 (z_{l-1} - 2 z_l + z_{l+1}) + n^2 (cos z_l Fy - sin z_l Fx),   z_0 = -z_1,   z_{n+1} = z_n
//   Fx = -phi, Fy = phi,   phi(t) = 1.5 sin^2 t until t = pi, then 0
//
//   0 <= t <= 5,   z(0) = w(0) = 0
//
// Difficult because the eigenvalues lie on the imaginary axis up to 4 n^2 = 6400: nothing damps, and BDF methods are not stable there.
// Origin: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section IV.1. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_BEAM_HPP
#define IVP_PROBLEMS_BEAM_HPP

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct beam {
    static constexpr int published_n = 40;
    static constexpr int largest_n = 1000;

    int n;
    R force, pi, n2, n4;

    explicit beam(const parameter_values& p) : n(p.whole("n")), force(p.get<R>("force")), n2(R(n) * R(n)), n4(n2 * n2)
    {
        using std::acos;
        pi = acos(R(-1));
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        // Working memory on the stack, for the published size not more than it needs.
        if (n <= published_n) {
            std::array<segment<T>, published_n> segments;
            motion(t, y, dydt, segments.data());
        } else {
            std::array<segment<T>, largest_n> segments;
            motion(t, y, dydt, segments.data());
        }
    }

    /// One segment; sine and cosine are those of the angle to the segment before it.
    template <class T>
    struct segment {
        T sine, cosine, v, factor, u;
    };

    template <class T>
    void motion(const T& t, const T* z, T* dydt, segment<T>* s) const
    {
        using std::cos, std::sin;
        const T* const w = z + n;

        for (int l = 0; l < n; ++l) {
            const T before = l == 0 ? T(-z[0]) : z[l - 1];
            const T after = l == n - 1 ? z[n - 1] : z[l + 1];
            s[l].v = n4 * (before - 2 * z[l] + after);
            if (l == 0) continue;
            const T angle = z[l] - z[l - 1];
            s[l].sine = sin(angle);
            s[l].cosine = cos(angle);
        }
        if (t <= pi) {
            const T sine = sin(t);
            const T load = n2 * force * sine * sine; // n^2 phi; Fy = -Fx = phi
            for (int l = 0; l < n; ++l) {
                const T angle = z[l]; // a copy: the compiler then takes sine and cosine together
                s[l].v += load * (cos(angle) + sin(angle));
            }
        }

        // g = D v + w^2, and C u = g by elimination from the last row up
        T u = T(0), factor = T(0);
        for (int l = n - 1; l >= 0; --l) {
            T diagonal = l == n - 1 ? T(3) : l == 0 ? T(1) : T(2);
            T g = w[l] * w[l];
            if (l > 0) g -= s[l].sine * s[l - 1].v;
            if (l < n - 1) {
                g += s[l + 1].sine * s[l + 1].v + s[l + 1].cosine * u;
                diagonal -= s[l + 1].cosine * factor;
            }
            u = g / diagonal;
            if (l > 0) factor = s[l].cosine / diagonal;
            s[l].u = u;
            s[l].factor = factor;
        }
        for (int l = 1; l < n; ++l) s[l].u = u = s[l].u + s[l].factor * u;

        for (int l = 0; l < n; ++l) {
            T sum = (l == 0 ? 1 : l == n - 1 ? 3 : 2) * s[l].v;
            if (l > 0) sum -= s[l].cosine * s[l - 1].v + s[l].sine * s[l - 1].u;
            if (l < n - 1) sum += s[l + 1].sine * s[l + 1].u - s[l + 1].cosine * s[l + 1].v;
            dydt[l] = w[l];
            dydt[n + l] = sum;
        }
    }

    void initial(R* y) const { std::fill(y, y + 2 * n, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"n", published_n, 2, largest_n, "number of segments; the dimension is 2n [-]", true},
            {"force", "1.5", 0, 100, "largest force at the free end, along each axis [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        const int n = p.whole("n");
        i.id = "beam";
        i.title = "Beam";
        i.form = form::ode;
        i.n = 2 * n;
        i.chain = {n, n};
        i.t0 = 0;
        i.tend = 5;
        i.discontinuities = {"3.14159265358979323846264338327950288"}; // the force ends, with a jump in its second derivative
        i.pictured = {n / 2, n};
        i.quantity_of_interest = "the angles of all segments of the beam at the end";
        i.contributor = "E. Hairer, G. Wanner (test set: Bari, release 2.2)";
        i.tags = {"mechanics", "pde", "stiff", "medium", "oscillating"};
        for (int k = n + 1; k <= 2 * n; ++k) i.accuracy.excluded.push_back(k); // the angular velocities
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 4,
                      .ladder_last = 16,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
