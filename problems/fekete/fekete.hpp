// Fekete problem: N = 20 points on a sphere repel each other until they rest (DAE, 8N = 160 equations, index 2, autonomous).
//
//   p_i' = q_i + 2 mu_i p_i                                                              i = 1, ..., N,   p_i, q_i in R^3
//   q_i' = -alpha q_i + sum over j != i of (p_i - p_j) / |p_i - p_j|^2 + 2 lambda_i p_i
//   0    = p_i^T p_i - 1
//   0    = 2 p_i^T q_i
//
//   0 <= t <= 1000,   y = (p, q, lambda, mu),   p(0): four rings of 3, 7, 6 and 4 points,   q(0) = 0, lambda(0) = -(N - 1)/4, mu(0) = 0
//
// Difficult because of its size, all points being coupled, and because a solver must take ever larger steps towards the rest position.
// Origin: J. D. Pinter, W. J. H. Stortelder, J. J. B. de Swart, CWI report MAS-R9705 (1997). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_FEKETE_HPP
#define IVP_PROBLEMS_FEKETE_HPP

#include <ivp/problem_of.hpp>

#include <array>

namespace ivp::problems {

template <class R>
struct fekete {
    static constexpr int published_N = 20;

    int N;
    R alpha;

    explicit fekete(const parameter_values& p) : N(p.whole("N")), alpha(p.get<R>("alpha")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        const T* const p = y;
        const T* const q = y + 3 * N;
        const T* const lambda = y + 6 * N;
        const T* const mu = y + 7 * N;
        T* const dp = out;
        T* const dq = out + 3 * N;

        for (int i = 0; i < N; ++i) {
            for (int k = 3 * i; k < 3 * i + 3; ++k) {
                dp[k] = q[k] + 2 * mu[i] * p[k];
                dq[k] = 2 * lambda[i] * p[k] - alpha * q[k];
            }
            out[6 * N + i] = inner(p + 3 * i, p + 3 * i) - 1;
            out[7 * N + i] = 2 * inner(p + 3 * i, q + 3 * i);
        }
        repulsion(p, dq);
    }

    template <class T>
    static T inner(const T* a, const T* b)
    {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    /// Adds the forces between all points.
    template <class T>
    void repulsion(const T* p, T* to) const
    {
        for (int i = 0; i < N; ++i) {
            const T x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
            T fx = to[3 * i], fy = to[3 * i + 1], fz = to[3 * i + 2];
            for (int j = i + 1; j < N; ++j) { // each pair once
                const T dx = x - p[3 * j];
                const T dy = y - p[3 * j + 1];
                const T dz = z - p[3 * j + 2];
                const T strength = 1 / (dx * dx + dy * dy + dz * dz);
                fx += strength * dx;
                fy += strength * dy;
                fz += strength * dz;
                to[3 * j] -= strength * dx;
                to[3 * j + 1] -= strength * dy;
                to[3 * j + 2] -= strength * dz;
            }
            to[3 * i] = fx;
            to[3 * i + 1] = fy;
            to[3 * i + 2] = fz;
        }
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> d(8 * N, R(0));
        std::fill(d.begin(), d.begin() + 6 * N, R(1));
        return mass_matrix<R>::diagonal(std::move(d));
    }

    /// At rest, lambda balances the part of the repulsion that points outwards: 1/2 from each of the other points, wherever they are.
    void initial(R* y) const
    {
        std::fill(y, y + 8 * N, R(0));
        for (int j = 0; j < N; ++j) {
            place(j, y + 3 * j);
            y[6 * N + j] = R(1 - N) / 4;
        }
    }

    /// p' = mu' = 0 because q = mu = 0, and lambda = -(N - 1)/4 - |q|^2/2 has the derivative -q^T q' = 0.
    void initial_derivative(R* yp) const
    {
        std::vector<R> y(8 * N);
        initial(y.data());
        f(R(0), y.data(), yp);
        std::fill(yp + 6 * N, yp + 8 * N, R(0));
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", published_N, 2, 500, "number of points; the dimension is 8N [-]", true},
            {"alpha", "0.5", 0, 100, "damping of the motion [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        const int N = p.whole("N");
        i.id = "fekete";
        i.title = "Fekete";
        i.form = form::dae;
        i.n = 8 * N;
        i.t0 = 0;
        i.tend = 1000;
        i.highest_index = 2;
        i.index.assign(6 * N, 1);
        i.index.insert(i.index.end(), 2 * N, 2);
        i.logarithmic_time = true;
        i.quantity_of_interest = "the positions of the points at the end, where they rest";
        i.contributor = "W. J. H. Stortelder, J. J. B. de Swart (test set: CWI, 1996)";
        i.tags = {"mechanics", "optimisation", "stiff", "large", "index-2", "autonomous", "long-time"};
        for (int k = 3 * N + 1; k <= 8 * N; ++k) i.accuracy.excluded.push_back(k); // all but the positions
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 16, .ladder_last = 64, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }

private:
    /// The starting position of point j: on the published rings, or, for another N, on a spiral that covers the sphere evenly.
    void place(int j, R* p) const
    {
        using std::acos, std::cos, std::sin, std::sqrt;
        const R pi = acos(R(-1));
        R longitude, sine, cosine; // sine and cosine of the latitude
        if (N == published_N) {
            struct ring {
                int first, points;
                int turn;       ///< pi/turn: longitude of point 0 of the ring
                int rise, part; ///< latitude rise pi / part
                int number;     ///< that the first point has
            };
            constexpr std::array<ring, 4> rings = {{{0, 3, 13, 3, 8, 1}, {3, 7, 29, 1, 8, 1}, {10, 6, 7, -2, 15, 1}, {16, 4, 17, -3, 10, 0}}};
            const ring* r = rings.data();
            while (j >= r->first + r->points) ++r;
            longitude = 2 * pi * (j - r->first + r->number) / r->points + pi / r->turn;
            const R latitude = r->rise * pi / r->part;
            sine = sin(latitude);
            cosine = cos(latitude);
        } else {
            longitude = (3 - sqrt(R(5))) * pi * j; // the golden angle
            sine = R(N - 1 - 2 * j) / N;
            cosine = sqrt((1 - sine) * (1 + sine));
        }
        p[0] = cos(longitude) * cosine;
        p[1] = sin(longitude) * cosine;
        p[2] = sine;
    }
};

} // namespace ivp::problems

#endif
