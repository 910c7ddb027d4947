// radau_stages: the stages of one step of a Radau IIA method, and the arithmetic of its simplified Newton iteration.
//
// Z_i = Y_i − y are the increments of the stages, W = (T^-1 ⊗ I) Z the variables in which the linear systems are decoupled: one real and (S − 1)/2
// complex ones of the dimension of the problem.
#ifndef IVP_SOLVERS_COMMON_RADAU_STAGES_HPP
#define IVP_SOLVERS_COMMON_RADAU_STAGES_HPP

#include "collocation_polynomial.hpp"
#include "independent_loop.hpp"
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
    stage_block(int n, int most_stages) : n_(n), values_(static_cast<std::size_t>(n) * most_stages) {}

    [[nodiscard]] R* stage(int s) { return values_.data() + static_cast<std::size_t>(s) * n_; }
    template <int S>
    [[nodiscard]] std::array<R*, S> stages()
    {
        std::array<R*, S> p;
        for (int s = 0; s < S; ++s) p[s] = stage(s);
        return p;
    }

private:
    int n_;
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
        IVP_INDEPENDENT_LOOP
        for (int i = 0; i < n_; ++i) {
            std::array<R, S> v;
            for (int k = 0; k < S; ++k) v[k] = form.increment(i, s[k]);
            for (int k = 0; k < S; ++k) {
                z[k][i] = v[k];
                w[k][i] = dot(inverse[k], v);
                argument[k][i] = y[i] + v[k];
            }
        }
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
        IVP_INDEPENDENT_LOOP
        for (int i = 0; i < n_; ++i) {
            std::array<R, S> v;
            std::array<R, S> m;
            for (int s = 0; s < S; ++s) {
                v[s] = f[s][i];
                m[s] = mw[s][i];
            }
            f[0][i] = dot(inverse[0], v) - gamma * m[0];
            for (int k = 0; k < method.pairs; ++k) {
                const int re = 2 * k + 1;
                const int im = re + 1;
                f[re][i] = dot(inverse[re], v) - (alpha[k] * m[re] - beta[k] * m[im]);
                f[im][i] = dot(inverse[im], v) - (alpha[k] * m[im] + beta[k] * m[re]);
            }
        }
    }

    /// Root mean square of the updates of W, divided by their weights.
    template <int S>
    [[nodiscard]] R update_norm(const R* inverse_weight)
    {
        using std::sqrt;
        const auto d = update_.template stages<S>();
        R sum(0);
        for (int i = 0; i < n_; ++i) {
            const R first = d[0][i] * inverse_weight[i];
            R squares = first * first;
            for (int s = 1; s < S; ++s) {
                const R x = d[s][i] * inverse_weight[i];
                squares += x * x;
            }
            sum += squares;
        }
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
        IVP_INDEPENDENT_LOOP
        for (int i = 0; i < n_; ++i) {
            std::array<R, S> v;
            for (int s = 0; s < S; ++s) v[s] = w[s][i] += d[s][i];
            for (int s = 0; s < S - 1; ++s) {
                const R x = dot(t[s], v);
                z[s][i] = x;
                argument[s][i] = y[i] + x;
            }
            R last = t[S - 1][0] * v[0];
            for (int s = 1; s < S; s += 2) last += v[s];
            z[S - 1][i] = last;
            argument[S - 1][i] = y[i] + last;
        }
    }

    /// derivative = M (e_1 Z_1 + … + e_S Z_S)/h, residual = derivative + f0
    template <int S>
    void make_error_residual(const R& h, const mass_matrix<R>& mass, const R* f0, R* derivative, R* residual)
    {
        const bool identity = mass.kind() == mass_kind::identity;
        const auto e = radau_method<R, S>::get().e;
        const auto z = z_.template stages<S>();
        R* const combination = identity ? derivative : residual;
        IVP_INDEPENDENT_LOOP
        for (int i = 0; i < n_; ++i) {
            R sum = e[0] * z[0][i];
            for (int s = 1; s < S; ++s) sum += e[s] * z[s][i];
            combination[i] = sum / h;
        }
        if (!identity) mass.multiply(combination, derivative);
        IVP_INDEPENDENT_LOOP
        for (int i = 0; i < n_; ++i) residual[i] = derivative[i] + f0[i];
    }

    template <int S>
    void keep_in(collocation_polynomial<R>& polynomial, const R& t, const R& h)
    {
        std::array<const R*, S> z;
        for (int s = 0; s < S; ++s) z[s] = z_.stage(s);
        polynomial.template set<S>(t, h, z);
    }

private:
    template <std::size_t S>
    static R dot(const std::array<R, S>& a, const std::array<R, S>& b)
    {
        R sum = a[0] * b[0];
        for (std::size_t k = 1; k < S; ++k) sum += a[k] * b[k];
        return sum;
    }

    int n_;
    stage_block<R> z_, w_, update_, argument_, product_;
};

} // namespace ivp::solvers

#endif
