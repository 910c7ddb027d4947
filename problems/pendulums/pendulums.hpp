// A chain of N pendulums: masses on rigid rods, hanging from one another (DAE, 5N equations, index 3, autonomous).
//
//   p_i' = v_i,   m v_i' = -lambda_i (p_i - p_{i-1}) + lambda_{i+1} (p_{i+1} - p_i) - (0, m g),   0 = |p_i - p_{i-1}|^2 - l^2,   i = 1, ..., N
//   p_0 = (0, 0),   lambda_{N+1} = 0,   l = 1/N, m = 1/N: the length and the mass of the chain are 1;   g = 9.81
//
//   0 <= t <= 1,   the chain is straight and at rest: p_i = i l d,   d = (sin phi, -cos phi),   phi = pi/4,   v = 0,   lambda_i = (N + 1 - i) m g
//   cos(phi)/l y = (p_1, ..., p_N, v_1, ..., v_N, lambda_1, ..., lambda_N)
//
// Difficult because it is of index 3: a solver must control positions, velocities and forces that converge with different powers of the step.
// Origin: the pendulum is the standard example of index 3 (E. Hairer, C. Lubich, M. Roche 1989). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_PENDULUMS_HPP
#define IVP_PROBLEMS_PENDULUMS_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct pendulums {
    int N;
    R gravity, mass_of_one, length_of_one;
    R sine, cosine; ///< of the angle at the start

    explicit pendulums(const parameter_values& p) : N(p.whole("N")), gravity(p.get<R>("g")), mass_of_one(R(1) / R(N)), length_of_one(R(1) / R(N))
    {
        using std::acos, std::cos, std::sin;
        const R angle = p.get<R>("angle") * acos(R(-1)) / 180;
        sine = sin(angle);
        cosine = cos(angle);
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        const T* const lambda = y + 4 * N;
        for (int i = 0; i < 2 * N; ++i) out[i] = y[2 * N + i];
        for (int i = 0; i < N; ++i) {
            T x = y[2 * i], z = y[2 * i + 1]; // of the rod above
            if (i > 0) x = x - y[2 * i - 2], z = z - y[2 * i - 1];
            out[2 * N + 2 * i] = -lambda[i] * x;
            out[2 * N + 2 * i + 1] = -lambda[i] * z - mass_of_one * gravity;
            out[4 * N + i] = x * x + z * z - length_of_one * length_of_one;
            if (i == 0) continue;
            out[2 * N + 2 * i - 2] = out[2 * N + 2 * i - 2] + lambda[i] * x;
            out[2 * N + 2 * i - 1] = out[2 * N + 2 * i - 1] + lambda[i] * z;
        }
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> d(5 * N, R(0));
        std::fill(d.begin(), d.begin() + 2 * N, R(1));
        std::fill(d.begin() + 2 * N, d.begin() + 4 * N, mass_of_one);
        return mass_matrix<R>::diagonal(std::move(d));
    }

    void initial(R* y) const
    {
        std::fill(y, y + 5 * N, R(0));
        for (int i = 0; i < N; ++i) {
            y[2 * i] = R(i + 1) * length_of_one * sine;
            y[2 * i + 1] = -R(i + 1) * length_of_one * cosine;
            y[4 * N + i] = R(N - i) * mass_of_one * gravity * cosine / length_of_one;
        }
    }

    /// All masses fall across the chain; the forces have an extremum, because the motion backwards in time is the same.
    void initial_derivative(R* yp) const
    {
        std::fill(yp, yp + 5 * N, R(0));
        for (int i = 0; i < N; ++i) {
            yp[2 * N + 2 * i] = -gravity * cosine * sine;
            yp[2 * N + 2 * i + 1] = -gravity * sine * sine;
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 10, 1, 10000, "number of pendulums; the dimension is 5N [-]", true},
            {"g", "9.81", "1e-3", "1e3", "gravitational acceleration [m/s^2]"},
            {"angle", 45, -180, 180, "of the chain from the vertical at the start [degrees]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N");
        problem_info i;
        i.id = "pendulums";
        i.title = "Chain of pendulums";
        i.form = form::dae;
        i.n = 5 * N;
        i.chain = {2 * N, 2 * N};
        i.t0 = 0;
        i.tend = 1;
        i.highest_index = 3;
        i.index.assign(2 * N, 1);
        i.index.insert(i.index.end(), 2 * N, 2);
        i.index.insert(i.index.end(), N, 3);
        std::vector<std::vector<int>> columns(i.n);
        for (int k = 0; k < N; ++k) {
            for (const int s : {0, 1}) {
                columns[2 * k + s] = {2 * N + 2 * k + s};
                for (int m = std::max(k - 1, 0); m <= std::min(k + 1, N - 1); ++m) columns[2 * N + 2 * k + s].push_back(2 * m + s);
                for (int m = k; m <= std::min(k + 1, N - 1); ++m) columns[2 * N + 2 * k + s].push_back(4 * N + m);
            }
            for (int m = 2 * std::max(k - 1, 0); m < 2 * k + 2; ++m) columns[4 * N + k].push_back(m);
        }
        i.jacobian_structure = structure::sparse(std::move(columns));
        i.pictured = {2 * N - 1, 2 * N};
        i.quantity_of_interest = "positions, velocities and forces of all rods at the end";
        i.contributor = "the authors of ivp";
        i.tags = {"mechanics", "size", "index-3", "autonomous", "oscillating"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
