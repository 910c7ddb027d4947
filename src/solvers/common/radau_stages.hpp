// radau_stages: the stages of one step of a Radau IIA method, and the arithmetic of its simplified Newton iteration.
//
// Z_i = Y_i − y are the increments of the stages, W = (T^-1 ⊗ I) Z the variables in which the linear systems are decoupled: one real and (S − 1)/2
// complex ones of the dimension of the problem.
#ifndef IVP_SOLVERS_COMMON_RADAU_STAGES_HPP
#define IVP_SOLVERS_COMMON_RADAU_STAGES_HPP

#include "collocation_polynomial.hpp"
#include "componentwise.hpp"
#include "radau_method.hpp"

#include <ivp/model/mass_matrix.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ivp::solvers {

/// One vector for each stage.
template <class R>
class stage_block {
public:
    stage_block(int n, int most_stages) : stride_(padded<R>(n)), values_(static_cast<std::size_t>(stride_) * most_stages) {}

    [[nodiscard]] R* stage(int s) { return values_.data() + static_cast<std::size_t>(s) * stride_; }
    template <int S>
    [[nodiscard]] std::array<R*, S> stages()
    {
        std::array<R*, S> p;
        for (int s = 0; s < S; ++s) p[s] = stage(s);
        return p;
    }

private:
    int stride_;
    std::vector<R> values_;
};

template <class R>
class radau_stages {
public:
    radau_stages(int n, int most_stages)
        : n_(n), z_(n, most_stages), w_(n, most_stages), update_(n, most_stages), argument_(n, most_stages), product_(n, most_stages)
    {}

    /// Where f is to be evaluated for stage s: y + Z_s.
    [[nodiscard]] const R* argument(int s) { return argument_.stage(s); }
    /// Where the values of f are to be written; afterwards the right-hand sides of the systems, then their solutions.
    [[nodiscard]] R* update(int s) { return update_.stage(s); }
    [[nodiscard]] const R* increment(int s) { return z_.stage(s); }
    /// Free between the iterations.
    [[nodiscard]] R* work(int s) { return product_.stage(s); }

    void start_from_zero(int stages, const R* y)
    {
        for (int s = 0; s < stages; ++s) {
            std::fill_n(z_.stage(s), n_, R(0));
            std::fill_n(w_.stage(s), n_, R(0));
            std::copy_n(y, n_, argument_.stage(s));
        }
    }

    /// From the polynomial of the last step, extrapolated over a step of size h.
    template <int S>
    void start_from(const collocation_polynomial<R>& polynomial, const R& h, const R* y)
    {
        const auto& method = radau_method<R, S>::get();
        const auto inverse = method.t_inverse; // a copy: the compiler then knows that the results do not overwrite it
        const R ratio = h / polynomial.step();
        std::array<R, S> s;
        for (int k = 0; k < S; ++k) s[k] = method.c[k] * ratio;
        const auto z = z_.template stages<S>();
        const auto w = w_.template stages<S>();
        const auto argument = argument_.template stages<S>();
        const auto form = polynomial.template form<S>();
        for_components<R>(n_, [&](auto at) {
            std::array<value, S> v;
            for (int k = 0; k < S; ++k) v[k] = form.increment(at, s[k]);
            for (int k = 0; k < S; ++k) {
                at.put(z[k], v[k]);
                at.put(w[k], dot(inverse[k], v));
                at.put(argument[k], at(y) + v[k]);
            }
        });
    }

