// PLATE: a car drives over a rectangular plate (ODE of second order, 2 (9N - 1)(6N - 1) = 80 equations, stiff, linear, a semi-discretised PDE).
//
//   w_k' = v_k,   v_k' = -omega v_k - (sigma/h^4) (L L w)_k + f_k(t),   k = i + (9N - 1)(j - 1),   i = 1, ..., 9N - 1,   j = 1, ..., 6N - 1,   h =
//   2/(9N) (L w)_ij = w_{i-1,j} + w_{i+1,j} + w_{i,j-1} + w_{i,j+1} - 4 w_ij,   w = L w = 0 outside f_k = 200 N (exp(-5 (t - x - 2)^2) + exp(-5 (t -
//   x - 5)^2)) for j = 2N and j = 4N, x = i h;   0 elsewhere
//
//   0 <= t <= 7,   w = v = 0,   omega = 1000, sigma = 100,   y = (w, v)
//
// Difficult because the friction makes some eigenvalues real and large, and the bending makes the others complex and larger; the equations are of
// second order. Origin: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_PLATE_HPP
#define IVP_PROBLEMS_PLATE_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct plate {
    int N, columns, rows, points;
    R omega;
    R bending; ///< sigma/h^4
    R load, h;

    explicit plate(const parameter_values& p)
        : N(p.whole("N")),
          columns(columns_of(N)),
          rows(rows_of(N)),
          points(columns * rows),
          omega(p.get<R>("omega")),
          load(p.get<R>("load") * R(N)),
          h(R(2) / R(9 * N))
    {
        bending = p.get<R>("sigma") / (h * h * h * h);
    }

    template <class T>
    void f(const T& t, const T* y, T* dydt) const
    {
        const T* const v = y + points;
        for (int k = 0; k < points; ++k) dydt[k] = v[k];
        for (int k = 0; k < points; ++k) {
            T sum = T(0);
            each_of_stencil(k, N, [&](int m, int coefficient) { sum = sum + coefficient * y[m]; });
            dydt[points + k] = -omega * v[k] - bending * sum;
        }
        for (int i = 0; i < columns; ++i) {
            const T force = wheels(t, R(i + 1) * h);
            for (const int j : {2 * N - 1, 4 * N - 1}) dydt[points + i + columns * j] = dydt[points + i + columns * j] + force;
        }
    }

    /// Both axles of the car at the place x.
    template <class T>
    T wheels(const T& t, const R& x) const
    {
        using std::exp;
        const T first = t - x - 2, second = t - x - 5;
        return load * (exp(-5 * first * first) + exp(-5 * second * second));
    }

    /// The points that L L w of point k needs, each with its coefficient.
    template <class Visit>
    static void each_of_stencil(int k, int N, Visit visit)
    {
        const int columns = columns_of(N), rows = rows_of(N);
        const int i = k % columns, j = k / columns;
        const auto inside = [&](int di, int dj) { return i + di >= 0 && i + di < columns && j + dj >= 0 && j + dj < rows; };
        const auto at = [&](int di, int dj, int coefficient) {
            if (inside(di, dj)) visit(k + di + dj * columns, coefficient);
        };
        int neighbours = 0;
        for (const int d : {-1, 1}) neighbours += (inside(d, 0) ? 1 : 0) + (inside(0, d) ? 1 : 0);
        visit(k, 16 + neighbours);
        for (const int d : {-1, 1}) {
            at(d, 0, -8);
            at(0, d, -8);
            at(d, -1, 2);
            at(d, 1, 2);
            at(2 * d, 0, 1);
            at(0, 2 * d, 1);
        }
    }

    static constexpr int columns_of(int N) { return 9 * N - 1; }
    static constexpr int rows_of(int N) { return 6 * N - 1; }

    void initial(R* y) const { std::fill(y, y + 2 * points, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 1, 1, 60, "refinement of the grid of 8 x 5 points; the dimension is 2 (9N - 1)(6N - 1) [-]", true},
            {"omega", 1000, 0, "1e9", "friction [1/s]"},
            {"sigma", 100, 0, "1e9", "stiffness of the plate [m^4/s^2]"},
            {"load", 200, 0, "1e9", "force of an axle on a point of the grid with N = 1, over its mass [m/s^2]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        const int N = p.whole("N"), points = columns_of(N) * rows_of(N);
        problem_info i;
        i.id = "plate";
        i.title = "PLATE";
        i.form = form::ode;
        i.n = 2 * points;
        i.t0 = 0;
        i.tend = 7;
        std::vector<std::vector<int>> columns(i.n);
        for (int k = 0; k < points; ++k) {
            columns[k] = {points + k};
            columns[points + k] = {points + k};
            each_of_stencil(k, N, [&](int m, int /*coefficient*/) { columns[points + k].push_back(m); });
        }
        i.jacobian_structure = structure::sparse(std::move(columns));
        i.chain = {points, points};
        const int middle = 4 * N - 1 + columns_of(N) * (2 * N - 1); // on the left wheels' line
        i.pictured = {middle + 1, points + middle + 1};
        i.quantity_of_interest = "deflections and velocities of all points at the end";
        i.contributor = "E. Hairer, G. Wanner";
        i.tags = {"mechanics", "pde", "stiff", "size", "linear"};
        i.protocol = {.ladder_start = 2, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1e-3, .fixed_h0 = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
