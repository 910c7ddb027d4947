// radau_stages: the stages of one step of a Radau IIA method, and the arithmetic of its simplified Newton iteration.
//
// Z_i = Y_i − y are the increments of the stages, W = (T^-1 ⊗ I) Z the variables in which the linear systems are decoupled: one real and (S − 1)/2
// complex ones of the dimension of the problem. Only W is kept: with many equations it is faster to make Z from it than to read Z from memory.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_STAGES_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_STAGES_HPP

#include "collocation_polynomial.hpp"
#include "linalg/shifted_lu.hpp"
#include "radau_method.hpp"
#include "solvers/common/componentwise.hpp"
#include <ivp/work_memory.hpp>

#include <ivp/problem.hpp>

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
        : methods_(methods), n_(n), stride_(stride_of_padded<R>(n)), values_(static_cast<std::size_t>(stride_) * most_stages * 4, memory)
    {
        R* next = values_.data();
        for (R** const block : {&w_, &update_, &argument_, &product_}) {
            *block = next;
            next += static_cast<std::ptrdiff_t>(stride_) * most_stages;
        }
    }
    radau_stages(const radau_stages&) = delete;
    radau_stages& operator=(const radau_stages&) = delete;

    /// Where f is to be evaluated for stage s: y + Z_s.
    [[nodiscard]] const R* argument(int s) const { return stage(argument_, s); }
    /// Where the values of f are to be written; afterwards the right-hand sides of the systems, then their solutions.
    [[nodiscard]] R* update(int s) const { return stage(update_, s); }

    void start_from_zero(int stages, const R* y)
    {
        for (int s = 0; s < stages; ++s) {
            std::fill_n(stage(w_, s), n_, R(0));
            std::copy_n(y, n_, stage(argument_, s));
        }
    }

    /// From the polynomial of the last step, extrapolated over a step of size h.
    template <int S>
    [[gnu::always_inline]] void start_from(const collocation_polynomial<R>& polynomial, const R& h, const R* y)
    {
        const auto& method = methods_.template with<S>();
        const R ratio = h / polynomial.step();
        const auto form = polynomial.template form<S>();
        // Horner's factors: where the stages are, seen from the nodes of the last step
        std::array<std::array<value, S>, S> distance;
        unrolled<S>([&](auto k) IVP_INLINED {
            const R s = method.c[k] * ratio;
            unrolled<S>([&](auto l) IVP_INLINED { distance[k][l] = (l < S - 1 ? s - form.x[l] : s) - value{}; });
        });
        const auto inverse = spread<R>(method.t_inverse);
        const auto w = stages<S>(w_);
        const auto argument = stages<S>(argument_);
        for_components<R>(n_, [&](auto at) IVP_INLINED {
            std::array<value, S> v;
            unrolled<S>([&](auto k) IVP_INLINED {
                value x = at(form.k[S - 1]);
                unrolled<S - 1>([&](auto m) IVP_INLINED {
                    constexpr int l = S - 2 - m;
                    x = at(form.k[l]) + distance[k][l] * x;
                });
                v[k] = distance[k][S - 1] * x;
            });
            unrolled<S>([&](auto k) IVP_INLINED {
                at.put(w[k], dot(inverse[k], v));
                at.put(argument[k], at(y) + v[k]);
            });
        });
    }

    /// Turns the values of f into the right-hand sides (T^-1 ⊗ I) F − Lambda/h (I ⊗ M) W.
    template <int S>
    [[gnu::always_inline]] void make_right_hand_sides(const radau_shifts<R>& shifts, const mass_matrix<R>& mass)
    {
        constexpr int pairs = radau_method<R, S>::pairs;
        const auto& method = methods_.template with<S>();
        const bool identity = mass.kind() == mass_kind::identity;
        if (!identity)
            for (int s = 0; s < S; ++s) mass.multiply(stage(w_, s), stage(product_, s));
        const auto mw = stages<S>(identity ? w_ : product_);
        const auto f = stages<S>(update_);
        const auto inverse = spread<R>(method.t_inverse);
        const value gamma = shifts.real - value{};
        std::array<value, pairs> alpha;
        std::array<value, pairs> beta;
        unrolled<pairs>([&](auto k) IVP_INLINED {
            alpha[k] = shifts.complex[k].re - value{};
            beta[k] = shifts.complex[k].im - value{};
        });
        for_components<R>(n_, [&](auto at) IVP_INLINED {
            std::array<value, S> v;
            std::array<value, S> m;
            unrolled<S>([&](auto s) IVP_INLINED {
                v[s] = at.one_by_one(f[s]);
                m[s] = at(mw[s]);
            });
            at.put(f[0], dot(inverse[0], v) - gamma * m[0]);
            unrolled<pairs>([&](auto k) IVP_INLINED {
                constexpr int re = 2 * k + 1;
                constexpr int im = re + 1;
                at.put(f[re], dot(inverse[re], v) - (alpha[k] * m[re] - beta[k] * m[im]));
                at.put(f[im], dot(inverse[im], v) - (alpha[k] * m[im] + beta[k] * m[re]));
            });
        });
    }

    /// W += update, and the arguments that belong to it. Gives the root mean square of the update, divided by its weights.
    template <int S>
    [[gnu::always_inline]] [[nodiscard]] R advance(const R* y, const R* inverse_weight)
    {
        using std::sqrt;
        const auto t = spread<R>(methods_.template with<S>().t);
        const auto w = stages<S>(w_);
        const auto d = stages<S>(update_);
        const auto argument = stages<S>(argument_);
        R sum(0);
        for_components<R>(n_, [&](auto at) IVP_INLINED {
            const value weight = at(inverse_weight);
            std::array<value, S> v;
            value squares{};
            unrolled<S>([&](auto s) IVP_INLINED {
                const value update = at.one_by_one(d[s]);
                const value x = update * weight;
                squares = s == 0 ? value(x * x) : value(squares + x * x);
                v[s] = at(w[s]) + update;
                at.put(w[s], v[s]);
            });
            add_in_order(sum, squares);
            const value start = at(y);
            const std::array<value, S> z = increments(t, v);
            unrolled<S>([&](auto s) IVP_INLINED { at.put(argument[s], start + z[s]); });
        });
        return sqrt(sum / R(S * n_));
    }

    /// residual = M (e_1 Z_1 + … + e_S Z_S)/h + f. All vectors are padded.
    template <int S>
    [[gnu::always_inline]] void make_error_residual(const R& h, const mass_matrix<R>& mass, const R* f, R* residual)
    {
        const auto e = spread<R>(methods_.template with<S>().e);
        const auto z = increments_from<S>();
        const auto combination = [&](auto at) IVP_INLINED { return value(dot(e, z(at)) / h); };
        if (mass.kind() == mass_kind::identity) {
            for_components<R>(n_, [&](auto at) IVP_INLINED { at.put(residual, combination(at) + at(f)); });
            return;
        }
        R* const product = stage(product_, 0);
        for_components<R>(n_, [&](auto at) IVP_INLINED { at.put(residual, combination(at)); });
        mass.multiply(residual, product);
        for_components<R>(n_, [&](auto at) IVP_INLINED { at.put(residual, at(product) + at(f)); });
    }

    template <int S>
    void keep_in(collocation_polynomial<R>& polynomial, const R& t, const R& h) const
    {
        polynomial.template set<S>(t, h, increments_from<S>());
    }

