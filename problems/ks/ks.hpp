// Kuramoto-Sivashinsky: chaos on a ring, in Fourier modes (ODE, 2(N - 1) equations, stiff at published size, autonomous).
//
//   U_t = -U_xx - U_xxxx - (U^2/2)_x,   period 2 pi/q, q = 0.025;   modes c_j = y_{2j-1} + i y_{2j}, j = 1, ..., N - 1, on a grid of 2N points
//
//   y_{2j-1}' = l_j y_{2j-1} + q j Im W_j,   y_{2j}' = l_j y_{2j} - q j Re W_j,   l_j = (q j)^2 - (q j)^4
//   u_m = c_0 + 2 Re sum_j c_j exp(-2 pi i j m/(2N)),   W_j = 1/(2N) sum_m (u_m^2/2) exp(2 pi i j m/(2N))
//
//   0 <= t <= 100;   c_j(0) are the modes of 16 max(0, min(s, 0.1 - s), 20 (s - 0.2)(0.3 - s), min(s - 0.6, 0.7 - s), min(s - 0.9, 1 - s)), s =
//   m/(2N)
//
// Difficult because every mode depends on every other one: the Jacobian is full, while its stiff part is diagonal. The solution is chaotic.
// Origin: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section IV.10. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_KS_HPP
#define IVP_PROBLEMS_KS_HPP

#include <ivp/problem_of.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace ivp::problems {

template <class R>
struct ks {
    template <class T>
    struct complex {
        T re, im;
    };

    int N;
    int points; ///< 2N, of the grid
    R q;
    R mean;                           ///< c_0, which does not change
    std::vector<complex<R>> root;     ///< exp(2 pi i k/(2N))
    std::vector<complex<R>> at_start; ///< c_j

    explicit ks(const parameter_values& p) : N(p.whole("N")), points(2 * N), q(p.get<R>("q")), root(points)
    {
        using std::acos, std::cos, std::sin;
        const R pi = acos(R(-1));
        for (int k = 0; k < points; ++k) root[k] = {cos(pi * R(k) / R(N)), sin(pi * R(k) / R(N))};
        std::vector<complex<R>> profile(points), modes(points), few(points);
        for (int m = 0; m < points; ++m) profile[m] = {start(R(m) / R(points)), R(0)};
        transform(points, 1, profile.data(), modes.data(), few.data());
        mean = modes[0].re / R(points);
        for (int j = 0; j < N; ++j) at_start.push_back({modes[j].re / R(points), modes[j].im / R(points)});
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        auto& [in, out, few] = room<T>();
        std::fill(in.begin(), in.end(), complex<T>{T(0), T(0)});
        for (int j = 1; j < N; ++j) in[j] = {y[2 * j - 2], -y[2 * j - 1]}; // conjugate: the sign of the exponent is the other one
        transform(points, 1, in.data(), out.data(), few.data());
        for (int m = 0; m < points; ++m) {
            const T u = mean + 2 * out[m].re;
            in[m] = {u * u / 2, T(0)};
        }
        transform(points, 1, in.data(), out.data(), few.data());
        for (int j = 1; j < N; ++j) {
            const R k = q * R(j);
            const R growth = k * k - k * k * k * k;
            dydt[2 * j - 2] = growth * y[2 * j - 2] + k / R(points) * out[j].im;
            dydt[2 * j - 1] = growth * y[2 * j - 1] - k / R(points) * out[j].re;
        }
    }

    /// Memory of an evaluation, kept for the next one in the same thread.
    template <class T>
    std::array<std::vector<complex<T>>, 3>& room() const
    {
        static thread_local std::array<std::vector<complex<T>>, 3> kept;
        for (auto& grid : kept) grid.resize(static_cast<std::size_t>(points));
        return kept;
    }

    /// out_k = sum over m of in_{stride m} exp(2 pi i k m/size), for every size: by its smallest prime factor, again and again. `few` has room for
    /// that factor.
    template <class T>
    void transform(int size, int stride, const complex<T>* in, complex<T>* out, complex<T>* few) const
    {
        if (size == 1) {
            out[0] = in[0];
            return;
        }
        int factor = 2;
        while (size % factor != 0) ++factor;
        const int part = size / factor;
        for (int r = 0; r < factor; ++r) transform(part, stride * factor, in + r * stride, out + r * part, few);
        for (int k = 0; k < part; ++k) {
            if (factor == 2) {
                const complex<T> odd = product(root[k * stride], out[k + part]);
                out[k + part] = {out[k].re - odd.re, out[k].im - odd.im};
                out[k] = {out[k].re + odd.re, out[k].im + odd.im};
                continue;
            }
            for (int s = 0; s < factor; ++s) {
                few[s] = out[k];
                for (int r = 1; r < factor; ++r) {
                    const complex<T> term = product(root[static_cast<long>(r) * (k + s * part) % size * stride], out[k + r * part]);
                    few[s] = {few[s].re + term.re, few[s].im + term.im};
                }
            }
            for (int s = 0; s < factor; ++s) out[k + s * part] = few[s];
        }
    }

    template <class T>
    static complex<T> product(const complex<R>& w, const complex<T>& z)
    {
        return {w.re * z.re - w.im * z.im, w.re * z.im + w.im * z.re};
    }

    /// The linear part, which is all that the published runs had of the Jacobian.
    void published_jacobian(const R& /*t*/, const R* /*y*/, const matrix_view<R>& out) const
    {
        for (int j = 1; j < N; ++j) {
            const R k = q * R(j);
            for (const int i : {2 * j - 2, 2 * j - 1}) out.set(i, i, k * k - k * k * k * k);
        }
    }

    /// Three triangles and a parabola.
    static R start(const R& s)
    {
        const auto at = [](const char* text) { return decimal(text).in<R>(); };
        const auto triangle = [&s](const R& from, const R& to) { return std::min(R(s - from), R(to - s)); };
        const R parabola = 20 * (s - at("0.2")) * (at("0.3") - s);
        return 16 * std::max({R(0), triangle(R(0), at("0.1")), parabola, triangle(at("0.6"), at("0.7")), triangle(at("0.9"), R(1))});
    }

    void initial(R* y) const
    {
        for (int j = 1; j < N; ++j) {
            y[2 * j - 2] = at_start[j].re;
            y[2 * j - 1] = at_start[j].im;
        }
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"N", 96, 8, 4096, "half the number of grid points; the dimension is 2(N - 1), the published runs have 512 [-]", true},
            {"q", "0.025", "1e-4", 10, "smallest wave number: the period is 2 pi/q [-]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "ks";
        i.title = "Kuramoto-Sivashinsky";
        i.form = form::ode;
        i.n = 2 * (p.whole("N") - 1);
        i.t0 = 0;
        i.tend = 100;
        i.pictured = {1, 2};
        i.quantity_of_interest = "the real and imaginary parts of all modes at the end";
        i.contributor = "E. Hairer, G. Wanner";
        i.tags = {"physics", "pde", "size", "autonomous", "chaotic"};
        i.accuracy.absolute_scd = true;
        i.protocol = {.ladder_start = 2,
                      .ladder_per_decade = 4,
                      .ladder_last = 32,
                      .atol_per_rtol = 1,
                      .published_jacobian = jacobian_source::original,
                      .fixed_h0 = 1e-6};
        return i;
    }
};

} // namespace ivp::problems

#endif
