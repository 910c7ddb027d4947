// A problem of your own as a C++ template and as a plug-in: Fisher's equation, a wave that moves into an empty region.
//
//   u_t = d u_xx + r u (1 - u),   0 < x < 1,   u(0, t) = 1,   u_x(1, t) = 0,   u(x, 0) = 0,   0 <= t <= 1
//
// Central differences on N intervals make N ordinary differential equations of it, with three diagonals in the Jacobian. Build: see
// examples/README.md.
#include <ivp/export_problem.hpp>

// The formula is written once, over the precision R and the scalar T. The exact Jacobian follows from it.
template <class R>
struct fisher {
    int N;
    R diffusion; // d / dx^2
    R rate;

    explicit fisher(const ivp::parameter_values& p) : N(p.whole("N")), diffusion(p.get<R>("d") * R(N) * R(N)), rate(p.get<R>("r")) {}

    template <class T>
    void f(const T& /*t*/, const T* u, T* dudt) const
    {
        for (int i = 0; i < N; ++i) {
            const T left = i == 0 ? T(1) : u[i - 1];
            const T right = i == N - 1 ? u[i - 1] : u[i + 1]; // no flux through the end
            dudt[i] = diffusion * (left - 2 * u[i] + right) + rate * u[i] * (1 - u[i]);
        }
    }

    void initial(R* u) const { std::fill(u, u + N, R(0)); }

    static std::vector<ivp::parameter> parameters()
    {
        return {{"N", 50, 2, 100000, "number of intervals", true}, {"d", "0.01", 0, 1000, "diffusion"}, {"r", 20, 0, 1000, "growth [1/s]"}};
    }

    static ivp::problem_info describe(const ivp::parameter_values& p)
    {
        ivp::problem_info i;
        i.id = "fisher";
        i.title = "Fisher's equation";
        i.form = ivp::form::ode;
        i.n = p.whole("N");
        i.t0 = 0;
        i.tend = 1;
        i.jacobian_structure = ivp::structure::band(1, 1);
        i.quantity_of_interest = "how far the wave has moved at the end";
        i.contributor = "R. A. Fisher (1937)";
        i.tags = {"biology", "pde", "stiff", "autonomous"};
        i.protocol.h0_per_rtol = 1e-2;
        return i;
    }
};

IVP_EXPORT_PROBLEM(fisher)
