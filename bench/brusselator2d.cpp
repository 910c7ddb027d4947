// The Brusselator in two dimensions, at any size, for measurements of large systems: 2 N^2 equations.
//
//   u_t = 1 + u^2 v - 4.4 u + a (u_xx + u_yy) + s(x, y, t)
//   v_t = 3.4 u - u^2 v     + a (v_xx + v_yy),               a = 0.1, periodic on the unit square, 0 <= t <= 11.5
//
//   s = 5 for t > 1.1 and (x - 0.3)^2 + (y - 0.6)^2 <= 0.01, else 0
//   u(0) = 22 y (1 - y)^(3/2),   v(0) = 27 x (1 - x)^(3/2)
//
// Central differences on N x N points; all u first, row by row, then all v. Origin: E. Hairer, G. Wanner, Solving ODEs II, section IV.10.
#include <ivp/export_problem.hpp>

#include <cmath>

template <class R>
struct brusselator2d {
    int N;
    R diffusion; // a N^2
    R linear, feed, start, source, one;

    explicit brusselator2d(const ivp::parameter_values& p)
        : N(p.whole("N")),
          diffusion(p.get<R>("a") * R(N) * R(N)),
          linear(ivp::decimal("4.4").in<R>()),
          feed(ivp::decimal("3.4").in<R>()),
          start(ivp::decimal("1.1").in<R>()),
          source(5),
          one(1)
    {}

    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        const int points = N * N;
        const bool on = ivp::value_of(t) > ivp::value_of(start);
        for (int j = 0; j < N; ++j) {
            const int below = (j == 0 ? N - 1 : j - 1) * N;
            const int above = (j == N - 1 ? 0 : j + 1) * N;
            for (int i = 0; i < N; ++i) {
                const int left = j * N + (i == 0 ? N - 1 : i - 1);
                const int right = j * N + (i == N - 1 ? 0 : i + 1);
                const int k = j * N + i;
                const T& u = y[k];
                const T& v = y[points + k];
                const T reaction = u * u * v;
                out[k] =
                    reaction - linear * u + diffusion * (y[left] + y[right] + y[below + i] + y[above + i] - 4 * u) + (on ? one + inflow(i, j) : one);
                out[points + k] =
                    feed * u - reaction + diffusion * (y[points + left] + y[points + right] + y[points + below + i] + y[points + above + i] - 4 * v);
            }
        }
    }

    void initial(R* y) const
    {
        using std::sqrt;
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) {
                const R x = R(i) / N;
                const R z = R(j) / N;
                y[j * N + i] = 22 * z * (1 - z) * sqrt(1 - z);
                y[N * N + j * N + i] = 27 * x * (1 - x) * sqrt(1 - x);
            }
    }

    static std::vector<ivp::parameter> parameters()
    {
        return {{"N", 32, 3, 1000, "points in each direction; the dimension is 2 N^2", true}, {"a", "0.1", 0, 100, "diffusion"}};
    }

    static ivp::problem_info describe(const ivp::parameter_values& p)
    {
        ivp::problem_info i;
        const int N = p.whole("N");
        i.id = "brusselator2d";
        i.title = "Brusselator in two dimensions";
        i.form = ivp::form::ode;
        i.n = 2 * N * N;
        i.t0 = 0;
        i.tend = ivp::decimal("11.5");
        i.breakpoints = {ivp::decimal("1.1")};
        i.discontinuities = i.breakpoints;
        i.jacobian_structure = pattern(N);
        i.quantity_of_interest = "the concentrations at the end";
        i.contributor = "E. Hairer, G. Wanner (1996)";
        i.tags = {"chemistry", "pde", "stiff", "large"};
        i.protocol.h0_per_rtol = 1;
        return i;
    }

private:
    // The circle is tested one point further than the grid of the initial values has it, as the published program does.
    R inflow(int i, int j) const
    {
        const double x = (i + 1.0) / N - 0.3;
        const double y = (j + 1.0) / N - 0.6;
        return x * x + y * y <= 0.01 ? source : R(0);
    }

    static ivp::structure pattern(int N)
    {
        const int points = N * N;
        std::vector<std::vector<int>> columns(2 * static_cast<std::size_t>(points));
        for (int field = 0; field < 2; ++field)
            for (int j = 0; j < N; ++j)
                for (int i = 0; i < N; ++i) {
                    const auto at = [&](int k, int l) { return field * points + (l + N) % N * N + (k + N) % N; };
                    const int here = at(i, j);
                    columns[here] = {here, at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), (here + points) % (2 * points)};
                }
        return ivp::structure::sparse(std::move(columns));
    }
};

IVP_EXPORT_PROBLEM(brusselator2d)