private:
    using value = component_value<R>;

    /// Z = (T ⊗ I) W. The last row of T is 1 and 0 in turns but for its first entry.
    template <std::size_t S>
    [[gnu::always_inline]] static std::array<value, S> increments(const std::array<std::array<value, S>, S>& t, const std::array<value, S>& w)
    {
        constexpr int last = static_cast<int>(S) - 1;
        std::array<value, S> z;
        unrolled<last>([&](auto s) IVP_INLINED { z[s] = dot(t[s], w); });
        z[last] = t[last][0] * w[0];
        unrolled<last / 2>([&](auto k) IVP_INLINED { z[last] += w[2 * k + 1]; });
        return z;
    }
    /// A function that gives the increments of a group of components.
    template <int S>
    [[nodiscard]] auto increments_from() const
    {
        return [t = spread<R>(methods_.template with<S>().t), w = stages<S>(w_)](auto at) IVP_INLINED {
            std::array<value, S> v;
            unrolled<S>([&](auto s) IVP_INLINED { v[s] = at(w[s]); });
            return increments(t, v);
        };
    }

    [[nodiscard]] R* stage(R* block, int s) const { return block + static_cast<std::ptrdiff_t>(s) * stride_; }
    template <int S>
    [[nodiscard]] std::array<R*, S> stages(R* block) const
    {
        std::array<R*, S> p;
        unrolled<S>([&](auto s) IVP_INLINED { p[s] = stage(block, s); });
        return p;
    }

    const radau_methods<R>& methods_;
    int n_;
    int stride_;
    work_vector<R> values_; // of the blocks, each a vector for every stage
    R* w_;
    R* update_;
    R* argument_;
    R* product_;
};

} // namespace ivp::solvers

#endif