    /// Turns the values of f into the right-hand sides (T^-1 ⊗ I) F − Lambda/h (I ⊗ M) W.
    template <int S>
    void make_right_hand_sides(const R& h, const mass_matrix<R>& mass)
    {
        const auto& method = radau_method<R, S>::get();
        const bool identity = mass.kind() == mass_kind::identity;
        if (!identity)
            for (int s = 0; s < S; ++s) mass.multiply(w_.stage(s), product_.stage(s));
        const auto mw = (identity ? w_ : product_).template stages<S>();
        const auto f = update_.template stages<S>();
        const auto inverse = method.t_inverse;
        const R gamma = method.gamma / h;
        std::array<R, radau_method<R, S>::pairs> alpha;
        std::array<R, radau_method<R, S>::pairs> beta;
        for (int k = 0; k < method.pairs; ++k) {
            alpha[k] = method.alpha[k] / h;
            beta[k] = method.beta[k] / h;
        }
        for_components<R>(n_, [&](auto at) {
            std::array<value, S> v;
            std::array<value, S> m;
            for (int s = 0; s < S; ++s) {
                v[s] = at(f[s]);
                m[s] = at(mw[s]);
            }
            at.put(f[0], dot(inverse[0], v) - gamma * m[0]);
            for (int k = 0; k < method.pairs; ++k) {
                const int re = 2 * k + 1;
                const int im = re + 1;
                at.put(f[re], dot(inverse[re], v) - (alpha[k] * m[re] - beta[k] * m[im]));
                at.put(f[im], dot(inverse[im], v) - (alpha[k] * m[im] + beta[k] * m[re]));
            }
        });
    }

    /// Root mean square of the updates of W, divided by their weights.
    template <int S>
    [[nodiscard]] R update_norm(const R* inverse_weight)
    {
        using std::sqrt;
        const auto d = update_.template stages<S>();
        R sum(0);
        for_components<R>(n_, [&](auto at) {
            const value first = at(d[0]) * at(inverse_weight);
            value squares = first * first;
            for (int s = 1; s < S; ++s) {
                const value x = at(d[s]) * at(inverse_weight);
                squares += x * x;
            }
            add_in_order(sum, squares);
        });
        return sqrt(sum / R(S * n_));
    }

    /// W += update, Z = (T ⊗ I) W
    template <int S>
    void advance(const R* y)
    {
        const auto t = radau_method<R, S>::get().t;
        const auto z = z_.template stages<S>();
        const auto w = w_.template stages<S>();
        const auto d = update_.template stages<S>();
        const auto argument = argument_.template stages<S>();
        for_components<R>(n_, [&](auto at) {
            std::array<value, S> v;
            for (int s = 0; s < S; ++s) {
                v[s] = at(w[s]) + at(d[s]);
                at.put(w[s], v[s]);
            }
            for (int s = 0; s < S; ++s) {
                value x = t[s][0] * v[0];
                if (s < S - 1)
                    x = dot(t[s], v);
                else
                    for (int k = 1; k < S; k += 2) x += v[k];
                at.put(z[s], x);
                at.put(argument[s], at(y) + x);
            }
        });
    }

    /// derivative = M (e_1 Z_1 + … + e_S Z_S)/h, residual = derivative + f0. All vectors are padded.
    template <int S>
    void make_error_residual(const R& h, const mass_matrix<R>& mass, const R* f0, R* derivative, R* residual)
    {
        const auto e = radau_method<R, S>::get().e;
        const auto z = z_.template stages<S>();
        const auto combination = [&](auto at) {
            value sum = e[0] * at(z[0]);
            for (int s = 1; s < S; ++s) sum += e[s] * at(z[s]);
            return value(sum / h);
        };
        if (mass.kind() == mass_kind::identity) {
            for_components<R>(n_, [&](auto at) {
                const value x = combination(at);
                at.put(derivative, x);
                at.put(residual, x + at(f0));
            });
            return;
        }
        for_components<R>(n_, [&](auto at) { at.put(residual, combination(at)); });
        mass.multiply(residual, derivative);
        for_components<R>(n_, [&](auto at) { at.put(residual, at(derivative) + at(f0)); });
    }

    template <int S>
    void keep_in(collocation_polynomial<R>& polynomial, const R& t, const R& h)
    {
        std::array<const R*, S> z;
        for (int s = 0; s < S; ++s) z[s] = z_.stage(s);
        polynomial.template set<S>(t, h, z);
    }

private:
    using value = component_value<R>;

    template <std::size_t S>
    static value dot(const std::array<R, S>& a, const std::array<value, S>& b)
    {
        value sum = a[0] * b[0];
        for (std::size_t k = 1; k < S; ++k) sum += a[k] * b[k];
        return sum;
    }

    int n_;
    stage_block<R> z_, w_, update_, argument_, product_;
};

} // namespace ivp::solvers

#endif
