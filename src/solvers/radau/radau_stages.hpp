// radau_stages: the stages of one step of a Radau IIA method, and the arithmetic of its simplified Newton iteration.
//
// Z_i = Y_i − y are the increments of the stages, W = (T^-1 ⊗ I) Z the variables in which the linear systems are decoupled: one real and (S − 1)/2
// complex ones of the dimension of the problem. Only W is kept: with many equations it is faster to make Z from it than to read Z from memory.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_STAGES_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_STAGES_HPP

#include "collocation_polynomial.hpp"
#include "linalg/shifted_lu.hpp"
#include "radau_method.hpp"
#include "simd/components.hpp"

#include <ivp/problem.hpp>
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ivp::solvers {

/// Lambda/h: what the matrices of a step are shifted by.
template <class R>
struct radau_shifts {
    R real;
    std::array<complex_shift<R>, (most_radau_stages - 1) / 2> complex;

    template <int S>
    static radau_shifts of_step(const radau_method<R, S>& method, const R& h)
    {
        radau_shifts shifts{method.gamma / h, {}};
        for (int k = 0; k < method.pairs; ++k) shifts.complex[k] = {method.alpha[k] / h, method.beta[k] / h};
        return shifts;
    }
};

/// NOTE: the passes over the components are always inlined. With few equations a step is so short that calls and what they keep out of the registers
/// are a twentieth of it.
template <class R>
class radau_stages {
public:
    radau_stages(int n, int most_stages, const radau_methods<R>& methods, work_memory& memory)
        : methods_(methods),
          n_(n),
          w_(n, most_stages, memory),
          update_(n, most_stages, memory),
          argument_(n, most_stages, memory),
          product_(n, most_stages, memory)
    {}

    /// Where f is to be evaluated for stage s: y + Z_s.
    [[nodiscard]] const R* argument(int s) const { return argument_[s]; }
    /// Where the values of f are to be written; afterwards the right-hand sides of the systems, then their solutions.
    [[nodiscard]] R* update(int s) { return update_[s]; }
    template <int S>
    [[nodiscard]] std::array<R*, S> updates()
    {
        return update_.template first<S>();
    }

    void start_from_zero(int stages, const R* y)
    {
        for (int s = 0; s < stages; ++s) {
            std::fill_n(w_[s], n_, R(0));
            std::copy_n(y, n_, argument_[s]);
        }
    }

    /// From the polynomial of the last step, extrapolated over a step of size h.
    template <int S>
    [[gnu::always_inline]] void start_from(const collocation_polynomial<R>& polynomial, const R& h, const R* y)
    {
        const auto& method = methods_.template with<S>();
        const R ratio = h / polynomial.step();
        const auto form = polynomial.template form<S>();
        std::array<std::array<value, S>, S> distance;
        simd::unrolled<S>([&](auto s) { distance[s] = simd::spread(form.distances(method.c[s] * ratio)); });
        const auto t_inverse = simd::spread(method.t_inverse);
        const auto w = w_.template first<S>();
        const auto argument = argument_.template first<S>();
        simd::for_components<R>(n_, [&](auto at) {
            std::array<value, S> z;
            simd::unrolled<S>([&](auto s) { z[s] = form.increment(at, distance[s]); });
            at.assign(w, product(t_inverse, z));
            simd::unrolled<S>([&](auto s) { at(argument[s]) = at(y) + z[s]; });
        });
    }

    /// Turns the values of f into the right-hand sides (T^-1 ⊗ I) F − Lambda/h (I ⊗ M) W.
    template <int S>
    [[gnu::always_inline]] void make_right_hand_sides(const radau_shifts<R>& shifts, const mass_matrix<R>& mass)
    {
        constexpr int pairs = radau_method<R, S>::pairs;
        const bool identity = mass.kind() == mass_kind::identity;
        if (!identity)
            for (int s = 0; s < S; ++s) mass.multiply(w_[s], product_[s]);
        const auto mw = (identity ? w_ : product_).template first<S>();
        const auto f = update_.template first<S>();
        const auto t_inverse = simd::spread(methods_.template with<S>().t_inverse);
        const value gamma = shifts.real;
        std::array<value, pairs> alpha;
        std::array<value, pairs> beta;
        simd::unrolled<pairs>([&](auto k) {
            alpha[k] = shifts.complex[k].re;
            beta[k] = shifts.complex[k].im;
        });
        simd::for_components<R>(n_, [&](auto at) {
            const auto v = product(t_inverse, at(simd::all_just_written(f)));
            const auto m = at(mw);
            at(f[0]) = v[0] - gamma * m[0];
            simd::unrolled<pairs>([&](auto k) {
                constexpr int re = 2 * k + 1;
                constexpr int im = re + 1;
                at(f[re]) = v[re] - (alpha[k] * m[re] - beta[k] * m[im]);
                at(f[im]) = v[im] - (alpha[k] * m[im] + beta[k] * m[re]);
            });
        });
    }

    /// W += update, and the arguments that belong to it. Gives the root mean square of the update, divided by its weights.
    template <int S>
    [[gnu::always_inline]] [[nodiscard]] R advance(const R* y, const R* inverse_weight)
    {
        using std::sqrt;
        const auto t = simd::spread(methods_.template with<S>().t);
        const auto w = w_.template first<S>();
        const auto update = update_.template first<S>();
        const auto argument = argument_.template first<S>();
        R sum(0);
        simd::for_components<R>(n_, [&](auto at) {
            const auto d = at(simd::all_just_written(update));
            std::array<value, S> scaled;
            std::array<value, S> v;
            simd::unrolled<S>([&](auto s) {
                scaled[s] = d[s] * at(inverse_weight);
                v[s] = at(w[s]) + d[s];
            });
            add_in_order(sum, dot(scaled, scaled));
            at.assign(w, v);
            const auto z = increments(t, v);
            simd::unrolled<S>([&](auto s) { at(argument[s]) = at(y) + z[s]; });
        });
        return sqrt(sum / R(S * n_));
    }

    /// residual = M (e_1 Z_1 + … + e_S Z_S)/h + f. All vectors are padded.
    template <int S>
    [[gnu::always_inline]] void make_error_residual(const R& h, const mass_matrix<R>& mass, const R* f, R* residual)
    {
        const auto e = simd::spread(methods_.template with<S>().e);
        const auto z = increments_from<S>();
        const auto combination = [&](auto at) { return dot(e, z(at)) / h; };
        if (mass.kind() == mass_kind::identity) {
            simd::for_components<R>(n_, [&](auto at) { at(residual) = combination(at) + at(f); });
            return;
        }
        R* const product = product_[0];
        simd::for_components<R>(n_, [&](auto at) { at(residual) = combination(at); });
        mass.multiply(residual, product);
        simd::for_components<R>(n_, [&](auto at) { at(residual) = at(product) + at(f); });
    }

    template <int S>
    void keep_in(collocation_polynomial<R>& polynomial, const R& t, const R& h) const
    {
        polynomial.template set<S>(t, h, increments_from<S>());
    }

private:
    using value = simd::pack<R>;

    /// Z = (T ⊗ I) W. The last row of T is 1 and 0 in turns but for its first entry.
    template <std::size_t S>
    [[gnu::always_inline]] static std::array<value, S> increments(const std::array<std::array<value, S>, S>& t, const std::array<value, S>& w)
    {
        constexpr int last = static_cast<int>(S) - 1;
        std::array<value, S> z;
        simd::unrolled<last>([&](auto s) { z[s] = dot(t[s], w); });
        z[last] = t[last][0] * w[0];
        simd::unrolled<last / 2>([&](auto k) { z[last] += w[2 * k + 1]; });
        return z;
    }
    /// A function that gives the increments in some components.
    template <int S>
    [[nodiscard]] auto increments_from() const
    {
        return [t = simd::spread(methods_.template with<S>().t), w = w_.template first<S>()](auto at) { return increments(t, at(w)); };
    }

    const radau_methods<R>& methods_;
    int n_;
    simd::padded_vectors<R, most_radau_stages> w_, update_, argument_, product_;
};

} // namespace ivp::solvers

#endif
