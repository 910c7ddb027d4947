// collocation_polynomial: the solution inside the last accepted step, for dense output and as predictor of the next step.
#ifndef IVP_SRC_SOLVERS_RADAU_COLLOCATION_POLYNOMIAL_HPP
#define IVP_SRC_SOLVERS_RADAU_COLLOCATION_POLYNOMIAL_HPP

#include "radau_method.hpp"
#include "simd/components.hpp"

#include <ivp/solver.hpp>
#include <ivp/work_memory.hpp>

#include <array>

namespace ivp::solvers {

/// Newton's form over the points 1, c_{s−1}, …, c_1, 0 of the step. It is made from the increments of the stages, not from y plus these: adding y
/// would add rounding errors, which change the course of a tight integration.
template <class R>
class collocation_polynomial {
public:
    collocation_polynomial(int n, int most_stages, const radau_methods<R>& methods, work_memory& memory)
        : methods_(methods), n_(n), coefficients_(n, most_stages, memory)
    {}

    /// increments(at): what the stages of the step that ended at t have in some components.
    template <int S, class Increments>
    void set(const R& t, const R& h, const Increments& increments)
    {
        t_ = t;
        h_ = h;
        stages_ = S;
        const auto inverse = simd::spread(methods_.template with<S>().inverse_distance);
        const auto k_of_form = coefficients_.template first<S>();
        simd::for_components<R>(n_, [&](auto at) {
            std::array<value, S> d; // d[k − 1] ends at point k
            const auto z = increments(at);
            simd::unrolled<S - 1>([&](auto k) { d[k] = (z[S - 2 - k] - z[S - 1 - k]) * inverse[k][0]; });
            d[S - 1] = -z[0] * inverse[S - 1][0];
            simd::unrolled<1, S>([&](auto m) {
                simd::unrolled<S - m>([&](auto l) {
                    constexpr int k = S - 1 - l;
                    d[k] = (d[k] - d[k - 1]) * inverse[k][m];
                });
            });
            at.assign(k_of_form, d);
        });
    }

    [[nodiscard]] const R& step() const { return h_; }

    /// The coefficients, and the points behind the end of the step that they belong to.
    ///
    /// NOTE: a method of another number of stages S takes the coefficients as if they belonged to its own nodes, which gives a polynomial that still
    /// has nearly the right slope. RADAU starts its iteration with it when the first step after a change of the order is repeated.
    template <int S>
    struct newton_form {
        std::array<const R*, S> k;
        std::array<R, S - 1> x;

        /// From these points to the one that is s step sizes behind the end of the step; the last one is the end itself.
        [[nodiscard]] std::array<R, S> distances(const R& s) const
        {
            std::array<R, S> d;
            for (int l = 0; l < S - 1; ++l) d[l] = s - x[l];
            d[S - 1] = s;
            return d;
        }
        /// Difference to the value at the end of the step, by Horner's scheme.
        template <class At, class Distances>
        [[gnu::always_inline]] [[nodiscard]] auto increment(const At& at, const Distances& distance) const
        {
            auto sum = at(k[S - 1]);
            simd::unrolled<1, S>([&](auto m) { sum = at(k[S - 1 - m]) + distance[S - 1 - m] * sum; });
            return distance[S - 1] * sum;
        }
    };
    template <int S>
    [[nodiscard]] newton_form<S> form() const
    {
        const auto& c = methods_.template with<S>().c;
        newton_form<S> f{coefficients_.template first<S>(), {}};
        for (int l = 0; l < S - 1; ++l) f.x[l] = c[S - 2 - l] - R(1);
        return f;
    }

    /// y = value at t; y_end: at the end of the step.
    void evaluate(const R& t, const R* y_end, R* y) const
    {
        const R s = (t - t_) / h_;
        with_stages(stages_, [&]<int S>() {
            const auto f = form<S>();
            const auto distance = f.distances(s);
            for (int i = 0; i < n_; ++i) y[i] = y_end[i] + f.increment([i](const R* v) { return v[i]; }, distance);
        });
    }

private:
    using value = simd::pack<R>;

    const radau_methods<R>& methods_;
    int n_;
    int stages_ = 0; // 0: no step yet
    R t_{};
    R h_{};
    simd::padded_vectors<R, most_radau_stages> coefficients_;
};

/// What an observer sees of it.
class collocation_output final : public interpolant {
public:
    collocation_output(const collocation_polynomial<double>& p, const double* y_end) : polynomial_(p), y_end_(y_end) {}
    void evaluate(double t, double* y) const override { polynomial_.evaluate(t, y_end_, y); }

private:
    const collocation_polynomial<double>& polynomial_;
    const double* y_end_;
};

} // namespace ivp::solvers

#endif
